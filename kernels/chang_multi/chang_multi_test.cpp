#include "kernels/chang_multi/chang_multi.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "kernels/chang_multi/arrangement.hpp"
#include "kernels/chang_multi/chang_multi_cases.hpp"
#include "model/device/load.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

const ConvShape large{.C = 64, .H = 224, .W = 224, .M = 64, .K = 3};
const ConvShape small{.C = 512, .H = 7, .W = 7, .M = 512, .K = 3};

Config config(std::int64_t s, std::int64_t m, std::int64_t wx) {
  return {{"S_bytes", s}, {"M_tile", m}, {"Wx_tile", wx}};
}

}  // namespace

TEST_CASE("chang_multi: supports stride 1 without padding, K of 1, 3, 5 and 7") {
  CHECK_FALSE(chang_multi::supports(large));
  ConvShape shape = large;
  shape.stride = 2;
  CHECK(chang_multi::supports(shape)->reason == "stride 2: only 1");
  shape = large;
  shape.pad = 1;
  CHECK(chang_multi::supports(shape)->reason == "pad 1: only 0");
  shape.pad = 0;
  shape.dilation = 2;
  CHECK(chang_multi::supports(shape)->reason == "dilation 2: only 1");
  shape = large;
  shape.K = 2;
  CHECK(chang_multi::supports(shape)->reason == "K 2: only 1, 3, 5 and 7");
  shape = large;
  shape.C = std::int64_t{1} << 16;  // 2^16 * 224^2 > 2^30
  CHECK(chang_multi::supports(shape)->reason ==
        "an image's input, its output or the filters exceed 2^30 elements");
}

TEST_CASE("chang_multi: configs are the whole grid, each once, in a fixed order") {
  const DeviceProfile h100 = load_device("h100");
  // 3 segments x (4 and 8 multiples of 8) x 12 Wx_tile.
  const auto all = chang_multi::configs(large, h100);
  CHECK(all.size() == 324);
  CHECK(all.front() == config(32, 4, 32));
  CHECK(all.back() == config(128, 64, 512));
  // 4 * 7 + 5 = 33 positions: tiles of 32 and 64; M_tile 4, 8 .. 256.
  const auto few = chang_multi::configs(small, h100);
  CHECK(few.size() == 3 * 25 * 2);
  std::set<std::string> names;
  for (const auto& c : all)
    names.insert(describe_config(c));
  CHECK(names.size() == all.size());
}

TEST_CASE("chang_multi: feasible says why not") {
  const DeviceProfile h100 = load_device("h100");
  CHECK_FALSE(chang_multi::feasible(large, config(32, 64, 128), h100));
  CHECK(chang_multi::feasible(large, config(32, 128, 512), h100)->reason ==
        "65536 outputs a block: more than registers hold");
  CHECK(chang_multi::feasible(large, config(48, 64, 128), h100));
  CHECK(chang_multi::feasible(large, config(32, 64, 100), h100));
  auto turing = h100;
  turing.compute_capability_major = 7;
  CHECK(chang_multi::feasible(large, config(32, 64, 128), turing)->reason ==
        "every config copies by cp.async: needs compute capability 8.0, not 7.0; none can run");
}

TEST_CASE("chang_multi: most of the grid is feasible on layers of every size") {
  const DeviceProfile h100 = load_device("h100");
  for (const ConvShape& shape : {large, small}) {
    const auto all = chang_multi::configs(shape, h100);
    const auto feasible = std::ranges::count_if(
        all, [&](const Config& c) { return !chang_multi::feasible(shape, c, h100).has_value(); });
    CHECK(feasible * 10 >= static_cast<std::ptrdiff_t>(all.size()) * 7);
  }
}

TEST_CASE("chang_multi: every M_tile up to 256 runs at Wx_tile 32, and no other") {
  const DeviceProfile h100 = load_device("h100");
  ConvShape shape = large;
  shape.M = 300;
  for (const std::int64_t s : {32, 64, 128}) {
    for (std::int64_t m = 1; m <= 256; ++m)
      REQUIRE_FALSE(chang_multi::feasible(shape, config(s, m, 32), h100));
    CHECK(chang_multi::feasible(shape, config(s, 257, 32), h100));
    CHECK(chang_multi::feasible(shape, config(s, 0, 32), h100));
  }
  const auto all = chang_multi::configs(shape, h100);
  CHECK(all.back() == config(128, 256, 512));
  CHECK(all.size() == 3 * 25 * 12);  // 4; 8 .. 128 in eights; 144 .. 256 in sixteens
}

