// Copies of the same lines of L2 by several SMs at about the same time, as blocks of a grid make them that
// share a map or filters. A block an SM (132) copies B bytes (16 bytes a lane, cp.async) into shared memory,
// waits for all of them, stays X cycles at most (drawn; so that SMs get out of step), and so on with the next
// B bytes. Groups of g blocks copy the same bytes: neighbours in the grid (`near`), or blocks 132 / g apart
// (`far`). All in all `mb` megabytes are walked through, again and again. CSV to standard output: cycles a
// round less the stay, median of the SMs, and bytes a cycle of each SM beyond what a round of 16 bytes takes.
// Copies past L1 (.cg) that begin with a line, or what the arguments say.
//   nvcc -O3 -arch=sm_90a -o shared_reads shared_reads.cu
//   ./shared_reads [cg|ca [BYTES BEHIND A LINE]]   (shared_reads.csv, with arguments shared_reads_ways.csv)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "experiment.hpp"

template <bool through_l1>
__global__ void walk(const char* data, int bytes, int rounds, int group, int groups, bool near, int pieces,
                     int stay, unsigned long long* cycles) {
  extern __shared__ char buffer[];
  const int own = near ? blockIdx.x / group : blockIdx.x % groups;
  unsigned random = 12345u * (blockIdx.x + 1);
  int piece = 0;
  long long begin = 0, stayed = 0;
  for (int r = -4; r < rounds; ++r) {
    if (r == 0) {
      begin = clock64();
      stayed = 0;
    }
    const char* const from = data + (static_cast<long long>(piece) * groups + own) * bytes;
    for (int at = threadIdx.x * 16; at < bytes; at += blockDim.x * 16) {
      const unsigned to = shared_address(buffer + at);
      if (through_l1)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + at) : "memory");
      else
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + at) : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (stay > 0) {
      random = random * 1664525u + 1013904223u;
      const long long now = clock64(), until = now + (random >> 8) % static_cast<unsigned>(stay);
      while (clock64() < until) {
      }
      __syncthreads();
      stayed += clock64() - now;
    }
    piece = piece + 1 < pieces ? piece + 1 : 0;
  }
  if (threadIdx.x == 0) cycles[blockIdx.x] = static_cast<unsigned long long>(clock64() - begin - stayed);
}

int main(int count, char** words) {
  const bool through_l1 = count > 1 && std::strcmp(words[1], "ca") == 0;
  const int offset = count > 2 ? std::atoi(words[2]) : 0;
  auto* const kernel = through_l1 ? walk<true> : walk<false>;
  auto* const data = device_room<char>((1LL << 26) + offset, 0);
  auto* const cycles = managed_room<unsigned long long>(8 * 1024);
  allow_shared(kernel, 200000);
  std::printf("way,offset,sms,group,near,mb,bytes,stay,cycles,bytes_a_cycle\n");
  for (const int sms : {132, 33})
    for (const int mb : {1, 16})
      for (const int stay : {0, 4000})
        for (const int group : {1, 2, 3, 4, 6, 11, 22, 33, 66, 132})
          for (const bool near : {true, false})
            for (const int bytes : {2048, 8192, 32768, 131072}) {
              if (group > sms || sms % group != 0) continue;
              const int groups = sms / group, rounds = 40;
              const int pieces =
                  std::max(1, static_cast<int>((static_cast<long long>(mb) << 20) / groups / bytes));
              if (static_cast<long long>(pieces) * groups * bytes > (1LL << 26)) continue;
              double of[2];
              int n = 0;
              for (const int each : {16, bytes}) {
                for (int time = 0; time < 2; ++time) {
                  kernel<<<sms, 512, 200000>>>(data + offset, each,
                                               time == 0 && each > 16 ? pieces + 8 : rounds, group, groups,
                                               near, pieces, stay, cycles);
                  CHECK(cudaDeviceSynchronize());
                }
                of[n++] = static_cast<double>(median(to_host(cycles, sms))) / rounds;
              }
              std::printf("%s,%d,%d,%d,%s,%d,%d,%d,%.0f,%.1f\n", through_l1 ? "ca" : "cg", offset, sms, group,
                          near ? "near" : "far", mb, bytes, stay, of[1],
                          bytes / std::max(1.0, of[1] - of[0]));
            }
  return 0;
}
