// How a burst of asynchronous copies through L1, or of loads, passes an SM's memory pipe, longer and longer,
// from L2 or DRAM. W warps of a block copy `copies` rows each, one after the other and the warps' rows behind
// each other; then a shared load. A copy's lanes lie beside each other in groups of `lanes`, the groups' rows
// `apart` bytes apart, all `shift` bytes behind a line's begin. CSV to standard output: cycles from the begin
// until the first warp has issued its 1st, 2nd, 4th, ... last copy, until its shared load is back, and until
// all has come; of the slowest of `blocks` blocks' medians, the least of four launches.
//   nvcc -O3 -arch=sm_90a -o copy_bursts copy_bursts.cu && ./copy_bursts
#include <algorithm>
#include <cstdio>
#include <vector>

#include "experiment.hpp"

constexpr int lanes_of_warp = 32, copies = 64;
constexpr int marks[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
constexpr int columns = sizeof marks / sizeof *marks + 2;

enum Kind { ca4, ca8, ca16, cg16, ldg4, ldg8 };
constexpr const char* names[] = {"ca4", "ca8", "ca16", "cg16", "ldg4", "ldg8"};
constexpr int widths[] = {4, 8, 16, 16, 4, 8};

template <int kind>
__device__ __forceinline__ void burst(const char* from, unsigned step, unsigned to, unsigned read_at,
                                      unsigned (&at)[copies + 2], float& total) {
  constexpr int bytes = widths[kind];
  float value[copies] = {}, other[copies] = {};
  const unsigned begin = now();
#pragma unroll
  for (int n = 0; n < copies; ++n) {
    if constexpr (kind == ldg4)
      asm volatile("ld.global.f32 %0, [%1];" : "=f"(value[n]) : "l"(from) : "memory");
    else if constexpr (kind == ldg8)
      asm volatile("ld.global.v2.f32 {%0,%1}, [%2];" : "=f"(value[n]), "=f"(other[n]) : "l"(from) : "memory");
    else if constexpr (kind == cg16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(to + n % 8 * 512), "l"(from), "n"(bytes)
                   : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to + n % 8 * 512), "l"(from), "n"(bytes)
                   : "memory");
    from += step;
    at[n] = now() - begin;
  }
  float v;
  asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(read_at) : "memory");
  total += v;
  asm volatile("" ::"f"(total) : "memory");
  at[copies] = now() - begin;
  asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll
  for (int n = 0; n < copies; ++n)
    total += value[n] + other[n];
  asm volatile("" ::"f"(total) : "memory");
  at[copies + 1] = now() - begin;
}

template <int kind>
__global__ void run(const char* data, const char* other, int lanes, unsigned apart, unsigned of_warp,
                    unsigned step, size_t of_block, float* out, unsigned* cycles) {
  extern __shared__ char buffer[];
  constexpr int bytes = widths[kind];
  const int lane = threadIdx.x % lanes_of_warp, warp = threadIdx.x / lanes_of_warp;
  const auto base = shared_address(buffer);
  const unsigned to = base + 1024 + warp * 4096 + lane * bytes;
  const unsigned offset = lane / lanes * apart + lane % lanes * bytes;
  unsigned at[copies + 2];
  float total = 0;
#pragma unroll 1
  for (int time = 0; time < 2; ++time) {  // first of all, the code is there
    __syncthreads();
    const char* const from =
        time == 0 ? other + lane * bytes : data + blockIdx.x * of_block + warp * of_warp + offset;
    burst<kind>(from, time == 0 ? 0 : step, to, base + lane * 4, at, total);
  }
  if (total == 12345.0F) out[0] = total;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned* const mine = cycles + blockIdx.x * columns;
    constexpr int wanted[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
#pragma unroll
    for (int n = 0; n < columns - 2; ++n)
      mine[n] = at[wanted[n] - 1];
    mine[columns - 2] = at[copies], mine[columns - 1] = at[copies + 1];
  }
}

