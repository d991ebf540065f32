#include "kernels/chang_multi/arrangement.hpp"

#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::chang_multi;

namespace {

constexpr Limits h200{132, 1024, 65536, 233472, 232448, 1024};

Arrangement arranged(const ConvShape& shape, const Tile& tile) {
  return std::get<Arrangement>(arrange(shape, tile, h200));
}

}  // namespace

TEST_CASE("arrangement: the paper's tile on a large map") {
  // 222 outputs a row, 222 rows: 221 * 224 + 222 = 49,726 positions, 389 tiles of 128.
  const auto a = arranged({.C = 64, .H = 224, .W = 224, .M = 64, .K = 3}, {32, 64, 128});
  const Geometry& g = a.geometry;
  CHECK(a.grid_x == 389);
  CHECK(a.grid_y == 1);
  CHECK(g.thread_m == 8);
  CHECK(g.thread_p == 8);
  CHECK(g.lanes_m == 4);
  CHECK(g.lanes_p == 8);
  CHECK(g.slice_threads == 128);  // 64 / 8 x 128 / 8
  CHECK(g.slices == 2);           // 256 threads, as several blocks share an SM
  CHECK(a.min_blocks == 2);       // 512 threads of 128 registers
  CHECK(a.register_limit == 128);
  CHECK(g.vector == 4);
  CHECK(g.stages == 3);
  // 3 stages x 8 weights and 2 left over: 26, so 9 lines of 3 taps.
  CHECK(g.ring_lines == 9);
  CHECK(g.filter_pitch == 68);
  CHECK(g.line_pitch == 132);
  CHECK(g.slice_floats == 9 * 3 * 68 + 9 * 132);
  CHECK(a.params.lines == 192);
  CHECK(a.params.lines_per_slice == 96);
}

TEST_CASE("arrangement: few blocks get many slices each") {
  // One tile of 64 positions covers the map: 128 blocks of 4 filters on 132 SMs.
  const auto a = arranged({.C = 512, .H = 7, .W = 7, .M = 512, .K = 3}, {32, 4, 64});
  const Geometry& g = a.geometry;
  CHECK(a.grid_x * a.grid_y == 128);
  CHECK(g.slice_threads == 8);
  CHECK(g.slices_per_warp == 4);
  CHECK(g.threads == 512);
  CHECK(g.slices == 64);
  CHECK(a.params.lines_per_slice == 24);  // 1536 lines
  CHECK(g.vector == 1);                   // rows of 7 pixels
  CHECK(g.slice_floats % 8 == 4);
}

TEST_CASE("arrangement: copies are as wide as the map's rows allow") {
  CHECK(arranged({.C = 8, .H = 14, .W = 14, .M = 8, .K = 3}, {32, 8, 64}).geometry.vector == 2);
  CHECK(arranged({.C = 8, .H = 14, .W = 14, .M = 8, .K = 1}, {32, 8, 64}).geometry.vector ==
        4);  // 196 a channel
  CHECK(arranged({.C = 8, .H = 28, .W = 28, .M = 8, .K = 3}, {32, 8, 64}).geometry.vector == 4);
  CHECK(arranged({.C = 8, .H = 7, .W = 7, .M = 8, .K = 1}, {32, 8, 64}).geometry.vector == 1);
}

TEST_CASE("arrangement: tiles beyond the registers are refused") {
  // 128 x 512 outputs: 1024 threads of 64 accumulators.
  const auto result = arrange({.C = 64, .H = 224, .W = 224, .M = 128, .K = 3}, {32, 128, 512}, h200);
  REQUIRE(std::holds_alternative<Unsupported>(result));
  CHECK(std::get<Unsupported>(result).reason == "65536 outputs a block: more than registers hold");
}

TEST_CASE("arrangement: tiles beyond the shared memory are refused") {
  // K = 7, S = 128: two stages and 6 left over are 70 weights, 10 lines; 70 rows of 68 and 10 lines of 136
  // floats a slice are 24,480 bytes; four lanes' worth of slices do not fit 16 KiB.
  Limits small = h200;
  small.shared_per_block = small.shared_per_sm = 16384;
  const auto result = arrange({.C = 64, .H = 224, .W = 224, .M = 64, .K = 7}, {128, 64, 128}, small);
  REQUIRE(std::holds_alternative<Unsupported>(result));
  CHECK(std::get<Unsupported>(result).reason == "24480 bytes of shared memory: a block has at most 16384");
}

TEST_CASE(
    "arrangement: shared memory fits every feasible config, with the blocks that registers were sized for") {
  for (const std::int64_t k : {1, 3, 5, 7}) {
    for (const std::int64_t s : {32, 64, 128})
      for (const std::int64_t m : {4, 8, 16, 24, 32, 48, 64, 96, 128})
        for (const std::int64_t wx : {32, 96, 128, 512}) {
          const auto result = arrange({.C = 64, .H = 56, .W = 56, .M = 128, .K = k}, {s, m, wx}, h200);
          const auto* a = std::get_if<Arrangement>(&result);
          if (!a) continue;
          const std::int64_t bytes = 4 * std::int64_t{shared_floats(a->geometry)};
          CHECK(bytes <= h200.shared_per_block);
          CHECK((bytes + 1024) * a->min_blocks <= h200.shared_per_sm);
          CHECK(a->min_blocks * a->geometry.threads * a->register_limit <= 65536);
          CHECK(a->geometry.threads % 32 == 0);
        }
  }
}
