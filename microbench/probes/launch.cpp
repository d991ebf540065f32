// The floor of a launch: empty kernels one behind the other, in a stream and in a graph, and of whole grids.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "kernels/runtime/driver.hpp"
#include "kernels/runtime/timing.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

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

// Grids of a kernel that only reads its parameters, as nodes of a replayed graph.
class GridBench {
 public:
  explicit GridBench(const ProbeContext& context, int replays)
      : context_(context),
        reads_(load_probe(context, {"probes/launch.cu", "reads_parameters", {}})),
        stores_(load_probe(context, {"probes/launch.cu", "stores", {}})),
        output_(static_cast<std::size_t>(context.gpu.info().sm_count) * typical_threads * sizeof(float)) {
    options_.replays = replays;
  }

  static constexpr int typical_threads = 256;

  // Seconds, one value a replay.
  std::vector<double> reading(int blocks_per_sm, int threads, std::int64_t shared_bytes = 0) {
    return samples(reads_, on_all_sms(reads_, blocks_per_sm, threads, shared_bytes));
  }
  std::vector<double> storing() { return samples(stores_, on_all_sms(stores_, 1, typical_threads, 0)); }
  // In clusters of so many blocks, as many as there are whole clusters for at one block a SM.
  std::vector<double> in_clusters(int blocks) {
    LaunchPlan plan = on_all_sms(reads_, 1, typical_threads, 0);
    plan.cluster_x = blocks;
    plan.grid_x = plan.grid_x / blocks * blocks;
    return samples(reads_, plan);
  }

 private:
  LaunchPlan on_all_sms(const ProbeKernel& kernel, int blocks_per_sm, int threads,
                        std::int64_t shared_bytes) const {
    const std::int64_t blocks = static_cast<std::int64_t>(context_.gpu.info().sm_count) * blocks_per_sm;
    return probe_plan(kernel, {blocks, threads, shared_bytes}, LoopParams{0, 0x7fffffffU});
  }
  std::vector<double> samples(const ProbeKernel& kernel, const LaunchPlan& plan) {
    const std::uint64_t tensors[] = {0, 0, output_.address()};
    return context_.gpu.time(kernel.kernel, plan, tensors, options_).samples_s;
  }

  const ProbeContext& context_;
  ProbeKernel reads_, stores_;
  DeviceBuffer output_;
  TimingOptions options_;
};

void measure_grids(const ProbeContext& context, int replays, ProbeResult& result) {
  constexpr int typical = GridBench::typical_threads;
  GridBench bench(context, replays);
  const GpuInfo& gpu = context.gpu.info();
  ProbeTable table{"launch_over_blocks_and_threads",
                   "kernels that read their parameters and leave, blocks evenly over all SMs, nodes of a "
                   "replayed CUDA graph, no shared memory",
                   {1, 2, 4, 8, 16},
                   {},
                   {}};
  for (int threads : {32, 64, 128, 256, 512, 1024}) {
    if (threads <= gpu.max_threads_per_block) table.columns.push_back(threads);
  }
  std::vector<double> one, most;  // of the typical block
  for (double blocks : table.rows) {
    for (double threads : table.columns) {
      const auto samples = bench.reading(static_cast<int>(blocks), static_cast<int>(threads));
      table.samples.push_back(samples);
      if (threads != typical) continue;
      if (blocks == table.rows.front()) one = samples;
      if (blocks == table.rows.back()) most = samples;
    }
  }
  result.tables.push_back(table);
  result.values.push_back({"launch_grid_s", "one block of 256 threads on every SM: " + table.method, one});
  // Cycles of the clock that cycles become seconds by.
  const double clock =
      context.known.sm_clock.present() ? context.known.sm_clock.get().value() : context.gpu.sm_clock_hz();
  result.values.push_back(
      {"block_dispatch_cycles",
       "slope from 1 to 16 blocks of 256 threads a SM, at the sustained SM clock: " + table.method,
       scaled(slopes(table.rows.front(), one, table.rows.back(), most), clock)});
  result.values.push_back({"store_drain_s",
                           "one block of 256 threads on every SM, with one store a thread less without",
                           slopes(0, bench.reading(1, typical), 1, bench.storing())});
  // For the raw samples only: whether shared memory makes a launch longer.
  constexpr std::int64_t much_shared = 100 * 1024;
  if (gpu.shared_per_block >= much_shared) {
    result.values.push_back({"launch_grid_shared_s",
                             "as launch_grid_s, 100 KiB of dynamic shared memory a block",
                             bench.reading(1, typical, much_shared)});
  }
  if (gpu.architecture.major < 9) return;
  ProbeCurve clusters{
      "launch_cluster_over_blocks",
      "as launch_grid_s, in clusters of so many blocks, as many blocks as make whole clusters",
      {},
      {}};
  for (const int blocks : {2, 4, 8, 16}) {
    try {
      clusters.samples.push_back(bench.in_clusters(blocks));
      clusters.x.push_back(blocks);
    } catch (const Error& error) {  // more than eight are not promised
      add_reason(result, fmt::format("launch_cluster_over_blocks with {} blocks: {}", blocks, error.what()));
    }
  }
  result.curves.push_back(std::move(clusters));
}

