// Blocks in clusters on a GPU: how many run at once, how fast they are handed out, and what their exchange
// through shared memory costs. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o clusters clusters.cu
//   ./clusters occupancy   (results: cluster_room.csv)
//   ./clusters dispatch    (cluster_dispatch.csv)
//   ./clusters waves       (block_waves.csv; cluster 0: launched without clusters)
//   ./clusters exchange    (cluster_exchange.csv)
//   ./clusters rows        (cluster_rows.csv)
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "experiment.hpp"

__device__ __forceinline__ unsigned long long global_time() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}
// Leaves at once, or after so many cycles. end_barrier: the blocks of the cluster leave together.
struct Times {
  unsigned long long start, end;
  unsigned sm, unused;
};
__global__ void spins(Times* times, int cycles, int end_barrier) {
  if (cycles <= 0) {
    if (end_barrier) cluster_barrier();
    return;
  }
  const long long begin = clock64();
  Times t{global_time(), 0, sm_id(), 0};
  const long long until = begin + cycles;
  while (clock64() < until) {
  }
  if (end_barrier) cluster_barrier();
  t.end = global_time();
  if (times && threadIdx.x == 0) times[blockIdx.x] = t;
}

// The exchange of split tiles: each block sums its share of `fours` groups of four floats over all blocks.
// pattern 0: ranks in order, four at a time; 1: beginning with the block's own rank; 2: one block only, the
// next.
template <int pattern>
__global__ void __launch_bounds__(1024, 1)
    exchanges(long long* cycles, float* sink, int fours, int parts, int rounds) {
  extern __shared__ float4 memory[];
  const int part = blockIdx.x % parts;
  for (int i = threadIdx.x; i < fours; i += blockDim.x)
    memory[i] = make_float4(i, 1, 2, 3);
  const int share = fours / parts;
  long long in_reads = 0, in_all = 0;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int round = 0; round < rounds; ++round) {
    const long long begin = clock64();
    cluster_barrier();
    const long long first = clock64();
#pragma unroll 1
    for (int e = part * share + threadIdx.x; e < (part + 1) * share; e += blockDim.x) {
      const unsigned address = shared_address(memory + e);
      float4 v = load_cluster4(address, pattern == 0 ? 0 : part);
#pragma unroll 4
      for (int other = 1; other < parts; ++other) {
        const int rank = pattern == 0 ? other : pattern == 1 ? (part + other) % parts : (part + 1) % parts;
        const float4 w = load_cluster4(address, rank);
        v.x += w.x, v.y += w.y, v.z += w.z, v.w += w.w;
      }
      sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    __syncthreads();
    const long long last = clock64();
    if (round > 0) in_reads += last - first, in_all += last - begin;
  }
  cluster_barrier();
  if (sum.x == 1.2345f) sink[0] = sum.y + sum.z + sum.w;
  if (threadIdx.x == 0) {
    cycles[2 * blockIdx.x] = in_reads / (rounds - 1);
    cycles[2 * blockIdx.x + 1] = in_all / (rounds - 1);
  }
}

// As pattern 0, of rows of `columns` groups of four, `pitch` such groups from row to row: with 8 and 12,
// every second row of 128 bytes lies in two lines of 128 bytes. stores: each sum goes to global memory, rows
// of `apart` floats.
__global__ void __launch_bounds__(1024, 1)
    row_exchanges(long long* cycles, float* target, int fours, int columns, int pitch, int parts, int rounds,
                  int stores, int apart) {
  extern __shared__ float4 memory[];
  const int part = blockIdx.x % parts;
  for (int i = threadIdx.x; i < fours / columns * pitch; i += blockDim.x)
    memory[i] = make_float4(i, 1, 2, 3);
  const int share = fours / parts, shift = __ffs(columns) - 1;
  long long in_reads = 0, in_all = 0, in_end = 0;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int round = 0; round < rounds; ++round) {
    const long long begin = clock64();
    cluster_barrier();
    const long long first = clock64();
#pragma unroll 1
    for (int e = part * share + threadIdx.x; e < (part + 1) * share; e += blockDim.x) {
      const int row = e >> shift, column = e & (columns - 1);
      const unsigned address = shared_address(memory + row * pitch + column);
      float4 v = load_cluster4(address, 0);
#pragma unroll 4
      for (int other = 1; other < parts; ++other) {
        const float4 w = load_cluster4(address, other);
        v.x += w.x, v.y += w.y, v.z += w.z, v.w += w.w;
      }
      if (stores) {
        const long long tile = blockIdx.x / parts * 8 + round % 8;
        *reinterpret_cast<float4*>(target + tile * columns * 4 + static_cast<long long>(row) * apart +
                                   column * 4) = v;
      } else {
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
      }
    }
    __syncthreads();
    const long long last = clock64();
    cluster_barrier();
    const long long end = clock64();
    if (round > 0) in_reads += last - first, in_all += last - begin, in_end += end - last;
  }
  cluster_barrier();
  if (sum.x == 1.2345f) target[0] = sum.y + sum.z + sum.w;
  if (threadIdx.x == 0) {
    cycles[3 * blockIdx.x] = in_reads / (rounds - 1);
    cycles[3 * blockIdx.x + 1] = in_all / (rounds - 1);
    cycles[3 * blockIdx.x + 2] = in_end / (rounds - 1);
  }
}

