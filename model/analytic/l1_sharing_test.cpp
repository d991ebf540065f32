#include "model/analytic/l1_sharing.hpp"

#include <cmath>

#include "model/analytic/analytic_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

namespace {

// Blocks that read 128 lines of filters that all others read, too, and 64 of a map of their own, and
// store 64.
KernelDescription kernel_of(double blocks, std::int64_t cluster) {
  auto k = round_kernel(static_cast<std::int64_t>(blocks), 4);
  k.launch.cluster = cluster;
  k.streams = {
      {.tensor = "input", .requested = Bytes{blocks * 64 * 128}, .l1_lines = 64},
      {.tensor = "filters", .requested = Bytes{blocks * 128 * 128}, .l1_lines = 128, .same_elsewhere = 1},
      {.tensor = "output", .written = true, .requested = Bytes{blocks * 64 * 128}}};
  return k;
}

}  // namespace

TEST_CASE("found of others (A21): until L1's room has been filled anew", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  auto kernel = kernel_of(1000 * machine.sms, 1);
  const auto found = found_of_others(kernel, 8 * machine.sms, machine);
  REQUIRE(found.size() == 3);
  CHECK(found[0] == 0);
  CHECK(found[2] == 0);
  // What is found takes no lines.
  CHECK(found[1] == Approx(1 - std::exp(-224 / (128 * (1 - found[1]) + 128))).epsilon(0.01));
  // Half of the blocks ask for other filters: twice as many lines until one asks for the same.
  kernel.streams[1].same_elsewhere = 0.5;
  const auto half = found_of_others(kernel, 8 * machine.sms, machine)[1];
  CHECK(half == Approx(1 - std::exp(-112 / (128 * (1 - half) + 128))).epsilon(0.01));
  // What goes past L1 is not found, and takes nobody's place.
  kernel = kernel_of(1000 * machine.sms, 1);
  kernel.streams[0].l1_lines = 0;
  CHECK(found_of_others(kernel, 8 * machine.sms, machine)[1] > found[1]);
  // Of three tiles beside it two have the same map; a block that is alone on its SM has none beside it.
  kernel = kernel_of(1000 * machine.sms, 1);
  kernel.streams[0].same_beside = 2.0 / 3;
  CHECK(found_of_others(kernel, machine.sms, machine)[0] == 0);
  CHECK(found_of_others(kernel, 8 * machine.sms, machine)[0] > 0.5);
}

TEST_CASE("found of others (A21): an SM's first block finds nothing", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  CHECK(found_of_others(kernel_of(machine.sms, 1), machine.sms, machine).empty());
  CHECK(found_of_others(kernel_of(1.5 * machine.sms, 1), 2 * machine.sms, machine)[1] == Approx(1.0 / 3));
  auto alone = kernel_of(1000 * machine.sms, 1);
  alone.streams[1].same_elsewhere = 0;
  CHECK(found_of_others(alone, 8 * machine.sms, machine).empty());
}

TEST_CASE("found of others (A21): blocks of clusters find what began with them", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  const auto found = [&](std::int64_t cluster, double resident) {
    return found_of_others(kernel_of(1000 * machine.sms, cluster), resident * machine.sms, machine)[1];
  };
  CHECK(found(2, 1) == 0);
  CHECK(found(2, 2) == 0.5);
  CHECK(found(2, 8) == Approx(1 - 1 / 2.4));
  CHECK(found(4, 2) == 0.25);  // half of them have the same place in their cluster
  CHECK(found(8, 2) == 0.125);
  // With two tiles of filters the second finds one in two, a third one the filters of one of both in three of
  // four cases.
  const auto of_two = [&](double resident) {
    auto kernel = kernel_of(1000 * machine.sms, 2);
    kernel.streams[1].same_elsewhere = 0.5;
    return found_of_others(kernel, resident * machine.sms, machine)[1];
  };
  CHECK(of_two(2) == Approx(0.25));
  auto alone = kernel_of(1000 * machine.sms, 2);  // nothing, to the last digit
  for (double tiles = 2; tiles < 50; ++tiles) {
    alone.streams[1].same_elsewhere = 1 / tiles;
    CHECK(found_of_others(alone, machine.sms, machine)[1] == 0);
  }
  CHECK(of_two(3) == Approx(1 - 2 * (1 - std::pow(0.5, 2.4)) / 2.4));
}
