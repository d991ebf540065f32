// Later waves of blocks and tails, with the paces that were seen (A20).

#include <cmath>
#include <vector>

#include "model/analytic/code_wave.hpp"
#include "model/analytic/paced_test_kernel.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;
using namespace tilecast::analytic::paced;

TEST_CASE("later waves (A20): blocks come out of step, which S18's are", "[analytic]") {
  auto k = kernel();
  const auto waits = [&](double ends_apart, double before, double count) {
    const std::vector<CorePace> seen{{1, 1000, 1000, 0}, {2, 1750, 1750, ends_apart}};
    k.core_paces = seen;
    const auto wave = code_wave(k, of(2), {}, machine, all_enabled());
    return coming_apart(wave, before, count, all_enabled()).paced->of_waits;
  };
  // At 1750 cycles two blocks wait 400 * 400 / (1750 - 400) = 118.5 at the scheduler and as long at the pipe:
  // 750 are 3.16 times both.
  const double in_step = 750 / (2 * 400.0 * 400 / 1350);
  CHECK(waits(0, 0, 1) == Approx(in_step));
  // One wave behind three: 2 (sqrt(4.5) - sqrt(3.5)) of what is beyond 1.
  const double left = 2 * (std::sqrt(4.5) - std::sqrt(3.5));
  CHECK(waits(0, 3, 1) == Approx(1 + left * (in_step - 1)));
  // Ends evenly apart are 875 cycles; half of that is half in step.
  CHECK(waits(437.5, 3, 1) == Approx(1 + (1 + left) / 2 * (in_step - 1)));
  CHECK(waits(875, 3, 1) == Approx(in_step));
}

TEST_CASE("later waves (A20): stores of blocks that come out of step wait less for each other",
          "[analytic]") {
  // Four blocks of 1000 cycles, of which each has DRAM for 100: (t - 1000) (t - 300) = s 100 * 300.
  auto wave = four_blocks();
  wave.paced = PacedWaits{.of_waits = 0};
  wave.all.dram = Seconds{0.4e-6};
  const auto cycles = [&](double before, double count) {
    const auto apart = coming_apart(wave, before, count, all_enabled());
    return 1e9 * wave_time(wave.all, apart, Seconds{}, all_enabled()).value();
  };
  const auto with = [](double s) { return 650 + std::sqrt(350 * 350 + s * 30'000); };
  CHECK(cycles(3, 1) == Approx(with(1)));  // what is read: as in step
  const double left = 2 * (std::sqrt(4.5) - std::sqrt(3.5));
  wave.all.dram_writes = wave.all.dram;
  CHECK(cycles(0, 1) == Approx(with(1)));
  CHECK(cycles(3, 1) == Approx(with(left)));
  wave.all.dram_writes = Seconds{0.1e-6};  // a quarter
  CHECK(cycles(3, 1) == Approx(with(1 - 0.25 * (1 - left))));
  // L2's share, where L2 is the busiest.
  wave.all.l2 = Seconds{0.4e-6};
  wave.all.dram = wave.all.dram_writes = Seconds{};
  wave.all.l2_stores = Seconds{0.2e-6};
  CHECK(cycles(3, 1) == Approx(with(1 - 0.5 * (1 - left))));
  // Where the paces are not known as well: (t - 1000) (t - 300) = s 100 * 300 for four at the scheduler's 0.
  wave.paced.reset();
  CHECK(cycles(3, 1) == Approx(with(1 - 0.5 * (1 - left))));
  wave.blocks_per_sm = 1;  // waits for nobody
  CHECK(cycles(3, 1) == Approx(1000));
}

TEST_CASE("later waves (A20): blocks that come in twos wait as the pairs before them", "[analytic]") {
  const auto k = kernel();
  const auto pairs = code_wave(k, of(2), {}, machine, all_enabled());
  const auto tail = code_wave(k, of(1), {}, machine, all_enabled());
  REQUIRE(pairs.paced);
  CHECK(tail.paced->of_waits == 0);  // a block alone waits for none
  const double together = 1000 + 1000.0 / 3, waits = 2 * 400 * 400 / (together - 400);
  CHECK(pairs.paced->of_waits == Approx((together - 1000) / waits));
  // t = 1000 + p 400 x 400 / (t - 400): the pipe has them alone.
  const double p = pairs.paced->of_waits, t = 700 + std::sqrt(300 * 300 + 160000 * p);
  CHECK(crowded_time(tail.all, tail, pairs.paced, Seconds{}, all_enabled()).value() == Approx(t * 1e-9));
}

TEST_CASE("waves (A20): blocks wait for each other beyond the SM, also where its pipe is busier",
          "[analytic]") {
  // Four blocks of 1000 cycles, of which each has the pipe for 125. Nothing in the core is waited for.
  auto wave = four_blocks();
  wave.all.pipe = Seconds{0.5e-6};
  wave.paced = PacedWaits{.of_waits = 0};
  const auto cycles = [&] { return 1e9 * wave_time(wave.all, wave, Seconds{}, all_enabled()).value(); };
  CHECK(cycles() == Approx(1000));
  // DRAM has 100 for each: (t - 1000) (t - 300) = 100 * 300.
  const double t = 650 + std::sqrt(350 * 350 + 30'000);
  wave.all.dram = Seconds{0.4e-6};
  CHECK(cycles() == Approx(t));
  // L2 beside it is no further queue.
  wave.all.l2 = Seconds{0.3e-6};
  CHECK(cycles() == Approx(t));
  // The busiest of all is the least time.
  wave.all.dram = Seconds{2e-6};
  CHECK(cycles() > 2000);
  CHECK(cycles() < 2300);
}
