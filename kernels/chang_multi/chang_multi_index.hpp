#pragma once
// What host and device share of the stride-fixed block kernel: its launch parameters, its geometry, and every
// index function. The device evaluates them with compile-time constants, the host with plain values: to count
// bank conflicts, to prove that each output is written once, and to replay the schedule of the rings.
// No other header may be included here: this file is also compiled by NVRTC.

#if defined(__CUDACC__)
#  define TILECAST_HD __host__ __device__ __forceinline__
#else
#  define TILECAST_HD inline
#endif

namespace tilecast::chang_multi {

// Sizes of the problem that the machine code does not depend on. Elements, not bytes.
struct Params {
  int width;             // W
  int channel_elements;  // H * W
  int image_elements;    // C * H * W
  int lines;             // C * K: lines of the reduction
  int lines_per_slice;   // of them, how many one slice of the block takes
  int taps;              // C * K * K: weights of one filter
  int filters;           // M
  int tile_filters;      // M' of the config: filters from one tile to the next, at most g.M_tile
  int out_height, out_width;
};

// Everything that the machine code does depend on.
//
// A block computes M_tile filters x Wx_tile pixels; M_tile is the config's M' rounded up to whole thread and
// lane tiles, and the filters beyond M' are neither fetched nor stored. Its reduction over the C*K lines is
// divided among `slices` groups of threads; each has rings of its own in shared memory and walks its own
// lines, so groups never wait for each other before the sum at the end. A slice is lanes_m x lanes_p lanes,
// warps_m x warps_p times; a slice of 8 or 16 threads shares its warp with `slices_per_warp` - 1 others. A
// thread owns thread_m filters and thread_p consecutive pixels.
struct Geometry {
  int K;
  int segment;  // S / 4: weights of each filter fetched in one round
  int M_tile, Wx_tile;
  int thread_m, thread_p;
  int lanes_m, lanes_p, slices_per_warp;
  int warps_m, warps_p;
  int slices;
  int stages;     // rounds that the rings hold: one computed, the others on their way
  int vector;     // floats a copy of line pixels takes (4, 2 or 1, as the map's alignment allows)
  int pass_rows;  // filters of each thread that one pass of the epilogue writes

