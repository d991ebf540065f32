// Convolution as a matrix product that is never formed, float32, NCHW input, OIHW filters, any stride,
// padding and dilation: A is the filters (M x C K K), B's column for an output pixel is that pixel's window.
// Pixels of all images are one row of columns. The blocks of a cluster share one tile's reduction where it is
// split.
//
// A thread copies the same pixels in every step: their first element and which rows and columns of their
// windows lie within the map are found once. What a weight adds to that is the same for all pixels: a table
// in shared memory has it for the weights of the coming step, written by BK threads one step ahead.
#include "gemm_tile/gemm_tile_index.hpp"
#include "implicit_gemm/implicit_gemm_index.hpp"
#if !defined(TILECAST_EMULATED)
#  include "gemm_tile/instructions.hpp"
#endif
#include "gemm_tile/gemm_tile_device.hpp"

#if !defined(TILE_M)  // one plain specialisation, so that a compiler alone can check this file
#  define TILE_M 128
#  define TILE_N 128
#  define TILE_K 8
#  define THREAD_M 8
#  define THREAD_N 8
#  define ASYNC 1
#  define STAGES 3
#  define SPLIT 0
#  define VEC_A 1
#  define VEC_B 1
#  define VEC_C 4
#  define K_SIZE 3
#endif
#if !defined(DILATED)  // 1: the weights lie params.dilation apart
#  define DILATED 0
#endif
#if !defined(TILECAST_GEOMETRY)
#  define TILECAST_GEOMETRY \
    TILE_M, TILE_N, TILE_K, THREAD_M, THREAD_N, ASYNC, STAGES, SPLIT, VEC_A, VEC_B, VEC_C
#  define TILECAST_FILTER_SIZE K_SIZE
#endif

namespace {

using namespace tilecast::gemm_tile;
using namespace gemm_tile_device;
using tilecast::implicit_gemm::Params;
using tilecast::implicit_gemm::Weight;
using tilecast::implicit_gemm::Window;

struct Tile {
  static constexpr __device__ __forceinline__ Geometry geometry() { return make_geometry(TILECAST_GEOMETRY); }
};
constexpr int filter_size = TILECAST_FILTER_SIZE;
// Where it is false, a dilation of 1 is a constant and the machine code that of a kernel without any.
constexpr bool dilated = DILATED;

// B's copies, a float at a time.
template <class T>
struct FetchB {
  static constexpr Geometry g = T::geometry();
  float* shared;  // the thread's first element in the first stage
  const float* input;
  Window window[b_copies_n(g)];
  bool copies;
  Weight* table;  // [step % 2][k]
  int first_k;    // of the thread's copies
  int entry_k;    // of the thread's entry in the step whose weights are written next
  int writing, reading;
  float staged[g.async ? 1 : b_copies_k(g) * b_copies_n(g)];

