// How long a warp's shared load waits behind copies and loads of 4 bytes a lane whose lanes lie in lines of
// their own: lines that L1 has, that it has not, and sectors that are under way. One block; each step of a
// warp is 16 copies or loads, a shared load, and `ffma` multiply-adds that wait for each other.
//   lane_apart: bytes from one line to the next; 94080: the same banks, 94084: each lane another one
//   lanes: neighbouring lanes of a line
//   creep: bytes from an access to the next one, warps in turn: 0 what L1 has, 4 to 16 sectors that the ones
//   before have asked for, 32 a new sector each, 128 a new line each
// CSV to standard output: cycles of a step, and of them until the first warp's shared load is back; the least
// of four runs.
//   nvcc -O3 -arch=sm_90a -o under_way under_way.cu && ./under_way
#include <cstdio>

#include "experiment.hpp"

enum Kind { ca4, ldg4 };
constexpr const char* names[] = {"ca4", "ldg4"};
constexpr int lanes_of_warp = 32, copies = 16, steps = 42, unmeasured = 2;

template <int kind>
__global__ void run(const char* data, unsigned lane_apart, int lanes, unsigned creep, int ffma, float* out,
                    long long* cycles) {
  extern __shared__ char buffer[];
  const int lane = threadIdx.x % lanes_of_warp, warp = threadIdx.x / lanes_of_warp;
  const int warps = blockDim.x / lanes_of_warp;
  const char* at = data + static_cast<size_t>(lane / lanes) * lane_apart + lane % lanes * 4 +
                   static_cast<size_t>(warp) * creep;
  const auto base = shared_address(buffer);
  const unsigned to = base + 16384 + (warp * lanes_of_warp + lane) * 4;
  float total = 0, value[copies] = {};
  long long read = 0, begun = 0;
  for (int s = 0; s < steps; ++s) {
    if (s == unmeasured) begun = clock64();
    const long long before = clock64();
#pragma unroll
    for (int i = 0; i < copies; ++i) {
      if constexpr (kind == ca4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + i * 4096 % 65536), "l"(at)
                     : "memory");
      else
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(value[i]) : "l"(at) : "memory");
      at += creep * warps;
    }
    if (kind == ca4) asm volatile("cp.async.commit_group;" ::: "memory");
    float v;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(base + lane * 4) : "memory");
    total += v;
    asm volatile("" ::"f"(total) : "memory");
    const long long after = clock64();
    if (s >= unmeasured) read += after - before;
    for (int f = 0; f < ffma; ++f)
      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(total) : "f"(v));
    if (kind == ca4)
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    else
      for (int i = 0; i < copies; ++i)
        total += value[i];
    __syncthreads();
  }
  const long long end = clock64();
  if (total == 12345.0F) out[0] = total;
  if (threadIdx.x == 0) cycles[0] = end - begun, cycles[1] = read;
}

template <int kind>
void row(const char* data, float* out, long long* cycles, int warps, unsigned lane_apart, int lanes, int ffma,
         int creep) {
  constexpr int shared = 100 * 1024;
  const auto kernel = run<kind>;
  allow_shared(kernel, shared);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  long long least = 1LL << 60, read = 0;
  for (int time = 0; time < 4; ++time) {
    kernel<<<1, warps * lanes_of_warp, shared>>>(data, lane_apart, lanes, creep, ffma, out, cycles);
    CHECK(cudaDeviceSynchronize());
    if (cycles[0] < least) least = cycles[0], read = cycles[1];
  }
  constexpr double measured = steps - unmeasured;
  std::printf("%s,%d,%u,%d,%d,%d,%.1f,%.1f\n", names[kind], warps, lane_apart, lanes, creep, ffma,
              static_cast<double>(least) / measured, static_cast<double>(read) / measured);
}

template <int kind>
void rows(const char* data, float* out, long long* cycles) {
  for (const int ffma : {0, 500})
    for (const int warps : {1, 2, 4, 8})
      for (const unsigned apart : {94080U, 94084U})
        for (const int creep : {0, 4, 8, 16, 32, 128})
          row<kind>(data, out, cycles, warps, apart, 1, ffma, creep);
  for (const int warps : {1, 2, 4, 8})
    for (const int lanes : {2, 4, 8})
      for (const int creep : {0, 4, 32, 128})
        row<kind>(data, out, cycles, warps, 94080, lanes, 250, creep);
}

int main() {
  auto* const data = device_room<char>(32 << 20, 0);
  auto* const out = device_room<float>(4);
  auto* const cycles = managed_room<long long>(2 * sizeof(long long));
  std::printf("kind,warps,lane_apart,lanes,creep,ffma,cycles_a_step,until_shared_load\n");
  rows<ca4>(data, out, cycles);
  rows<ldg4>(data, out, cycles);
  return 0;
}
