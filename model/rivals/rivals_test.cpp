// Every rival on numbers that can be followed by hand.

#include "model/rivals/rivals.hpp"

#include "model/device/round_device.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// Blocks of 8 warps; of each, in each of 4 trips, 96 FFMAs and 4 loads of 4 sectors.
KernelDescription kernel(std::int64_t blocks) {
  KernelDescription k;
  k.launch = {.blocks = blocks, .threads = 256, .registers = 32};
  Phase p;
  p.role = PhaseRole::steady;
  p.trips = 4;
  p.active_warps = 8;
  p.warp.ffma = 96;
  p.warp.global_load.w32 = 4;
  p.warp.global_load.sectors = 16;
  p.fetched = Bytes{8 * 16 * 32};
  k.phases = {p};
  k.fma_executed = static_cast<double>(blocks) * 4 * 8 * 96 * 32;
  k.streams = {{.tensor = "input", .unique = Bytes{1e4}, .requested = Bytes{4e4}},
               {.tensor = "output", .written = true, .unique = Bytes{6e3}, .requested = Bytes{6e3}}};
  return k;
}

double ns(Seconds t) {
  return 1e9 * t.value();
}

}  // namespace

TEST_CASE("R1 roofline: FMAs at the peak, or each byte once at DRAM's bandwidth", "[rivals]") {
  // 10 blocks: 983,040 FMAs / 1280 = 768 ns; 16,000 B / 10 = 1600 ns.
  const auto p = rivals::roofline(kernel(10), round_device());
  CHECK(ns(p.time) == Approx(1600));
  CHECK(p.limiter == "memory");
  CHECK(ns(p.bounds[0].time) == Approx(768));
  CHECK(p.bounds[0].equation == "R1");
  CHECK(p.low == p.time);
  CHECK(p.high == p.time);
  // 30 blocks: 2304 ns.
  CHECK(ns(rivals::roofline(kernel(30), round_device()).time) == Approx(2304));
  CHECK(rivals::roofline(kernel(30), round_device()).limiter == "compute");
  auto faster = round_device();
  faster.dram_read.set(Bandwidth{2e10});  // measured, so it counts instead of the peak
  CHECK(ns(rivals::roofline(kernel(10), faster).time) == Approx(800));
}

TEST_CASE("R2 Hong and Kim: more warps wait than memory serves", "[rivals]") {
  // A block on each of 10 SMs: N = 8. A warp has 400 instructions of 0.25 cycles (100) and 16 accesses of 128
  // B (4 sectors), so Mem_cycles = 8000 and CWP = min(8100 / 100, 8) = 8. Departures are 128 / (100 / 10)
  // = 12.8 cycles apart: 500 / 12.8 = 39 warps. One warp takes 128 / 500 = 0.256 B/ns: DRAM serves 10 /
  // (0.256 x 10) = 3.90625 of them. MWP = 3.90625 <= CWP: 8000 x 8 / 3.90625 + 100 / 16 x 2.90625 = 16384
  // + 18.16.
  const auto p = rivals::hong_kim(kernel(10), round_device());
  CHECK(ns(p.time) == Approx(16384 + 18.1640625));
  CHECK(p.limiter == "memory");
  // 40 blocks: two on an SM (the limit), N = 16, twice: 8000 x 16 / 3.90625 + 18.16, times 40 / 20.
  CHECK(ns(rivals::hong_kim(kernel(40), round_device()).time) == Approx(2 * (32768 + 18.1640625)));
}

TEST_CASE("R2 Hong and Kim: all warps at once, computation that hides memory, barriers, no memory",
          "[rivals]") {
  auto fast = round_device();
  fast.dram_peak.set(Bandwidth{1e12});
  fast.l2_read.set(Bandwidth{1e12});
  // MWP = min(500 / 1.28, 1000 / 2.56, 8) = 8 = N = CWP: 8000 + 100 + 6.25 x 7.
  CHECK(ns(rivals::hong_kim(kernel(10), fast).time) == Approx(8143.75));
  // A barrier a trip: 1.28 x 7 x 4 more, and 4 more instructions of 0.25 cycles.
  auto synchronised = kernel(10);
  synchronised.phases[0].warp.barriers = 1;
  CHECK(ns(rivals::hong_kim(synchronised, fast).time) == Approx(8000 + 101 + 101.0 / 16 * 7 + 1.28 * 7 * 4));
  // 9996 FFMAs a trip: Comp_cycles = 10000, Mem_cycles = 8000, CWP = 1.8 < MWP, but Comp_cycles > Mem_cycles:
  // 8000 x 8 / 8 + 10000 / 16 x 7.
  auto computing = kernel(10);
  computing.phases[0].warp.ffma = 9996;
  CHECK(ns(rivals::hong_kim(computing, fast).time) == Approx(8000 + 625.0 * 7));
  // Likewise with 4996 FFMAs: 5000 < 8000, CWP = 2.6 < MWP: 500 + 5000 x 8.
  computing.phases[0].warp.ffma = 4996;
  CHECK(ns(rivals::hong_kim(computing, fast).time) == Approx(40500));
  // Without memory instructions: 96 x 4 x 0.25 x 8.
  auto no_memory = kernel(10);
  no_memory.phases[0].warp.global_load = {};
  CHECK(ns(rivals::hong_kim(no_memory, fast).time) == Approx(768));
}

