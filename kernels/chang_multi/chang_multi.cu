// Multi-channel convolution by the stride-fixed block method (Chang, Onishi, Maruyama, arXiv 2212.00404,
// section 3.2): stride 1, no padding, float32, NCHW input, OIHW filters.
//
// The map is one long line: a tile is Wx_tile consecutive positions p = y * W + x over the full input width
// (the K - 1 rightmost positions of each row are computed and not stored). So the pixels that a tile needs of
// row i of a channel are the contiguous run [p + i * W, p + i * W + Wx_tile + K - 1), on maps of any size,
// and one tile spans several rows of a small map. Reading on into the next row or channel is harmless: only
// positions that are not stored use it. Copies beyond the image or beyond the last filter are not made; what
// they leave in shared memory reaches only accumulators that are not stored.
//
// The reduction runs over C * K lines of K taps. In each round a slice of the block (see Geometry) fetches S
// bytes of each filter and the lines that these weights complete, `stages` - 1 rounds ahead, and computes the
// lines of the round; weights of a line not complete yet stay in the ring. Slices are independent of each
// other up to the sum at the end: where one tile has little work, many slices keep the multiprocessor busy.
#include "chang_multi/chang_multi_index.hpp"
#if !defined(TILECAST_EMULATED)
#  include "chang_multi/async_copy.hpp"
#endif

#if !defined(K_SIZE)  // one plain specialisation, so that a compiler alone can check this file
#  define K_SIZE 3
#  define S_BYTES 32
#  define M_TILE 64
#  define WX_TILE 128
#  define THREAD_M 8
#  define THREAD_P 8
#  define LANES_M 4
#  define LANES_P 8
#  define SLICES 2
#  define STAGES 3
#  define LINE_VEC 4
#  define PASS_ROWS 2
#  define MIN_BLOCKS 2
#endif
#if !defined(TILECAST_GEOMETRY)
#  define TILECAST_GEOMETRY                                                                           \
    K_SIZE, S_BYTES, M_TILE, WX_TILE, THREAD_M, THREAD_P, LANES_M, LANES_P, SLICES, STAGES, LINE_VEC, \
        PASS_ROWS
#endif

namespace {

using namespace tilecast::chang_multi;

__device__ constexpr Geometry g = make_geometry(TILECAST_GEOMETRY);
constexpr int window = round_up(g.thread_p + g.K - 1, 4);

// `count` consecutive floats of shared memory, in the widest loads.
template <int count>
__device__ __forceinline__ void load(float (&target)[count], const float* source) {
  if constexpr (count % 4 == 0) {
#pragma unroll
    for (int i = 0; i < count; i += 4) {
      const float4 v = *reinterpret_cast<const float4*>(source + i);
      target[i] = v.x, target[i + 1] = v.y, target[i + 2] = v.z, target[i + 3] = v.w;
    }
  } else if constexpr (count == 2) {
    const float2 v = *reinterpret_cast<const float2*>(source);
    target[0] = v.x, target[1] = v.y;
  } else {
#pragma unroll
    for (int i = 0; i < count; ++i)
      target[i] = source[i];
  }
}

// What a thread fetches for its slice, and how far it has got: one round a call.
struct Fetch {
  unsigned shared;  // address of the slice's part
  int lines;        // of the slice
  // Lines: this thread copies from `pixel` on along the lines line_group, line_group + line_groups, ... of a
  // round.
  const float* input;  // of this image
  int first_line;      // of the slice, in the whole reduction
  int pixel;           // of the map
  int line_group, line_lane;
  // Filters: weight copy_r of the segment (and every 8 * copy_groups_r-th after it) of filter copy_m of the
  // tile (and every copy_groups_m-th after it).
  const float* weight;  // the first of these in the coming round
  int weights_left;     // from it to the end of the filter
  int filters_left;     // from it to the tile's last filter; 0 for a thread that copies none
  int copy_m, copy_r;
  // State
  int round = 0, slot = 0, row = 0;

