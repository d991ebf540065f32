// Single-channel convolution after Chang et al. (section 3.1): a block keeps a part of the filters and a part
// of the map in shared memory; one of them may be cut, and the next cut arrives while this one is computed
// (prefetch), or all that a step needs is requested at once (volume, LOADS_IN_FLIGHT > 0).
//
// A thread computes a tile of TILE_X x TILE_Y outputs of one filter after another from a window of the map
// that stays in its registers; the weights are broadcast from shared memory.
//
// Compile-time: K, TILE_X, TILE_Y, LOAD_BYTES (volume mode: of one load), LOADS_IN_FLIGHT (0: prefetch).
// Input, filters and output must start at 16-byte boundaries.

#include "chang_single/chang_single_index.hpp"

using namespace tilecast::chang_single;

namespace {

constexpr int filter_words = K * K;
constexpr int pitch = filter_pitch(K);
constexpr int vector_words = window_vector(K, TILE_X);
constexpr int window_rows = TILE_Y + K - 1;
constexpr int window_columns = TILE_X + K - 1;
static_assert(window_columns % vector_words == 0);

template <int words>
struct VectorOf;
template <>
struct VectorOf<1> {
  using type = float;
};
template <>
struct VectorOf<2> {
  using type = float2;
};
template <>
struct VectorOf<4> {
  using type = float4;
};
template <int words>
using Vector = typename VectorOf<words>::type;

template <int words>
__device__ __forceinline__ void copy_vector(float* to, const float* from) {
  *reinterpret_cast<Vector<words>*>(to) = *reinterpret_cast<const Vector<words>*>(from);
}

#if LOADS_IN_FLIGHT == 0

// 16 bytes from global to shared memory without registers. Only the first `bytes` are read (PTX ISA,
// cp.async, src-size), the others become zeroes: so the tensor's end needs no branch, whose code a short
// kernel would run once, at the speed of instruction fetch.
__device__ __forceinline__ void copy_async_16(float* to, const float* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void copy_async_4(float* to, const float* from) {
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(from)
      : "memory");
}
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

__device__ __forceinline__ void request_map(float* buffer, const float* input, const AlignedCopy& copy) {
  const float* from = input + copy.first;
  for (int word = 4 * threadIdx.x; word < copy.words; word += 4 * blockDim.x)
    copy_async_16(buffer + word, from + word, 4 * smaller(4, copy.present - word));
}

__device__ __forceinline__ void request_filters(float* buffer, const float* from, int count) {
  for (int word = threadIdx.x; word < count * filter_words; word += blockDim.x)
    copy_async_4(buffer + filter_word(word, K), from + word);
}

#else

constexpr int load_words = LOAD_BYTES / 4;

// Loads of the map and of the filters as one sequence, LOADS_IN_FLIGHT of them under way in each thread
// before the first is used. Either copy may be empty. Words at the end of a tensor that fill no load go one
// by one.
__device__ __forceinline__ void load_volume(float* map_buffer, const float* input, const AlignedCopy& map,
                                            float* filter_buffer, const float* filters,
                                            const AlignedCopy& weights, int weight_words) {
  const auto store_weight = [&](int word, float value) {
    const int inside = word - weights.shift;
    if (inside >= 0 && inside < weight_words) filter_buffer[filter_word(inside, K)] = value;
  };
  const float* const map_from = input + map.first;
  const float* const weights_from = filters + weights.first;
  const int map_loads = map.present / load_words;
  const int weight_loads = weights.present / load_words;
  for (int base = threadIdx.x; base < map_loads + weight_loads; base += LOADS_IN_FLIGHT * blockDim.x) {
    float value[LOADS_IN_FLIGHT][load_words];
#  pragma unroll
    for (int u = 0; u < LOADS_IN_FLIGHT; ++u) {
      const int load = base + u * blockDim.x;
      const float* const from =
          load < map_loads ? map_from + load * load_words : weights_from + (load - map_loads) * load_words;
      if (load < map_loads + weight_loads)
        *reinterpret_cast<Vector<load_words>*>(value[u]) =
            __ldg(reinterpret_cast<const Vector<load_words>*>(from));
    }
#  pragma unroll
    for (int u = 0; u < LOADS_IN_FLIGHT; ++u) {
      const int load = base + u * blockDim.x;
      if (load < map_loads) {
        copy_vector<load_words>(map_buffer + load * load_words, value[u]);
      } else if (load < map_loads + weight_loads) {
#  pragma unroll
        for (int i = 0; i < load_words; ++i)
          store_weight((load - map_loads) * load_words + i, value[u][i]);
      }
    }
  }
  if (load_words > 1 && threadIdx.x < load_words) {
    const int map_word = map_loads * load_words + threadIdx.x;
    if (map_word < map.present) map_buffer[map_word] = __ldg(map_from + map_word);
    const int weight_word = weight_loads * load_words + threadIdx.x;
    if (weight_word < weights.present) store_weight(weight_word, __ldg(weights_from + weight_word));
  }
}

#endif

// One step: `filters` filters over a strip of `rows` output rows. `out` is the strip's first output of the
// first filter.
__device__ __forceinline__ void compute(const Params& p, const float* map, const float* weights, int rows,
                                        int filters, float* out) {
  const int row_tiles = p.out_width / TILE_X;
  const int tiles = row_tiles * ((rows + TILE_Y - 1) / TILE_Y);
  const Range items = warp_items((tiles + 31) / 32, filters, threadIdx.x / 32, p.warps_log2);
  if (items.count == 0) return;
  const int plane = p.out_height * p.out_width;
  int unit = filters == p.piece_filters ? divide(items.first, p.piece_divisor) : items.first / filters;
  int filter = items.first - unit * filters;
  int left = items.count;
  do {
    const Tile tile =
        tile_at(unit * 32 + threadIdx.x % 32, tiles, rows, p.tiles_x, row_tiles, TILE_X, TILE_Y);
    const float* from = map + window_word(tile, p.map_width);
    float window[window_rows][window_columns];
#pragma unroll
    for (int y = 0; y < window_rows; ++y) {
#pragma unroll
      for (int x = 0; x < window_columns; x += vector_words)
        copy_vector<vector_words>(&window[y][x], from + x);
      from += p.map_width;
    }
    const int end = smaller(filters, filter + left);
    left -= end - filter;
    const float* weight = weights + filter * pitch;
    float* to = out + static_cast<long long>(filter) * plane + tile.row * p.out_width + tile.column;
#pragma unroll 1
    for (; filter < end; ++filter) {
      float w[pitch];
#pragma unroll
      for (int i = 0; i < pitch; i += 4)
        copy_vector<(pitch < 4 ? pitch : 4)>(&w[i], weight + i);
      float sum[TILE_Y][TILE_X] = {};
#pragma unroll
      for (int ky = 0; ky < K; ++ky) {
#pragma unroll
        for (int kx = 0; kx < K; ++kx) {
#pragma unroll
          for (int y = 0; y < TILE_Y; ++y) {
#pragma unroll
            for (int x = 0; x < TILE_X; ++x)
              sum[y][x] += w[ky * K + kx] * window[y + ky][x + kx];
          }
        }
      }
#pragma unroll
      for (int y = 0; y < TILE_Y; ++y) {
        if (y < tile.valid_rows) copy_vector<TILE_X>(to + y * p.out_width, sum[y]);
      }
      weight += pitch;
      to += plane;
    }
    ++unit;
    filter = 0;
  } while (left > 0);
}

}  // namespace

