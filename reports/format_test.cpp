#include "reports/format.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("format_time: three digits and the unit that fits", "[reports]") {
  CHECK(format_time(Seconds{12.34e-6}) == "12.3 µs");
  CHECK(format_time(Seconds{999.7e-6}) == "1.00 ms");
  CHECK(format_time(Seconds{1.5e-9}) == "1.50 ns");
  CHECK(format_time(Seconds{2.0}) == "2.00 s");
}

TEST_CASE("format_significant: never in exponents", "[reports]") {
  CHECK(format_significant(1234567) == "1230000");
  CHECK(format_significant(0.012345) == "0.0123");
  CHECK(format_significant(999.7) == "1000");
  CHECK(format_significant(9.996) == "10.0");
  CHECK(format_significant(-0.5) == "-0.500");
  CHECK(format_significant(0) == "0");
}

TEST_CASE("format: bytes in powers of 1024, ratios in percent", "[reports]") {
  CHECK(format_binary_bytes(Bytes{233472}) == "228 KiB");
  CHECK(format_binary_bytes(Bytes{50.0 * 1024 * 1024}) == "50.0 MiB");
  CHECK(format_percent(0.1234) == "12.3 %");
  CHECK(format_signed_percent(0.1234) == "+12.3 %");
  CHECK(format_signed_percent(-0.05) == "-5.0 %");
}

TEST_CASE("time_unit: microseconds until a tenth of a second", "[reports]") {
  CHECK(time_unit(Seconds{2e-3}).plain == "µs");
  CHECK(time_unit(Seconds{2.0}).base_units == 1e-3);
}