// The first launch of a freshly loaded kernel, and the same launch again.
void measure_first(const ProbeContext& context, int repeats, ProbeResult& result) {
  ProbeValue first{
      "launch_first_s",
      "the first launch of an empty kernel after its code was loaded, host clock from the call until "
      "the device has finished",
      {}};
  ProbeValue again{"launch_again_s", "the launch after that, measured likewise: host to device and back", {}};
  for (int r = 0; r < repeats; ++r) {
    const ProbeKernel kernel = load_probe(context, {"probes/launch.cu", "nothing", {}});
    const LaunchPlan plan = probe_plan(kernel, {1, 32}, LoopParams{});
    first.samples.push_back(seconds_of(context, kernel, plan, 1));
    again.samples.push_back(seconds_of(context, kernel, plan, 1));
  }
  result.values.push_back(std::move(first));
  result.values.push_back(std::move(again));
}

// Programmatic dependent launch: a kernel's blocks come to the SMs while the one before still runs.
void measure_dependent(const ProbeContext& context, int replays, ProbeResult& result) {
  if (context.gpu.info().architecture.major < 9) {
    add_reason(result, "programmatic dependent launch exists from compute capability 9.0 on");
    return;
  }
  const auto launch = driver().library.find<decltype(&::cuLaunchKernelEx)>("cuLaunchKernelEx");
  if (launch == nullptr) {
    add_reason(result, "programmatic dependent launch: this driver has no cuLaunchKernelEx");
    return;
  }
  const ProbeKernel kernel = load_probe(context, {"probes/launch.cu", "depends", {}});
  std::uint64_t nothing[] = {0, 0, 0};
  LoopParams params{0, 0x7fffffffU};
  void* arguments[] = {&nothing[0], &nothing[1], &nothing[2], &params};
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(context.gpu.info().sm_count);
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = GridBench::typical_threads;
  config.hStream = static_cast<CUstream>(context.gpu.stream());
  config.attrs = &attribute;
  config.numAttrs = 1;
  TimingOptions options;
  options.replays = replays;
  for (const bool early : {true, false}) {
    attribute.value.programmaticStreamSerializationAllowed = early ? 1 : 0;
    const Timing timing = time_work(
        context.gpu,
        [&] {
          check_driver(launch(&config, static_cast<CUfunction>(kernel.kernel.function()), arguments, nullptr),
                       "cuLaunchKernelEx", __FILE__, __LINE__);
        },
        options);
    result.values.push_back({early ? "launch_dependent_s" : "launch_grid_serial_s",
                             early
                                 ? "as launch_grid_s, each kernel allowed to start while the one before runs "
                                   "(programmatic stream serialisation, griddepcontrol)"
                                 : "the kernel of launch_dependent_s without that permission",
                             timing.samples_s});
  }
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
  measure_grids(context, repeats, result);
  measure_first(context, repeats, result);
  measure_dependent(context, repeats, result);
  return result;
}

}  // namespace tilecast
