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
    // The code is stepped through, not counted; its registers are known.
    const auto kernel = simulator.description(jobs[0]);
    CHECK(kernel.code == CodeSource::estimated);
    CHECK(kernel.launch.registers !=
          describe_kernel(*jobs[0].family, layer, jobs[0].config, device, CodeSource::estimated)
              .launch.registers);
  } catch (const UnavailableError& error) {
    WARN("skipped: " << error.what());
  }
}

// A block's warps walk the filter's rows and columns in one loop, a barrier only at its rounds, and are in
// different trips when some are left out.
TEST_CASE("kernel simulator: warps that meet in some trips of a loop still meet when trips are left out") {
  const auto device = load_device("h200");
  const auto& family = family_by_name("chang_multi");
  const ConvShape shape{.N = 1, .C = 256, .H = 112, .W = 112, .M = 64, .K = 3};
  try {
    const KernelSimulator simulator(device);
    bool found = false;
    for (const auto& config : family.configs(shape, device)) {
      if (describe_config(config) != "S_bytes=32 M_tile=40 Wx_tile=32") continue;
      found = true;
      const SimulationJob job{&family, shape, config};
      const auto fast = simulator.simulate(job, {});
      const auto full = simulator.simulate(job, {.extrapolate = false});
      CHECK(fast.sm.skipped_trips > 0);
      CHECK(fast.prediction.time.value() == Approx(full.prediction.time.value()).epsilon(0.1));
    }
    CHECK(found);
  } catch (const UnavailableError& error) {
    WARN("skipped: " << error.what());
  }
}