  __device__ __forceinline__ void next(const Params& params) {
    constexpr int groups_m = copy_groups_m(g), groups_r = copy_groups_r(g);
#pragma unroll
    for (int a = 0; a < g.segment; a += 8 * groups_r) {
      int ring_row = row + copy_r + a;
      if (ring_row >= ring_rows(g)) ring_row -= ring_rows(g);
      const unsigned target = shared + 4 * filter_at(g, ring_row, copy_m);
      bool wanted = a < weights_left;
      if (a + 8 * groups_r > g.segment) wanted = wanted && copy_r + a < g.segment;
      const int limit = wanted ? filters_left : 0;
#pragma unroll
      for (int m = 0; m < g.M_tile; m += groups_m) {
        const bool inside = m + groups_m <= g.M_tile || copy_m + m < g.M_tile;
        copy_async_if<1>(inside && m < limit, target + 4 * m,
                         weight + (static_cast<long long>(m) * params.taps + a));
      }
    }
    const int begin = tilecast::chang_multi::first_line(g, round);
    const int count = tilecast::chang_multi::first_line(g, round + 1) - begin;
    const int present = min(count, lines - begin);
#pragma unroll
    for (int k = 0; k < max_lines_per_round(g); k += line_groups(g)) {
      const int in_round = k + line_group;
      if (in_round < present) {
        const int line = first_line + begin + in_round;
        const int channel = line / g.K;
        int line_slot = slot + in_round;
        if (line_slot >= g.ring_lines) line_slot -= g.ring_lines;
        const int position = pixel + (line - channel * g.K) * params.width;
        const int left = params.channel_elements - position;  // nothing beyond the channel is ever used
        const unsigned target = shared + 4 * line_at(g, line_slot, line_lane * g.vector);
        const float* source = input + (channel * params.channel_elements + position);
#pragma unroll
        for (int v = 0; v < g.line_vectors; v += line_lanes(g)) {
          const bool inside = v + line_lanes(g) <= g.line_vectors || v + line_lane < g.line_vectors;
          copy_async_if<g.vector>(inside && v * g.vector < left, target + 4 * v * g.vector,
                                  source + v * g.vector);
        }
      }
    }
    ++round;
    weight += g.segment;
    weights_left -= g.segment;
    row += g.segment;
    if (row >= ring_rows(g)) row -= ring_rows(g);
    slot += count;
    if (slot >= g.ring_lines) slot -= g.ring_lines;
  }
};

// One line: thread_m x thread_p x K multiply-adds on a window of the line held in registers.
__device__ __forceinline__ void compute_line(float (&sum)[g.thread_m][g.thread_p], const float* filters,
                                             const float* line) {
  float x[window];
  load<window>(x, line);
#pragma unroll
  for (int j = 0; j < g.K; ++j) {
    float w[g.thread_m];
    load<g.thread_m>(w, filters + j * g.filter_pitch);
#pragma unroll
    for (int m = 0; m < g.thread_m; ++m) {
#pragma unroll
      for (int p = 0; p < g.thread_p; ++p)
        sum[m][p] = fmaf(w[m], x[p + j], sum[m][p]);
    }
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(g.threads, MIN_BLOCKS)
    chang_multi_kernel(const float* __restrict__ input, const float* __restrict__ filters,
                       float* __restrict__ output, const tilecast::chang_multi::Params params) {
  float* const shared = dynamic_shared();
  const int thread = threadIdx.x & 1023;  // no sign, as the compiler can see: divisions become shifts
  const Place at = place(g, thread);
  const int tile_p = blockIdx.x * g.Wx_tile, tile_m = blockIdx.y * params.tile_filters;
  const int tile_filters = min(params.filters - tile_m, params.tile_filters);
  float* const mine = shared + at.slice * g.slice_floats;

  Fetch fetch;
  fetch.shared = shared_address(mine);
  fetch.first_line = at.slice * params.lines_per_slice;
  fetch.lines = min(params.lines_per_slice, params.lines - fetch.first_line);
  fetch.input = input + static_cast<long long>(blockIdx.z) * params.image_elements;
  fetch.line_group = at.index / line_lanes(g);
  fetch.line_lane = at.index % line_lanes(g);
  fetch.pixel = tile_p + fetch.line_lane * g.vector;
  const int group = at.index / 8;
  fetch.copy_m = group % copy_groups_m(g);
  fetch.copy_r = group / copy_groups_m(g) * 8 + at.index % 8;
  const int first_weight = fetch.first_line * g.K + fetch.copy_r;
  fetch.weight = filters + (tile_m + fetch.copy_m) * params.taps + first_weight;
  fetch.weights_left = params.taps - first_weight;
  fetch.filters_left = group < copy_groups_m(g) * copy_groups_r(g) ? tile_filters - fetch.copy_m : 0;
  // Slices of one warp go through the same rounds, those of its first slice, which has the most lines.
  const int warp_slice = at.slice / g.slices_per_warp * g.slices_per_warp;
  const int total_rounds =
      rounds(g, min(params.lines_per_slice, params.lines - warp_slice * params.lines_per_slice));

  float sum[g.thread_m][g.thread_p] = {};

  const float* const ring_filters = mine + filter_at(g, 0, at.m);
  const float* const ring_line = mine + line_at(g, 0, at.p);
  int slot = 0;
  // The first stages - 1 turns only fetch. They are turns of this loop, and not code before it, so that the
  // code of a fetch is there once: a short kernel's first pass through its code is slow.
#pragma unroll 1
  for (int round = 1 - g.stages; round < total_rounds; ++round) {
    if (round >= 0) {
      wait_all_but<g.stages - 2>();
      // The round's data is visible to the slice; nobody computes the round before any more.
      slice_barrier<g.slice_threads, g.slices>(at.slice);
    }
    if (round + g.stages - 1 < total_rounds) fetch.next(params);
    commit();
    if (round < 0) continue;
    const int begin = first_line(g, round);
    int count = min(first_line(g, round + 1), fetch.lines) - begin;
    if constexpr (g.K == 1) {
      // Several lines at a time, that no wrap divides: segments and rings are multiples of 8. Four where
      // eight would spill registers.
      constexpr int together = lines_together(g);
#pragma unroll 1
      for (; count >= together; count -= together) {
#pragma unroll
        for (int k = 0; k < together; ++k)
          compute_line(sum, ring_filters + (slot + k) * g.filter_pitch,
                       ring_line + (slot + k) * g.line_pitch);
        slot += together;
        if (slot == g.ring_lines) slot = 0;
      }
    }
#pragma unroll 1
    for (; count > 0; --count) {
      compute_line(sum, ring_filters + slot * (g.K * g.filter_pitch), ring_line + slot * g.line_pitch);
      if (++slot == g.ring_lines) slot = 0;
    }
  }
  wait_all_but<0>();

  // Sum over the slices and store: a pass stages pass_rows filters of every thread, then consecutive threads
  // take consecutive pixels, so that stores are coalesced.
  constexpr int per_thread = divide_up(pass_outputs(g), g.threads);
  const int out_elements = params.out_height * params.out_width;
  float* const tile_output =
      output + (static_cast<long long>(blockIdx.z) * params.filters + tile_m) * out_elements;
  int offset[per_thread];        // of this thread's outputs in the first pass
  int filters_left[per_thread];  // from its filter on; 0 where the position is no output
#pragma unroll
  for (int e = 0; e < per_thread; ++e) {
    const int index = thread + e * g.threads;
    const int rest = index / g.Wx_tile;
    const int m = rest % thread_rows(g) * g.thread_m + rest / thread_rows(g);
    const int pixel = tile_p + index % g.Wx_tile;
    const int y = static_cast<unsigned>(pixel) / static_cast<unsigned>(params.width);
    const int x = pixel - y * params.width;
    const bool stored = index < pass_outputs(g) && y < params.out_height && x < params.out_width;
    offset[e] = m * out_elements + y * params.out_width + x;
    filters_left[e] = stored ? tile_filters - m : 0;
  }
#pragma unroll
  for (int pass = 0; pass < g.thread_m / g.pass_rows; ++pass) {
    __syncthreads();  // the rings, or the pass before, are no longer read
#pragma unroll
    for (int row = 0; row < g.pass_rows; ++row) {
      float* const target = shared + stage_at(g, at.slice, row, at.m / g.thread_m, at.p);
#pragma unroll
      for (int p = 0; p < g.thread_p; p += 4) {
        const float(&v)[g.thread_p] = sum[pass * g.pass_rows + row];
        *reinterpret_cast<float4*>(target + p) = make_float4(v[p], v[p + 1], v[p + 2], v[p + 3]);
      }
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < per_thread; ++e) {
      const int index = thread + e * g.threads;
      if (pass_outputs(g) % g.threads == 0 || index < pass_outputs(g)) {
        const int rest = index / g.Wx_tile;
        const float* source =
            shared + stage_at(g, 0, rest / thread_rows(g), rest % thread_rows(g), index % g.Wx_tile);
        float total = source[0];
#pragma unroll 8
        for (int slice = 1; slice < g.slices; ++slice)
          total += source[slice * stage_at(g, 1, 0, 0, 0)];
        store_if(pass * g.pass_rows < filters_left[e],
                 tile_output + (offset[e] + pass * g.pass_rows * out_elements), total);
      }
    }
  }
}