TEST_CASE("R3 Triton: max(compute, load) + store", "[rivals]") {
  // 10 blocks of 8 warps: all 40 sub-cores busy: 768 ns. Bandwidth (0.95 x 10/32) x 10 = 2.96875 B/ns, L2
  // four times that. Load (10,000 + 0.2 x 30,000) / 2.96875 + 24,000 / 11.875 = 5389.47 + 2021.05. Store 6000
  // / (0.6 x 2.96875) = 3368.42.
  const auto p = rivals::triton(kernel(10), round_device());
  CHECK(ns(p.bounds[0].time) == Approx(768));
  CHECK(ns(p.bounds[1].time) == Approx(7410.526).epsilon(1e-6));
  CHECK(ns(p.bounds[2].time) == Approx(3368.421).epsilon(1e-6));
  CHECK(ns(p.time) == Approx(7410.526 + 3368.421).epsilon(1e-6));
  CHECK(p.limiter == "load");
  // 2 blocks of 2 warps: 4 of 40 sub-cores, so a tenth of 1280 FMAs.
  auto small = kernel(2);
  small.launch.threads = 64;
  CHECK(ns(rivals::triton(small, round_device()).bounds[0].time) == Approx(small.fma_executed / 128));
  // More blocks than 32 and than SMs: the whole bandwidth, here with 40 SMs of which 36 have one.
  auto wide = round_device();
  wide.sm_count.set(40);
  auto many = kernel(36);
  CHECK(ns(rivals::triton(many, wide).bounds[2].time) == Approx(6000 / (0.6 * 10 * (0.95 + 0.05 * 0.5))));
}

TEST_CASE("R4 Origami: a tile's latency times the waves", "[rivals]") {
  // A tile: FMAs 96 x 8 x 32 / 128 = 192 ns a trip. Loads of 10 SMs: 40,960 B: 409.6 ns of L2; a quarter
  // misses: 1024 + 500 ns of DRAM. 1524 + 3 x 1524 + 192.
  auto k = kernel(25);
  CHECK(ns(rivals::origami(k, round_device()).time) == Approx(3 * (4 * 1524 + 192)));  // three waves
  CHECK(rivals::origami(k, round_device()).limiter == "memory");
  // An epilogue that stores 100 B a block: 1000 B of ten blocks at 10 B/ns.
  Phase epilogue;
  epilogue.role = PhaseRole::epilogue;
  epilogue.stored = Bytes{100};
  k.phases.push_back(epilogue);
  CHECK(ns(rivals::origami(k, round_device()).time) == Approx(3 * (4 * 1524 + 192 + 100)));
  // 6000 FFMAs: 12,000 ns a trip hide the loads but the first.
  k.phases[0].warp.ffma = 6000;
  CHECK(ns(rivals::origami(k, round_device()).time) == Approx(3 * (1524 + 4 * 12000 + 100)));
  CHECK(rivals::origami(k, round_device()).limiter == "compute");
  // 5 blocks: half the bytes at a time.
  CHECK(ns(rivals::origami(kernel(5), round_device()).time) == Approx(4 * (512 + 500) + 192));
}

TEST_CASE("rivals: a profile without what they read and a block that does not fit are told", "[rivals]") {
  CHECK(rivals::rivals().size() == 4);
  DeviceProfile empty;
  for (const auto& rival : rivals::rivals()) {
    INFO(rival.name);
    CHECK_THROWS_AS(rival.predict(kernel(1), empty), UnavailableError);
  }
  auto large = kernel(1);
  large.launch.shared = Bytes{1e6};
  CHECK_THROWS_AS(rivals::hong_kim(large, round_device()), InputError);
  CHECK_THROWS_AS(rivals::origami(large, round_device()), InputError);
}
