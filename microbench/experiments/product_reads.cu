// What the blocks of a large tiled product read, without its sums: M x K times K x N floats, tiles of bm x
// bn, bk of K at a step, the tiles of a strip of columns one after the other in the grid, then the next
// strip's; the K of a tile split over a cluster. As sgemm's do, threads copy A by 4 and B by 16 bytes to
// shared memory, `stages` - 1 steps ahead, wait for the oldest, and meet; then each makes `ffma`
// multiply-adds.
//   an_sm: blocks at once, at most; pad: floats between a row's end and the next row of A and B; wide_a: A,
//   too, by 16 bytes and past L1
// CSV to standard output: least time of `launches` (default 3), the mean stay of a block, and by how much of
// it the blocks of the same rows of neighbouring strips begin apart (percentiles of those of the launch's
// first tenth, and of its last half).
//   nvcc -O3 -arch=sm_90a -o product_reads product_reads.cu && ./product_reads [launches [case]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "experiment.hpp"

struct Product {
  int m, n, k, bm, bn, bk, split, stages, threads, an_sm, ffma, pad, wide_a;
};

__device__ __forceinline__ unsigned long long nanoseconds() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}
__device__ __forceinline__ void copy4(unsigned to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void copy16(unsigned to, const float* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void wait_all_but(int pending) {
  switch (pending) {
    case 0:
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      break;
    case 1:
      asm volatile("cp.async.wait_group 1;" ::: "memory");
      break;
    case 2:
      asm volatile("cp.async.wait_group 2;" ::: "memory");
      break;
    default:
      asm volatile("cp.async.wait_group 3;" ::: "memory");
      break;
  }
}

__global__ void run(const float* a, const float* b, const Product p, float* out, unsigned long long* begins,
                    unsigned long long* ends) {
  extern __shared__ char buffer[];
  if (threadIdx.x == 0) begins[blockIdx.x] = nanoseconds();
  const int tile = blockIdx.x / p.split, part = blockIdx.x % p.split, tiles_m = p.m / p.bm;
  const int first_m = tile % tiles_m * p.bm, first_n = tile / tiles_m * p.bn;
  const int steps = p.k / p.bk / p.split, first_k = part * steps * p.bk;
  const int pitch_a = p.k + p.pad, pitch_b = p.n + p.pad, t = threadIdx.x;
  const int wide = p.wide_a ? 4 : 1, lanes_a = p.bk / wide, rows_a = p.threads / lanes_a;
  const int lanes_b = p.bn / 4, rows_b = p.threads / lanes_b;
  const float* from_a =
      a + static_cast<long long>(first_m + t / lanes_a) * pitch_a + first_k + t % lanes_a * wide;
  const float* from_b =
      b + static_cast<long long>(first_k + t / lanes_b) * pitch_b + first_n + t % lanes_b * 4;
  const int words_a = p.bm * p.bk, stage_bytes = 4 * (words_a + p.bn * p.bk);
  const unsigned base = shared_address(buffer);
  const auto copy = [&](int stage) {
    const unsigned to = base + stage * stage_bytes;
    if (p.wide_a)
#pragma unroll 4
      for (int i = 0; i < p.bm / rows_a; ++i)
        copy16(to + 16 * (t + i * p.threads), from_a + static_cast<long long>(i) * rows_a * pitch_a);
    else
#pragma unroll 4
      for (int i = 0; i < p.bm / rows_a; ++i)
        copy4(to + 4 * (t + i * p.threads), from_a + static_cast<long long>(i) * rows_a * pitch_a);
    for (int i = 0; i * rows_b < p.bk; ++i)
      if (i * rows_b + t / lanes_b < p.bk)
        copy16(to + 4 * words_a + 16 * (t + i * p.threads),
               from_b + static_cast<long long>(i) * rows_b * pitch_b);
    from_a += p.bk;
    from_b += static_cast<long long>(p.bk) * pitch_b;
  };
  float sums[16];
  for (int i = 0; i < 16; ++i)
    sums[i] = static_cast<float>(t + i);
  const float x = 0.5F + static_cast<float>(t) * 1e-3F, y = 1.0F + static_cast<float>(t) * 1e-4F;
  for (int s = 0; s < p.stages - 1; ++s) {
    copy(s);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    wait_all_but(p.stages - 2);
    __syncthreads();
    if (s + p.stages - 1 < steps) copy((s + p.stages - 1) % p.stages);
    asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll 1
    for (int f = 0; f < p.ffma; f += 64)
#pragma unroll
      for (int i = 0; i < 64; ++i)
        asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sums[i % 16]) : "f"(x), "f"(y));
  }
  float total = 0;
  for (const float s : sums)
    total += s;
  if (total == 12345.0F) *out = total;
  if (p.split > 1) cluster_barrier();
  if (threadIdx.x == 0) ends[blockIdx.x] = nanoseconds();
}

