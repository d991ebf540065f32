#include "kernels/simulation/kernel_simulator.hpp"

#include "model/device/load.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

const ConvShape layer{.N = 1, .C = 256, .H = 14, .W = 14, .M = 256, .K = 1};

// The first feasible configs of a family.
std::vector<SimulationJob> first_jobs(std::string_view name, const DeviceProfile& device, std::size_t count) {
  const auto& family = family_by_name(name);
  std::vector<SimulationJob> jobs;
  for (const auto& config : family.configs(layer, device)) {
    if (!family.feasible(layer, config, device)) jobs.push_back({&family, layer, config});
    if (jobs.size() == count) break;
  }
  return jobs;
}

}  // namespace

TEST_CASE("kernel simulator: several threads find what one finds, and a bad job has its reason") {
  const auto device = load_device("h200");
  auto jobs = first_jobs("chang_multi", device, 2);
  jobs.push_back(jobs[0]);
  jobs.push_back({&family_by_name("chang_single"), layer, {}});  // has one channel only
  try {
    const KernelSimulator simulator(device);
    const auto several = simulator.simulate_all(jobs, 3);
    const auto one = KernelSimulator(device).simulate_all(jobs, 1);
    for (std::size_t i = 0; i < 3; ++i) {
      REQUIRE(several[i].simulation);
      CHECK(several[i].simulation->prediction.time == one[i].simulation->prediction.time);
      CHECK(several[i].problem.empty());
    }
    CHECK(several[0].simulation->prediction.time == several[2].simulation->prediction.time);
    CHECK(several[0].simulation->prediction.time != several[1].simulation->prediction.time);
    CHECK(!several[3].simulation);
    CHECK(several[3].problem.starts_with("chang_single: "));
    CHECK(simulator.description(jobs[0]).counted_from_code);
  } catch (const UnavailableError& error) {
    WARN("skipped: " << error.what());
  }
}
