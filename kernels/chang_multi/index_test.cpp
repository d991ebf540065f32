// Index functions and ring schedule, for every feasible geometry of several layers.

#include <algorithm>
#include <set>

#include "kernels/chang_multi/arrangement.hpp"
#include "kernels/chang_multi/chang_multi.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::chang_multi;

namespace {

constexpr Limits h200{132, 1024, 65536, 233472, 232448, 1024};

std::vector<Arrangement> arrangements(const ConvShape& shape) {
  std::vector<Arrangement> all;
  for (const Config& config : configs(shape, DeviceProfile{})) {
    auto result = arrange(shape, {config["S_bytes"], config["M_tile"], config["Wx_tile"]}, h200);
    if (auto* arranged = std::get_if<Arrangement>(&result)) all.push_back(*arranged);
  }
  return all;
}

std::vector<Arrangement> sample() {
  std::vector<Arrangement> all;
  for (const std::int64_t k : {1, 3, 5, 7}) {
    for (auto& a : arrangements({.C = 96, .H = 30, .W = 30, .M = 128, .K = k}))
      all.push_back(a);
    for (auto& a : arrangements({.C = 5, .H = 7, .W = 7, .M = 9, .K = k}))
      all.push_back(a);
  }
  return all;
}

}  // namespace

TEST_CASE("index: the threads of a slice own each output of the tile exactly once") {
  for (const Arrangement& a : sample()) {
    const Geometry& g = a.geometry;
    std::vector<int> owners(static_cast<std::size_t>(g.slices * g.M_tile * g.Wx_tile));
    std::vector<int> copiers(static_cast<std::size_t>(g.threads));
    for (int thread = 0; thread < g.threads; ++thread) {
      const Place at = place(g, thread);
      ++copiers.at(static_cast<std::size_t>(at.slice * g.slice_threads + at.index));
      for (int m = at.m; m < at.m + g.thread_m; ++m)
        for (int p = at.p; p < at.p + g.thread_p; ++p)
          ++owners.at(static_cast<std::size_t>((at.slice * g.M_tile + m) * g.Wx_tile + p));
    }
    REQUIRE(std::ranges::all_of(owners, [](int n) { return n == 1; }));
    REQUIRE(std::ranges::all_of(copiers, [](int n) { return n == 1; }));
  }
}

TEST_CASE("index: the epilogue stages each output of a pass in a place of its own, within shared memory") {
  for (const Arrangement& a : sample()) {
    const Geometry& g = a.geometry;
    std::vector<int> uses(static_cast<std::size_t>(shared_floats(g)));
    for (int slice = 0; slice < g.slices; ++slice)
      for (int row = 0; row < g.pass_rows; ++row)
        for (int thread_row = 0; thread_row < thread_rows(g); ++thread_row)
          for (int x = 0; x < g.Wx_tile; ++x)
            ++uses.at(static_cast<std::size_t>(stage_at(g, slice, row, thread_row, x)));
    REQUIRE(std::ranges::all_of(uses, [](int n) { return n <= 1; }));
    REQUIRE(g.thread_m % g.pass_rows == 0);
  }
}

// Replays the rounds: what the rings hold when a line is computed is that line and its weights, although the
// copies of `stages` - 1 later rounds may already have landed.
TEST_CASE("index: rings keep every line and weight until it is used") {
  for (const Arrangement& a : sample()) {
    const Geometry& g = a.geometry;
    const int lines = std::min(a.params.lines_per_slice, a.params.lines), last = rounds(g, lines);
    std::vector<int> row_holds(static_cast<std::size_t>(ring_rows(g)), -1);
    std::vector<int> slot_holds(static_cast<std::size_t>(g.ring_lines), -1);
    const auto fetch = [&](int round) {
      for (int r = round * g.segment; r < (round + 1) * g.segment; ++r)
        row_holds[static_cast<std::size_t>(r % ring_rows(g))] = r;
      for (int line = first_line(g, round); line < first_line(g, round + 1); ++line)
        slot_holds[static_cast<std::size_t>(line % g.ring_lines)] = line;
    };
    int computed = 0;
    for (int round = 0; round < g.stages - 1 && round < last; ++round)
      fetch(round);
    for (int round = 0; round < last; ++round) {
      if (round + g.stages - 1 < last) fetch(round + g.stages - 1);
      for (int line = first_line(g, round); line < std::min(first_line(g, round + 1), lines); ++line) {
        REQUIRE(line == computed);
        ++computed;
        REQUIRE(slot_holds[static_cast<std::size_t>(line % g.ring_lines)] == line);
        for (int j = 0; j < g.K; ++j)
          REQUIRE(row_holds[static_cast<std::size_t>((line * g.K + j) % ring_rows(g))] == line * g.K + j);
      }
    }
    REQUIRE(computed == lines);
    REQUIRE(filter_at(g, ring_rows(g) - 1, g.M_tile - 1) < g.line_offset);
    REQUIRE(line_at(g, g.ring_lines - 1, g.Wx_tile + g.K - 2) < g.slice_floats);
    REQUIRE(g.line_vectors * g.vector <= g.line_pitch);
    if (g.K == 1) REQUIRE(g.ring_lines % 8 == 0);
  }
}

TEST_CASE("index: slices take each line of the reduction once") {
  for (const Arrangement& a : sample()) {
    const int slices = a.geometry.slices, each = a.params.lines_per_slice;
    REQUIRE(slices * each >= a.params.lines);
    REQUIRE(each >= 1);
  }
}

TEST_CASE("index: 128-bit accesses are aligned") {
  for (const Arrangement& a : sample()) {
    const Geometry& g = a.geometry;
    REQUIRE(g.filter_pitch % 8 == 4);
    REQUIRE(g.line_pitch % 4 == 0);
    REQUIRE(g.line_offset % 4 == 0);
    REQUIRE(g.slice_floats % 4 == 0);
    REQUIRE(g.stage_pitch % 4 == 0);
    REQUIRE(g.thread_p % 4 == 0);
  }
}
