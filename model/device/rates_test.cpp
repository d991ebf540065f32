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