  int slice_threads, threads;
  int ring_lines;    // lines, and the weights of as many lines, that a slice's rings hold
  int filter_pitch;  // floats between two weights' rows of M_tile filters
  int line_pitch;    // floats between two lines
  int line_offset;   // floats from a slice's filter ring to its line ring
  int slice_floats;  // floats between two slices
  int line_vectors;  // copies that fill one line
  int stage_pitch;   // floats between two rows of the epilogue's staging area
};

TILECAST_HD constexpr int divide_up(int a, int b) {
  return (a + b - 1) / b;
}
TILECAST_HD constexpr int round_up(int a, int b) {
  return divide_up(a, b) * b;
}

// Fills in what follows from the choices.
TILECAST_HD constexpr Geometry make_geometry(int K, int s_bytes, int M_tile, int Wx_tile, int thread_m,
                                             int thread_p, int lanes_m, int lanes_p, int slices, int stages,
                                             int vector, int pass_rows) {
  Geometry g{};
  g.K = K;
  g.segment = s_bytes / 4;
  g.M_tile = M_tile;
  g.Wx_tile = Wx_tile;
  g.thread_m = thread_m;
  g.thread_p = thread_p;
  g.lanes_m = lanes_m;
  g.lanes_p = lanes_p;
  g.slices_per_warp = 32 / (lanes_m * lanes_p);
  g.warps_m = M_tile / (thread_m * lanes_m);
  g.warps_p = Wx_tile / (thread_p * lanes_p);
  g.slices = slices;
  g.stages = stages;
  g.vector = vector;
  g.pass_rows = pass_rows;
  g.slice_threads = lanes_m * lanes_p * g.warps_m * g.warps_p;
  g.threads = g.slice_threads * slices;
  // While round t is computed, rounds up to t + stages - 1 arrive, and up to K - 1 weights of a line that
  // segment t - 1 left incomplete are still needed.
  g.ring_lines = divide_up(stages * g.segment + K - 1, K);
  // 4 modulo 8: eight weights of four filters, as one warp copies them, land in 32 different banks.
  g.filter_pitch = M_tile % 8 == 4 ? M_tile : M_tile + 4;
  // A thread's last 128-bit load of its window ends at thread_p + K - 1 rounded up to 4.
  g.line_pitch = Wx_tile + round_up(K - 1, 4);
  g.line_offset = g.ring_lines * K * g.filter_pitch;
  g.slice_floats = g.line_offset + g.ring_lines * g.line_pitch;
  // 4 modulo 8: two slices in a quarter of a warp, each at a stride of 8 floats, use different banks.
  if (g.slices_per_warp > 1 && g.slice_floats % 8 == 0) g.slice_floats += 4;
  g.line_vectors = divide_up(Wx_tile + K - 1, vector);
  g.stage_pitch = Wx_tile + 4;  // 4 modulo 8 again, for the 128-bit stores of the epilogue
  return g;
}

// What one thread is within its block.
struct Place {
  int slice;
  int m, p;   // its first filter and first pixel within the tile
  int index;  // within its slice, 0 .. slice_threads - 1: which copies it makes
};

// Bits of the lane, lowest first: filters (1 bit), pixels (2), slice (1), pixels, filters, slice. So
// neighbours share pixels, lanes two apart share filters, and a quarter of a warp (the unit of a 128-bit
// access) reads at most four addresses a stride of 8 floats apart from one line: no bank twice.
TILECAST_HD constexpr Place place(const Geometry& g, int thread) {
  const int warp = thread / 32;
  int lane = thread % 32;
  const int m_bit = g.lanes_m > 1 ? 2 : 1;
  const int k_bit = g.slices_per_warp > 1 ? 2 : 1;
  int lane_m = lane % m_bit;
  lane /= m_bit;
  int lane_p = lane % 4;
  lane /= 4;
  int lane_k = lane % k_bit;
  lane /= k_bit;
  lane_p += 4 * (lane % (g.lanes_p / 4));
  lane /= g.lanes_p / 4;
  lane_m += m_bit * (lane % (g.lanes_m / m_bit));
  lane /= g.lanes_m / m_bit;
  lane_k += k_bit * lane;
  Place at{};
  if (g.slices_per_warp > 1) {
    at.slice = warp * g.slices_per_warp + lane_k;
    at.m = lane_m * g.thread_m;
    at.p = lane_p * g.thread_p;
    at.index = lane_m * g.lanes_p + lane_p;
  } else {
    const int warps = g.warps_m * g.warps_p;
    const int w = warp % warps;
    at.slice = warp / warps;
    at.m = (w % g.warps_m * g.lanes_m + lane_m) * g.thread_m;
    at.p = (w / g.warps_m * g.lanes_p + lane_p) * g.thread_p;
    at.index = thread % g.slice_threads;
  }
  return at;
}

// ---- rounds: round t fetches weights [t * segment, (t + 1) * segment) of each filter, counted from the
// slice's first, and the lines that they complete ----
TILECAST_HD constexpr int first_line(const Geometry& g, int round) {
  return round * g.segment / g.K;
}
TILECAST_HD constexpr int max_lines_per_round(const Geometry& g) {
  return divide_up(g.segment, g.K);
}
TILECAST_HD constexpr int rounds(const Geometry& g, int slice_lines) {
  return slice_lines > 0 ? divide_up(slice_lines * g.K, g.segment) : 0;
}

// K = 1: lines computed in one turn of the loop.
TILECAST_HD constexpr int lines_together(const Geometry& g) {
  return g.thread_m * g.thread_p >= 32 ? 4 : 8;
}

// ---- where things lie in a slice's part of shared memory, in floats ----
TILECAST_HD constexpr int ring_rows(const Geometry& g) {
  return g.ring_lines * g.K;
}
TILECAST_HD constexpr int filter_at(const Geometry& g, int row, int m) {
  return row * g.filter_pitch + m;
}
TILECAST_HD constexpr int line_at(const Geometry& g, int slot, int x) {
  return g.line_offset + slot * g.line_pitch + x;
}

// ---- who copies what ----
// Filters: eight threads take eight consecutive weights of a filter (one 32-byte sector where it is aligned),
// filter_groups groups of eight go over the filters and the segment's eights.
TILECAST_HD constexpr int copy_groups(const Geometry& g) {
  return g.slice_threads / 8;
}
TILECAST_HD constexpr int copy_groups_m(const Geometry& g) {
  return copy_groups(g) < g.M_tile ? copy_groups(g) : g.M_tile;
}
TILECAST_HD constexpr int copy_groups_r(const Geometry& g) {
  return copy_groups(g) / copy_groups_m(g);
}
// Lines: line_lanes threads go along a line, line_groups groups over the lines of a round.
TILECAST_HD constexpr int line_lanes(const Geometry& g) {
  return g.slice_threads < 32 ? g.slice_threads : 32;
}
TILECAST_HD constexpr int line_groups(const Geometry& g) {
  return g.slice_threads / line_lanes(g);
}

// ---- the epilogue's staging area, [slice][row of the pass][thread row][pixel], in floats from the start of
// shared memory; filter of the tile = thread row * thread_m + pass * pass_rows + row of the pass ----
TILECAST_HD constexpr int thread_rows(const Geometry& g) {
  return g.M_tile / g.thread_m;
}
TILECAST_HD constexpr int stage_at(const Geometry& g, int slice, int pass_row, int thread_row, int x) {
  return ((slice * g.pass_rows + pass_row) * thread_rows(g) + thread_row) * g.stage_pitch + x;
}
TILECAST_HD constexpr int stage_floats(const Geometry& g) {
  return g.slices * g.pass_rows * thread_rows(g) * g.stage_pitch;
}
TILECAST_HD constexpr int pass_outputs(const Geometry& g) {
  return g.pass_rows * thread_rows(g) * g.Wx_tile;
}

TILECAST_HD constexpr int shared_floats(const Geometry& g) {
  const int rings = g.slices * g.slice_floats, stage = stage_floats(g);
  return rings > stage ? rings : stage;
}

}  // namespace tilecast::chang_multi
