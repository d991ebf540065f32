// Where the blocks of a last wave go in clusters. Blocks of 64 threads, so many of which fit on an SM at
// once, stay 40,000 cycles, or up to 3 % longer by their SM or by their block, meet their cluster and leave;
// a grid is a full wave and so many clusters more. CSV to standard output:
//   tail: how many SMs have got how many blocks of the tail, and the kernel's time in stays.
//   place: of each block its SM, and nanoseconds of the global timer when it begins and ends.
//   nvcc -O3 -arch=sm_90 -std=c++17 -cudart static -o cluster_tails cluster_tails.cu && ./cluster_tails
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "check.hpp"

struct Note {
  unsigned sm, pad;
  unsigned long long begin, end;
};

enum Longer { nobody, by_sm, by_block };
constexpr const char* names[] = {"nobody", "by_sm", "by_block"};

__device__ unsigned hash(unsigned x) {
  x = (x ^ 61) ^ (x >> 16);
  x *= 9;
  x ^= x >> 4;
  x *= 0x27d4eb2d;
  return x ^ (x >> 15);
}

__global__ void stay(Note* notes, unsigned cycles, int longer) {
  const long long begin = clock64();
  unsigned long long from, to;
  unsigned sm;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  const unsigned of = hash(longer == by_sm ? sm : blockIdx.x) % 1024;
  const long long until = cycles + (longer == nobody ? 0 : cycles / 1024 * of * 3 / 100);
  while (clock64() - begin < until) {
  }
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(to));
  if (threadIdx.x == 0) notes[blockIdx.x] = {sm, 0, from, to};
}

int main() {
  constexpr int most = 227 * 1024, threads = 64;
  constexpr unsigned cycles = 40000;
  Note* notes;
  CHECK(cudaMalloc(&notes, sizeof(Note) << 14));
  CHECK(cudaFuncSetAttribute(stay, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  CHECK(cudaFuncSetAttribute(stay, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  std::printf(
      "what,cluster,fit,longer,full_waves,at_once,tail,run,a,b,c,d,e,f,g,h\n");  // tail: SMs with 1 to 7
  for (const int cluster : {2, 4, 8, 16})
    for (const int fit : {1, 2, 3, 4, 6}) {
      cudaLaunchConfig_t launch{};
      cudaLaunchAttribute attribute{};
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim.x = cluster;
      attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
      launch.attrs = &attribute;
      launch.numAttrs = 1;
      launch.blockDim = threads;
      launch.dynamicSmemBytes =
          fit == 1 ? 200 * 1024 : static_cast<unsigned>(most / fit / 1024 * 1024 - 1024);
      launch.gridDim = cluster;
      int room = 0;
      CHECK(cudaOccupancyMaxActiveClusters(&room, stay, &launch));
      for (const int waves : {0, 1, 2})
        for (int eighths = waves ? 1 : 2; eighths < 8; ++eighths) {
          if (waves == 2 && eighths % 2) continue;
          const int tail = std::max(1, room * eighths / 8);
          if (eighths > 1 && tail == std::max(1, room * (eighths - 1) / 8)) continue;
          for (const auto longer : {nobody, by_sm, by_block})
            for (int run = 0; run < 3; ++run) {
              const int blocks = cluster * (room * waves + tail), full = cluster * room * waves;
              launch.gridDim = static_cast<unsigned>(blocks);
              CHECK(cudaLaunchKernelEx(&launch, stay, notes, cycles, static_cast<int>(longer)));
              CHECK(cudaDeviceSynchronize());
              if (run == 0) continue;
              std::vector<Note> host(static_cast<std::size_t>(blocks));
              CHECK(cudaMemcpy(host.data(), notes, sizeof(Note) * host.size(), cudaMemcpyDeviceToHost));
              std::map<unsigned, int> of_sm;
              unsigned long long first = ~0ULL, last = 0;
              for (const auto& n : host)
                first = std::min(first, n.begin), last = std::max(last, n.end);
              for (int b = full; b < blocks; ++b)
                ++of_sm[host[static_cast<std::size_t>(b)].sm];
              int sms[8] = {};
              for (const auto& [sm, count] : of_sm)
                ++sms[std::min(count, 8) - 1];
              std::printf("tail,%d,%d,%s,%d,%d,%d,%d", cluster, fit, names[longer], waves, room, tail, run);
              for (int i = 0; i < 7; ++i)
                std::printf(",%d", sms[i]);
              std::printf(",%llu\n", last - first);
              const bool kept = run == 1 && longer != by_sm && waves < 2 && (fit == 2 || fit == 3) &&
                                eighths % 4 == 0 && cluster > 2;
              if (!kept) continue;
              for (int b = 0; b < blocks; b += 1)
                std::printf("place,%d,%d,%s,%d,%d,%d,%d,%d,%u,%llu,%llu,,,,\n", cluster, fit, names[longer],
                            waves, room, tail, run, b, host[static_cast<std::size_t>(b)].sm,
                            host[static_cast<std::size_t>(b)].begin - first,
                            host[static_cast<std::size_t>(b)].end - first);
            }
        }
    }
}
