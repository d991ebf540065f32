#include "validation/counters/recorded_counters.hpp"

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("recorded counters: those of one kernel, by family, shape and config", "[counters]") {
  const std::string csv =
      "# profiler\nfamily,shape,config,code_hash,quantity,counter,measured,read\n"
      "toy,N1 C1 8x8 M4 K3 s1 p0,P=1 Q=2,c0de,instructions,smsp__inst_executed.sum,100,99\n"
      "toy,N1 C1 8x8 M4 K3 s1 p0,P=2 Q=2,c0de,instructions,smsp__inst_executed.sum,7,7\n"
      "other,N1 C1 8x8 M4 K3 s1 p0,P=1 Q=2,c0de,instructions,smsp__inst_executed.sum,8,8\n";
  const ConvShape shape{.H = 8, .W = 8, .M = 4, .K = 3};
  const auto found = parse_counters(csv, "c.csv", "toy", shape, Config{{"P", 1}, {"Q", 2}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].quantity == "instructions");
  CHECK(found[0].counted == 100);
  CHECK(found[0].read == 99);
  CHECK(parse_counters(csv, "c.csv", "toy", {}, Config{{"P", 1}, {"Q", 2}}).empty());
  CHECK_THROWS_AS(parse_counters("family,shape\n", "c.csv", "toy", shape, {}), InputError);
}

TEST_CASE("recorded counters: the shipped ones are found, and the description counts the same quantities",
          "[counters]") {
  const ConvShape shape{.H = 28, .W = 28, .M = 512, .K = 3};
  const Config config{{"method", 3}, {"P", 1},         {"Q", 1},           {"grid_m", 128},
                      {"grid_y", 1}, {"threads", 128}, {"load_bytes", 16}, {"loads_in_flight", 0}};
  const auto counted = recorded_counters("NVIDIA H200", "chang_single", shape, config);
  REQUIRE(counted.size() == 14);
  CHECK(counted[0].quantity == "instructions");
  CHECK(counted[0].counted == 225536);
  CHECK(recorded_counters("NVIDIA H100", "chang_single", shape, config).empty());

  // 3 blocks; 2 warps, 5 trips: 7 FFMAs, 2 shared loads of 4 wavefronts each.
  KernelDescription kernel;
  kernel.launch.blocks = 3;
  Phase phase;
  phase.trips = 5;
  phase.active_warps = 2;
  phase.warp.ffma = 7;
  phase.warp.shared_load.w128 = 2;
  phase.warp.shared_load.wavefronts = 8;
  kernel.phases = {phase};
  CHECK(described_quantity("instructions", kernel) == 3 * 2 * 5 * 9.0);
  CHECK(described_quantity("multiply-adds of threads", kernel) == 3 * 2 * 5 * 7 * 32.0);
  CHECK(described_quantity("wavefronts of shared loads", kernel) == 3 * 2 * 5 * 8.0);
  CHECK(described_quantity("sectors of stores", kernel) == 0.0);
  CHECK_FALSE(described_quantity("additions of threads", kernel));
}