TEST_CASE("chang_multi: M_tile between two tiles of threads takes the code of the larger and stores less") {
  const DeviceProfile h100 = load_device("h100");
  ConvShape shape = large;
  shape.M = 512;
  const LaunchPlan odd = chang_multi::plan(shape, config(32, 163, 128), h100);
  const LaunchPlan even = chang_multi::plan(shape, config(32, 168, 128), h100);
  CHECK(odd.grid_y == 4);   // 512 / 163
  CHECK(even.grid_y == 4);  // 512 / 168
  for (std::size_t i = 0; i < odd.code.defines.size(); ++i)
    CHECK(odd.code.defines[i].value == even.code.defines[i].value);
  chang_multi::Params params;
  std::memcpy(&params, odd.params.data(), sizeof(params));
  CHECK(params.tile_filters == 163);
}

TEST_CASE("chang_multi: a plan launches what the arrangement says") {
  const DeviceProfile h100 = load_device("h100");
  const LaunchPlan plan = chang_multi::plan(large, config(32, 64, 128), h100);
  CHECK(plan.code.source == "chang_multi/chang_multi.cu");
  CHECK(plan.code.entry == "chang_multi_kernel");
  CHECK(plan.grid_x == 389);
  CHECK(plan.grid_y == 1);
  CHECK(plan.grid_z == 1);
  CHECK(plan.threads == 256);
  CHECK(plan.dynamic_shared_bytes == 2 * 4 * (27 * 68 + 9 * 132));
  REQUIRE(plan.params.size() == sizeof(chang_multi::Params));
  chang_multi::Params params;
  std::memcpy(&params, plan.params.data(), sizeof(params));
  CHECK(params.taps == 576);
  CHECK(params.out_width == 222);
}

TEST_CASE("chang_multi: layers that need the same constants share one specialisation") {
  const DeviceProfile h100 = load_device("h100");
  ConvShape other = large;
  other.H = 100;
  other.C = 48;
  const auto a = chang_multi::plan(large, config(32, 64, 128), h100);
  const auto b = chang_multi::plan(other, config(32, 64, 128), h100);
  REQUIRE(a.code.defines.size() == b.code.defines.size());
  for (std::size_t i = 0; i < a.code.defines.size(); ++i)
    CHECK(a.code.defines[i].value == b.code.defines[i].value);
}

TEST_CASE("chang_multi: the test cases are feasible and reach every path") {
  const DeviceProfile h100 = load_device("h100");
  std::set<std::int64_t> k, s, vectors, slice_threads, thread_tiles;
  for (const auto& [shape, c] : chang_multi::test_cases()) {
    INFO(describe_shape(shape) << " " << describe_config(c));
    REQUIRE_FALSE(chang_multi::feasible(shape, c, h100));
    const auto arranged = std::get<chang_multi::Arrangement>(
        chang_multi::arrange(shape, {c["S_bytes"], c["M_tile"], c["Wx_tile"]}, chang_multi::limits_of(h100)));
    const auto& g = arranged.geometry;
    k.insert(g.K);
    s.insert(4 * g.segment);
    vectors.insert(g.vector);
    slice_threads.insert(g.slice_threads <= 32 ? g.slice_threads : g.slices == 1 ? 1024 : 64);
    thread_tiles.insert(10 * g.thread_m + g.thread_p);
  }
  CHECK(k == std::set<std::int64_t>{1, 3, 5, 7});
  CHECK(s == std::set<std::int64_t>{32, 64, 128});
  CHECK(vectors == std::set<std::int64_t>{1, 2, 4});
  CHECK(slice_threads == std::set<std::int64_t>{8, 16, 32, 64, 1024});  // parts of a warp, warps, the block
  CHECK(thread_tiles == std::set<std::int64_t>{24, 44, 48, 88});
}