// Left to itself, ptxas keeps small tiles to 64 registers, so that two blocks of 512 threads fit an SM. Where
// the loads under way fill half of them it would spill.
#if LOAD_BYTES * LOADS_IN_FLIGHT >= 128
#  define BLOCKS_PER_SM , 1
#else
#  define BLOCKS_PER_SM
#endif

extern "C" __global__ void __launch_bounds__(512 BLOCKS_PER_SM)
    chang_single(const float* __restrict__ input, const float* __restrict__ filters,
                 float* __restrict__ output, const Params p) {
  extern __shared__ float4 shared_vectors[];
  float* const map_buffers = reinterpret_cast<float*>(shared_vectors);
  float* const filter_buffers = map_buffers + p.map_buffers * p.map_buffer_words;

  const Range block_filters = part(p.filters, p.block_filters, blockIdx.x);
  const Range block_rows = part(p.out_height, p.block_rows, blockIdx.y);
  const int strips = ceil_divide(block_rows.count, p.strip_rows, p.strip_divisor);
  const int pieces = ceil_divide(block_filters.count, p.piece_filters, p.piece_divisor);
  const int steps = strips * pieces;
  const long long plane = static_cast<long long>(p.out_height) * p.out_width;

  for (int image = blockIdx.z; image < p.images; image += gridDim.z) {
    float* const out = output + (static_cast<long long>(image) * p.filters + block_filters.first) * plane +
                       static_cast<long long>(block_rows.first) * p.out_width;
    int strip = 0, piece = 0;
    int map_parity = 0, filter_parity = 0;
    int map_shift = 0;

    // Requests what step (next_strip, next_piece) needs and the step before it does not hold.
    const auto request = [&](int next_strip, int next_piece, bool map_too, bool filters_too) {
      const Range rows = part(block_rows.count, p.strip_rows, next_strip);
      const Range some = part(block_filters.count, p.piece_filters, next_piece);
      AlignedCopy map = map_copy(p, K, image, block_rows.first + rows.first, rows.count);
      const long long first = static_cast<long long>(block_filters.first + some.first) * filter_words;
      float* const map_buffer = map_buffers + map_parity * p.map_buffer_words;
      float* const filter_buffer = filter_buffers + filter_parity * p.filter_buffer_words;
#if LOADS_IN_FLIGHT == 0
      if (map_too) request_map(map_buffer, input, map);
      if (filters_too) request_filters(filter_buffer, filters + first, some.count);
#else
      const int shift = map.shift;
      AlignedCopy weights =
          aligned_copy(first, some.count * filter_words, static_cast<long long>(p.filters) * filter_words);
      if (!map_too) map.present = 0;
      if (!filters_too) weights.present = 0;
      load_volume(map_buffer, input, map, filter_buffer, filters, weights, some.count * filter_words);
      map.shift = shift;
#endif
      if (map_too) map_shift = map.shift;
    };

#if LOADS_IN_FLIGHT == 0
    __syncthreads();  // the previous image's buffers are free
    request(0, 0, true, true);
#endif
    for (int step = 0; step < steps; ++step) {
      const Range rows = part(block_rows.count, p.strip_rows, strip);
      const Range some = part(block_filters.count, p.piece_filters, piece);
      const int next_strip = strip + 1 < strips ? strip + 1 : 0;
      const int next_piece = next_strip == 0 ? piece + 1 : piece;
#if LOADS_IN_FLIGHT == 0
      const float* const map = map_buffers + map_parity * p.map_buffer_words + map_shift;
      const float* const weights = filter_buffers + filter_parity * p.filter_buffer_words;
      wait_for_copies();
      __syncthreads();  // this step's data are there, and nobody reads the other buffers any more
      if (step + 1 < steps) {
        const bool map_too = strips > 1, filters_too = next_piece != piece;
        if (map_too) map_parity ^= 1;
        if (filters_too) filter_parity ^= 1;
        request(next_strip, next_piece, map_too, filters_too);
      }
#else
      __syncthreads();  // nobody reads the buffers any more
      request(strip, piece, step == 0 || strips > 1, strip == 0);
      __syncthreads();
      const float* const map = map_buffers + map_shift;
      const float* const weights = filter_buffers;
#endif
      compute(p, map, weights, rows.count, some.count,
              out + some.first * plane + static_cast<long long>(rows.first) * p.out_width);
      strip = next_strip;
      piece = next_piece;
    }
  }
}
