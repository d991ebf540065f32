// What loads, asynchronous copies and stores take of an SM's memory pipe by the lines that their lanes touch,
// whether L1 has them, and what shared loads (LDS.128) or multiply-adds lose beside them. One block; each
// warp repeats `ops` operations, each followed by loads of shared memory, and multiply-adds.
//   group: so many operations come one after the other, then what stands beside all of them
//   apart: lines from one of them to the next; shift: bytes by which each begins later in its line
//   lines: 128-byte lines that a warp's 32 lanes touch, each with 32/lines neighbouring lanes
//   where: l1 (the same lines again), l2 (lines that L1 has not), walk (from sector to sector of its lines,
//   and on) reads: what a warp's LDS.128 touches: own (512 bytes), pairs (256: two lanes share, as in a
//   matrix product), all (16)
// CSV to standard output: cycles of the SM for one operation of one warp with all that stands beside it, the
// least of three runs.
//   nvcc -O3 -arch=sm_90a -o memory_lines memory_lines.cu && ./memory_lines
#include <algorithm>
#include <cstdio>

#include "experiment.hpp"

enum Kind { none, ca4, ca8, ca16, cg16, ldg4, ldg8, ldg16, sts4, sts8, sts16 };
constexpr const char* names[] = {"none", "ca4",   "ca8",  "ca16", "cg16", "ldg4",
                                 "ldg8", "ldg16", "sts4", "sts8", "sts16"};
constexpr int widths[] = {4, 4, 8, 16, 16, 4, 8, 16, 4, 8, 16};
constexpr int lanes_of_warp = 32, line_bytes = 128, ops = 8, turns = 24;

template <int kind>
__device__ __forceinline__ void operate(unsigned to, const char* from, float4& value) {
  if constexpr (kind == ca4)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
  if constexpr (kind == ca8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
  if constexpr (kind == ca16)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  if constexpr (kind == cg16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  if constexpr (kind == ldg4) asm volatile("ld.global.f32 %0, [%1];" : "=f"(value.x) : "l"(from) : "memory");
  if constexpr (kind == ldg8)
    asm volatile("ld.global.v2.f32 {%0,%1}, [%2];" : "=f"(value.x), "=f"(value.y) : "l"(from) : "memory");
  if constexpr (kind == ldg16)
    asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                 : "l"(from)
                 : "memory");
  if constexpr (kind == sts4) asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(value.x) : "memory");
  if constexpr (kind == sts8)
    asm volatile("st.shared.v2.f32 [%0], {%1,%2};" ::"r"(to), "f"(value.x), "f"(value.y) : "memory");
  if constexpr (kind == sts16)
    asm volatile("st.shared.v4.f32 [%0], {%1,%2,%3,%4};" ::"r"(to), "f"(value.x), "f"(value.y), "f"(value.z),
                 "f"(value.w)
                 : "memory");
}

__device__ __forceinline__ float4 read_shared(unsigned at) {
  float4 v;
  asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(at)
               : "memory");
  return v;
}

// `reads` LDS.128 and `ffma` multiply-adds stand behind each operation.
template <int kind, int reads, int ffma, int group>
__global__ void run(const char* data, int lines, int apart, int shift, unsigned stride, size_t of_warp,
                    unsigned read_at, float* out, long long* cycles) {
  extern __shared__ char buffer[];
  const int lane = threadIdx.x % lanes_of_warp, warp = threadIdx.x / lanes_of_warp;
  constexpr int width = widths[kind];
  const int in_line = lanes_of_warp / lines;
  const char* const first =
      data + lane / in_line * (apart * line_bytes + shift) + lane % in_line * width + of_warp * warp;
  const auto base = shared_address(buffer);
  const unsigned to = base + 16384 + (warp * lanes_of_warp + lane) * width;
  const unsigned from = base + (read_at == 0 ? lane : read_at == 1 ? (lane & 1) | (lane >> 2 << 1) : 0) * 16;
  float4 loaded[ops] = {}, seen[4] = {};
  float sums[32];
  for (int i = 0; i < 32; ++i)
    sums[i] = static_cast<float>(lane + i);
  const float x = 0.5F + static_cast<float>(lane) * 1e-3F, y = 1.0F + static_cast<float>(lane) * 1e-4F;
  float total = 0;
  const auto all = [&](int times) {
    const char* at = first;
#pragma unroll 1
    for (int n = 0; n < times; ++n) {
#pragma unroll
      for (int i = 0; i < ops; i += group) {
#pragma unroll
        for (int g = 0; g < group; ++g) {
          auto& v = loaded[i + g];
          if (kind >= ldg4 && kind <= ldg16) {  // what was loaded a turn ago
            total += v.x;
            if (width >= 8) total += v.y;
            if (width >= 16) total += v.z + v.w;
          }
          operate<kind>(to + (i + g) * 8192, at, v);
          at += stride;
        }
#pragma unroll
        for (int r = 0; r < group * reads; ++r) {
          auto& v = seen[(i * reads + r) % 4];
          total += v.x;
          v = read_shared(from + r % 8 * 512);
        }
#pragma unroll
        for (int f = 0; f < group * ffma; ++f)
          asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sums[f % 32]) : "f"(x), "f"(y));
      }
    }
  };
  all(turns);  // lines and code are there
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  const long long begin = clock64();
  all(turns);
  asm volatile("cp.async.wait_all;" ::: "memory");
  for (const auto& v : loaded)
    total += v.x;
  for (const auto& v : seen)
    total += v.x + v.y + v.z + v.w;
  for (const float s : sums)
    total += s;
  if (total == 12345.0F) out[0] = total;
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
}

