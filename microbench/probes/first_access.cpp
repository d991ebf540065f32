// What the first global load of a launch takes beyond later ones: kernels of few dependent loads as nodes of
// a replayed graph, so that neither caches nor address translation are colder than between a layer's kernels.
#include <fmt/format.h>

#include "microbench/launch_reduction.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

constexpr std::size_t page = std::size_t{2} << 20;

// Kernels of each number of loads, whose lines lie `step` bytes apart.
struct Chains {
  std::vector<double> without_s;  // no load
  ProbeCurve time;                // s over loads
  double clock_hz = 0;
};

Chains measure_chains(const ProbeContext& context, std::string_view key, std::size_t step,
                      std::string_view what) {
  const GpuInfo& gpu = context.gpu.info();
  Chains chains;
  chains.time = {
      std::string(key),
      fmt::format("one warp on every SM, each with dependent 8-byte loads of lines of its own, {}, "
                  "nodes of a replayed CUDA graph",
                  what),
      {1, 2, 4, 8},
      {}};
  // Line k of a block holds the address of its line k + 1.
  const auto lines = static_cast<std::size_t>(chains.time.x.back());
  DeviceBuffer memory((lines + 1) * step + static_cast<std::size_t>(gpu.sm_count) * 128);
  std::vector<std::uint64_t> host(memory.bytes() / 8);
  for (std::size_t k = 0; k < lines; ++k) {
    for (std::size_t block = 0; block < static_cast<std::size_t>(gpu.sm_count); ++block)
      host[(k * step + block * 128) / 8] = memory.address() + (k + 1) * step + block * 128;
  }
  memory.upload(host.data(), host.size() * 8);
  TimingOptions options;
  options.replays = context.quick ? 5 : 15;
  const std::uint64_t tensors[] = {memory.address(), 0, 0};
  std::vector<double> clocks;
  const auto time_of = [&](double loads) {
    stop_if_interrupted(context);
    const ProbeKernel kernel = load_probe(
        context, {"probes/launch.cu", "dependent_loads", {{"LOADS", static_cast<std::int64_t>(loads)}}});
    const LaunchPlan plan = probe_plan(kernel, {gpu.sm_count, 32}, LoopParams{0, 0x7fffffffU});
    const Timing timing = context.gpu.time(kernel.kernel, plan, tensors, options);
    clocks.push_back(timing.sm_clock_hz);
    return timing.samples_s;
  };
  chains.without_s = time_of(0);
  for (const double loads : chains.time.x)
    chains.time.samples.push_back(time_of(loads));
  chains.clock_hz = median(clocks);
  return chains;
}

}  // namespace

ProbeResult probe_first_access(const ProbeContext& context) {
  const auto sms = static_cast<std::size_t>(context.gpu.info().sm_count);
  Chains near = measure_chains(context, "launch_over_loads", sms * 128, "side by side");
  // For the raw samples only: whether each page has a first access.
  Chains apart =
      measure_chains(context, "launch_over_loads_of_other_pages", page, "each load in another 2 MiB");
  const int loads = static_cast<int>(near.time.x.back());
  const auto first = [&](std::string key, const Chains& chains) {
    return ProbeValue{std::move(key),
                      "kernel with one load less the one without, less a seventh of what seven more add: " +
                          chains.time.method,
                      first_beyond_later(chains.without_s, chains.time.samples.front(),
                                         chains.time.samples.back(), loads, chains.clock_hz)};
  };
  ProbeResult result;
  result.values.push_back(first("first_access_cycles", near));
  result.values.push_back({"launch_without_loads_s", "likewise without a load: " + near.time.method,
                           near.without_s});  // raw samples only
  result.values.push_back(first("first_access_of_other_pages_cycles", apart));
  result.curves.push_back(std::move(near.time));
  result.curves.push_back(std::move(apart.time));
  return result;
}

}  // namespace tilecast
