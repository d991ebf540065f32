#include "model/sim/dram_share.hpp"

#include "model/analytic/machine.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;

namespace {

DeviceProfile profile() {
  DeviceProfile d;
  d.name = "rounded";
  d.sm_count.set(10);
  d.fp32_lanes_per_sm.set(128);
  d.schedulers_per_sm.set(4);
  d.sm_clock.set(Frequency{1e9});
  d.dram_peak.set(Bandwidth{1e12});
  d.dram_read.set(Bandwidth{1e12});
  d.l2_read_private_over_footprint.x = {10e6, 40e6, 80e6};
  d.l2_read_private_over_footprint.y = {4e12, 4e12, 1e12};
  d.dram_write_over_piece_and_distance.rows = {16, 32, 128};
  d.dram_write_over_piece_and_distance.columns = {1e6, 4e6};
  d.dram_write_over_piece_and_distance.y = {0.3e12, 0.2e12, 0.9e12, 0.5e12, 0.7e12, 0.7e12};
  return d;
}

}  // namespace

TEST_CASE("DRAM's share (S13): a set that is walked again and again misses as its bandwidth says", "[sim]") {
  auto device = profile();
  const auto machine = analytic::machine_of(device);
  const auto miss = [&](double bytes) { return cyclic_miss(Bytes{bytes}, machine, analytic::Caches::warm); };
  CHECK(miss(20e6) == 0);
  CHECK(miss(200e6) == 1);
  CHECK(miss(40e6 * std::sqrt(2.0)) == Approx((1 / 2.5 - 1 / 4.0) / (1 - 1 / 4.0)));  // half way: 2.5e12
  CHECK(cyclic_miss(Bytes{1}, machine, analytic::Caches::cold) == 1);
  device.l2_hit_rate_over_footprint.x = {10e6, 40e6};
  device.l2_hit_rate_over_footprint.y = {1, 0.75};
  CHECK(miss(40e6) == 0.25);
}

TEST_CASE("DRAM's share (S13): writes in pieces", "[sim]") {
  const auto device = profile();
  const Bandwidth streaming{1e12};
  const auto rate = [&](std::optional<double> piece, double between) {
    return dram_write_rate(device, streaming, piece, between).value();
  };
  CHECK(rate(std::nullopt, 1e6) == 1e12);
  CHECK(rate(1 << 20, 1e6) == 1e12);
  CHECK(rate(512, 1e6) == 0.7e12);
  CHECK(rate(64, 1e6) == 0.9e12);
  CHECK(rate(64, 9e6) == 0.5e12);
  CHECK(rate(20, 4e6) == 0.2e12);
}
