// Single-channel convolution after Chang et al. (section 3.1): a block keeps a part of the filters and a part
// of the map in shared memory; one of them may be cut, and the next cut arrives while this one is computed
// (prefetch), or all that a step needs is requested at once (volume, LOADS_IN_FLIGHT > 0).
//
// A thread computes a tile of TILE_X x TILE_Y outputs of one filter after another from windows of the map
// that stay in its registers; the weights are broadcast from shared memory. All that a step can work out
// without its data (places, addresses) it works out while they are under way: small layers are all latency.
//
// Compile-time: K, WIDTH (of the map), TILE_X, TILE_Y, ALIGN (of units, in words of the output), PERIOD
// (filters after which their planes' alignment repeats), THREADS, LOAD_BYTES (volume mode: of one load),
// LOADS_IN_FLIGHT (0: prefetch), ONE_STEP.
// ONE_STEP=1 is for one strip, one piece and one image, prefetch: no buffers alternate, and the sizes are
// compile-time too (MAP_HEIGHT, FILTERS, BLOCK_FILTERS, BLOCK_ROWS, UNIT_WARPS_LOG2), since reading arguments
// from constant memory and working with them would be a tenth of a small layer's time. FILTERS may be
// BLOCK_FILTERS where that divides it. Input, filters and output must start at 32-byte boundaries.

#include "chang_single/chang_single_index.hpp"

using namespace tilecast::chang_single;

namespace {

#if ONE_STEP
static_assert(LOADS_IN_FLIGHT == 0);
constexpr int fixed_map_words = map_buffer_words(BLOCK_ROWS, TILE_Y, WIDTH, K);
// In the order of Params.
constexpr Params fixed_params{MAP_HEIGHT,
                              FILTERS,
                              BLOCK_FILTERS,
                              BLOCK_ROWS,
                              UNIT_WARPS_LOG2,
                              fixed_map_words,
                              1,
                              BLOCK_FILTERS,
                              BLOCK_ROWS,
                              0,
                              1,
                              1};
constexpr int fixed_plane = (MAP_HEIGHT - K + 1) * (WIDTH - K + 1);
constexpr bool always_aligned = TILE_Y > 1 ||
                                (fixed_plane % ALIGN == 0 && BLOCK_ROWS * (WIDTH - K + 1) % ALIGN == 0);
constexpr int fixed_outputs = band_outputs(BLOCK_ROWS, TILE_Y, WIDTH - K + 1);
constexpr bool one_unit_a_warp = fixed_outputs + (always_aligned ? 0 : ALIGN - 1) <= unit_words(TILE_X)
                                                                                         << UNIT_WARPS_LOG2;
// In a block with a full share; in a last, smaller one a warp without work may as well repeat another's.
constexpr bool warps_may_idle = BLOCK_FILTERS < THREADS / 32 >> UNIT_WARPS_LOG2 ||
                                fixed_outputs <= unit_words(TILE_X) * ((1 << UNIT_WARPS_LOG2) - 1);
#else
constexpr bool always_aligned = TILE_Y > 1;
constexpr bool one_unit_a_warp = false;
constexpr bool warps_may_idle = true;
#endif

constexpr int filter_words = K * K;
constexpr int pitch = filter_pitch(K);
constexpr int out_width = WIDTH - K + 1;
constexpr int group = group_words(out_width, TILE_X);
constexpr int groups = TILE_X / group;
constexpr int vector_words = window_vector(K, group);
constexpr int window_rows = TILE_Y + K - 1;
constexpr int window_columns = group + K - 1;
constexpr int warps_log2 = THREADS == 32    ? 0
                           : THREADS == 64  ? 1
                           : THREADS == 128 ? 2
                           : THREADS == 256 ? 3
                                            : 4;
static_assert(window_columns % vector_words == 0);
static_assert(groups == 1 || TILE_Y == 1);
static_assert(32 << warps_log2 == THREADS);

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

// Outputs are written once and not read again: st.cs (PTX ISA, cache operators: likely accessed once), so
// that L2 hands them to DRAM early.
template <int words>
__device__ __forceinline__ void store_vector(float* to, const float* from) {
  __stcs(reinterpret_cast<Vector<words>*>(to), *reinterpret_cast<const Vector<words>*>(from));
}

#if LOADS_IN_FLIGHT == 0

// Rounds of copies are unrolled where their number is known and small: straight code is fetched faster.
#  if ONE_STEP
constexpr int map_rounds = ((BLOCK_ROWS + K - 1) * WIDTH + 3 + 4 * THREADS - 1) / (4 * THREADS);
constexpr int filter_rounds = (BLOCK_FILTERS * K * K + THREADS - 1) / THREADS;
#  else
constexpr int map_rounds = 0, filter_rounds = 0;
#  endif
constexpr int most_unrolled_rounds = 4;

#  if ONE_STEP
constexpr int map_share = BLOCK_ROWS < MAP_HEIGHT - K + 1 ? BLOCK_ROWS * WIDTH : 0;
#  else
constexpr int map_share = WIDTH;
#  endif

// 16 bytes from global to shared memory without registers. Only the first `bytes` are read (PTX ISA,
// cp.async, src-size), the others become zeroes: so the tensor's end needs no branch.
__device__ __forceinline__ void copy_async_16(float* to, const float* from, int bytes) {
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (copies_begin_lines(map_share))
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from), "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void copy_async_4(float* to, const float* from) {
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(from)
      : "memory");
}

