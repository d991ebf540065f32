#include "validation/counters/recorded_counters.hpp"

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("recorded counters: those of one kernel, by family, shape and config", "[counters]") {
  const std::string csv =
      "# profiler\nfamily,shape,config,code_hash,quantity,counter,measured,read,busiest_block\n"
      "toy,N1 C1 8x8 M4 K3 s1 p0,P=1 Q=2,c0de,instructions,smsp__inst_executed.sum,100,99,33\n"
      "toy,N1 C1 8x8 M4 K3 s1 p0,P=2 Q=2,c0de,instructions,smsp__inst_executed.sum,7,7,7\n"
      "other,N1 C1 8x8 M4 K3 s1 p0,P=1 Q=2,c0de,instructions,smsp__inst_executed.sum,8,8,8\n";
  const ConvShape shape{.H = 8, .W = 8, .M = 4, .K = 3};
  const auto found = parse_counters(csv, "c.csv", "toy", shape, Config{{"P", 1}, {"Q", 2}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].quantity == "instructions");
  CHECK(found[0].counted == 100);
  CHECK(found[0].read == 99);
  CHECK(found[0].busiest_block == 33);
  CHECK(parse_counters(csv, "c.csv", "toy", {}, Config{{"P", 1}, {"Q", 2}}).empty());
  CHECK_THROWS_AS(parse_counters("family,shape\n", "c.csv", "toy", shape, {}), InputError);
}

TEST_CASE("recorded counters: the shipped ones are found, and the description counts the same quantities",
          "[counters]") {
  const ConvShape shape{.H = 28, .W = 28, .M = 512, .K = 3};
  const Config config{{"method", 3}, {"P", 1},         {"Q", 1},           {"grid_m", 128},
                      {"grid_y", 1}, {"threads", 128}, {"load_bytes", 16}, {"loads_in_flight", 0}};
  const auto counted = recorded_counters("NVIDIA H200", "chang_single", shape, config);
  REQUIRE(counted.size() == 22);
  CHECK(counted[0].quantity == "instructions");
  CHECK(counted[0].counted == 225536);
  CHECK(counted[0].busiest_block == 1762);  // of 128 blocks
  CHECK(recorded_counters("NVIDIA H100", "chang_single", shape, config).empty());
  const auto launch = recorded_launch("NVIDIA H200", "chang_single", shape, config);
  REQUIRE(launch);
  CHECK(launch->traffic.dram_read_bytes == 0);
  CHECK(launch->traffic.sectors_read == 3836);
  CHECK(launch->duration_ns == 2784);
  CHECK(launch->issue_cycles / launch->active_cycles == Approx(0.239).epsilon(0.01));
  CHECK_FALSE(recorded_launch("NVIDIA H100", "chang_single", shape, config));
  CHECK_FALSE(recorded_places("NVIDIA H200", "chang_single", shape, config));

  // Each of 3 blocks: 2 of 4 warps, 5 trips: 7 FFMAs, 2 shared loads of 4 wavefronts each.
  KernelDescription kernel;
  kernel.launch.blocks = 3;
  kernel.launch.threads = 128;
  Phase phase;
  phase.trips = 5;
  phase.active_warps = 2;
  phase.warp.ffma = 7;
  phase.warp.shared_load.w128 = 2;
  phase.warp.shared_load.wavefronts = 8;
  kernel.phases = {phase};
  CHECK(described_quantity("instructions", kernel) == 2 * 5 * 9.0);
  CHECK(described_quantity("multiply-adds of threads", kernel) == 2 * 5 * 7 * 32.0);
  CHECK(described_quantity("wavefronts of shared loads", kernel) == 2 * 5 * 8.0);
  CHECK(described_quantity("sectors of stores", kernel) == 0.0);
  CHECK_FALSE(described_quantity("additions of threads", kernel));
  CHECK_FALSE(described_quantity("instructions of the integer pipe", kernel));  // the code is not known

  // The code where it is known: what goes around it is issued by all warps.
  kernel.phases[0].code = CodeSegments{.around = {.issued = 3, .memory = 2, .barriers = 1},
                                       .compute = {.issued = 10, .ffma = 7, .integer = 1}};
  CHECK(described_quantity("instructions", kernel) == 5 * (4 * 3 + 2 * 10.0));
  CHECK(described_quantity("instructions of the multiply-add pipes", kernel) == 5 * 2 * 7.0);
  CHECK(described_quantity("instructions of the integer pipe", kernel) == 5 * 2 * 1.0);
  CHECK(described_quantity("instructions of the memory pipe", kernel) == 5 * 4 * 1.0);

  // What copies write to shared memory is with the stores where there are none.
  kernel.phases[0].warp.async_copy = {.w32 = 4, .sectors = 32};
  kernel.phases[0].warp.shared_store.wavefronts = 6;
  CHECK(described_quantity("wavefronts of asynchronous copies", kernel) == 2 * 5 * (6 + 8.0));
  CHECK(described_quantity("wavefronts of shared stores", kernel) == 0.0);
  kernel.phases[0].warp.shared_store.w32 = 6;
  CHECK(described_quantity("wavefronts of asynchronous copies", kernel) == 2 * 5 * 8.0);
  CHECK(described_quantity("wavefronts of shared stores", kernel) == 2 * 5 * 6.0);
}
