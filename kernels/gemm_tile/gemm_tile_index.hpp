#pragma once
// What host and device share of the tiled matrix product that sgemm and implicit_gemm are made of: its
// geometry and every index function. The device evaluates them with compile-time constants, the host with
// plain values: to count bank conflicts and to prove that each element is fetched and each output written
// once. No other header may be included here: this file is also compiled by NVRTC.

#if defined(__CUDACC__)
#  define TILECAST_TILE_HD __host__ __device__ __forceinline__
#else
#  define TILECAST_TILE_HD inline
#endif

namespace tilecast::gemm_tile {

// Everything that the machine code depends on. A block computes BM x BN of C = A B in steps of BK along the
// reduction; A is row major and lies transposed in shared memory ([k][m]), B lies there as it is ([k][n]). A
// thread owns TM x TN outputs in groups of 4 x 4. All sizes are powers of two.
struct Geometry {
  int BM, BN, BK, TM, TN;
  int async;   // 1: cp.async, 0: through registers
  int stages;  // buffers in shared memory
  int split;   // 1: the blocks of a cluster divide the reduction and add their sums up
  // Floats a copy takes: of A, of B; and floats a store takes.
  int vec_a, vec_b, vec_c;

  int lanes_m, lanes_n, warps_m, warps_n, threads;
  int unroll;            // steps of k unrolled
  int pitch_a, pitch_b;  // floats between two k
  int b_offset;          // floats from a stage's A to its B
  int stage_floats;
  int sum_pitch;  // split: floats between two rows of the sums
  int pass_rows;  // and rows of each thread that one pass takes
};

TILECAST_TILE_HD constexpr int least(int a, int b) {
  return a < b ? a : b;
}
TILECAST_TILE_HD constexpr int most(int a, int b) {
  return a > b ? a : b;
}
TILECAST_TILE_HD constexpr int divide_up(int a, int b) {
  return (a + b - 1) / b;
}

// Lanes of a warp along m, or 0 if no warp fits: 4 x 8 or 8 x 4 if one of them does, that of the squarer warp
// tile first (fewer shared-memory bytes for an output), else 2 x 16 or 16 x 2.
TILECAST_TILE_HD constexpr int lanes_along_m(int BM, int BN, int TM, int TN) {
  const bool tall = 4 * TM < 8 * TN;  // 8 x 4 lanes make the squarer tile only where TM < TN
  const int order[4] = {TM < TN && tall ? 8 : 4, TM < TN && tall ? 4 : 8, 2, 16};
  for (int i = 0; i < 4; ++i) {
    if (BM % (order[i] * TM) == 0 && BN % (32 / order[i] * TN) == 0) return order[i];
  }
  return 0;
}

// Split: floats between two rows of the sums in shared memory. The two rows (four, of 16 x 2 lanes) that a
// quarter of a warp stores to lie in different banks.
TILECAST_TILE_HD constexpr int sum_pitch_of(int BN, int lanes_n) {
  return BN + (lanes_n == 2 ? 8 : 16);
}

// Rows of each thread that lie in shared memory while a pass of the split's sum goes on: as many as fit into
// the stages, or into 32 KiB if that is more; at least one.
TILECAST_TILE_HD constexpr int rows_a_pass(int BM, int TM, int pitch, int pipeline_floats) {
  int rows = TM;
  while (rows > 1 && rows * (BM / TM) * pitch > most(pipeline_floats, 8192))
    rows /= 2;
  return rows;
}

// Fills in what follows from the choices. Requires lanes_along_m() > 0.
TILECAST_TILE_HD constexpr Geometry make_geometry(int BM, int BN, int BK, int TM, int TN, int async,
                                                  int stages, int split, int vec_a, int vec_b, int vec_c) {
  Geometry g{};
  g.BM = BM, g.BN = BN, g.BK = BK, g.TM = TM, g.TN = TN;
  g.async = async, g.stages = stages, g.split = split;
  g.vec_a = vec_a, g.vec_b = vec_b, g.vec_c = vec_c;
  g.lanes_m = lanes_along_m(BM, BN, TM, TN);
  g.lanes_n = 32 / g.lanes_m;
  g.warps_m = BM / (g.lanes_m * TM);
  g.warps_n = BN / (g.lanes_n * TN);
  g.threads = 32 * g.warps_m * g.warps_n;
  // At most 1024 multiply-adds (16 KiB of code) in a row: a longer loop outgrows the instruction cache.
  g.unroll = least(BK, 1024 / (TM * TN));
  // 4 modulo 32: copies transpose A, and 8 values of k times 4 rows (or 2 times 16) hit 32 different banks.
  g.pitch_a = BM + 4;
  g.pitch_b = BN;
  g.b_offset = BK * g.pitch_a;
  g.stage_floats = g.b_offset + BK * g.pitch_b;
  g.sum_pitch = sum_pitch_of(BN, g.lanes_n);
  g.pass_rows = rows_a_pass(BM, TM, g.sum_pitch, stages * g.stage_floats);
  return g;
}

// ---- who computes what ----
struct Place {
  int m, n;  // the thread's first row and column within the tile
};

// Bits of the lane, lowest first: m, then all of n, then the rest of m. So neighbours share columns and lanes
// two apart share rows, which lets two quarters of a warp's 128-bit access be served as one; and half a warp
// reads at most eight consecutive 16-byte words.
TILECAST_TILE_HD constexpr Place place(const Geometry& g, int thread) {
  const int lane = thread % 32, warp = thread / 32;
  const int lane_n = lane / 2 % g.lanes_n, lane_m = lane % 2 + 2 * (lane / (2 * g.lanes_n));
  return {warp % g.warps_m * g.lanes_m * g.TM + 4 * lane_m, warp / g.warps_m * g.lanes_n * g.TN + 4 * lane_n};
}
// From one group of four rows (columns) of a thread to its next.
TILECAST_TILE_HD constexpr int group_step_m(const Geometry& g) {
  return 4 * g.lanes_m;
}
TILECAST_TILE_HD constexpr int group_step_n(const Geometry& g) {
  return 4 * g.lanes_n;
}
// Row of the tile of a thread's i-th row, from its first.
TILECAST_TILE_HD constexpr int row_of(const Geometry& g, int i) {
  return i / 4 * group_step_m(g) + i % 4;
}

// ---- where things lie in a stage, in floats ----
TILECAST_TILE_HD constexpr int a_at(const Geometry& g, int k, int m) {
  return k * g.pitch_a + m;
}
TILECAST_TILE_HD constexpr int b_at(const Geometry& g, int k, int n) {
  return g.b_offset + k * g.pitch_b + n;
}

// ---- who copies what of A: threads take eight consecutive k of a row (one 32-byte sector where aligned),
// vec_a of them each; groups of such threads go over the rows, and over the eights of BK if rows run out ----
TILECAST_TILE_HD constexpr int a_lanes(const Geometry& g) {
  return 8 / g.vec_a;
}
TILECAST_TILE_HD constexpr int a_groups_m(const Geometry& g) {
  return least(g.threads / a_lanes(g), g.BM);
}
TILECAST_TILE_HD constexpr int a_groups_k(const Geometry& g) {
  return least(g.threads / a_lanes(g) / a_groups_m(g), g.BK / 8);
}
TILECAST_TILE_HD constexpr int a_copies_m(const Geometry& g) {
  return g.BM / a_groups_m(g);
}
TILECAST_TILE_HD constexpr int a_copies_k(const Geometry& g) {
  return g.BK / 8 / a_groups_k(g);
}
struct CopyPlace {
  int k, x;     // of the thread's first copy; x: row of A, column of B
  bool copies;  // false for a thread that has none, whose k and x are those of one that has
};
TILECAST_TILE_HD constexpr CopyPlace a_place(const Geometry& g, int thread) {
  const int group = thread / a_lanes(g);
  return {group / a_groups_m(g) % a_groups_k(g) * 8 + thread % a_lanes(g) * g.vec_a, group % a_groups_m(g),
          group < a_groups_m(g) * a_groups_k(g)};
}

// ---- of B: consecutive threads take consecutive columns, vec_b each ----
TILECAST_TILE_HD constexpr int b_lanes(const Geometry& g) {
  return least(g.threads, g.BN / g.vec_b);
}
TILECAST_TILE_HD constexpr int b_groups_k(const Geometry& g) {
  return least(g.threads / b_lanes(g), g.BK);
}
TILECAST_TILE_HD constexpr int b_copies_n(const Geometry& g) {
  return g.BN / g.vec_b / b_lanes(g);
}
TILECAST_TILE_HD constexpr int b_copies_k(const Geometry& g) {
  return g.BK / b_groups_k(g);
}
TILECAST_TILE_HD constexpr CopyPlace b_place(const Geometry& g, int thread) {
  return {thread / b_lanes(g) % b_groups_k(g), thread % b_lanes(g) * g.vec_b,
          thread / b_lanes(g) < b_groups_k(g)};
}
// From a thread's column to its next one.
TILECAST_TILE_HD constexpr int b_step_n(const Geometry& g) {
  return b_lanes(g) * g.vec_b;
}

// ---- the reduction: steps of BK, divided among `parts` blocks as evenly as whole steps allow ----
TILECAST_TILE_HD constexpr int first_step(int steps, int part, int parts) {
  return static_cast<int>(static_cast<long long>(steps) * part / parts);
}

// ---- the split's sum: [row of the pass][thread row][column] ----
TILECAST_TILE_HD constexpr int thread_rows(const Geometry& g) {
  return g.BM / g.TM;
}
// Thread rows count the rows of the tile that are a thread's i-th, ascending.
TILECAST_TILE_HD constexpr int thread_row(const Geometry& g, int m) {
  return m / (g.lanes_m * g.TM) * g.lanes_m + m / 4 % g.lanes_m;
}
TILECAST_TILE_HD constexpr int first_row_of(const Geometry& g, int row) {
  return row / g.lanes_m * (g.lanes_m * g.TM) + row % g.lanes_m * 4;
}
TILECAST_TILE_HD constexpr int sum_at(const Geometry& g, int pass_row, int row, int n) {
  return (pass_row * thread_rows(g) + row) * g.sum_pitch + n;
}

// Floats of shared memory that stages and sums take.
TILECAST_TILE_HD constexpr int tile_floats(const Geometry& g) {
  const int stages = g.stages * g.stage_floats;
  return g.split ? most(stages, g.pass_rows * thread_rows(g) * g.sum_pitch) : stages;
}

}  // namespace tilecast::gemm_tile