// f(word) for the words first, first + step, ... below `end`, of which there are at most `rounds`.
template <int rounds, int step, class Function>
__device__ __forceinline__ void for_each_copy(int first, int end, Function copy) {
  if constexpr (rounds >= 1 && rounds <= most_unrolled_rounds) {
#  pragma unroll
    for (int i = 0; i < rounds; ++i) {
      if (first + i * step < end) copy(first + i * step);
    }
  } else {
#  pragma unroll 1
    for (int word = first; word < end; word += step)
      copy(word);
  }
}

__device__ __forceinline__ void request_map(float* buffer, const float* input, const AlignedCopy& map) {
  const float* from = input + map.first + 4 * threadIdx.x;
  for_each_copy<map_rounds, 4 * THREADS>(4 * threadIdx.x, map.words, [&](int word) {
    copy_async_16(buffer + word, from, WIDTH % 4 == 0 ? 16 : 4 * smaller(4, map.present - word));
    from += 4 * THREADS;
  });
}

__device__ __forceinline__ void request_filters(float* buffer, const float* from, int count) {
  from += threadIdx.x;
  for_each_copy<filter_rounds, THREADS>(threadIdx.x, count * filter_words, [&](int word) {
    copy_async_4(buffer + filter_word(word, K), from);
    from += THREADS;
  });
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
  for (int base = threadIdx.x; base < map_loads + weight_loads; base += LOADS_IN_FLIGHT * THREADS) {
    float value[LOADS_IN_FLIGHT][load_words];
#  pragma unroll
    for (int u = 0; u < LOADS_IN_FLIGHT; ++u) {
      const int load = base + u * THREADS;
      const float* const from =
          load < map_loads ? map_from + load * load_words : weights_from + (load - map_loads) * load_words;
      if (load < map_loads + weight_loads)
        *reinterpret_cast<Vector<load_words>*>(value[u]) =
            __ldg(reinterpret_cast<const Vector<load_words>*>(from));
    }
#  pragma unroll
    for (int u = 0; u < LOADS_IN_FLIGHT; ++u) {
      const int load = base + u * THREADS;
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

// Waits for this thread's copies, then for all threads'.
__device__ __forceinline__ void wait_for_copies() {
#if LOADS_IN_FLIGHT == 0
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  __syncthreads();
}

// A warp's part of one step: `filters` filters over a strip of `rows` output rows.
struct Step {
  int rows, filters;
  int outputs;      // of the strip, see band_outputs()
  int stored;       // the same; 0 in a warp that has no filter
  int filter;       // the first
  float* out;       // the strip's first output of that filter
  int unit_at, at;  // first output of the unit and of the lane's tile
  Place place[groups];

  __device__ __forceinline__ void locate() {
#pragma unroll
    for (int g = 0; g < groups; ++g)
      place[g] = place_of(at + g * group, outputs, group, TILE_Y, out_width, K);
  }
};

// `out`: the strip's first output of the step's first filter; `plane`: outputs of a filter.
__device__ __forceinline__ Step plan_step(const WarpWork& work, int first_filter, int rows, int filters,
                                          float* out, int plane) {
  Step step;
  step.rows = rows;
  step.filters = filters;
  step.outputs = band_outputs(rows, TILE_Y, out_width);
  const bool idle = first_filter >= filters;
  step.stored = idle ? 0 : step.outputs;
  step.filter = idle ? 0 : first_filter;
  step.out = out + static_cast<long long>(step.filter) * plane;
  const int lead = always_aligned ? 0 : lead_of(reinterpret_cast<unsigned long long>(step.out) / 4, ALIGN);
  step.unit_at = tile_at(work.first_unit, 0, lead, TILE_X);
  step.at = tile_at(work.first_unit, threadIdx.x % 32, lead, TILE_X);
  step.locate();
  return step;
}

__device__ __forceinline__ void store_tile(const Step& step, float* to, const float (&sum)[TILE_Y][TILE_X]) {
  if (TILE_Y > 1) {
#pragma unroll
    for (int y = 0; y < TILE_Y; ++y) {
      if (step.at < step.stored && step.place[0].row + y < step.rows)
        store_vector<TILE_X>(to + y * out_width, sum[y]);
    }
  } else if (step.at >= 0 && step.at + TILE_X <= step.stored) {
    store_vector<TILE_X>(to, sum[0]);
  } else if (groups > 1) {
#pragma unroll
    for (int x = 0; x < TILE_X; x += group) {
      if (step.at + x >= 0 && step.at + x < step.stored) store_vector<group>(to + x, &sum[0][x]);
    }
  }
}

// All units of the step for the filters from step.filter on, every work.filter_step. map_at, weights_at:
// words of shared memory where the step's data begin. Loops run at least once, and warps that cannot be
// without work are not asked: with a branch before the first loads the compiler would leave their addresses
// until the data are there.
__device__ __forceinline__ void compute(Step step, const WarpWork& work, const float* shared, int map_at,
                                        int weights_at, int plane) {
  do {
    float window[groups][window_rows][window_columns];
#pragma unroll
    for (int g = 0; g < groups; ++g) {
#pragma unroll
      for (int y = 0; y < window_rows; ++y) {
#pragma unroll
        for (int x = 0; x < window_columns; x += vector_words)
          copy_vector<vector_words>(&window[g][y][x], shared + map_at + step.place[g].window + y * WIDTH + x);
      }
    }
    float* to = step.out + (TILE_Y > 1 ? step.place[0].output : step.at);
    int weight = weights_at + step.filter * pitch;
    int filter = step.filter;
    if (warps_may_idle && (step.stored == 0 || step.unit_at >= step.outputs)) break;
#pragma unroll 1
    do {
      float w[pitch];
#pragma unroll
      for (int i = 0; i < pitch; i += 4)
        copy_vector<(pitch < 4 ? pitch : 4)>(&w[i], shared + weight + i);
      float sum[TILE_Y][TILE_X] = {};
#pragma unroll
      for (int ky = 0; ky < K; ++ky) {
#pragma unroll
        for (int kx = 0; kx < K; ++kx) {
#pragma unroll
          for (int y = 0; y < TILE_Y; ++y) {
#pragma unroll
            for (int x = 0; x < TILE_X; ++x)
              sum[y][x] += w[ky * K + kx] * window[x / group][y + ky][x % group + kx];
          }
        }
      }
      store_tile(step, to, sum);
      filter += work.filter_step;
      weight += work.filter_step * pitch;
      to += static_cast<long long>(work.filter_step) * plane;
    } while (filter < step.filters);
    if (one_unit_a_warp) break;
    step.unit_at += work.unit_step * unit_words(TILE_X);
    step.at += work.unit_step * unit_words(TILE_X);
    step.locate();
  } while (step.unit_at < step.outputs);
}

// Part `index` of what is cut evenly where that is known at compile time.
__device__ __forceinline__ Range share_of(int total, int size, int index) {
  return ONE_STEP && total % size == 0 ? Range{index * size, size} : part(total, size, index);
}
// The same of what a block of one step has as a whole.
__device__ __forceinline__ Range step_part(int total, int size, int index) {
  return ONE_STEP ? Range{0, total} : part(total, size, index);
}

}  // namespace

// 512 threads an SM at least: 128 registers.
extern "C" __global__ void __launch_bounds__(THREADS, 512 / THREADS)
    chang_single(const float* __restrict__ input, const float* __restrict__ filters,
                 float* __restrict__ output, const Params arguments) {
#if ONE_STEP
  constexpr Params p = fixed_params;
#else
  const Params& p = arguments;
#endif
  __builtin_assume(threadIdx.x < THREADS);
  extern __shared__ float4 shared_vectors[];
  float* const shared = reinterpret_cast<float*>(shared_vectors);
  const int filters_at = p.map_buffers * p.map_buffer_words;
  const int out_height = p.map_height - K + 1;
  const Range block_filters = share_of(p.filters, p.block_filters, blockIdx.x);
  const Range block_rows = share_of(out_height, p.block_rows, blockIdx.y);
  const int strips = ONE_STEP ? 1 : ceil_divide(block_rows.count, p.strip_rows);
  const int pieces = ONE_STEP ? 1 : ceil_divide(block_filters.count, p.piece_filters);
  const int steps = strips * pieces;
  const int plane = out_height * out_width;
  const WarpWork work = warp_work(threadIdx.x / 32, warps_log2, p.unit_warps_log2, PERIOD);

  int image = ONE_STEP ? 0 : blockIdx.z;
  do {
    float* const out = output + (static_cast<long long>(image) * p.filters + block_filters.first) * plane +
                       static_cast<long long>(block_rows.first) * out_width;
    int strip = 0, piece = 0;
    int map_parity = 0, filter_parity = 0;
    int map_shift = 0;

    // Requests what step (next_strip, next_piece) needs and the step before it does not hold.
    const auto request = [&](int next_strip, int next_piece, bool map_too, bool filters_too) {
      const Range rows = step_part(block_rows.count, p.strip_rows, next_strip);
      const Range some = step_part(block_filters.count, p.piece_filters, next_piece);
      AlignedCopy map = map_copy(p, K, WIDTH, image, block_rows.first + rows.first, rows.count);
      const long long first = static_cast<long long>(block_filters.first + some.first) * filter_words;
      float* const map_buffer = shared + map_parity * p.map_buffer_words;
      float* const filter_buffer = shared + filters_at + filter_parity * p.filter_buffer_words;
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
      if (map_too) map_shift = WIDTH % 4 == 0 ? 0 : map.shift;
    };
    const auto plan_current = [&](int first_filter) {
      const Range rows = step_part(block_rows.count, p.strip_rows, strip);
      const Range some = step_part(block_filters.count, p.piece_filters, piece);
      return plan_step(
          work, first_filter, rows.count, some.count,
          out + static_cast<long long>(some.first) * plane + static_cast<long long>(rows.first) * out_width,
          plane);
    };

#if LOADS_IN_FLIGHT == 0
    if (!ONE_STEP) __syncthreads();  // the previous image's buffers are free
    request(0, 0, true, true);
#endif
    for (int step = 0; step < steps; ++step) {
      const int next_strip = strip + 1 < strips ? strip + 1 : 0;
      const int next_piece = next_strip == 0 ? piece + 1 : piece;
#if LOADS_IN_FLIGHT == 0
      const int map_at = map_parity * p.map_buffer_words + map_shift;
      const int weights_at = filters_at + filter_parity * p.filter_buffer_words;
      Step current = plan_current(work.first_filter);
      wait_for_copies();  // this step's data are there, and nobody reads the other buffers any more
      if (step + 1 < steps) {
        const bool map_too = strips > 1, filters_too = next_piece != piece;
        if (map_too) map_parity ^= 1;
        if (filters_too) filter_parity ^= 1;
        request(next_strip, next_piece, map_too, filters_too);
      }
#else
      if (!ONE_STEP) __syncthreads();  // nobody reads the buffers any more
      request(strip, piece, step == 0 || strips > 1, strip == 0);
      Step current = plan_current(work.first_filter);
      wait_for_copies();
      const int map_at = map_shift, weights_at = filters_at;
#endif
      compute(current, work, shared, map_at, weights_at, plane);
      if (PERIOD > 1) {
        for (int first = work.first_filter + work.filter_lanes; first < work.filter_step;
             first += work.filter_lanes) {
          current = plan_current(first);
          if (current.stored > 0) compute(current, work, shared, map_at, weights_at, plane);
        }
      }
      strip = next_strip;
      piece = next_piece;
    }
    image += gridDim.z;
  } while (!ONE_STEP && image < p.images);
}
