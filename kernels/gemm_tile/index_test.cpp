// The index functions of every tile of the grid: each output computed once, each element of A and B fetched
// once, no bank conflict.

#include "kernels/gemm_tile/gemm_tile_index.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "kernels/wavefronts.hpp"
#include "tests/catch.hpp"

using namespace tilecast::gemm_tile;

namespace {

// Every tile that a warp's lanes divide and 1024 threads can do, in all ways of copying.
std::vector<Geometry> all_geometries() {
  std::vector<Geometry> all;
  for (const int bm : {32, 64, 128, 256})
    for (const int bn : {32, 64, 128, 256})
      for (const int bk : {8, 16, 32})
        for (const int tm : {4, 8, 16})
          for (const int tn : {4, 8, 16}) {
            if (tm == 16 && tn == 16) continue;
            if (lanes_along_m(bm, bn, tm, tn) == 0 || bm / tm * (bn / tn) > 1024) continue;
            for (const int vec_b : {1, 4}) {
              all.push_back(make_geometry(bm, bn, bk, tm, tn, 1, 3, 1, 1, vec_b, vec_b));
              all.push_back(make_geometry(bm, bn, bk, tm, tn, 0, 2, 0, 4, vec_b, vec_b));
            }
          }
  return all;
}

std::string name(const Geometry& g) {
  return fmt::format("{} x {} x {}, {} x {}, vectors {} {}", g.BM, g.BN, g.BK, g.TM, g.TN, g.vec_a, g.vec_b);
}

template <class Address>
int of_first_warp(const Geometry& g, int words, const Address& address) {
  std::array<std::int32_t, 32> word;
  for (int lane = 0; lane < 32; ++lane)
    word[static_cast<std::size_t>(lane)] = address(g, lane);
  return tilecast::wavefronts(word, words);
}

bool once(const std::vector<int>& times) {
  for (const int t : times)
    if (t != 1) return false;
  return true;
}

}  // namespace

TEST_CASE("gemm tile: 1368 ways to tile and copy") {
  // 114 pairs of block and thread tile, 3 steps of k, 4 ways to copy.
  CHECK(all_geometries().size() == 114 * 3 * 4);
}

TEST_CASE("gemm tile: the lanes of the squarer warp tile") {
  CHECK(lanes_along_m(128, 128, 8, 8) == 4);   // 32 x 64
  CHECK(lanes_along_m(128, 256, 8, 16) == 8);  // 64 x 64
  CHECK(lanes_along_m(256, 128, 16, 8) == 4);  // 64 x 64
  CHECK(lanes_along_m(32, 64, 8, 4) == 4);     // 32 x 32; 8 x 8 rows are more than 32
  CHECK(lanes_along_m(32, 256, 16, 8) == 2);   // two rows of threads
  CHECK(lanes_along_m(256, 32, 8, 16) == 16);  // two columns of threads
  CHECK(lanes_along_m(32, 32, 16, 16) == 0);   // four threads
}

TEST_CASE("gemm tile: every output belongs to one thread") {
  for (const Geometry& g : all_geometries()) {
    std::vector<int> times(static_cast<std::size_t>(g.BM * g.BN));
    for (int thread = 0; thread < g.threads; ++thread) {
      const Place at = place(g, thread);
      for (int i = 0; i < g.TM; ++i)
        for (int j = 0; j < g.TN; ++j)
          ++times.at(static_cast<std::size_t>((at.m + row_of(g, i)) * g.BN + at.n + j / 4 * group_step_n(g) +
                                              j % 4));
    }
    INFO(name(g));
    CHECK(once(times));
  }
}

TEST_CASE("gemm tile: every element of a step is copied by one thread") {
  for (const Geometry& g : all_geometries()) {
    std::vector<int> a(static_cast<std::size_t>(g.BM * g.BK)), b(static_cast<std::size_t>(g.BN * g.BK));
    for (int thread = 0; thread < g.threads; ++thread) {
      if (const CopyPlace at = a_place(g, thread); at.copies) {
        for (int ck = 0; ck < a_copies_k(g); ++ck)
          for (int cm = 0; cm < a_copies_m(g); ++cm)
            for (int i = 0; i < g.vec_a; ++i)
              ++a.at(static_cast<std::size_t>((at.x + cm * a_groups_m(g)) * g.BK + at.k +
                                              ck * 8 * a_groups_k(g) + i));
      }
      if (const CopyPlace at = b_place(g, thread); at.copies) {
        for (int ck = 0; ck < b_copies_k(g); ++ck)
          for (int cn = 0; cn < b_copies_n(g); ++cn)
            for (int i = 0; i < g.vec_b; ++i)
              ++b.at(
                  static_cast<std::size_t>((at.k + ck * b_groups_k(g)) * g.BN + at.x + cn * b_step_n(g) + i));
      }
    }
    INFO(name(g));
    CHECK(once(a));
    CHECK(once(b));
  }
}

