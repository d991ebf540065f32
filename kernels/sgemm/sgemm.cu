// C = A B in float32 (a convolution of 1 x 1, stride 1, no padding): filters are A, each image's map is B.
// The blocks of a cluster share one tile's reduction where it is split.
#include "gemm_tile/gemm_tile_index.hpp"
#include "sgemm/sgemm_params.hpp"
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
#  define VEC_B 4
#  define VEC_C 4
#endif
#if !defined(TILECAST_GEOMETRY)
#  define TILECAST_GEOMETRY \
    TILE_M, TILE_N, TILE_K, THREAD_M, THREAD_N, ASYNC, STAGES, SPLIT, VEC_A, VEC_B, VEC_C
#endif

namespace {

using namespace tilecast::gemm_tile;
using namespace gemm_tile_device;

struct Tile {
  static constexpr __device__ __forceinline__ Geometry geometry() { return make_geometry(TILECAST_GEOMETRY); }
};

// B's copies. A column beyond the last reaches no output that is stored: any other stands for it, but for
// each lane of a warp another one (of 32 columns or more), as lanes that copy the same word take turns.
template <class T>
struct FetchB {
  static constexpr Geometry g = T::geometry();
  float* shared;        // the thread's first element in the first stage
  const float* source;  // the row of its first element in the coming step
  int columns;
  int column[b_copies_n(g)];
  int depth_left;  // from its first k in the coming step
  bool copies;
  float staged[g.async ? 1 : b_copies_k(g) * b_copies_n(g) * g.vec_b];

  __device__ __forceinline__ void begin(float* stages, const float* b, const tilecast::sgemm::Params& params,
                                        int first_n, int first_k, int thread) {
    constexpr Geometry geometry = T::geometry();
    const CopyPlace at = b_place(geometry, thread);
    shared = stages + b_at(geometry, at.k, at.x);
    columns = params.columns;
    source = b + static_cast<long long>(first_k + at.k) * columns;
#pragma unroll
    for (int cn = 0; cn < b_copies_n(geometry); ++cn) {
      const int n = first_n + at.x + cn * b_step_n(geometry);
      column[cn] = n < columns ? n : n & ((1 << (31 - __clz(columns))) - 1);
    }
    depth_left = params.depth - first_k - at.k;
    copies = b_lanes(geometry) * b_groups_k(geometry) == geometry.threads || at.copies;
  }
  __device__ __forceinline__ void prepare(const tilecast::sgemm::Params&, int) const {}
  __device__ __forceinline__ void prepare_next(const tilecast::sgemm::Params&, int) const {}
  __device__ __forceinline__ void advance() {
    source += static_cast<long long>(T::geometry().BK) * columns;
    depth_left -= T::geometry().BK;
  }
  __device__ __forceinline__ void copy(int stage) {
    constexpr Geometry geometry = T::geometry();
    const unsigned target = shared_address(shared + stage * geometry.stage_floats);
#pragma unroll
    for (int ck = 0; ck < b_copies_k(geometry); ++ck) {
      const int k = ck * b_groups_k(geometry);
      const float* const row = source + static_cast<long long>(k) * columns;
#pragma unroll
      for (int cn = 0; cn < b_copies_n(geometry); ++cn)
        copy_async<geometry.vec_b>(copies, k < depth_left,
                                   target + 4 * (k * geometry.pitch_b + cn * b_step_n(geometry)),
                                   row + column[cn]);
    }
    advance();
  }
  __device__ __forceinline__ void load() {
    constexpr Geometry geometry = T::geometry();
#pragma unroll
    for (int ck = 0; ck < b_copies_k(geometry); ++ck) {
      const int k = ck * b_groups_k(geometry);
      const float* const row = source + static_cast<long long>(k) * columns;
      const bool wanted = copies && k < depth_left;
#pragma unroll
      for (int cn = 0; cn < b_copies_n(geometry); ++cn) {
        float* const v = staged + (ck * b_copies_n(geometry) + cn) * geometry.vec_b;
        if constexpr (geometry.vec_b == 4) {
          float4 loaded = make_float4(0, 0, 0, 0);
          if (wanted) loaded = *reinterpret_cast<const float4*>(row + column[cn]);
          v[0] = loaded.x, v[1] = loaded.y, v[2] = loaded.z, v[3] = loaded.w;
        } else {
          v[0] = wanted ? row[column[cn]] : 0.0F;
        }
      }
    }
    advance();
  }
  __device__ __forceinline__ void store(int stage) const {
    constexpr Geometry geometry = T::geometry();
    if (!copies) return;
    float* const target = shared + stage * geometry.stage_floats;
#pragma unroll
    for (int ck = 0; ck < b_copies_k(geometry); ++ck) {
#pragma unroll
      for (int cn = 0; cn < b_copies_n(geometry); ++cn) {
        const float* const v = staged + (ck * b_copies_n(geometry) + cn) * geometry.vec_b;
        float* const to = target + ck * b_groups_k(geometry) * geometry.pitch_b + cn * b_step_n(geometry);
        if constexpr (geometry.vec_b == 4)
          *reinterpret_cast<float4*>(to) = make_float4(v[0], v[1], v[2], v[3]);
        else
          *to = v[0];
      }
    }
  }
};

struct Column {
  __device__ __forceinline__ long long operator()(int n) const { return n; }
};

}  // namespace

extern "C" __global__ void __launch_bounds__(Tile::geometry().threads, 1)
    sgemm_kernel(const float* __restrict__ input, const float* __restrict__ filters,
                 float* __restrict__ output, const tilecast::sgemm::Params params) {
  constexpr Geometry g = Tile::geometry();
  float* const shared = dynamic_shared();
  const int thread = threadIdx.x & 1023;  // no sign, as the compiler can see: divisions become shifts
  // Blocks of a cluster are neighbours; tiles of one strip of columns come one after the other.
  const unsigned block = blockIdx.x;
  const unsigned tile = g.split ? block / static_cast<unsigned>(params.parts) : block;
  const int part = static_cast<int>(g.split ? block % static_cast<unsigned>(params.parts) : 0);
  const int parts = g.split ? params.parts : 1;
  const int first_m = static_cast<int>(tile % static_cast<unsigned>(params.tiles_m)) * g.BM;
  const int first_n = static_cast<int>(tile / static_cast<unsigned>(params.tiles_m)) * g.BN;
  const int steps = divide_up(params.depth, g.BK);
  const int begin = first_step(steps, part, parts), end = first_step(steps, part + 1, parts);
  const long long columns = params.columns, image = blockIdx.y;

  FetchA<Tile> a;
  a.begin(shared, filters, params.rows, params.depth, first_m, begin * g.BK, thread);
  FetchB<Tile> b;
  b.begin(shared, input + image * params.depth * columns, params, first_n, begin * g.BK, thread);
  const Place at = place(g, thread);
  float sum[g.TM][g.TN] = {};
  multiply<Tile>(sum, shared, a, b, end - begin, at, params, thread);

  float* const target = output + image * params.rows * columns;
  if constexpr (g.split)
    store_split_tile<Tile>(sum, shared, part, parts, target, columns, first_m, params.rows, first_n,
                           params.columns, Column{}, at, thread);
  else
    store_tile<Tile>(sum, target, columns, first_m, params.rows, first_n, params.columns, Column{}, at);
}