template <class K>
void allow(K kernel) {
  allow_clusters(kernel);
  allow_shared(kernel, 227 * 1024);
}

int at_once(int cluster, int threads, int shared) {
  const LaunchConfig config({cluster, threads, shared, cluster});
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, spins, &config) != cudaSuccess) {
    cudaGetLastError();
    return -1;
  }
  return clusters;
}

// Median over 5 replays of a graph of `nodes` launches, us a launch.
double replay(int nodes, int blocks, int threads, int shared, int cluster, int cycles, int end_barrier) {
  return graph_time_us(nodes, 5, [&](cudaStream_t stream) {
    launch_grid(spins, {blocks, threads, shared, cluster, stream}, nullptr, cycles, end_barrier);
  });
}

constexpr int sizes[] = {1, 2, 4, 8, 16};

void occupancy_table() {
  std::printf("experiment,cluster,threads,shared_bytes,blocks_at_once\n");
  for (const int cluster : sizes)
    for (const int threads : {32, 128, 256, 512, 1024})
      for (const int shared : {0, 3072, 6144, 10240, 14336, 20480, 24576, 31744, 36864, 44032, 56320, 73728,
                               75776, 113664, 116736, 230000}) {
        const int clusters = at_once(cluster, threads, shared);
        std::printf("at_once,%d,%d,%d,%d\n", cluster, threads, shared, clusters * cluster);
      }
}

void dispatch_table() {
  std::printf("experiment,cluster,threads,shared_bytes,blocks,end_barrier,us\n");
  for (const int cluster : {0, 1, 2, 4, 8, 16})
    for (const int threads : {32, 64, 128, 256, 512, 1024})
      for (const int shared : {0, 8192, 32768})
        for (const int blocks : {528, 2112, 8448})
          for (const int end : {0, 1}) {
            if (end == 1 && (shared == 8192 || cluster < 2)) continue;
            std::printf("dispatch,%d,%d,%d,%d,%d,%.3f\n", cluster, threads, shared, blocks, end,
                        replay(20, blocks, threads, shared, cluster, 0, end));
          }
}

// Whole waves of blocks that take so many cycles each.
void wave_table() {
  std::printf(
      "experiment,cluster,threads,shared_bytes,blocks,cycles,at_once,span_us,sms,sm_least,sm_most,block_"
      "us\n");
  auto* const device = device_room<Times>(sizeof(Times) * 40000);
  for (const int cluster : {0, 2, 4, 8, 16})
    for (const int threads : {32, 256})
      for (const int shared : {2048, 36864, 116736})
        for (const int cycles : {2000, 8000})
          for (const int waves : {1, 2, 3, 6}) {
            // An SM holds 32 small blocks where they are not in clusters.
            const int denser = cluster == 0 && shared == 2048 && threads == 32 ? 4 : 1;
            const int fit = denser * std::max(1, cluster) * at_once(std::max(1, cluster), threads, shared);
            const int blocks = waves * fit;
            for (int i = 0; i < 2; ++i) {
              launch_grid(spins, {blocks, threads, shared, cluster}, device, cycles, 0);
              CHECK(cudaDeviceSynchronize());
            }
            const auto t = to_host(device, blocks);
            unsigned long long first = ~0ULL, last = 0;
            std::map<unsigned, int> of_sm;
            std::vector<double> duration;
            for (const auto& x : t) {
              first = std::min(first, x.start), last = std::max(last, x.end);
              ++of_sm[x.sm];
              duration.push_back(1e-3 * (x.end - x.start));
            }
            int least = 1 << 30, most = 0;
            for (const auto& [sm, n] : of_sm)
              least = std::min(least, n), most = std::max(most, n);
            std::printf("waves,%d,%d,%d,%d,%d,%d,%.3f,%zu,%d,%d,%.3f\n", cluster, threads, shared, blocks,
                        cycles, fit, 1e-3 * (last - first), of_sm.size(), least, most, median(duration));
          }
  CHECK(cudaFree(device));
}

