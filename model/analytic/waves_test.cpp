#include "model/analytic/waves.hpp"

#include <cmath>

#include "model/analytic/analytic.hpp"
#include "model/analytic/analytic_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

TEST_CASE("waves (A9, O1): full waves, then a tail over fewer SMs", "[analytic]") {
  const auto device = round_device();  // 10 SMs, two blocks each
  const auto [full, tail] = waves_of(round_kernel(45, 1), device);
  CHECK(full.count == 2);
  CHECK(full.blocks_per_sm == 2);
  CHECK(full.blocks == 20);
  CHECK(tail.count == 1);
  CHECK(tail.blocks_per_sm == 1);
  CHECK(tail.active_sms == 5);
  CHECK(tail.blocks == 5);
}

TEST_CASE("waves (A9): one block a SM before the second; no tail when it divides", "[analytic]") {
  const auto device = round_device();
  CHECK(waves_of(round_kernel(10, 1), device)[0].count == 0);
  CHECK(waves_of(round_kernel(10, 1), device)[1].blocks_per_sm == 1);
  CHECK(waves_of(round_kernel(11, 1), device)[1].blocks_per_sm == 2);
  CHECK(waves_of(round_kernel(11, 1), device)[1].active_sms == 10);
  CHECK(waves_of(round_kernel(40, 1), device)[1].count == 0);
}

TEST_CASE("waves (A9): a family that deals out its blocks itself", "[analytic]") {
  auto k = round_kernel(12, 1);
  k.busiest_sm_blocks = 3;  // 10 SMs, but one SM runs three
  const auto [full, tail] = waves_of(k, round_device());
  CHECK(full.count == 1);
  CHECK(full.blocks_per_sm == 2);
  CHECK(full.blocks == 8);
  CHECK(tail.blocks_per_sm == 1);
  CHECK(tail.blocks == 4);
}

TEST_CASE("waves (A9): clusters leave SMs out, and an SM holds eight of their blocks", "[analytic]") {
  auto device = round_device();
  device.sm_count.set(132);
  device.max_blocks_per_sm.set(32);
  auto k = round_kernel(120 * 8 + 4, 1);
  k.launch.threads = 32;
  k.launch.registers = 8;
  k.launch.cluster = 4;
  const auto [full, tail] = waves_of(k, device);
  CHECK(full.count == 1);
  CHECK(full.blocks_per_sm == 8);
  CHECK(full.active_sms == 120);
  CHECK(tail.blocks == 4);
  CHECK(tail.active_sms == 4);
  k.launch.cluster = 2;
  CHECK(waves_of(k, device)[1].active_sms == 132);  // 964 of 1056
  device.cluster_sms_over_blocks = {.x = {2, 4}, .y = {132, 100}};
  device.resident_blocks_over_cluster_and_threads = {{1, 2, 4}, {32}, {16, 6, 3}, {}};
  CHECK(waves_of(k, device)[0].blocks == 6 * 132);
  k.launch.cluster = 4;
  CHECK(waves_of(k, device)[0].blocks_per_sm == 4);  // 3 x 132 on 100 SMs
  CHECK(waves_of(k, device)[0].blocks == 400);
  k.launch.cluster = 1;
  CHECK(waves_of(k, device)[1].blocks == 964);
  CHECK(waves_of(k, device)[1].blocks_per_sm == 8);
}

TEST_CASE("waves (A9): clusters find room by the count for as many blocks as fit on an SM", "[analytic]") {
  auto device = round_device();
  device.sm_count.set(132);
  device.max_blocks_per_sm.set(6);
  // One block an SM reaches 120 SMs, six 124 of them.
  device.cluster_sms_over_blocks = {.x = {2, 4}, .y = {132, 120}};
  device.cluster_blocks_over_cluster_and_fit = {
      {2, 4}, {1, 2, 6, 8}, {132, 264, 792, 1056, 120, 248, 744, 992}, {}};
  auto k = round_kernel(736, 1);
  k.launch.threads = 32;
  k.launch.registers = 8;
  k.launch.cluster = 4;
  const auto [full, tail] = waves_of(k, device);
  CHECK(full.count == 0);
  CHECK(tail.blocks == 736);  // in one wave: 744 find room
  CHECK(tail.blocks_per_sm == 6);
  CHECK(tail.active_sms == 124);
  // 120 find an SM of their own, four more do not, though clusters of two blocks an SM reach 124 SMs.
  k.launch.blocks = 120;
  CHECK(waves_of(k, device)[1].blocks_per_sm == 1);
  k.launch.blocks = 124;
  CHECK(waves_of(k, device)[1].blocks_per_sm == 2);
  // Two an SM find room on 124 SMs, though the six that fit would do so on fewer.
  device.cluster_blocks_over_cluster_and_fit.y[6] = 732;
  k.launch.blocks = 248;
  CHECK(waves_of(k, device)[1].blocks_per_sm == 2);
  CHECK(waves_of(k, device)[1].active_sms == 124);
  k.launch.blocks = 732 + 248;  // behind others they come to the SMs of a full wave
  CHECK(waves_of(k, device)[1].blocks_per_sm == 3);
  device.cluster_blocks_over_cluster_and_fit.y[6] = 744;
  k.launch.blocks = 744 + 4;
  CHECK(waves_of(k, device)[0].blocks == 744);
  CHECK(waves_of(k, device)[1].blocks == 4);
  device.max_blocks_per_sm.set(32);  // more than the table has: its last column
  CHECK(waves_of(k, device)[1].blocks_per_sm == 7);
  k.launch.blocks = 992;
  CHECK(waves_of(k, device)[0].count == 1);
  CHECK(waves_of(k, device)[0].blocks_per_sm == 8);
}

TEST_CASE("waves (S9): parts of the device that clusters fill one by one", "[analytic]") {
  auto device = round_device();
  device.sm_count.set(132);
  CHECK(parts_of_device(1, device) == 132);
  CHECK(parts_of_device(2, device) == 66);
  CHECK(parts_of_device(16, device) == 7);  // 112 SMs
  device.cluster_blocks_over_cluster_and_fit = {{2, 8}, {1, 2}, {132, 264, 96, 240}, {}};
  CHECK(parts_of_device(8, device) == 12);

  CHECK(first_of(1) == 0);
  CHECK(first_of(7) == Approx(1.36).margin(0.01));
  CHECK(first_of(132) == Approx(2.6).margin(0.01));
  // A second cluster of 16 to 3 of 7 parts, to all of them: to the last one 1.36 deviations later.
  CHECK(tail_gone({1, 2, 112, 160}, 7, 16) == Approx(std::log(0.75) / 1.702));
  CHECK(tail_gone({1, 2, 112, 224}, 7, 16) == Approx(first_of(7)));
}

TEST_CASE("waves: a block that does not fit is refused with its limit", "[analytic]") {
  auto k = round_kernel(1, 1);
  k.launch.shared = Bytes{60000};
  CHECK_THROWS_AS(waves_of(k, round_device()), InputError);
  CHECK(misfit(k, round_device())->find("(limit: shared)") != std::string::npos);
  CHECK_FALSE(misfit(round_kernel(1, 1), round_device()));
}
