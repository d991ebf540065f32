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

TEST_CASE("shared reads (S6): by tensor, of what the code asks for", "[sim]") {
  InstructionStream stream;
  StreamOp load;
  load.kind = StreamOpKind::global_load;
  load.sectors = 40;
  load.tensor = 0;
  auto filters = load;
  filters.kind = StreamOpKind::async_copy;
  filters.tensor = 1;
  filters.sectors = 10;
  stream.ops = {load, filters};
  stream.roles = {{"warp", {run_step(0, 2)}}};
  stream.role_of_warp = {0};
  CHECK(global_sectors_read(stream, 0) == 40);
  CHECK(global_sectors_read(stream, 1) == 10);
  analytic::Traffic traffic;
  traffic.first_reads = {{{Bytes{6400}, Bytes{6400}, 0.5, 1}, {Bytes{320}, Bytes{1600}, 1, 10}}};
  const auto shared = shared_reads(traffic, stream, 10);  // 12,800 and 3200 bytes are asked for
  REQUIRE(shared);
  CHECK(shared->at(0).dram_share == Approx(0.5));
  CHECK(shared->at(0).first_share == Approx(0.5));
  CHECK(shared->at(0).missed == 0.5);
  CHECK(shared->at(1).dram_share == Approx(0.1));
  CHECK(shared->at(1).first_share == Approx(0.5));
  CHECK(shared->at(1).sharers == 10);
  traffic.first_reads[1].sharers = 1;
  CHECK(!shared_reads(traffic, stream, 10));
  traffic.first_reads[1] = {Bytes{}, Bytes{1600}, 0, 10};
  CHECK(!shared_reads(traffic, stream, 10));
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
