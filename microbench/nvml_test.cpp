#include "microbench/nvml.hpp"

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

namespace tilecast {

TEST_CASE("nvml: a summary holds what was told, and every reason but idleness") {
  const NvmlSample samples[] = {
      {1.98e9, 3.2e9, 400, 50, 1},               // idle: before the load began
      {1.98e9, std::nullopt, 600, 51, 4},        // power cap
      {1.9e9, 3.2e9, std::nullopt, 52, 4 | 32},  // and thermal
      {},
  };
  const NvmlSummary summary = summarise_nvml(samples);
  CHECK(summary.sm_clock_hz == std::vector<double>{1.98e9, 1.98e9, 1.9e9});
  CHECK(summary.memory_clock_hz == std::vector<double>{3.2e9, 3.2e9});
  CHECK(summary.power_w == std::vector<double>{400, 600});
  CHECK(summary.temperature_c.size() == 3);
  CHECK(summary.event_reasons == (4U | 32U));
}

TEST_CASE("nvml: nothing told is nothing, and only idleness is no reason at all") {
  CHECK_FALSE(summarise_nvml({}).event_reasons);
  const NvmlSample idle[] = {{std::nullopt, std::nullopt, std::nullopt, std::nullopt, 1}};
  CHECK(summarise_nvml(idle).event_reasons == 0U);
}

TEST_CASE("nvml: a GPU that is not there is told so") {
  CHECK_THROWS_AS(Nvml("GPU-00000000-0000-0000-0000-000000000000"), UnavailableError);
}

}  // namespace tilecast
