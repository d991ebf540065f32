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
    std::vector<std::size_t> told;
    const auto several = simulator.simulate_all(jobs, 3, {}, [&](std::size_t done) { told.push_back(done); });
    CHECK(told == std::vector<std::size_t>{1, 2, 3, 4});
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

// 40 filters and 36 pixels in tiles of 32: the block that is read is a whole one, and each axis has a
// remainder.
TEST_CASE("kernel simulator (S9): tiles at the edge of the product are read for themselves") {
  const auto device = load_device("h200");
  const ConvShape shape{.N = 1, .C = 8, .H = 1, .W = 36, .M = 40, .K = 1};
  const Config config{{"BM", 32}, {"BN", 32},   {"BK", 8},     {"TM", 4},
                      {"TN", 4},  {"async", 0}, {"stages", 1}, {"split_k", 1}};
  try {
    const KernelSimulator simulator(device);
    const auto stream = simulator.stream({&family_by_name("implicit_gemm"), shape, config});
    CHECK(stream.stored_bytes == 32 * 32 * 4);
    REQUIRE(stream.edges.size() == 2);
    CHECK(stream.edges[0].stored_bytes == 32 * 4 * 4);  // the last pixels: blocks 2 and 3
    CHECK(stream.edges[0].holds(2));
    CHECK(!stream.edges[0].holds(1));
    CHECK(stream.edges[1].stored_bytes == 8 * 32 * 4);  // the last filters: blocks 1 and 3
    CHECK(stream.edges[1].holds(1));
    CHECK(!stream.edges[1].holds(2));
    // One tile along each axis: nothing is at an edge.
    const ConvShape one{.N = 1, .C = 8, .H = 1, .W = 20, .M = 20, .K = 1};
    CHECK(simulator.stream({&family_by_name("implicit_gemm"), one, config}).edges.empty());
  } catch (const UnavailableError& error) {
    WARN("skipped: " << error.what());
  }
}
