// The floor of a launch: empty kernels one behind the other, in a stream and in a graph.
#include <chrono>

#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

namespace {

double seconds_of(const ProbeContext& context, const ProbeKernel& kernel, const LaunchPlan& plan,
                  int launches) {
  constexpr std::uint64_t nothing[] = {0, 0, 0};
  context.gpu.synchronize();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i)
    context.gpu.launch(kernel.kernel, plan, nothing);
  context.gpu.synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ProbeResult probe_launch(const ProbeContext& context) {
  constexpr int few = 100, many = 1100;
  const int repeats = context.quick ? 5 : 15;
  const ProbeKernel kernel = load_probe(context, {"probes/launch.cu", "nothing", {}});
  const LaunchPlan plan = probe_plan(kernel, {1, 32}, LoopParams{});
  seconds_of(context, kernel, plan, many);
  ProbeValue stream{"launch_stream_s",
                    "empty kernels of one block back to back in a stream, host clock, slope of 100 and 1100 "
                    "launches; what the host needs to prepare a launch is in it",
                    {}};
  for (int r = 0; r < repeats; ++r) {
    const double shorter = seconds_of(context, kernel, plan, few);
    stream.samples.push_back(slope(few, shorter, many, seconds_of(context, kernel, plan, many)));
  }
  constexpr std::uint64_t nothing[] = {0, 0, 0};
  TimingOptions options;
  options.replays = repeats;
  const Timing graph = context.gpu.time(kernel.kernel, plan, nothing, options);
  ProbeResult result;
  result.values = {
      stream,
      {"launch_graph_s", "empty kernels of one block as nodes of a replayed CUDA graph, one value a replay",
       graph.samples_s}};
  return result;
}

}  // namespace tilecast