  __device__ __forceinline__ void begin(float* stages, const float* map, const Params& params, int first_n,
                                        int step_k, int thread) {
    constexpr Geometry geometry = T::geometry();
    const CopyPlace at = b_place(geometry, thread);
    shared = stages + b_at(geometry, at.k, at.x);
    input = map;
#pragma unroll
    for (int cn = 0; cn < b_copies_n(geometry); ++cn)
      window[cn] = tilecast::implicit_gemm::window_at(first_n + at.x + cn * b_step_n(geometry), filter_size,
                                                      dilated ? params.dilation : 1, params);
    copies = b_lanes(geometry) * b_groups_k(geometry) == geometry.threads || at.copies;
    table = reinterpret_cast<Weight*>(stages + tile_floats(geometry));
    first_k = at.k;
    entry_k = step_k + thread;
    writing = reading = 0;
  }
  // Writes the next step's weights; a barrier has to follow before they are read.
  __device__ __forceinline__ void prepare_next(const Params& params, int thread) {
    constexpr Geometry geometry = T::geometry();
    if (thread < geometry.BK)
      table[writing * geometry.BK + thread] =
          tilecast::implicit_gemm::weight_at(entry_k, filter_size, dilated ? params.dilation : 1, params);
    entry_k += geometry.BK;
    writing ^= 1;
  }
  __device__ __forceinline__ void prepare(const Params& params, int thread) {
    prepare_next(params, thread);
    __syncthreads();
  }
  __device__ __forceinline__ Weight weight(int ck) const {
    constexpr Geometry geometry = T::geometry();
    return table[reading * geometry.BK + first_k + ck * b_groups_k(geometry)];
  }
  __device__ __forceinline__ void copy(int stage) {
    constexpr Geometry geometry = T::geometry();
    const unsigned target = shared_address(shared + stage * geometry.stage_floats);
#pragma unroll
    for (int ck = 0; ck < b_copies_k(geometry); ++ck) {
      const Weight w = weight(ck);
#pragma unroll
      for (int cn = 0; cn < b_copies_n(geometry); ++cn)
        copy_async<1>(copies, within_map(window[cn], w),
                      target + 4 * (ck * b_groups_k(geometry) * geometry.pitch_b + cn * b_step_n(geometry)),
                      input + (window[cn].offset + w.offset));
    }
    reading ^= 1;
  }
  __device__ __forceinline__ void load() {
    constexpr Geometry geometry = T::geometry();
#pragma unroll
    for (int ck = 0; ck < b_copies_k(geometry); ++ck) {
      const Weight w = copies ? weight(ck) : Weight{0, tilecast::implicit_gemm::no_weight};
#pragma unroll
      for (int cn = 0; cn < b_copies_n(geometry); ++cn)
        staged[ck * b_copies_n(geometry) + cn] =
            within_map(window[cn], w) ? input[window[cn].offset + w.offset] : 0.0F;
    }
    reading ^= 1;
  }
  __device__ __forceinline__ void store(int stage) const {
    constexpr Geometry geometry = T::geometry();
    if (!copies) return;
    float* const target = shared + stage * geometry.stage_floats;
#pragma unroll
    for (int ck = 0; ck < b_copies_k(geometry); ++ck) {
#pragma unroll
      for (int cn = 0; cn < b_copies_n(geometry); ++cn)
        target[ck * b_groups_k(geometry) * geometry.pitch_b + cn * b_step_n(geometry)] =
            staged[ck * b_copies_n(geometry) + cn];
    }
  }
};

// Where a pixel lies in the output of the first filter.
struct Column {
  int out_pixels, filters;
  __device__ __forceinline__ long long operator()(int pixel) const {
    const int image = static_cast<int>(static_cast<unsigned>(pixel) / static_cast<unsigned>(out_pixels));
    return static_cast<long long>(image) * (filters - 1) * out_pixels + pixel;
  }
};

}  // namespace

extern "C" __global__ void __launch_bounds__(Tile::geometry().threads, 1)
    implicit_gemm_kernel(const float* __restrict__ input, const float* __restrict__ filters,
                         float* __restrict__ output, const tilecast::implicit_gemm::Params params) {
  constexpr Geometry g = Tile::geometry();
  float* const shared = dynamic_shared();
  const int thread = threadIdx.x & 1023;  // no sign, as the compiler can see: divisions become shifts
  // Blocks of a cluster are neighbours; tiles of the same pixels come one after the other.
  const unsigned block = blockIdx.x;
  const unsigned tile = g.split ? block / static_cast<unsigned>(params.parts) : block;
  const int part = static_cast<int>(g.split ? block % static_cast<unsigned>(params.parts) : 0);
  const int parts = g.split ? params.parts : 1;
  const int first_m = static_cast<int>(tile % static_cast<unsigned>(params.tiles_m)) * g.BM;
  const int first_n = static_cast<int>(tile / static_cast<unsigned>(params.tiles_m)) * g.BN;
  const int steps = divide_up(params.depth, g.BK);
  const int begin = first_step(steps, part, parts), end = first_step(steps, part + 1, parts);

  FetchA<Tile> a;
  a.begin(shared, filters, params.filters, params.depth, first_m, begin * g.BK, thread);
  FetchB<Tile> b;
  b.begin(shared, input, params, first_n, begin * g.BK, thread);
  const Place at = place(g, thread);
  float sum[g.TM][g.TN] = {};
  multiply<Tile>(sum, shared, a, b, end - begin, at, params, thread);

  const Column column{params.out_pixels, params.filters};
  if constexpr (g.split)
    store_split_tile<Tile>(sum, shared, part, parts, output, params.out_pixels, first_m, params.filters,
                           first_n, params.pixels, column, at, thread);
  else
    store_tile<Tile>(sum, output, params.out_pixels, first_m, params.filters, first_n, params.pixels, column,
                     at);
}
