// How long loads wait behind stores of their SM. A block an SM of W warps and a reader; the W warps store 512
// bytes a warp and instruction (or rows of 128 bytes from `begin` bytes behind a sector on), K times each,
// into L2, then all meet at a barrier and the reader loads a line that L2 has, a sector of it, or copies it.
// Or
// (`busy`) they go on storing and the reader loads time after time. CSV to standard output: cycles of one
// such load, the median over SMs (and times), after K stores; 0 stores is the latency alone.
//   nvcc -O3 -arch=sm_90a -o loads_behind_stores loads_behind_stores.cu && ./loads_behind_stores
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "experiment.hpp"

enum Kind { whole, row, split };      // 16 bytes a lane; 4 bytes a lane; the same, 8 bytes behind a sector
enum Reader { load, load_l1, copy };  // past L1; through L1; cp.async through L1
constexpr int region = 65536, times = 32;

__device__ __forceinline__ void store(char* to, Kind kind) {
  if (kind == whole)
    asm volatile("st.global.v4.b32 [%0], {%1, %1, %1, %1};" ::"l"(to + 16 * (threadIdx.x % 32)), "r"(1)
                 : "memory");
  else
    asm volatile("st.global.b32 [%0], %1;" ::"l"(to + 4 * (threadIdx.x % 32) + (kind == split ? 8 : 0)),
                 "r"(1)
                 : "memory");
}

__device__ __forceinline__ unsigned read(const char* from, Reader reader, unsigned shared) {
  const unsigned begin = now();
  unsigned v = 0;
  from += 4 * (threadIdx.x % 32);
  if (reader == load) {
    asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
  } else if (reader == load_l1) {
    asm volatile("ld.global.ca.b32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
  } else {
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.wait_all;" ::"r"(shared + 4 * (threadIdx.x % 32)),
        "l"(from)
        : "memory");
  }
  asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 12345; @p trap;}" ::"r"(v) : "memory");
  return now() - begin;
}

__global__ void run(char* stored, const char* loaded, Kind kind, Reader reader, int stores, bool busy,
                    int delay, unsigned* cycles) {
  __shared__ unsigned buffer[32];
  __shared__ volatile int done;
  const unsigned shared = shared_address(buffer);
  const int warp = threadIdx.x / 32, writers = blockDim.x / 32 - 1;
  char* const own = stored + blockIdx.x * static_cast<long long>(region);
  const char* const from = loaded + blockIdx.x * static_cast<long long>(times * 1024);
  const int bytes = kind == whole ? 512 : 128;
  if (threadIdx.x == 0) done = 0;
  // The code is there, and the translation of addresses.
  if (warp == writers)
    read(from + times * 1024 - 1024, reader, shared);
  else
    store(own, kind);
  __syncthreads();
  for (int n = 0; n < (busy ? 1 : times); ++n) {
    if (warp < writers) {
#pragma unroll 4
      for (int k = 0; busy ? !done : k < stores; ++k)
        store(own + (warp + k * writers) * bytes % (region - 512), kind);
    }
    if (!busy) __syncthreads();
    if (warp == writers) {
      for (int t = 0; t < (busy ? times - 1 : 1); ++t) {
        const unsigned begin = now();
        while (now() - begin < static_cast<unsigned>(delay)) {
        }
        const unsigned c = read(from + (busy ? t : n) * 1024, reader, shared);
        if (threadIdx.x % 32 == 0) cycles[blockIdx.x * times + (busy ? t : n)] = c;
      }
      if (busy) done = 1;
    }
    if (!busy) {
      const unsigned begin = now();  // all stores have left
      while (now() - begin < 12000) {
      }
      __syncthreads();
    }
  }
}

int main() {
  auto* const stored = device_room<char>(132 * region + 4096);
  auto* const loaded = device_room<char>(132 * times * 1024, 0);
  auto* const cycles = managed_room<unsigned>(132 * times * sizeof(unsigned));
  std::printf("reader,stores_are,blocks,warps,stores_a_warp,delay,cycles_median,cycles_p90\n");
  const auto measure = [&](Reader reader, Kind kind, int blocks, int warps, int stores, bool busy,
                           int delay) {
    for (int again = 0; again < 2; ++again) {
      run<<<blocks, 32 * (warps + 1)>>>(stored, loaded, kind, reader, stores, busy, delay, cycles);
      CHECK(cudaDeviceSynchronize());
    }
    std::vector<unsigned> all;
    for (int b = 0; b < blocks; ++b)
      for (int t = busy ? 4 : 0; t < times - 2; ++t)
        all.push_back(cycles[b * times + t]);
    std::sort(all.begin(), all.end());
    std::printf("%s,%s,%d,%d,%s,%d,%u,%u\n",
                reader == load      ? "ld.cg"
                : reader == load_l1 ? "ld.ca"
                                    : "cp.async.ca",
                kind == whole ? "whole"
                : kind == row ? "row"
                              : "split",
                blocks, warps, busy ? "busy" : std::to_string(stores).c_str(), delay, all[all.size() / 2],
                all[all.size() * 9 / 10]);
  };
  for (const int blocks : {1, 33, 132})
    for (const auto kind : {whole, row, split})
      for (const auto reader : {load, load_l1, copy}) {
        for (const int stores : {0, 1, 2, 4, 8, 16, 32})
          if (reader == load || stores == 8) measure(reader, kind, blocks, 8, stores, false, 0);
        if (reader == load)
          for (const int delay : {250, 500, 1000, 2000})
            measure(reader, kind, blocks, 8, 8, false, delay);
        for (const int warps : {1, 2, 4, 8, 16})
          if (reader == load || warps == 8) measure(reader, kind, blocks, warps, 0, true, 500);
      }
  return 0;
}