void exchange_table() {
  std::printf(
      "experiment,pattern,cluster,threads,tile_bytes,blocks_an_sm,blocks,reads_cycles,reads_p90,round_cycles,"
      "remote_bytes_per_cycle_sm\n");
  auto* const device = device_room<long long>(16 * 40000);
  auto* const sink = device_room<float>(16);
  allow(exchanges<0>), allow(exchanges<1>), allow(exchanges<2>);
  for (const int cluster : {2, 4, 8, 16})
    for (const int threads : {32, 64, 128, 256, 512, 1024})
      for (const int tile : {4096, 16384, 32768, 65536})
        for (const int an_sm : {1, 2, 3, 8, 24})
          for (int pattern = 0; pattern < 3; ++pattern) {
            if (pattern == 2 && an_sm > 2) continue;
            if (an_sm * (tile + 1024) > 227 * 1024 || an_sm * threads > 1024) continue;
            // blocks_an_sm is what is launched: clusters hold eight at most.
            const int shared = an_sm == 1 ? 120000 : std::max(tile, 227 * 1024 / an_sm - 2048);
            const int blocks = sms_of_clusters(cluster) * an_sm / cluster * cluster;
            auto kernel = pattern == 0 ? exchanges<0> : pattern == 1 ? exchanges<1> : exchanges<2>;
            launch_grid(kernel, {blocks, threads, shared, cluster}, device, sink, tile / 16, cluster, 9);
            const auto c = to_host(device, 2 * blocks);
            std::vector<long long> reads, rounds;
            for (int i = 0; i < blocks; ++i)
              reads.push_back(c[2 * i]), rounds.push_back(c[2 * i + 1]);
            std::sort(reads.begin(), reads.end());
            std::sort(rounds.begin(), rounds.end());
            const double bytes = double(an_sm) * tile * (cluster - 1) / cluster;
            std::printf("exchange,%d,%d,%d,%d,%d,%d,%lld,%lld,%lld,%.2f\n", pattern, cluster, threads, tile,
                        an_sm, blocks, reads[blocks / 2], reads[blocks * 9 / 10], rounds[blocks / 2],
                        bytes / reads[blocks / 2]);
          }
}

void row_table() {
  std::printf(
      "experiment,cluster,threads,fours,columns,pitch,blocks_an_sm,stores,reads_cycles,reads_p90,"
      "end_barrier_cycles,end_barrier_p90,remote_bytes_per_cycle_sm\n");
  auto* const device = device_room<long long>(24 * 40000);
  auto* const target = device_room<float>(1ULL << 30);
  allow(row_exchanges);
  for (const int cluster : {2, 4, 8, 16})
    for (const int threads : {32, 128, 512})
      for (const int columns : {8, 16, 32, 64})
        for (const int pad : {0, 2, 4, 8})
          for (const int fours : {512, 2048})
            for (const int an_sm : {1, 4})
              for (int stores = 0; stores < 2; ++stores) {
                const int pitch = columns + pad;
                const int bytes = fours / columns * pitch * 16;
                if (an_sm * (bytes + 1024) > 220 * 1024 || an_sm * threads > 1024) continue;
                const int shared = an_sm == 1 ? 120000 : std::max(bytes, 227 * 1024 / an_sm - 2048);
                const int blocks = sms_of_clusters(cluster) * an_sm / cluster * cluster;
                constexpr int apart = 1 << 18;
                launch_grid(row_exchanges, {blocks, threads, shared, cluster}, device, target, fours, columns,
                            pitch, cluster, 9, stores, apart);
                const auto c = to_host(device, 3 * blocks);
                std::vector<long long> reads, ends;
                for (int i = 0; i < blocks; ++i)
                  reads.push_back(c[3 * i]), ends.push_back(c[3 * i + 2]);
                std::sort(reads.begin(), reads.end());
                std::sort(ends.begin(), ends.end());
                const double remote = 16.0 * an_sm * fours / cluster * (cluster - 1);
                std::printf("rows,%d,%d,%d,%d,%d,%d,%d,%lld,%lld,%lld,%lld,%.2f\n", cluster, threads, fours,
                            columns, pitch, an_sm, stores, reads[blocks / 2], reads[blocks * 9 / 10],
                            ends[blocks / 2], ends[blocks * 9 / 10], remote / reads[blocks / 2]);
              }
}

int main(int argc, char** argv) {
  allow(spins);
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "occupancy") occupancy_table();
  if (what == "dispatch") dispatch_table();
  if (what == "waves") wave_table();
  if (what == "exchange") exchange_table();
  if (what == "rows") row_table();
  return 0;
}
