// A few lines of L2 that all SMs read again and again, as the blocks of a grid that share a small map do: bytes a
// second over the number of lines, and what a copy's way takes beside a load's.
// `rate`: 16 warps an SM, each reads one line (4 bytes a lane, past L1) after the other of F bytes, four at a time,
// beginning anywhere; F at 8 places of a buffer, as lines are spread over slices by their address. Terabytes a second
// of all SMs, bytes a cycle.
// `wait`: one block an SM, a round: load or copy 128 bytes a warp, wait, barrier; cycles a round, by the warps of the
// block. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -std=c++17 -cudart static -o hot_slices hot_slices.cu && ./hot_slices
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

__global__ void rate(const float* data, int lines, int rounds, float* sink, unsigned long long* cycles) {
  const int warp = static_cast<int>(threadIdx.x / 32 + blockIdx.x * blockDim.x / 32);
  int line = static_cast<int>((static_cast<unsigned>(warp) * 2654435761u >> 8) % static_cast<unsigned>(lines));
  float sum = 0;
  __syncthreads();
  const long long begin = clock64();
  for (int r = 0; r < rounds; ++r) {
    float value[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(value[i]) : "l"(data + line * 32 + threadIdx.x % 32));
      line = line + 1 < lines ? line + 1 : 0;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
      sum += value[i];
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = static_cast<unsigned long long>(clock64() - begin);
  if (sum == 12345) *sink = sum;
}

enum Way { load, copy16, copy4 };

template <int way, bool barrier>
__global__ void wait(const float* data, int rounds, float* sink, unsigned long long* cycles) {
  extern __shared__ float buffer[];
  const float* from = data + threadIdx.x / 32 * 32 + (way == copy16 ? threadIdx.x % 8 * 4 : threadIdx.x % 32);
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(buffer + threadIdx.x * 4));
  float sum = 0;
  long long begin = 0;
  for (int r = -2; r < rounds; ++r) {
    if (r == 0) begin = clock64();
    if (way == load) {
      float value;
      asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(value) : "l"(from) : "memory");
      from += value != 0 ? 1 : 0;  // waits for it
    } else {
      if (way == copy16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
      else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
      asm volatile("cp.async.wait_all;" ::: "memory");
    }
    if (barrier) __syncthreads();
    from += 1024;
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = static_cast<unsigned long long>(clock64() - begin);
  if (sum == 12345) *sink = sum;
}

double median(unsigned long long* cycles, int n) {
  std::vector<unsigned long long> all(cycles, cycles + n);
  std::sort(all.begin(), all.end());
  return static_cast<double>(all[all.size() / 2]);
}

int main() {
  float* data;
  float* sink;
  unsigned long long* cycles;
  CHECK(cudaMalloc(&data, 1 << 26));
  CHECK(cudaMalloc(&sink, 4));
  CHECK(cudaMemset(data, 0, 1 << 26));
  CHECK(cudaMallocManaged(&cycles, 8 * 1024));
  int khz;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  std::printf("case,sms,lines,place,warps,value,unit\n");
  for (const int sms : {8, 33, 132})
    for (const int lines : {1, 2, 4, 8, 12, 16, 25, 32, 48, 64, 98, 128, 256, 512, 1024, 4096})
      for (int place = 0; place < 8; ++place) {
        const int rounds = 256;
        const float* const from = data + place * (1 << 20) + place * 4704;
        for (int time = 0; time < 2; ++time) {
          rate<<<sms, 512>>>(from, lines, rounds, sink, cycles);
          CHECK(cudaDeviceSynchronize());
        }
        std::printf("rate,%d,%d,%d,16,%.1f,bytes_a_cycle\n", sms, lines, place,
                    128.0 * 16 * 4 * rounds * sms / median(cycles, sms));
      }
  for (const int warps : {1, 4, 8, 16})
    for (int what = 0; what < 6; ++what) {
      for (int time = 0; time < 2; ++time) {
        const int rounds = 200, threads = 32 * warps, shared = 16 * threads;
        switch (what) {
          case 0: wait<load, false><<<132, threads, shared>>>(data, rounds, sink, cycles); break;
          case 1: wait<copy16, false><<<132, threads, shared>>>(data, rounds, sink, cycles); break;
          case 2: wait<copy4, false><<<132, threads, shared>>>(data, rounds, sink, cycles); break;
          case 3: wait<load, true><<<132, threads, shared>>>(data, rounds, sink, cycles); break;
          case 4: wait<copy16, true><<<132, threads, shared>>>(data, rounds, sink, cycles); break;
          case 5: wait<copy4, true><<<132, threads, shared>>>(data, rounds, sink, cycles); break;
        }
        CHECK(cudaDeviceSynchronize());
      }
      const char* const names[] = {"load", "copy16", "copy4", "load+barrier", "copy16+barrier", "copy4+barrier"};
      std::printf("wait:%s,132,,,%d,%.1f,cycles\n", names[what], warps, median(cycles, 132) / 200);
    }
  std::fprintf(stderr, "clock %d kHz\n", khz);
  return 0;
}
