// What the blocks of a cluster wait for when they sum a tile that is split: fences of warps that come one
// after the other, beside other blocks' accesses, and the order in which blocks read each other. CSV to
// standard output.
//   nvcc -O3 -arch=sm_90a -o split_sums split_sums.cu
//   ./split_sums fences    (split_fences.csv)
//   ./split_sums sums      (split_sums.csv)
//   ./split_sums beside_reads  (fences_beside_reads.csv)
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "experiment.hpp"

__device__ __forceinline__ void copy4(const float* to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
}

enum Beside { nobody, shared_loads, copies, stores, multiplies, cluster_reads };
constexpr const char* names[] = {"nobody", "shared_loads", "copies", "stores", "multiplies", "cluster_reads"};

// The second half of the blocks, one more on every SM, keeps it busy for so many cycles.
__device__ void keep_busy(int beside, float* data, float4* memory, long long cycles, int parts, int readers) {
  const long long until = clock64() + cycles;
  float* const mine = data + (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * 16;
  float4 sum = make_float4(0, 0, 0, 0);
  const auto own = shared_address(memory + threadIdx.x);
  if (beside == cluster_reads) {
    cluster_barrier();
    while (threadIdx.x < 32 * readers && clock64() < until) {
      float4 w[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        w[i] = load_cluster4(own, (blockIdx.x + 1 + i % (parts - 1)) % parts);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        sum.x += w[i].x, sum.y += w[i].y, sum.z += w[i].z, sum.w += w[i].w;
    }
    cluster_barrier();
  }
  while (beside != cluster_reads && clock64() < until) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (beside == shared_loads) {
        float4 v;
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "r"(shared_address(memory + threadIdx.x))
                     : "memory");
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
      }
      if (beside == copies) copy4(&memory[threadIdx.x].x, mine + i % 4 * 4);
      if (beside == stores) *reinterpret_cast<float4*>(mine + i % 4 * 4) = make_float4(i, 1, 2, 3);
      if (beside == multiplies)
        sum.x = fmaf(sum.x, 1.1f, 1), sum.y = fmaf(sum.y, 1.1f, 1), sum.z = fmaf(sum.z, 1.1f, 1);
    }
    if (beside == copies) wait_copies();
  }
  if (sum.x + sum.y + sum.z + sum.w == 1.2345f) data[0] = 1;
}

