// What it costs that all SMs read the same few lines of L2 at the same time, as blocks of one grid that walk
// through one map do. A block an SM copies B bytes (16 bytes a lane, cp.async) of L2 into shared memory, waits
// for them and for all its warps, stays X cycles, and so on with the next B bytes: `same`, all SMs the same
// ones; `own`, each SM others; `apart`, the same ones, SM n beginning n pieces further on. CSV to standard
// output: cycles a round, the median SM, and the most of them.
//   nvcc -O3 -arch=sm_90a -std=c++17 -cudart static -o hot_lines hot_lines.cu && ./hot_lines
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

enum Order { same, own, apart };

__global__ void walk(const float* data, int bytes, int rounds, int words_of_sm, int pieces, int first_piece_of_sm,
                     int stay, unsigned long long* cycles) {
  extern __shared__ float4 buffer[];
  const float* const mine = data + static_cast<long long>(blockIdx.x) * words_of_sm;
  int piece = static_cast<int>(blockIdx.x) * first_piece_of_sm % pieces;
  long long begin = 0;
  for (int r = -4; r < rounds; ++r) {
    if (r == 0) begin = clock64();
    const float* const from = mine + static_cast<long long>(piece) * (bytes / 4);
    for (int at = threadIdx.x * 16; at < bytes; at += blockDim.x * 16) {
      const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(reinterpret_cast<char*>(buffer) + at));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + at / 4) : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (stay > 0) {
      const long long until = clock64() + stay;
      while (clock64() < until) {
      }
    }
    piece = piece + 1 < pieces ? piece + 1 : 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = static_cast<unsigned long long>(clock64() - begin);
}

int main() {
  float* data;
  unsigned long long* cycles;
  const long long all_bytes = 1 << 25;
  CHECK(cudaMalloc(&data, all_bytes));
  CHECK(cudaMemset(data, 0, all_bytes));
  CHECK(cudaMallocManaged(&cycles, 8 * 1024));
  CHECK(cudaFuncSetAttribute(walk, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  const char* const names[] = {"same", "own", "apart"};
  std::printf("order,sms,bytes,threads,stay,median_cycles,most_cycles\n");
  for (const int order : {same, own, apart})
    for (const int sms : {1, 16, 66, 132})
      for (const int bytes : {128, 512, 2048, 8192, 32768})
        for (const int stay : {0, 400, 2000}) {
          const int threads = 512, rounds = 64;
          const int own_bytes = static_cast<int>(all_bytes / 132 / 32768 * 32768);
          const int pieces = std::min(own_bytes / bytes, 256);
          for (int time = 0; time < 3; ++time) {
            walk<<<sms, threads, 65536>>>(data, bytes, rounds, order == own ? own_bytes / 4 : 0, pieces,
                                          order == apart ? 7 : 0, stay, cycles);
            CHECK(cudaDeviceSynchronize());
          }
          std::vector<unsigned long long> all(cycles, cycles + sms);
          std::sort(all.begin(), all.end());
          std::printf("%s,%d,%d,%d,%d,%.0f,%.0f\n", names[order], sms, bytes, threads, stay,
                      static_cast<double>(all[all.size() / 2]) / rounds - stay,
                      static_cast<double>(all.back()) / rounds - stay);
        }
  return 0;
}
