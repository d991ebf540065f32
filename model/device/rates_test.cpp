#include "model/device/rates.hpp"

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("rates: what was measured, else the datasheet's", "[device]") {
  DeviceProfile d;
  CHECK_THROWS_AS(sm_clock_of(d), UnavailableError);
  CHECK_THROWS_AS(dram_read_of(d), UnavailableError);
  d.boost_clock.set(Frequency{2e9});
  d.dram_peak.set(Bandwidth{5e12});
  CHECK(sm_clock_of(d) == Frequency{2e9});
  CHECK(dram_read_of(d) == Bandwidth{5e12});
  CHECK(dram_write_of(d) == Bandwidth{5e12});
  d.sm_clock.set(Frequency{1.9e9});
  d.dram_read.set(Bandwidth{4.5e12});
  d.dram_write.set(Bandwidth{4.4e12});
  CHECK(sm_clock_of(d) == Frequency{1.9e9});
  CHECK(dram_read_of(d) == Bandwidth{4.5e12});
  CHECK(dram_write_of(d) == Bandwidth{4.4e12});
}

TEST_CASE("rates (A5): DRAM takes longer for a byte where it reads and writes in turn", "[device]") {
  DeviceProfile d;
  d.dram_peak.set(Bandwidth{5e12});
  CHECK(dram_turns_per_byte(d, 0.5) == 0);
  d.dram_read.set(Bandwidth{4e12});
  d.dram_write.set(Bandwidth{4e12});
  d.dram_mixed_over_read_share.x = {25, 50, 100};
  d.dram_mixed_over_read_share.y = {2e12, 3.2e12, 4e12};
  CHECK(dram_turns_per_byte(d, 1) == Approx(0).margin(1e-20));
  CHECK(dram_turns_per_byte(d, 0.5) == Approx(1 / 3.2e12 - 1 / 4e12));
  CHECK(dram_turns_per_byte(d, 0.25) == Approx(0.25e-12));
  CHECK(dram_turns_per_byte(d, 0.1) == Approx(0.1e-12));  // in proportion: nothing where only written
  CHECK(dram_turns_per_byte(d, 0) == 0);
}