TEST_CASE("gemm tile: no bank conflicts") {
  const auto read_a = [](const Geometry& g, int lane) { return a_at(g, 0, place(g, lane).m); };
  const auto read_b = [](const Geometry& g, int lane) { return b_at(g, 0, place(g, lane).n); };
  const auto write_a = [](const Geometry& g, int lane) {
    const CopyPlace at = a_place(g, lane);
    return a_at(g, at.k, at.x);
  };
  const auto write_b = [](const Geometry& g, int lane) {
    const CopyPlace at = b_place(g, lane);
    return b_at(g, at.k, at.x);
  };
  const auto write_sum = [](const Geometry& g, int lane) {
    const Place at = place(g, lane);
    return sum_at(g, 0, thread_row(g, at.m), at.n);
  };
  for (const Geometry& g : all_geometries()) {
    INFO(name(g));
    // Two for 128-bit reads of operands that lanes share: four quarters of a warp, served in pairs.
    CHECK(of_first_warp(g, 4, read_a) == 2);
    CHECK(of_first_warp(g, 4, read_b) == 2);
    CHECK(of_first_warp(g, 1, write_a) == 1);
    CHECK(of_first_warp(g, g.vec_b, write_b) == g.vec_b);  // 32 floats a wavefront
    CHECK(of_first_warp(g, 4, write_sum) == 4);
  }
}

TEST_CASE("gemm tile: rows of the split's sum are the tile's rows") {
  for (const Geometry& g : all_geometries()) {
    std::vector<int> times(static_cast<std::size_t>(g.BM));
    for (int row = 0; row < thread_rows(g); ++row) {
      INFO(name(g) << " row " << row);
      CHECK(thread_row(g, first_row_of(g, row)) == row);
      for (int i = 0; i < g.TM; ++i)
        ++times.at(static_cast<std::size_t>(first_row_of(g, row) + row_of(g, i)));
    }
    CHECK(once(times));
    CHECK(g.TM % g.pass_rows == 0);
    const int floats = g.pass_rows * thread_rows(g) * g.sum_pitch;
    CHECK((g.pass_rows == 1 || floats <= most(g.stages * g.stage_floats, 8192)));
  }
}

TEST_CASE("gemm tile: parts of the reduction follow each other and differ by a step at most") {
  for (const int steps : {1, 2, 7, 16, 100, 1 << 27}) {
    for (const int parts : {1, 2, 4, 8, 16}) {
      CHECK(first_step(steps, 0, parts) == 0);
      CHECK(first_step(steps, parts, parts) == steps);
      for (int part = 0; part < parts; ++part) {
        const int count = first_step(steps, part + 1, parts) - first_step(steps, part, parts);
        CHECK((count == steps / parts || count == steps / parts + 1));
      }
    }
  }
}

TEST_CASE("gemm tile: shared memory, registers' worth of code") {
  // 3 stages of 8 x (128 + 4) and 8 x 128 floats.
  const Geometry g = make_geometry(128, 128, 8, 8, 8, 1, 3, 0, 1, 4, 4);
  CHECK(g.threads == 256);
  CHECK(tile_floats(g) == 3 * (8 * 132 + 8 * 128));
  CHECK(g.unroll == 8);
  CHECK(make_geometry(128, 128, 32, 8, 8, 1, 3, 0, 1, 4, 4).unroll == 16);
  CHECK(make_geometry(128, 256, 32, 8, 16, 1, 2, 0, 1, 4, 4).unroll == 8);
  // Split: four rows of each of 16 thread rows, 144 floats each, are 9216 floats, more than the 6240 of the
  // stages and than 8192: so two.
  const Geometry split = make_geometry(128, 128, 8, 8, 8, 1, 3, 1, 1, 4, 4);
  CHECK(split.pass_rows == 2);
  CHECK(tile_floats(split) == 6240);
}
