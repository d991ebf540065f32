// Where the blocks of a last wave go in clusters. Blocks of 64 threads, so many of which fit on an SM at
// once, stay 40,000 cycles, or up to 3 % longer by their SM or by their block, meet their cluster and leave;
// a grid is a full wave and so many clusters more, the tail. CSV to standard output: how many SMs have got
// how many blocks of the tail, and the kernel's time, of the second run.
//   nvcc -O3 -arch=sm_90a -o cluster_tails cluster_tails.cu && ./cluster_tails
#include <algorithm>
#include <cstdio>
#include <map>

#include "experiment.hpp"

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
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
  const unsigned sm = sm_id();
  const unsigned of = hash(longer == by_sm ? sm : blockIdx.x) % 1024;
  const long long until = cycles + (longer == nobody ? 0 : cycles / 1024 * of * 3 / 100);
  while (clock64() - begin < until) {
  }
  cluster_barrier();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(to));
  if (threadIdx.x == 0) notes[blockIdx.x] = {sm, 0, from, to};
}

int main() {
  constexpr int most = 227 * 1024, threads = 64;
  constexpr unsigned cycles = 40000;
  auto* const notes = device_room<Note>(sizeof(Note) << 14);
  allow_shared(stay, most);
  allow_clusters(stay);
  std::printf("cluster,fit,longer,at_once,tail");
  for (int i = 1; i < 8; ++i)
    std::printf(",sms_with_%d", i);
  std::printf(",ns\n");
  for (const int cluster : {4, 8, 16})
    for (const int fit : {2, 3, 4, 6}) {
      const int shared = most / fit / 1024 * 1024 - 1024;
      const LaunchConfig of_one({cluster, threads, shared, cluster});
      int room = 0;
      CHECK(cudaOccupancyMaxActiveClusters(&room, stay, &of_one));
      for (int eighths = 1; eighths < 8; ++eighths) {
        const int tail = std::max(1, room * eighths / 8);
        if (eighths > 1 && tail == std::max(1, room * (eighths - 1) / 8)) continue;
        for (const auto longer : {nobody, by_sm, by_block}) {
          const int blocks = cluster * (room + tail);
          for (int run = 0; run < 2; ++run) {
            launch_grid(stay, {blocks, threads, shared, cluster}, notes, cycles, static_cast<int>(longer));
            CHECK(cudaDeviceSynchronize());
          }
          const auto host = to_host(notes, static_cast<std::size_t>(blocks));
          std::map<unsigned, int> of_sm;
          unsigned long long first = ~0ULL, last = 0;
          for (const auto& n : host)
            first = std::min(first, n.begin), last = std::max(last, n.end);
          for (int b = cluster * room; b < blocks; ++b)
            ++of_sm[host[static_cast<std::size_t>(b)].sm];
          int sms[8] = {};
          for (const auto& [sm, count] : of_sm)
            ++sms[std::min(count, 8) - 1];
          std::printf("%d,%d,%s,%d,%d", cluster, fit, names[longer], room, tail);
          for (int i = 0; i < 7; ++i)
            std::printf(",%d", sms[i]);
          std::printf(",%llu\n", last - first);
        }
      }
    }
}
