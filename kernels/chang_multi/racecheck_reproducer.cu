// Not part of the library: why `compute-sanitizer --tool racecheck` reports hazards in chang_multi, and why
// they are none. (Build by hand: nvcc -arch=sm_90 -lineinfo racecheck_reproducer.cu; only compiled by our
// checks.)
//
// As in chang_multi, groups of the block meet at named barriers (PTX: bar.sync id, count), each group as
// often as it has rounds, and then all threads meet at barrier 0. Each access after barrier 0 is ordered
// after each access before it, whatever the groups did before (PTX ISA, bar: barrier 0 with all threads of
// the block).
//
// compute-sanitizer of CUDA 13.0 on an H200:
//   groups x threads   rounds of group g   hazards reported
//   2 x 128            8                   0
//   2 x 128            8 + 3 g             0
//   4 x 96             8                   0
//   4 x 96             8 - 2 g             1,026, all between accesses on either side of barrier 0
//   8 x 64             8 - g               1,794, likewise
//   8 x 64             40 + 7 g            129, likewise
// So the tool orders barrier 0 wrongly after different numbers of named barriers. What it reports in
// chang_multi is of this kind: slices of more than a warp with different numbers of rounds, accesses on
// either side of the epilogue's barrier 0. The rings themselves are checked by index_test.cpp (schedule) and
// emulation_test.cpp (the source itself, with copies as early and as late as they may land).
#include <cstdio>

template <int group_threads>
__global__ void groups_then_all(float* out, int rounds, int more_per_group) {
  __shared__ float ring[1024];
  const int thread = threadIdx.x, group = thread / group_threads, threads = blockDim.x;
  float sum = 0;
  int slot = 0;
  for (int round = 0; round < rounds + group * more_per_group; ++round) {
    ring[slot * threads + thread] = static_cast<float>(thread + round);
    asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(group_threads) : "memory");
    sum += ring[slot * threads + group * group_threads + (thread + 1) % group_threads];
    slot ^= 1;
  }
  __syncthreads();
  ring[thread] = sum;
  __syncthreads();
  out[thread] = ring[threads - 1 - thread];
}

int main() {
  float* out = nullptr;
  if (cudaMalloc(&out, 4096) != cudaSuccess) return 5;
  groups_then_all<128><<<1, 256>>>(out, 8, 3);
  groups_then_all<96><<<1, 384>>>(out, 8, 0);
  groups_then_all<96><<<1, 384>>>(out, 8, -2);
  groups_then_all<64><<<1, 512>>>(out, 8, -1);
  const cudaError_t status = cudaDeviceSynchronize();
  std::puts(cudaGetErrorString(status));
  return status == cudaSuccess ? 0 : 1;
}
