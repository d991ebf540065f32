#include "model/sim/dram_share.hpp"

#include "model/analytic/machine.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;

TEST_CASE("DRAM's writes (S13): a tile's rows come by the runs of its warps, at least by lines", "[sim]") {
  CHECK(written_piece(std::nullopt, 64) == std::nullopt);
  CHECK(written_piece(1024, std::nullopt) == 1024);
  CHECK(written_piece(1024, 256) == 256);
  CHECK(written_piece(1024, 64) == 128);
  CHECK(written_piece(32, 16) == 32);
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

TEST_CASE("clusters (S12): the block with most steps reads more than the mean", "[sim]") {
  KernelDescription kernel;
  kernel.launch.blocks = 80;
  kernel.launch.cluster = 8;
  Phase step;
  step.active_warps = 4;
  step.trips = 2;
  step.warp.ffma = 1000;
  kernel.phases = {step};
  kernel.fma_executed = 80 * 4 * 32 * 1000 * (9 / 8.0);  // nine steps of eight blocks
  CHECK(reads_more(kernel) == Approx(16 / 9.0));
  kernel.launch.cluster = 1;
  CHECK(reads_more(kernel) == 1);
}
