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
  // Few reads, in shares of a byte written (0.25 ps); below what was measured in proportion.
  CHECK(dram_turns_per_byte(d, 0.2) == Approx(0.167 * 0.25e-12));
  CHECK(dram_turns_per_byte(d, 0.225) == Approx((0.167 * 0.25e-12 + 0.25e-12) / 2));
  CHECK(dram_turns_per_byte(d, 0.03) == Approx(0.184 * 0.25e-12));
  CHECK(dram_turns_per_byte(d, 0.001) == Approx(0.041 / 2 * 0.25e-12));
  d.dram_mixed_over_read_share.x = {10, 50, 100};  // a profile that has measured fewer
  CHECK(dram_turns_per_byte(d, 0.1) == Approx(1 / 2e12 - 1 / 4e12));
  CHECK(dram_turns_per_byte(d, 0.06) == Approx(0.197 * 0.25e-12));
  CHECK(dram_turns_per_byte(d, 0) == 0);
}

TEST_CASE("rates (A5, S13): DRAM takes short pieces more slowly, by the next smaller one that was measured",
          "[device]") {
  DeviceProfile d;
  d.dram_write_over_piece_and_distance.rows = {16, 32, 128};
  d.dram_write_over_piece_and_distance.columns = {1e6, 4e6};
  d.dram_write_over_piece_and_distance.y = {0.3e12, 0.2e12, 0.9e12, 0.5e12, 0.7e12, 0.7e12};
  const auto rate = [&](std::optional<double> piece, double between, double streaming = 1e12,
                        double spread = 1) {
    return dram_write_in_pieces(d, Bandwidth{streaming}, {piece, between, spread}).value();
  };
  CHECK(rate(std::nullopt, 1e6) == 1e12);
  CHECK(rate(1 << 20, 1e6) == 1e12);
  CHECK(rate(256, 1e6) == 1e12);
  CHECK(rate(255, 1e6) == Approx(0.7e12));
  CHECK(rate(255, 1e6, 1e12, 0) == Approx(1e12));  // near each other
  CHECK(rate(255, 1e6, 1e12, 0.5) == Approx(2e12 / (1 + 1 / 0.7)));
  CHECK(rate(64, 1e6, 1e12, 0) == Approx(0.9e12));
  CHECK(rate(255, 1e6, 0.6e12) == Approx(0.6e12));
  CHECK(rate(64, 1e6) == 0.9e12);
  CHECK(rate(64, 9e6) == 0.5e12);
  CHECK(rate(20, 4e6) == 0.2e12);
  CHECK(rate(8, 4e6) == 0.2e12);
}

TEST_CASE("rates (S14): a launch's first load takes the longer the more SMs have blocks", "[device]") {
  CHECK(first_access(1).value() == Approx(28));
  CHECK(first_access(0.5).value() == Approx(28));
  CHECK(first_access(12).value() == Approx(42));
  CHECK(first_access(20).value() == Approx(56));
  CHECK(first_access(28).value() == Approx(70));
  CHECK(first_access(132).value() == Approx(70));
}
