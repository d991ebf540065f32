// What a gemm's step takes to copy its tile, word by word through L1, as sgemm and implicit_gemm do it: of
// each step BM rows of filters, eight lanes beside each other along a row, four rows a copy
// (kernels/gemm_tile: FetchA), and BK rows of 32 pixels. `stride`: words from one row of filters to the next.
// On `sms` SMs, one block each, which all copy the same filters. cold: eighths of the filters' lines, here
// and there, that L2 has lost since they were last read. pixels: none; `near`, the same for all; `far`, an
// SM's own, which no launch before has touched. With `ffmas` multiply-adds of each thread behind the barrier.
// Cycles a step of 128, the last block's; the least of three runs.
//   nvcc -O3 -std=c++17 -arch=sm_90a -I. -o tile_copies tile_copies.cu && ./tile_copies
#include <cstdio>

#include "experiment.hpp"

constexpr int steps = 128, first = 16, pixel_words = 32;
struct Params {
  int stride, map_stride, ffmas;
};
enum class Pixels { none, near, far };
constexpr const char* names[] = {"none", "near", "far"};

template <int BM, int BK, int warps, int stages, Pixels pixels>
__global__ void run(const float* map, const float* filters, long long* cycles, Params params) {
  extern __shared__ float buffer[];
  const auto [stride, map_stride, ffmas] = params;
  constexpr int threads = 32 * warps, groups = threads / 8, copies_m = BM / groups, copies_k = BK / 8,
                pitch = BM + 4, copies_p = BK / warps > 0 ? BK / warps : 1,
                stage = BK * (pitch + pixel_words);
  static_assert(BM % groups == 0);
  const int t = threadIdx.x, k = t % 8, m = t / 8, warp = t / 32, lane = t % 32;
  const float* a = filters + static_cast<long long>(m) * stride + k;
  const float* p = map + static_cast<long long>(warp * copies_p) * map_stride +
                   (pixels == Pixels::far ? blockIdx.x * pixel_words : 0) + lane;
  const unsigned to = shared_address(buffer);
  float x[8];
  for (int i = 0; i < 8; ++i)
    x[i] = static_cast<float>(t + i);
  long long begin = 0;
  int column = 0;
  for (int s = 0; s < steps; ++s) {
    if (s == first) begin = clock64();
    const unsigned at = to + 4 * (s % stages) * stage;
#pragma unroll
    for (int ck = 0; ck < copies_k; ++ck)
#pragma unroll
      for (int cm = 0; cm < copies_m; ++cm)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                         at + 4 * ((k + 8 * ck) * pitch + m + cm * groups)),
                     "l"(a + static_cast<long long>(cm * groups) * stride + column + 8 * ck)
                     : "memory");
    if constexpr (pixels != Pixels::none) {
      if (warp * copies_p < BK) {
#pragma unroll
        for (int c = 0; c < copies_p; ++c)
          asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                           at + 4 * (BK * pitch + (warp * copies_p + c) * pixel_words + lane)),
                       "l"(p + static_cast<long long>(c) * map_stride)
                       : "memory");
      }
      p += static_cast<long long>(BK) * map_stride;
    }
    column = column + 2 * BK > stride ? 0 : column + BK;
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2) : "memory");
    __syncthreads();
    for (int f = 0; f < ffmas; f += 8)
#pragma unroll
      for (int i = 0; i < 8; ++i)
        asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(x[i]) : "f"(1.5f));
  }
  const long long end = clock64();
  float sum = 0;
  for (const float value : x)
    sum += value;
  if (t == 0) cycles[blockIdx.x] = sum == 0 ? 0 : end - begin;
}

// Reads all lines but `eighths` in eight of them.
__global__ void touch(const float* data, long long lines, unsigned eighths, float* kept) {
  float sum = 0;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x) {
    const unsigned drawn = static_cast<unsigned>(i) * 2654435761U >> 29;
    if (drawn >= eighths)
      for (int sector = 0; sector < 4; ++sector)
        sum += __ldcg(data + 32 * i + 8 * sector);
  }
  if (sum == 1) *kept = sum;
}

constexpr long long far_words = 1LL << 30, filter_words = 256LL * 9100;
constexpr std::size_t wiped = std::size_t{256} << 20;

struct Memory {
  const float *filters, *map;
  float4* other;
  long long* cycles;
  float* kept;
  long long far_at = 0;
};

template <int BM, int BK, int warps, int stages, Pixels pixels>
void one(Memory& memory, unsigned cold, int ffmas_of_step) {
  const auto kernel = run<BM, BK, warps, stages, pixels>;
  const int bytes = 4 * stages * BK * (BM + 4 + pixel_words);
  allow_shared(kernel, bytes);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  for (const int sms : {1, 12, 34, 66, 132})
    for (const int stride : {565, 2261, 2264, 9044})
      for (const int ffmas : {0, ffmas_of_step}) {
        const int map_stride = pixels == Pixels::far ? sms * pixel_words + 13 : 45;
        const long long used = pixels == Pixels::far ? 1LL * map_stride * BK * (steps + 1) : 0;
        double least = 0;
        for (int i = 0; i < 3; ++i) {
          if (memory.far_at + used > far_words) memory.far_at = 0;
          if (cold > 0) {
            wipe<<<264, 1024>>>(memory.other, wiped / sizeof(float4));
            touch<<<264, 1024>>>(memory.filters, filter_words / 32, cold, memory.kept);
          }
          kernel<<<sms, 32 * warps, bytes>>>(memory.map + memory.far_at, memory.filters, memory.cycles,
                                             Params{stride, map_stride, ffmas});
          CHECK(cudaDeviceSynchronize());
          memory.far_at += used;
          const double a_step =
              static_cast<double>(*std::max_element(memory.cycles, memory.cycles + sms)) / (steps - first);
          if (i == 0 || a_step < least) least = a_step;
        }
        std::printf("%d,%d,%d,%d,%u,%s,%d,%d,%d,%.1f\n", BM, BK, warps, stages, cold,
                    names[static_cast<int>(pixels)], sms, stride, ffmas, least);
      }
}

template <int BM, int BK, int warps, int stages>
void tile(Memory& memory, int ffmas) {
  for (const unsigned cold : {0, 1, 2, 4, 8})
    one<BM, BK, warps, stages, Pixels::none>(memory, cold, ffmas);
  for (const unsigned cold : {0, 8}) {
    one<BM, BK, warps, stages, Pixels::near>(memory, cold, ffmas);
    one<BM, BK, warps, stages, Pixels::far>(memory, cold, ffmas);
  }
}

int main() {
  Memory memory{device_room<float>(filter_words * sizeof(float), 0),
                device_room<float>(far_words * sizeof(float), 0), device_room<float4>(wiped),
                managed_room<long long>(132 * sizeof(long long)), device_room<float>(sizeof(float))};
  std::printf("BM,BK,warps,stages,cold,pixels,sms,stride,ffmas,cycles_a_step\n");
  tile<256, 16, 8, 4>(memory, 512);
  tile<256, 32, 2, 3>(memory, 4096);
  tile<128, 8, 8, 4>(memory, 512);
  tile<256, 8, 8, 5>(memory, 512);
}
