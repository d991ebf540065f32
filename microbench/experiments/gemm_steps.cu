// What a step of a gemm's reduction takes: implicit_gemm's own source, with all it loads from global memory
// (`full`), with one operand's loads left out (`no_filters`, `no_pixels`), with both (`no_loads`), and
// without its stores to shared memory, too (`loops`), so that what each costs beside the multiply-adds can be
// seen. One to three blocks on each SM at once, all SMs, and one block on each of 1, 16 and 66, whose shared
// memory begins where the SM's does. Cycles a step, the difference of two depths of launches in a row, the
// least of six times. One geometry a program, by -D; gemm_steps.sh makes and runs those of gemm_steps.csv.
//   nvcc -O3 -std=c++17 -arch=sm_90a -I kernels -I . -DTILE_M=128 ... -o gemm_steps gemm_steps.cu &&
//   ./gemm_steps
#include <cstdio>

// Two names that the kernel has, too.
#define cluster_barrier barrier_of_experiments
#define load_cluster4 load_of_experiments
#include "experiment.hpp"
#include "shared_places.hpp"
#undef cluster_barrier
#undef load_cluster4
#include "gemm_steps.hpp"
#include "implicit_gemm/implicit_gemm.cu"

namespace {

constexpr Geometry geometry = make_geometry(TILECAST_GEOMETRY);
namespace steps = tilecast::gemm_steps;

// A's or B's copies, of which `loads` and `stores` say whether they are made. What is stored without having
// been loaded is the thread's number.
template <class Fetch, bool loads, bool stores>
struct Partly : Fetch {
  __device__ __forceinline__ void copy(int stage) {
    if constexpr (loads) Fetch::copy(stage);
  }
  __device__ __forceinline__ void load() {
    if constexpr (loads) Fetch::load();
  }
  __device__ __forceinline__ void store(int stage) const {
    if constexpr (stores) Fetch::store(stage);
  }
  __device__ __forceinline__ void fill(float value) {
    for (float& word : Fetch::staged)
      word = value;
  }
};

struct Full : Tile {};
struct NoFilters : Tile {};
struct NoPixels : Tile {};
struct NoLoads : Tile {};
struct Loops : Tile {};

}  // namespace

// What multiply() takes for A.
namespace gemm_tile_device {
template <>
struct FetchA<Full> : Partly<FetchA<Tile>, true, true> {};
template <>
struct FetchA<NoFilters> : Partly<FetchA<Tile>, false, true> {};
template <>
struct FetchA<NoPixels> : Partly<FetchA<Tile>, true, true> {};
template <>
struct FetchA<NoLoads> : Partly<FetchA<Tile>, false, true> {};
template <>
struct FetchA<Loops> : Partly<FetchA<Tile>, false, false> {};
}  // namespace gemm_tile_device

namespace {

template <class Part, bool pixels, bool stores>
__device__ __forceinline__ void block(const float* input, const float* filters, float* output,
                                      const Params& params, int stride) {
  constexpr Geometry g = geometry;
  float* const shared = dynamic_shared();
  const int thread = threadIdx.x & 1023;
  const int first_m = static_cast<int>(blockIdx.x % static_cast<unsigned>(params.tiles_m)) * g.BM;
  const int first_n = static_cast<int>(blockIdx.x / static_cast<unsigned>(params.tiles_m)) * g.BN;
  FetchA<Part> a;
  a.begin(shared, filters, params.filters, stride, first_m, 0, thread);
  a.fill(static_cast<float>(thread));
  Partly<FetchB<Tile>, pixels, stores> b;
  b.begin(shared, input, params, first_n, 0, thread);
  b.fill(static_cast<float>(thread));
  const Place at = place(g, thread);
  float sum[g.TM][g.TN] = {};
  multiply<Part>(sum, shared, a, b, divide_up(params.depth, g.BK), at, params, thread);
  store_tile<Tile>(sum, output, params.out_pixels, first_m, params.filters, first_n, params.pixels,
                   Column{params.out_pixels, params.filters}, at);
}

}  // namespace

// Named by the geometry, which cli/simulate_loops.cpp reads there.
#define NAME_(what, m, n, k, tm, tn, async, stages) \
  steps_##what##_##m##_##n##_##k##_##tm##_##tn##_##async##_##stages
#define NAME(what, m, n, k, tm, tn, async, stages) NAME_(what, m, n, k, tm, tn, async, stages)
#define KERNEL(what) NAME(what, TILE_M, TILE_N, TILE_K, THREAD_M, THREAD_N, ASYNC, STAGES)
#define DEFINE_KERNEL(what, Part, pixels, stores)                                      \
  extern "C" __global__ void __launch_bounds__(geometry.threads, 1)                    \
      KERNEL(what)(const float* __restrict__ input, const float* __restrict__ filters, \
                   float* __restrict__ output, const Params params, int stride) {      \
    block<Part, pixels, stores>(input, filters, output, params, stride);               \
  }
DEFINE_KERNEL(full, Full, true, true)
DEFINE_KERNEL(no_filters, NoFilters, true, true)
DEFINE_KERNEL(no_pixels, NoPixels, false, true)
DEFINE_KERNEL(no_loads, NoLoads, false, true)
DEFINE_KERNEL(loops, Loops, false, false)

int main() {
  constexpr int floats = 1 << 24, launches = 20, times = 6;
  const float* const input = random_numbers(floats);
  const float* const filters = random_numbers(floats);
  float* const output = device_room<float>(sizeof(float) * 2 * floats);
  constexpr int shared = steps::shared_bytes(geometry);
  int khz = 0;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  struct Variant {
    const char* name;
    void (*kernel)(const float*, const float*, float*, Params, int);
  };
  for (const auto& v : {Variant{"full", KERNEL(full)}, Variant{"no_filters", KERNEL(no_filters)},
                        Variant{"no_pixels", KERNEL(no_pixels)}, Variant{"no_loads", KERNEL(no_loads)},
                        Variant{"loops", KERNEL(loops)}}) {
    allow_shared(v.kernel, shared);
    CHECK(cudaFuncSetAttribute(v.kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    int room = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&room, v.kernel, geometry.threads, shared));
    const auto measure = [&](int sms, int blocks) {
      begin_shared_memory_anew(input, output);
      const auto us = [&](int channels) {
        const auto launch_all = [&] {
          for (int n = 0; n < launches; ++n)
            v.kernel<<<sms * blocks, geometry.threads, shared>>>(
                input, filters, output, steps::params_of(TILE_M, channels), steps::filter_stride);
        };
        return times_us(0, times, launch_all)[0] / launches;
      };
      const double cycles = (us(steps::many_channels) - us(steps::few_channels)) * khz / 1000;
      std::printf("%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%.1f\n", v.name, TILE_M, TILE_N, TILE_K, THREAD_M, THREAD_N,
                  ASYNC, STAGES, sms, blocks, cycles / steps::steps_between(TILE_K));
    };
    for (const int sms : {1, 16, 66})
      measure(sms, 1);
    for (int blocks = 1; blocks <= std::min(room, steps::most_blocks); ++blocks)
      measure(sm_count(), blocks);
  }
}
