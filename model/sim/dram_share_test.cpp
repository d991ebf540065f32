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
  d.dram_write_over_piece_and_distance.rows = {16, 32, 128};
  d.dram_write_over_piece_and_distance.columns = {1e6, 4e6};
  d.dram_write_over_piece_and_distance.y = {0.3e12, 0.2e12, 0.9e12, 0.5e12, 0.7e12, 0.7e12};
  return d;
}

}  // namespace

TEST_CASE("DRAM's writes (S13): a tile's rows come by the runs of its warps, at least by lines", "[sim]") {
  CHECK(written_piece(std::nullopt, 64) == std::nullopt);
  CHECK(written_piece(1024, std::nullopt) == 1024);
  CHECK(written_piece(1024, 256) == 256);
  CHECK(written_piece(1024, 64) == 128);
  CHECK(written_piece(32, 16) == 32);
}

TEST_CASE("DRAM's writes (S13): in pieces", "[sim]") {
  const auto device = profile();
  const Bandwidth streaming{1e12};
  const auto rate = [&](std::optional<double> piece, double between) {
    return dram_write_rate(device, streaming, piece, between).value();
  };
  CHECK(rate(std::nullopt, 1e6) == 1e12);
  CHECK(rate(1 << 20, 1e6) == 1e12);
  CHECK(rate(256, 1e6) == 1e12);
  CHECK(rate(255, 1e6) == 0.7e12);
  CHECK(rate(64, 1e6) == 0.9e12);
  CHECK(rate(64, 9e6) == 0.5e12);
  CHECK(rate(20, 4e6) == 0.2e12);
}

TEST_CASE("DRAM's reads (S13): as many bytes as the description has, however much the code asks for",
          "[sim]") {
  analytic::Traffic traffic;
  traffic.dram_read_share = 0.5;
  traffic.asked_read = Bytes{64000};
  InstructionStream stream;
  StreamOp load;
  load.kind = StreamOpKind::global_load;
  load.sectors = 40;
  load.l1_hit = 0.5;
  auto local = load;  // what DRAM sends is not of local memory
  local.local = true;
  stream.ops = {load, local};
  stream.roles = {{"warp", {run_step(0, 2)}}};
  stream.role_of_warp = {0, 0};
  CHECK(global_sectors_read(stream) == 40);
  CHECK(sectors_read(stream) == 80);
  CHECK(dram_read_share(traffic, stream, 50) == Approx(0.5));
  CHECK(dram_read_share(traffic, stream, 100) == Approx(0.25));
  CHECK(dram_read_share(traffic, stream, 10) == 1);
  stream.ops[0].l1_hit = 1;
  CHECK(dram_read_share(traffic, stream, 50) == 0);
}