enum Where { l1, l2, walk };

template <int kind, int reads, int ffma, int group = 1>
void row(const char* data, float* out, long long* cycles, int warps, int lines, Where where, unsigned read_at,
         int apart = 1, int shift = 0) {
  constexpr int shared = 100 * 1024, sector_bytes = 32;
  const auto kernel = run<kind, reads, ffma, group>;
  allow_shared(kernel, shared);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  const unsigned stride = where == l1 ? 0 : where == walk ? sector_bytes : lines * line_bytes;
  const size_t of_warp = where == walk ? lines * (apart * line_bytes + shift) : size_t{stride} * turns * ops;
  const long long least = least_cycles(3, cycles, [&] {
    kernel<<<1, warps * lanes_of_warp, shared>>>(data, lines, apart, shift, stride, of_warp, read_at, out,
                                                 cycles);
  });
  constexpr const char* what[] = {"own", "pairs", "all"};
  constexpr const char* wheres[] = {"l1", "l2", "walk"};
  std::printf("%s,%d,%s,%s,%d,%d,%d,%d,%d,%d,%.2f\n", names[kind], lines, wheres[where], what[read_at], reads,
              ffma, group, apart, shift, warps, static_cast<double>(least) / (ops * turns * warps));
}

template <int kind, int reads, int ffma, int group = 1>
void rows(const char* data, float* out, long long* cycles, unsigned read_at, int warps) {
  const bool global = kind != none && kind < sts4;
  const int narrowest = std::max(1, lanes_of_warp * widths[kind] / line_bytes);
  for (const Where where : {l1, l2}) {
    if (!global && where == l2) continue;
    if (kind == cg16 && where == l1) continue;
    for (int lines = global ? narrowest : 1; lines <= (global ? 32 : 1); lines *= 2)
      row<kind, reads, ffma, group>(data, out, cycles, warps, lines, where, read_at);
  }
}

template <int kind>
void all_rows(const char* data, float* out, long long* cycles) {
  rows<kind, 0, 0>(data, out, cycles, 0, 16);
  rows<kind, 4, 0>(data, out, cycles, 0, 16);
  rows<kind, 4, 0, 2>(data, out, cycles, 0, 16);
  rows<kind, 4, 0, 4>(data, out, cycles, 0, 16);
  rows<kind, 4, 0, 8>(data, out, cycles, 0, 16);
  rows<kind, 16, 0>(data, out, cycles, 0, 16);
  for (const unsigned read_at : {1U, 2U})
    rows<kind, 8, 0>(data, out, cycles, read_at, 16);
  rows<kind, 0, 64>(data, out, cycles, 0, 8);
  rows<kind, 4, 64>(data, out, cycles, 1, 8);
  rows<kind, 8, 64>(data, out, cycles, 1, 8);
}

// Lines elsewhere in L1.
template <int kind>
void places(const char* data, float* out, long long* cycles, int lines) {
  for (const int apart : {1, 2, 4, 8, 16, 32, 36, 50, 64, 128, 144, 256})
    for (const int shift : {0, 32}) {
      row<kind, 0, 0>(data, out, cycles, 16, lines, l1, 0, apart, shift);
      row<kind, 4, 0>(data, out, cycles, 16, lines, l1, 0, apart, shift);
    }
  // Rows of 8 KiB and a little, a sector after the other.
  for (const int shift : {0, 16, 32, 36, 52, 64, 96}) {
    if (shift % widths[kind] != 0) continue;
    row<kind, 0, 0>(data, out, cycles, 16, lines, walk, 0, 64, shift);
    row<kind, 4, 0>(data, out, cycles, 16, lines, walk, 0, 64, shift);
  }
}

int main() {
  auto* const data = device_room<char>(128 << 20, 0);
  auto* const out = device_room<float>(4);
  auto* const cycles = managed_room<long long>(sizeof(long long));
  std::printf("kind,lines,where,reads_touch,reads,ffma,group,apart,shift,warps,cycles_an_operation\n");
  all_rows<none>(data, out, cycles);
  all_rows<ca4>(data, out, cycles);
  all_rows<ca8>(data, out, cycles);
  all_rows<ca16>(data, out, cycles);
  all_rows<cg16>(data, out, cycles);
  all_rows<ldg4>(data, out, cycles);
  all_rows<ldg8>(data, out, cycles);
  all_rows<ldg16>(data, out, cycles);
  all_rows<sts4>(data, out, cycles);
  all_rows<sts8>(data, out, cycles);
  all_rows<sts16>(data, out, cycles);
  places<ca4>(data, out, cycles, 4);
  places<ldg4>(data, out, cycles, 4);
  places<ldg16>(data, out, cycles, 16);
  places<cg16>(data, out, cycles, 16);
  return 0;
}
