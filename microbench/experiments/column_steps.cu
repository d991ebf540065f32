// What a step of sgemm's reduction takes by where rows of its operands begin: sgemm's own source, with all it
// copies from global memory (`full`), without the filters' copies (`no_filters`) and without the columns'
// (`no_pixels`). `columns`: floats from one row of B to the next, `stride` of A. Word by word (VEC_B 1) or by
// four. One block on each of eight SMs, whose shared memory begins where the SM's does, all data in L2.
// Cycles a step, the difference of two depths of launches in a row, the least of six times. One geometry a
// program, by -D; column_steps.sh makes and runs those of column_steps.csv.
//   nvcc -O3 -std=c++17 -arch=sm_90a -I kernels -I . -DTILE_M=128 ... -o column_steps column_steps.cu &&
//   ./column_steps
#include <cstdio>

// Two names that the kernel has, too.
#define cluster_barrier barrier_of_experiments
#define load_cluster4 load_of_experiments
#include "experiment.hpp"
#include "shared_places.hpp"
#undef cluster_barrier
#undef load_cluster4
#include "sgemm/sgemm.cu"

namespace {

constexpr Geometry geometry = make_geometry(TILECAST_GEOMETRY);
constexpr int few_deep = 576, many_deep = 1152, sms = 8;

template <class Fetch, bool copies_it>
struct Partly : Fetch {
  __device__ __forceinline__ void copy(int stage) {
    if constexpr (copies_it) Fetch::copy(stage);
  }
};
struct Full : Tile {};
struct NoFilters : Tile {};

}  // namespace

namespace gemm_tile_device {
template <>
struct FetchA<Full> : Partly<FetchA<Tile>, true> {};
template <>
struct FetchA<NoFilters> : Partly<FetchA<Tile>, false> {};
}  // namespace gemm_tile_device

namespace {

template <class Part, bool pixels>
__device__ __forceinline__ void block(const float* input, const float* filters, float* output,
                                      const tilecast::sgemm::Params& params, int stride) {
  constexpr Geometry g = geometry;
  float* const shared = dynamic_shared();
  const int thread = threadIdx.x & 1023, first_n = static_cast<int>(blockIdx.x) * g.BN;
  FetchA<Part> a;
  a.begin(shared, filters, params.rows, stride, 0, 0, thread);
  Partly<FetchB<Tile>, pixels> b;
  b.begin(shared, input, params, first_n, 0, thread);
  const Place at = place(g, thread);
  float sum[g.TM][g.TN] = {};
  multiply<Part>(sum, shared, a, b, divide_up(params.depth, g.BK), at, params, thread);
  store_tile<Tile>(sum, output, params.columns, 0, params.rows, first_n, params.columns, Column{}, at);
}

}  // namespace

#define NAME_(what, m, n, k, tm, tn, stages, vec_b) \
  columns_##what##_##m##_##n##_##k##_##tm##_##tn##_##stages##_##vec_b
#define NAME(what, m, n, k, tm, tn, stages, vec_b) NAME_(what, m, n, k, tm, tn, stages, vec_b)
#define KERNEL(what) NAME(what, TILE_M, TILE_N, TILE_K, THREAD_M, THREAD_N, STAGES, VEC_B)
#define DEFINE_KERNEL(what, Part, pixels)                                                          \
  extern "C" __global__ void __launch_bounds__(geometry.threads, 1)                                \
      KERNEL(what)(const float* __restrict__ input, const float* __restrict__ filters,             \
                   float* __restrict__ output, const tilecast::sgemm::Params params, int stride) { \
    block<Part, pixels>(input, filters, output, params, stride);                                   \
  }
DEFINE_KERNEL(full, Full, true)
DEFINE_KERNEL(no_filters, NoFilters, true)
DEFINE_KERNEL(no_pixels, Full, false)

int main() {
  constexpr int floats = 1 << 24, launches = 20, times = 6;
  const float* const input = random_numbers(floats);
  const float* const filters = random_numbers(floats);
  float* const output = device_room<float>(sizeof(float) * floats);
  constexpr int shared = 4 * tile_floats(geometry);
  int khz = 0;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  struct Variant {
    const char* name;
    void (*kernel)(const float*, const float*, float*, tilecast::sgemm::Params, int);
  };
  for (const auto& v : {Variant{"full", KERNEL(full)}, Variant{"no_filters", KERNEL(no_filters)},
                        Variant{"no_pixels", KERNEL(no_pixels)}}) {
    allow_shared(v.kernel, shared);
    CHECK(cudaFuncSetAttribute(v.kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    for (const int columns : {1024, 1032, 1028, 1029})
      for (const int stride : {1152, 1157}) {
        if (columns % VEC_B != 0) continue;
        begin_shared_memory_anew(input, output);
        const auto us = [&](int depth) {
          const auto launch_all = [&] {
            for (int n = 0; n < launches; ++n)
              v.kernel<<<sms, geometry.threads, shared>>>(
                  input, filters, output, tilecast::sgemm::Params{TILE_M, columns, depth, 1, 1}, stride);
          };
          return times_us(0, times, launch_all)[0] / launches;
        };
        const double cycles = (us(many_deep) - us(few_deep)) * khz / 1000;
        std::printf("%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%.1f\n", v.name, TILE_M, TILE_N, TILE_K, THREAD_M,
                    THREAD_N, STAGES, VEC_B, columns, stride, cycles / ((many_deep - few_deep) / TILE_K));
      }
  }
}