struct Buffers {
  char *data, *other;
  float4* flush;
  float* out;
  unsigned* cycles;
};
constexpr size_t flush_bytes = 256 << 20;

template <int kind>
void row(const Buffers& b, int blocks, int warps, int lanes, unsigned apart, unsigned shift,
         unsigned along = 0, int carveout = 100) {
  const int shared = (carveout == 100 ? 100 : 40) * 1024;
  constexpr int bytes = widths[kind];
  const auto kernel = run<kind>;
  allow_shared(kernel, shared);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
  // Rows of whole lines: a group's row is `apart` long, or one row of all lanes follows the other.
  const unsigned groups = lanes_of_warp / lanes, row_bytes = lanes * bytes;
  const unsigned step = along > 0 ? along : groups == 1 ? row_bytes * warps : row_bytes;
  const unsigned of_warp = groups == 1 ? row_bytes : groups * apart;
  const size_t of_block =
      groups == 1 ? size_t{row_bytes} * warps * copies + 4096 : size_t{of_warp} * warps + 4096;
  const bool from_dram[] = {true, false};
  for (const bool dram : from_dram) {
    std::vector<unsigned> least(columns, ~0U);
    for (int time = 0; time < 4; ++time) {
      if (dram) wipe<<<528, 256>>>(b.flush, flush_bytes / 16);
      kernel<<<blocks, warps * lanes_of_warp, shared>>>(b.data + shift, b.other, lanes, apart, of_warp, step,
                                                        of_block, b.out, b.cycles);
      CHECK(cudaDeviceSynchronize());
      for (int n = 0; n < columns; ++n) {
        std::vector<unsigned> all(blocks);
        for (int i = 0; i < blocks; ++i)
          all[i] = b.cycles[i * columns + n];
        least[n] = std::min(least[n], median(all));
      }
    }
    std::printf("%s,%d,%d,%d,%d,%u,%u,%u,%s", names[kind], carveout, blocks, warps, lanes, apart, shift, step,
                dram ? "dram" : "l2");
    for (const unsigned v : least)
      std::printf(",%u", v);
    std::printf("\n");
    std::fflush(stdout);
  }
}

template <int kind>
void rows(const Buffers& b) {
  constexpr int bytes = widths[kind];
  for (const int blocks : {1, 132})
    for (const int warps : {1, 2, 4, 8, 16}) {
      for (const unsigned shift : {0U, static_cast<unsigned>(bytes), 64U})
        row<kind>(b, blocks, warps, 32, 0, shift);
      if (bytes == 4) {
        for (const unsigned shift : {0U, 4U}) {
          row<kind>(b, blocks, warps, 8, 4096, shift);   // eight words of each of four filters
          row<kind>(b, blocks, warps, 16, 4096, shift);  // half a warp a row
        }
        if (warps <= 8) row<kind>(b, blocks, warps, 8, 8192, 0, 128);  // a sector of a new line each
        if (warps <= 8) row<kind>(b, blocks, warps, 16, 8192, 0, 128);
        if (warps <= 8) row<kind>(b, blocks, warps, 8, 8192, 0, 128, 25);
      }
    }
}

int main() {
  Buffers b{};
  b.data = device_room<char>(256 << 20, 0);
  b.other = device_room<char>(1 << 16, 0);
  b.flush = device_room<float4>(flush_bytes);
  b.out = device_room<float>(4);
  b.cycles = managed_room<unsigned>(132 * columns * sizeof(unsigned));
  std::printf("kind,carveout,blocks,warps,lanes,apart,shift,step,where");
  for (const int m : marks)
    std::printf(",issued_%d", m);
  std::printf(",shared_load,come\n");
  rows<ca4>(b);
  rows<ca8>(b);
  rows<ca16>(b);
  rows<cg16>(b);
  rows<ldg4>(b);
  return 0;
}
