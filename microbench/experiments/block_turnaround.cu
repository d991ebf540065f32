// What a block costs beyond its work: from a block's end to the first instruction of the one in its place,
// and of a kernel beyond its blocks' stay. CSV to standard output.
//   places: many waves of blocks (cluster 0: launched without clusters) that stay `stay` cycles; by SM and by
//     place (%warpid), begin to next begin less the stay: median, 10th and 90th percentile (where an SM has
//     room for one or two of them, places change from block to block: there the cycles of a wave count). What
//     is at a block's end: none; barrier: the cluster's, with its fences; stores: four of 16 bytes a lane;
//     both: stores, then the barrier. `unequal`: the first block of each cluster stays so much longer.
//   kernels: replays of a graph of kernels of `blocks` blocks an SM that stay `stay` cycles, us a kernel.
//   nvcc -O3 -arch=sm_90a -o block_turnaround block_turnaround.cu
//   ./block_turnaround places; ./block_turnaround kernels   (block_turnaround.csv, _kernels.csv)
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "experiment.hpp"

struct Stamp {
  unsigned sm, place, begin, pad;
};

__global__ void stays(Stamp* stamps, float4* data, int stay, int end_barrier, int stores, int unequal) {
  const unsigned begin = now();
  if (threadIdx.x == 0 && stamps) {
    const unsigned sm = sm_id(), place = warp_place();
    *reinterpret_cast<uint4*>(stamps + blockIdx.x) = make_uint4(sm, place, begin, 0);
  }
  unsigned rank = 1;
  if (unequal) asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const unsigned until = stay + (rank == 0 ? unequal : 0);
  while (now() - begin < until) {
  }
  for (int i = 0; i < stores; ++i)
    data[(static_cast<long long>(blockIdx.x % 4096) * stores + i) * blockDim.x + threadIdx.x] =
        make_float4(1, 2, 3, 4);
  if (end_barrier) cluster_barrier();
}

// Bytes of shared memory with which `fit` blocks fit on an SM (1 KB of each is the system's).
int shared_of(int fit) {
  return std::max(0, 228 * 1024 / fit / 128 * 128 - 1024 - 128);
}

void places() {
  std::printf(
      "experiment,cluster,fit,threads,end,unequal,stay,blocks,waves_least,gap_p10,gap_median,gap_p90,span_"
      "cycles_a_wave\n");
  constexpr int most = 132 * 32 * 16;
  auto* const device = device_room<Stamp>(sizeof(Stamp) * most);
  auto* const data = device_room<float4>(4096ULL * 4 * 1024 * 16);
  struct End {
    const char* name;
    int barrier, stores, unequal;
  };
  const End ends[] = {{"none", 0, 0, 0}, {"barrier", 1, 0, 0}, {"stores", 0, 4, 0},
                      {"both", 1, 4, 0}, {"none", 0, 0, 1000}, {"barrier", 1, 0, 1000}};
  for (const int cluster : {0, 2, 4, 8, 16})
    for (const int fit : {1, 2, 4, 8, 16, 32})
      for (const int threads : {32, 128, 256, 512})
        for (const End& end : ends)
          for (const int stay : {1000, 4000}) {
            if (fit * threads > 2048 || (cluster > 0 && fit > 8)) continue;
            if (cluster == 0 && (end.barrier || end.unequal)) continue;
            const int waves = 10;
            const int group = std::max(1, cluster);
            const Grid grid{132 * fit * waves / group * group, threads, shared_of(fit), cluster};
            for (int i = 0; i < 2; ++i)
              launch_grid(stays, grid, device, data, stay, end.barrier, end.stores, end.unequal);
            const auto stamps = to_host(device, grid.blocks);
            std::map<unsigned, std::vector<unsigned>> of_place, of_sm;
            for (const auto& s : stamps) {
              of_place[s.sm * 64 + s.place].push_back(s.begin);
              of_sm[s.sm].push_back(s.begin);
            }
            std::vector<int> gaps;
            std::size_t least = 1 << 30;
            for (auto& [place, begins] : of_place) {
              std::sort(begins.begin(), begins.end(), sooner);
              least = std::min(least, begins.size());
              for (std::size_t i = 2; i < begins.size(); ++i)
                gaps.push_back(static_cast<int>(begins[i] - begins[i - 1]) - stay);
            }
            if (gaps.empty()) continue;
            std::sort(gaps.begin(), gaps.end());
            // An SM's blocks, `fit` a wave: cycles of a wave from the second on.
            double span = 0;
            int counted = 0;
            for (auto& [sm, begins] : of_sm) {
              std::sort(begins.begin(), begins.end(), sooner);
              const std::size_t n = begins.size();
              if (n < static_cast<std::size_t>(3 * fit)) continue;
              span +=
                  static_cast<double>(begins[n - 1] - begins[fit]) / static_cast<double>(n - 1 - fit) * fit;
              ++counted;
            }
            std::printf("places,%d,%d,%d,%s,%d,%d,%d,%zu,%d,%d,%d,%.0f\n", cluster, fit, threads, end.name,
                        end.unequal, stay, grid.blocks, least, gaps[gaps.size() / 10], gaps[gaps.size() / 2],
                        gaps[gaps.size() * 9 / 10], counted ? span / counted : 0);
          }
  CHECK(cudaFree(device));
  CHECK(cudaFree(data));
}

void kernels() {
  std::printf("experiment,cluster,threads,shared_bytes,blocks_an_sm,stay,us\n");
  const auto row = [&](int cluster, int threads, int shared, int an_sm, int stay) {
    const int group = std::max(1, cluster);
    Grid grid{132 * an_sm / group * group, threads, shared, cluster};
    const double us = graph_time_us(20, 5, [&](cudaStream_t stream) {
      grid.stream = stream;
      launch_grid(stays, grid, nullptr, nullptr, stay, 0, 0, 0);
    });
    std::printf("kernels,%d,%d,%d,%d,%d,%.3f\n", cluster, threads, shared, an_sm, stay, us);
  };
  for (const int cluster : {0, 2, 4, 16})
    for (const int threads : {32, 128, 512})
      for (const int an_sm : {1, 2, 4, 8, 16})
        for (const int stay : {0, 1000, 4000}) {
          if (cluster > 0 && an_sm > 8) continue;
          row(cluster, threads, 0, an_sm, stay);
          row(cluster, threads, std::min(100 * 1024, shared_of(an_sm)), an_sm, stay);
        }
  // Many more blocks than fit: the pace of replacing short ones.
  for (const int threads : {32, 64, 128, 256})
    for (const int fit : {2, 4, 8, 16, 32})
      for (const int stay : {0, 200, 400, 800, 1600, 3200})
        if (fit * threads <= 2048) row(0, threads, shared_of(fit), 64, stay);
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  allow_clusters(stays);
  allow_shared(stays, 227 * 1024);
  if (what == "places") places();
  if (what == "kernels") kernels();
  return 0;
}