// A round: every warp copies `times` words a lane, waits, and meets its block; the warp number w begins its
// fence (or the cluster's barrier) w * stagger cycles later, behind `writes` 16-byte stores a lane to shared
// memory. out, of a block: what the first and the last warp take, and from the last one's begin to the first
// one's end.
__global__ void __launch_bounds__(1024, 1)
    fences(float* data, long long* out, int barrier, int times, int writes, int stagger, int rounds,
           int beside, int parts, int readers) {
  extern __shared__ float4 memory[];
  __shared__ long long begins[32], ends[32];
  if (beside != nobody && blockIdx.x >= gridDim.x / 2) {
    keep_busy(beside, data, memory, 4000LL * rounds + 30000, parts, readers);
    return;
  }
  const int warp = threadIdx.x / 32, last = blockDim.x / 32 - 1;
  const float* const mine = data + (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * 16;
  long long first_one = 0, last_one = 0, open = 0;
  for (int r = 0; r < rounds; ++r) {
    for (int i = 0; i < times; ++i)
      copy4(&memory[threadIdx.x].x, mine + i);
    wait_copies();
    __syncthreads();
    const long long until = clock64() + 300 + warp * stagger;
    while (clock64() < until) {
    }
    for (int i = 0; i < writes; ++i)
      memory[threadIdx.x + blockDim.x * (i % 2)] = make_float4(r, i, 2, 3);
    begins[warp] = clock64();
    if (barrier)
      cluster_barrier();
    else
      fence();
    ends[warp] = clock64();
    __syncthreads();
    if (r > 0 && threadIdx.x == 0) {
      first_one += ends[0] - begins[0], last_one += ends[last] - begins[last];
      open += ends[0] - begins[last];
    }
    __syncthreads();
  }
  if (barrier) cluster_barrier();
  if (threadIdx.x == 0) {
    out[3 * blockIdx.x] = first_one / (rounds - 1);
    out[3 * blockIdx.x + 1] = last_one / (rounds - 1);
    out[3 * blockIdx.x + 2] = open / (rounds - 1);
  }
}

// As the kernels sum a split tile: `fours` groups of four, rows of `columns` of them, `pitch` from row to
// row. order 0: the blocks one after the other, four at a time, what is left over singly, as in the kernels;
// 1: each begins with the one behind itself; 2 and 3: these, all loads of a group before the first is used.
// Only the ranks of `active` read. out: cycles of each round.
template <int order, int parts>
__global__ void __launch_bounds__(1024, 1) sums(int* out, float* target, int fours, int columns, int pitch,
                                                int runtime_parts, int rounds, unsigned active, int stores) {
  extern __shared__ float4 memory[];
  const int part = blockIdx.x % parts;
  for (int i = threadIdx.x; i < fours / columns * pitch; i += blockDim.x)
    memory[i] = make_float4(i, 1, 2, 3);
  const int share = fours / parts, shift = __ffs(columns) - 1;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int round = 0; round < rounds; ++round) {
    cluster_barrier();
    const long long first = clock64();
    if (active >> part & 1) {
#pragma unroll 1
      for (int e = part * share + threadIdx.x; e < (part + 1) * share; e += blockDim.x) {
        const int row = e >> shift, column = e & (columns - 1);
        const auto address = shared_address(memory + row * pitch + column);
        float4 v = load_cluster4(address, order % 2 == 0 ? 0 : part);
        if constexpr (order < 2) {
#pragma unroll 4
          for (int other = 1; other < runtime_parts; ++other) {
            const int rank = order == 0 ? other : (part + other) & (runtime_parts - 1);
            const float4 w = load_cluster4(address, rank);
            v.x += w.x, v.y += w.y, v.z += w.z, v.w += w.w;
          }
        } else {
          float4 w[parts];
#pragma unroll
          for (int other = 1; other < parts; ++other)
            w[other] = load_cluster4(address, order == 2 ? other : (part + other) & (parts - 1));
#pragma unroll
          for (int other = 1; other < parts; ++other)
            v.x += w[other].x, v.y += w[other].y, v.z += w[other].z, v.w += w[other].w;
        }
        if (stores)
          *reinterpret_cast<float4*>(target + (static_cast<long long>(blockIdx.x) * fours + e) * 4) = v;
        else
          sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x * rounds + round] = static_cast<int>(clock64() - first);
  }
  cluster_barrier();
  if (sum.x == 1.2345f) target[0] = sum.y + sum.z + sum.w;
}

template <class... P, class... A>
void launch(void (*kernel)(P...), const Grid& grid, A... a) {
  allow_clusters(kernel);
  allow_shared(kernel, 224 * 1024);
  launch_grid(kernel, grid, a...);
  CHECK(cudaDeviceSynchronize());
}

void fence_table() {
  std::printf("what,cluster,threads,beside,times,writes,stagger,first_cycles,last_cycles,open_cycles\n");
  auto* const data = device_room<float>(300LL * 1024 * 16 * 4);
  auto* const out = device_room<long long>(24 * 300);
  const auto one = [&](int cluster, int threads, int beside, int times, int writes, int stagger) {
    const int sms = sms_of_clusters(cluster), blocks = sms * (beside == nobody ? 1 : 2);
    for (int i = 0; i < 2; ++i)
      launch(fences, {blocks, threads, 100000, cluster}, data, out, cluster > 0, times, writes, stagger, 9,
             beside, 0, 0);
    const auto h = to_host(out, 3 * sms);
    std::vector<long long> m[3];
    for (int i = 0; i < 3 * sms; ++i)
      m[i % 3].push_back(h[i]);
    std::printf("%s,%d,%d,%s,%d,%d,%d,%lld,%lld,%lld\n", cluster > 0 ? "barrier" : "fence", cluster, threads,
                names[beside], times, writes, stagger, median(m[0]), median(m[1]), median(m[2]));
  };
  for (const int cluster : {0, 2, 16})
    for (const int threads : {64, 128, 256, 512, 1024})
      for (const int times : {0, 4})
        for (const int stagger : {0, 10, 20, 50, 100, 200, 400}) {
          if (threads / 32 * stagger > 3300) continue;
          one(cluster, threads, nobody, times, 0, stagger);
        }
  for (const int cluster : {0, 2})
    for (const int threads : {128, 512, 1024})
      for (const int writes : {0, 1, 4, 8, 16})
        one(cluster, threads, nobody, 4, writes, 0);
  for (const int cluster : {0, 2, 16})
    for (const int threads : {128, 512})
      for (const int beside : {shared_loads, copies, stores, multiplies})
        for (const int times : {0, 4})
          one(cluster, threads, beside, times, 0, 0);
}

// Fences and barriers beside clusters that read each other all the time, with so many warps of a block.
void beside_reads() {
  std::printf("what,cluster,threads,readers,times,first_cycles_p10,first_cycles,first_cycles_p90\n");
  auto* const data = device_room<float>(300LL * 1024 * 16 * 4);
  auto* const out = device_room<long long>(24 * 300);
  for (const int cluster : {2, 4, 8, 16})
    for (const int barrier : {0, 1})
      for (const int readers : {0, 1, 2, 4, 8, 16})
        for (const int times : {0, 1, 4}) {
          const int sms = sms_of_clusters(cluster), threads = std::max(128, 32 * readers);
          for (int i = 0; i < 2; ++i)
            launch(fences, {2 * sms, threads, 100000, cluster}, data, out, barrier, times, 0, 0, 9,
                   static_cast<int>(cluster_reads), cluster, readers);
          const auto h = to_host(out, 3 * sms);
          std::vector<long long> first;
          for (int i = 0; i < sms; ++i)
            first.push_back(h[3 * i]);
          std::sort(first.begin(), first.end());
          std::printf("%s,%d,%d,%d,%d,%lld,%lld,%lld\n", barrier ? "barrier" : "fence", cluster, threads,
                      readers, times, first[sms / 10], first[sms / 2], first[sms * 9 / 10]);
        }
}

template <int order, int parts>
void sum(int* out, float* target, int threads, int fours, int columns, int pad, int an_sm, bool all,
         unsigned active, int stores) {
  constexpr int rounds = 9;
  const int pitch = columns + pad, bytes = fours / columns * pitch * 16;
  const int shared = an_sm == 1 ? std::max(bytes, 120000) : std::max(bytes, 224 * 1024 / an_sm - 2048);
  const int blocks = all ? sms_of_clusters(parts) * an_sm / parts * parts : parts;
  for (int i = 0; i < 2; ++i)
    launch(sums<order, parts>, {blocks, threads, shared, parts}, out, target, fours, columns, pitch, parts,
           rounds, active, stores);
  const auto h = to_host(out, static_cast<std::size_t>(blocks) * rounds);
  std::vector<int> all_of;
  double least = 0, most = 0;
  int count = 0;
  for (int c = 0; c < blocks / parts; ++c)
    for (int r = 1; r < rounds; ++r) {
      int low = 1 << 30, high = 0;
      for (int p = 0; p < parts; ++p) {
        if (!(active >> p & 1)) continue;
        const int v = h[static_cast<std::size_t>(c * parts + p) * rounds + r];
        low = std::min(low, v), high = std::max(high, v);
        all_of.push_back(v);
      }
      least += low, most += high, ++count;
    }
  std::printf("%d,%d,%d,%d,%d,%d,%d,%s,%x,%d,%.0f,%d,%.0f\n", order, parts, threads, fours, columns, pitch,
              an_sm, all ? "all" : "one", active, stores, least / count, median(all_of), most / count);
}

template <int parts>
void sums_of(int* out, float* target) {
  constexpr unsigned everybody = (1U << parts) - 1;
  for (const int threads : {32, 128, 512}) {
    for (const bool all : {false, true}) {
      sum<0, parts>(out, target, threads, 2048, 8, 4, 1, all, everybody, 0);
      sum<1, parts>(out, target, threads, 2048, 8, 4, 1, all, everybody, 0);
      sum<2, parts>(out, target, threads, 2048, 8, 4, 1, all, everybody, 0);
      sum<3, parts>(out, target, threads, 2048, 8, 4, 1, all, everybody, 0);
      sum<0, parts>(out, target, threads, 2048, 32, 4, 1, all, everybody, 0);
      sum<0, parts>(out, target, threads, 2048, 8, 4, 1, all, everybody, 1);
      sum<0, parts>(out, target, threads, 2048, 8, 4, 1, all, 2, 0);
      sum<0, parts>(out, target, threads, 2048, 8, 4, 1, all, 3, 0);
      sum<2, parts>(out, target, threads, 2048, 8, 4, 1, all, 2, 0);
      sum<2, parts>(out, target, threads, 2048, 8, 4, 1, all, 3, 0);
      if (parts > 4) sum<0, parts>(out, target, threads, 2048, 8, 4, 1, all, 15, 0);
      if (parts > 4) sum<2, parts>(out, target, threads, 2048, 8, 4, 1, all, 15, 0);
    }
    for (const int fours : {512, 1024, 4096})
      for (const int order : {0, 1}) {
        if (order == 0) sum<0, parts>(out, target, threads, fours, 8, 4, 1, true, everybody, 0);
        if (order == 1) sum<1, parts>(out, target, threads, fours, 8, 4, 1, true, everybody, 0);
      }
    for (const int an_sm : {2, 4})
      if (threads < 512) sum<0, parts>(out, target, threads, 2048, 8, 4, an_sm, true, everybody, 0);
  }
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "fences") fence_table();
  if (what == "beside_reads") beside_reads();
  if (what == "sums") {
    auto* const out = device_room<int>(4 * 9 * 600);
    auto* const target = device_room<float>(600LL * 4096 * 16);
    std::printf(
        "order,cluster,threads,fours,columns,pitch,blocks_an_sm,clusters,active,stores,least_cycles,median_"
        "cycles,most_cycles\n");
    sums_of<2>(out, target);
    sums_of<4>(out, target);
    sums_of<8>(out, target);
    sums_of<16>(out, target);
  }
  return 0;
}