struct Room {
  const float *a, *b;
  float* out;
  unsigned long long *begins, *ends;
  int launches;
};

void row(const Room& room, const char* what, const Product& p) {
  const int tiles_m = p.m / p.bm, blocks = tiles_m * (p.n / p.bn) * p.split;
  const int shared = std::max(220 * 1024 / p.an_sm, p.stages * 4 * (p.bm + p.bn) * p.bk);
  allow_shared(run, shared);
  allow_clusters(run);
  const auto us = times_us(1, room.launches, [&] {
    launch_grid(run, {blocks, p.threads, shared, p.split > 1 ? p.split : 0}, room.a, room.b, p, room.out,
                room.begins, room.ends);
  });
  const auto begins = to_host(room.begins, blocks), ends = to_host(room.ends, blocks);
  double stay = 0;
  for (int i = 0; i < blocks; ++i)
    stay += static_cast<double>(ends[i] - begins[i]) / blocks;
  const int further = tiles_m * p.split;
  const auto lags = [&](double from, double to) {
    std::vector<double> all;
    for (int i = static_cast<int>(from * blocks); i < static_cast<int>(to * blocks) && i + further < blocks;
         ++i)
      all.push_back(std::abs(static_cast<double>(begins[i + further]) - static_cast<double>(begins[i])) /
                    stay);
    return sorted(all);
  };
  std::printf("%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%.1f,%.1f", what, p.m, p.n, p.k, p.bm, p.bn, p.bk,
              p.split, p.stages, p.threads, p.an_sm, p.ffma, p.pad, p.wide_a, us[0], 1e-3 * stay);
  for (const auto& l : {lags(0, 0.1), lags(0.5, 1)})
    std::printf(",%.3f,%.3f,%.3f", at_share(l, 0.1), at_share(l, 0.5), at_share(l, 0.9));
  std::printf("\n");
  std::fflush(stdout);
}

int main(int count, char** words) {
  constexpr size_t bytes = size_t{288} << 20;  // of each factor
  constexpr int most_blocks = 1 << 19;
  const Room room{device_room<float>(bytes, 0),
                  device_room<float>(bytes, 0),
                  device_room<float>(4),
                  device_room<unsigned long long>(8 * most_blocks),
                  device_room<unsigned long long>(8 * most_blocks),
                  count > 1 ? std::atoi(words[1]) : 3};
  std::printf(
      "what,m,n,k,bm,bn,bk,split,stages,threads,an_sm,ffma,pad,wide_a,us,stay_us,first_p10,first_p50,first_"
      "p90,"
      "late_p10,late_p50,late_p90\n");
  const int e = 8192, f = 4096;
  const Product base{e, e, e, 128, 32, 16, 8, 3, 32, 7, 2048, 0, 0};
  std::vector<std::pair<const char*, Product>> rows;
  const auto add = [&](const char* what, auto change) {
    Product p = base;
    change(p);
    rows.emplace_back(what, p);
  };
  for (const int ffma : {2048, 1024, 0})
    add("base", [&](Product& p) { p.ffma = ffma; });
  for (const int ffma : {2048, 0})
    add("wide_a", [&](Product& p) { p.wide_a = 1, p.ffma = ffma; });
  for (const int pad : {32, 64, 1024})
    for (const int ffma : {2048, 0})
      add("pad", [&](Product& p) { p.pad = pad, p.ffma = ffma; });
  for (const int split : {1, 2, 4, 16})
    for (const int ffma : {2048, 0})
      add("split", [&](Product& p) { p.split = split, p.ffma = ffma; });
  for (const int an_sm : {1, 2, 4, 5})
    for (const int ffma : {2048, 0})
      add("an_sm", [&](Product& p) { p.an_sm = an_sm, p.ffma = ffma; });
  for (const int bk : {8, 32})
    for (const int ffma : {1, 0})
      add("bk", [&](Product& p) {
        p.bk = bk, p.an_sm = bk == 8 ? 7 : 5, p.stages = bk == 8 ? 4 : 2, p.ffma = ffma * 128 * bk;
      });
  for (const int bn : {64, 128})
    for (const int ffma : {1, 0})
      add("bn", [&](Product& p) { p.bn = bn, p.threads = bn, p.an_sm = 448 / bn, p.ffma = ffma * 2048; });
  for (const int n : {256, 512, 1024, 2048, 4096})
    add("n", [&](Product& p) { p.n = n; });
  for (const int split : {1, 2, 4, 8, 16})
    for (const int ffma : {2048, 0})
      add("4096", [&](Product& p) { p.m = p.n = p.k = f, p.split = split, p.ffma = ffma; });
  add("wide", [&](Product& p) { p.m = 1024, p.ffma = 2048; });
  add("wide", [&](Product& p) { p.m = 1024, p.ffma = 0; });
  const int only = count > 2 ? std::atoi(words[2]) : -1;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i)
    if (only < 0 || only == i) row(room, rows[i].first, rows[i].second);
  return 0;
}
