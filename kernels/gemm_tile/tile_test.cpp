#include "kernels/gemm_tile/tile.hpp"

#include <set>

#include "model/device/load.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::gemm_tile;

namespace {

std::string reason(const Product& product, const Tile& tile, const char* device = "h100") {
  const auto refusal = tile_refusal(product, tile, {4, 4, 4}, 0, load_device(device));
  return refusal ? refusal->reason : "";
}

constexpr Product large{4096, 4096, 4096};

}  // namespace

TEST_CASE("gemm tile: the grid is whole, each config once") {
  // 16 block tiles x 3 steps x 9 thread tiles x 6 ways of staging x 5 splits.
  const auto all = tile_configs(large);
  CHECK(all.size() == 16 * 3 * 9 * 6 * 5);
  std::set<std::string> names;
  for (const auto& c : all)
    names.insert(describe_config(c));
  CHECK(names.size() == all.size());
  CHECK(tile_of(all.front()) == Tile{32, 32, 8, 4, 4, 0, 1, 1});
  CHECK(tile_of(all.back()) == Tile{256, 256, 32, 16, 16, 1, 5, 16});
}

TEST_CASE("gemm tile: tiles up to the first that covers the product, splits up to a step each") {
  // BM of 32 and 64, BN of 32; of 40 in steps of 8: splits of 1, 2, 4; of 16: 1, 2; of 32: 1.
  CHECK(tile_configs({64, 3, 40}).size() == 2 * 1 * 9 * 6 * (3 + 2 + 1));
}

TEST_CASE("gemm tile: a refusal says why") {
  CHECK(reason(large, {128, 128, 8, 8, 8, 1, 3, 1}).empty());
  CHECK(reason(large, {128, 128, 8, 16, 16, 1, 3, 1}) ==
        "16 x 16 outputs a thread: more than its registers hold");
  CHECK(reason(large, {32, 32, 8, 16, 4, 1, 3, 1}) ==
        "a warp's 2 x 8 threads do not divide a tile of 32 x 32");
  CHECK(reason(large, {256, 256, 8, 4, 4, 1, 2, 1}) == "4096 threads: a block has at most 1024");
  CHECK(reason(large, {256, 256, 8, 8, 16, 1, 2, 1}) ==
        "512 threads of 8 x 16 outputs: more than 128 registers each");
  // 4 stages of 32 x (260 + 256) floats of 4 bytes.
  CHECK(reason(large, {256, 256, 32, 8, 8, 1, 4, 1}) ==
        "1024 threads of 8 x 8 outputs: more than 64 registers each");
  CHECK(reason(large, {256, 128, 32, 16, 8, 1, 5, 1}) ==
        "248320 bytes of shared memory: a block has at most 232448");
  CHECK(reason({64, 64, 64}, {64, 64, 32, 4, 4, 1, 2, 4}) == "split_k 4: only 2 steps of BK");
  CHECK_FALSE(reason(large, {96, 128, 8, 8, 8, 1, 3, 1}).empty());
  CHECK_FALSE(reason(large, {128, 128, 8, 8, 8, 0, 3, 1}).empty());
  CHECK_FALSE(reason(large, {128, 128, 8, 8, 8, 1, 1, 1}).empty());
}

TEST_CASE("gemm tile: a third and more of the grid fits, every thread tile among it") {
  const auto device = load_device("h100");
  std::size_t fit = 0;
  std::set<std::int64_t> tiles;
  const auto all = tile_configs(large);
  for (const auto& c : all) {
    if (tile_refusal(large, tile_of(c), {4, 4, 4}, 0, device)) continue;
    ++fit;
    tiles.insert(100 * c["TM"] + c["TN"]);
  }
  CHECK(3 * fit > all.size());
  CHECK(tiles == std::set<std::int64_t>{404, 408, 416, 804, 808, 816, 1604, 1608});
}

TEST_CASE("gemm tile: clusters need compute capability 9.0, asynchronous copies 8.0") {
  auto device = load_device("h100");
  device.compute_capability_major = 8;
  CHECK(tile_refusal(large, {64, 64, 8, 4, 4, 1, 3, 2}, {1, 1, 1}, 0, device)->reason ==
        "split_k above 1 takes thread-block clusters: needs compute capability 9.0, not 8.0; expected "
        "split_k=1");
  CHECK_FALSE(tile_refusal(large, {64, 64, 8, 4, 4, 1, 3, 1}, {1, 1, 1}, 0, device));
  device.compute_capability_major = 7;
  CHECK(tile_refusal(large, {64, 64, 8, 4, 4, 1, 3, 1}, {1, 1, 1}, 0, device)->reason ==
        "async=1 copies by cp.async: needs compute capability 8.0, not 7.0; expected async=0 and "
        "split_k=1");
  CHECK_FALSE(tile_refusal(large, {64, 64, 8, 4, 4, 0, 2, 1}, {1, 1, 1}, 0, device));
}

TEST_CASE("gemm tile: a config's axes, in whatever order they are") {
  const Config config{{"split_k", 4}, {"stages", 2}, {"async", 1}, {"TN", 4},
                      {"TM", 8},      {"BK", 16},    {"BN", 64},   {"BM", 128}};
  CHECK(tile_of(config) == Tile{128, 64, 16, 8, 4, 1, 2, 4});
}

TEST_CASE("gemm tile: the defines are the geometry") {
  const Geometry g = tile_geometry({128, 64, 16, 8, 4, 0, 2, 4}, {4, 1, 4});
  const auto defines = tile_defines(g);
  REQUIRE(defines.size() == 11);
  const auto value = [&](std::size_t i) { return static_cast<int>(defines[i].value); };
  const Geometry back = make_geometry(value(0), value(1), value(2), value(3), value(4), value(5), value(6),
                                      value(7), value(8), value(9), value(10));
  CHECK(back.BM == 128);
  CHECK(back.BN == 64);
  CHECK(back.BK == 16);
  CHECK(back.TM == 8);
  CHECK(back.TN == 4);
  CHECK(back.async == 0);
  CHECK(back.stages == 2);
  CHECK(back.split == 1);
  CHECK(back.vec_a == 4);
  CHECK(back.vec_b == 1);
  CHECK(back.vec_c == 4);
  // cp.async cannot transpose a vector.
  CHECK(tile_geometry({128, 64, 16, 8, 4, 1, 2, 4}, {4, 4, 4}).vec_a == 1);
}
