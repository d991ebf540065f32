#include "model/device/parameters.hpp"

#include <set>

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("parameters: every row reads back what it writes", "[device]") {
  DeviceProfile device;
  double value = 3;
  for (const auto& row : parameter_rows()) {
    CAPTURE(row.key);
    CHECK_FALSE(row.get(device).has_value());
    ParameterInfo info;
    info.low = value - 1;
    row.set(device, value, info);
    CHECK(row.get(device) == value);
    CHECK(row.info(device).low == value - 1);
    value += 2;
  }
  // Two rows on one member would have overwritten each other.
  value = 3;
  for (const auto& row : parameter_rows()) {
    CAPTURE(row.key);
    CHECK(row.get(device) == value);
    value += 2;
  }
}

TEST_CASE("parameters: keys are unique and end in their unit", "[device]") {
  std::set<std::string_view> keys;
  for (const auto& row : parameter_rows()) {
    CAPTURE(row.key);
    CHECK(keys.insert(row.key).second);
    CHECK(row.minimum < row.maximum);
    CHECK_FALSE(row.meaning.empty());
    const std::string_view ending = row.unit == "bytes"           ? "_bytes"
                                    : row.unit == "Hz"            ? "_hz"
                                    : row.unit == "cycles"        ? "_cycles"
                                    : row.unit == "bytes/s"       ? "_bytes_per_s"
                                    : row.unit == "bytes/cycle"   ? "_bytes_per_cycle"
                                    : row.unit == "FMA/cycle"     ? "_per_cycle"
                                    : row.unit == "atomics/cycle" ? "_per_cycle"
                                    : row.unit == "ratio"         ? "_ratio"
                                    : row.unit == "W"             ? "_w"
                                    : row.unit == "FMA"           ? "_fmas"
                                    : row.unit == "flops"         ? "_flops"
                                    : row.unit == "s"             ? "_s"
                                                                  : "";
    CHECK(row.key.ends_with(ending));
    CHECK((ending.empty() ? (row.unit == "count" || row.unit == "bits") && row.integer : true));
  }
}

TEST_CASE("parameters: a missing one names its key and probe", "[device]") {
  const DeviceProfile device;
  try {
    (void)device.dram_latency.get();
    FAIL("expected an error");
  } catch (const UnavailableError& error) {
    CHECK(std::string(error.what()) == "the device profile has no 'dram_latency_cycles'");
    CHECK(error.hint() == "run 'tilecast measure --only latency' on that GPU");
  }
  try {
    (void)device.dram_peak.get();
    FAIL("expected an error");
  } catch (const UnavailableError& error) {
    CHECK(error.hint() == "add it to the profile, with its source");
  }
}

TEST_CASE("parameters: source kinds have names both ways", "[device]") {
  CHECK(source_kind_names().size() == 5);
  for (const auto& name : source_kind_names())
    CHECK(source_kind_name(*source_kind_from(name)) == name);
  CHECK_FALSE(source_kind_from("guessed").has_value());
}
