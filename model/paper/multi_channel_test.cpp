#include "model/paper/multi_channel.hpp"

#include "model/paper/paper_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::paper;

namespace {

const auto device = device_constants(gtx_1080_ti());
const ConvShape vgg{.C = 256, .H = 56, .W = 56, .M = 256, .K = 3};

}  // namespace

TEST_CASE("multi channel: W'y lines of the map (P11)", "[paper]") {
  CHECK(lines(32, 1) == 8);
  CHECK(lines(32, 3) == 3);   // 32 / 12 = 2.7
  CHECK(lines(64, 5) == 4);   // 64 / 20 = 3.2
  CHECK(lines(128, 7) == 5);  // 128 / 28 = 4.6
}

TEST_CASE("multi channel: M' from S and W'x, rounded down as the paper does, or up (P12)", "[paper]") {
  CHECK(m_tile_bound(device, 32, 128) == 64.5);  // 4 x 66,048 / 4,096
  CHECK(m_tile_bound(device, 64, 128) == 32.25);
  CHECK(m_tile_needed(device, {}, 32, 128) == 64);
  CHECK(m_tile_needed(device, {.m_tile_rounding = MTileRounding::up}, 32, 128) == 65);
  CHECK(m_tile_needed(device, {}, 128, 100000) == 1);
}

TEST_CASE("multi channel: capacity in the paper's mixed unit, or in bytes (P13, quirk 2)", "[paper]") {
  const Block paper_block{32, 64, 128};
  CHECK(block_capacity(device).value() == 49152);
  CHECK(block_data(paper_block, 3, {}).value() == 32 * 64 + 3 * 128);
  CHECK(block_data(paper_block, 3, {.map_unit = MapUnit::bytes}).value() == 32 * 64 + 4 * 3 * 128);
  CHECK(block_fmas(paper_block) == 8 * 64 * 128);
}

TEST_CASE("multi channel: the paper's M' = 64 and W'x = 128 (P14)", "[paper]") {
  const auto block = choose_block(vgg, device, {});
  CHECK(block.S == 32);
  CHECK(block.M_tile == 64);
  CHECK(block.Wx_tile == 128);
  CHECK(choose_block(vgg, device, {.segment_bytes = 64}).M_tile == 32);
  auto few = vgg;
  few.M = 48;
  CHECK(choose_block(few, device, {}).M_tile == 48);
}

TEST_CASE("multi channel: every block is listed once", "[paper]") {
  CHECK(all_blocks(vgg, {}).size() == 3 * 256 * 4);  // W'x of 32 to 128
  auto wide = vgg;
  wide.W = 500;
  CHECK(all_blocks(wide, {}).size() == 3 * 256 * 16);  // 32 to 512
  CHECK(all_blocks(vgg, {.wx_tile = 256}).size() == 3 * 256 * 8);
}

TEST_CASE("multi channel: divisions over SMs and why not (P15, quirk 5)", "[paper]") {
  const auto d = divisions(vgg, device, {});
  REQUIRE(d.size() == 4);
  CHECK_FALSE(d[0].accepted);
  CHECK(d[0].reason == "125440 B of partial sums pass through global memory");  // 56 x 56 x ceil(256/28) x 4
  CHECK(d[1].accepted);        // 9 x 256 x 256 x 4 = 2,359,296 B < 28 x 98,304 = 2,752,512 B
  CHECK_FALSE(d[2].accepted);  // 256 x 56 x 56 x 4 = 3,211,264 B
  CHECK(d[3].accepted);

  CHECK_FALSE(divisions(vgg, device, {.channel_split = ChannelSplit::clusters})[0].accepted);
  auto hopper = gtx_1080_ti();
  hopper.compute_capability_major = 9;
  CHECK(divisions(vgg, device_constants(hopper), {.channel_split = ChannelSplit::clusters})[0].accepted);
  CHECK_FALSE(divisions(vgg, device_constants(hopper), {})[0].accepted);
}
