// What asynchronous copies of 16, 8 and 4 bytes a lane, past L1 (cg) and through it (ca), take of an SM's
// memory pipe and of the way back, by where their rows lie in lines of 128 bytes and in shared memory. Each
// of 8 warps copies again and again what L2 has. A copy's lanes lie beside each other in groups of `lanes`,
// the groups `apart` bytes apart; all begins `shift` bytes behind a line's begin and goes to shared memory
// `to_shift` bytes behind a row of all banks. CSV to standard output, cycles of the slowest warp: until a
// shared load behind 4, 8 and 16 copies of each warp is back (`behind_N`), until 16 copies have come
// (`come_16`), and of one more copy of the SM among many (`each`; 256 less 64 copies a warp, with all that
// comes waited for).
//   nvcc -O3 -arch=sm_90a -o line_copies line_copies.cu && ./line_copies
#include <algorithm>
#include <cstdio>
#include <vector>

#include "experiment.hpp"

constexpr int warps = 8, warp_room = 4096;
enum Kind { cg16, ca16, ca8, ca4 };
constexpr const char* names[] = {"cg16", "ca16", "ca8", "ca4"};
constexpr int widths[] = {16, 16, 8, 4};

template <int kind>
__device__ __forceinline__ void copy(unsigned to, const char* from) {
  if constexpr (kind == cg16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(widths[kind])
                 : "memory");
}

// Rows until the first is copied again: with all warps' more than L1 has.
template <int kind>
constexpr int rows_of_warp = 256 / widths[kind];

struct Span {
  unsigned behind, come;
};

// `count` copies of each warp, rows one behind the other and over again.
template <int kind>
__device__ __forceinline__ Span burst(const char* from, unsigned step, unsigned to, unsigned read_at,
                                      int count, float& total) {
  __syncthreads();
  const unsigned begin = now();
  const char* at = from;
#pragma unroll 1
  for (int n = 0; n < count; n += 4) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      copy<kind>(to + i * 640, at + i * step);
    at = n % rows_of_warp<kind> == rows_of_warp<kind> - 4 ? from : at + 4 * step;
  }
  float v;
  asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(read_at) : "memory");
  total += v;
  asm volatile("" ::"f"(total) : "memory");
  Span span;
  span.behind = now() - begin;
  asm volatile("cp.async.wait_all;" ::: "memory");
  span.come = now() - begin;
  return span;
}

constexpr int sizes = 5;  // of 4, 8, 16, 64, 256 copies a warp

template <int kind>
__global__ void run(const char* data, int lanes, unsigned apart, unsigned of_warp, unsigned step,
                    size_t of_block, unsigned to_shift, float* out, unsigned* cycles) {
  extern __shared__ char buffer[];
  __shared__ unsigned slowest[2 * sizes];
  constexpr int bytes = widths[kind];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned base = (shared_address(buffer) + 127) / 128 * 128;
  const unsigned to = base + to_shift + warp * warp_room + lane * bytes;
  const char* const from =
      data + blockIdx.x * of_block + warp * of_warp + lane / lanes * apart + lane % lanes * bytes;
  float total = 0;
  if (threadIdx.x < 2 * sizes) slowest[threadIdx.x] = 0;
  for (int time = 0; time < 2; ++time) {  // first of all, the code and what L2 has are there
#pragma unroll 1
    for (int i = 0; i < sizes; ++i) {
      const Span span = burst<kind>(from, step, to, base + warps * warp_room + 1024 + lane * 4,
                                    i < 3    ? 4 << i
                                    : i == 3 ? 64
                                             : 256,
                                    total);
      if (time == 1 && lane == 0) {
        atomicMax(&slowest[i], span.behind);
        atomicMax(&slowest[sizes + i], span.come);
      }
    }
  }
  if (total == 12345.0F) out[0] = total;
  __syncthreads();
  if (threadIdx.x < 2 * sizes) cycles[blockIdx.x * 2 * sizes + threadIdx.x] = slowest[threadIdx.x];
}

struct Buffers {
  char* data;
  float* out;
  unsigned* cycles;
};

template <int kind>
void row(const Buffers& b, int blocks, int lanes, unsigned apart, unsigned shift, unsigned to_shift) {
  constexpr int shared = warps * warp_room + 4096, bytes = widths[kind];
  allow_shared(run<kind>, 100 * 1024);
  CHECK(cudaFuncSetAttribute(run<kind>, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  const unsigned groups = 32 / lanes;
  // The next copy's rows: behind this one's, in groups of their own; through L1 they are then there.
  const unsigned step = groups == 1 ? 32 * bytes : std::max(128, lanes * bytes);
  const unsigned of_warp = groups == 1 ? rows_of_warp<kind> * step : groups * apart;
  const size_t of_block = (size_t{of_warp} * warps + rows_of_warp<kind> * step + 4095) / 4096 * 4096;
  std::vector<unsigned> least(2 * sizes, ~0U);
  for (int time = 0; time < 3; ++time) {
    run<kind><<<blocks, warps * 32, shared>>>(b.data + shift, lanes, apart, of_warp, step, of_block, to_shift,
                                              b.out, b.cycles);
    CHECK(cudaDeviceSynchronize());
    for (int n = 0; n < 2 * sizes; ++n) {
      std::vector<unsigned> all(blocks);
      for (int i = 0; i < blocks; ++i)
        all[i] = b.cycles[i * 2 * sizes + n];
      least[n] = std::min(least[n], median(all));
    }
  }
  std::printf("%s,%d,%d,%u,%u,%u,%u,%u,%u,%u,%.2f\n", names[kind], blocks, lanes, apart, shift, to_shift,
              least[0], least[1], least[2], least[sizes + 2],
              (least[sizes + 4] - least[sizes + 3]) / (192.0 * warps));
  std::fflush(stdout);
}

template <int kind>
void rows(const Buffers& b, int blocks) {
  constexpr unsigned bytes = widths[kind];
  for (unsigned shift = 0; shift < 128; shift += std::max(bytes, 16U))
    row<kind>(b, blocks, 32, 0, shift, 0);
  if (bytes < 16)
    for (const unsigned shift : {bytes, 32 - bytes, 32 + bytes, 128 - bytes})
      row<kind>(b, blocks, 32, 0, shift, 0);
  for (const unsigned to_shift : {bytes, 32U, 64U})
    for (const unsigned shift : {0U, bytes, 32U, 64U})
      row<kind>(b, blocks, 32, 0, shift, to_shift);
  for (int lanes = 16; lanes >= 2; lanes /= 2)
    for (const unsigned apart : {8192U, 8192U + 128, 8192U + 64, 8192U + 16})
      for (const unsigned shift : {0U, bytes, 64U})
        row<kind>(b, blocks, lanes, apart, shift, 0);
}

int main() {
  Buffers b{};
  b.data = device_room<char>(256 << 20, 0);
  b.out = device_room<float>(4);
  b.cycles = managed_room<unsigned>(132 * 2 * sizes * sizeof(unsigned));
  std::printf("kind,blocks,lanes,apart,shift,to_shift,behind_4,behind_8,behind_16,come_16,each\n");
  for (const int blocks : {1, 132}) {
    rows<cg16>(b, blocks);
    rows<ca16>(b, blocks);
    rows<ca8>(b, blocks);
    rows<ca4>(b, blocks);
  }
  return 0;
}
