// Grids of many times the blocks that fit at once, alone and in clusters: how fast they are handed out, how
// many are on an SM on average, and how many SMs clusters reach.
#include <fmt/format.h>

#include "kernels/runtime/driver.hpp"
#include "microbench/launch_reduction.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

namespace {

constexpr std::int64_t much_shared = 64 * 1024;
constexpr unsigned stay_cycles = 20000;

class DispatchBench {
 public:
  explicit DispatchBench(const ProbeContext& context)
      : context_(context),
        leaves_(load_probe(context, {"probes/launch.cu", "reads_parameters", {}})),
        stays_(load_probe(context, {"probes/launch.cu", "stays", {}})) {
    options_.replays = context.quick ? 3 : 7;
    options_.target_s = 1e-3;
  }

  // Whether the driver takes clusters of this size; else the result has the reason.
  bool takes(int cluster, ProbeResult& result) {
    try {
      time(leaves_, cluster, cluster, 32, 0, 0);
      return true;
    } catch (const Error& error) {
      add_reason(result, fmt::format("clusters of {} blocks: {}", cluster, error.what()));
      return false;
    }
  }

  // Seconds, one value a replay, of a grid whose blocks leave at once.
  std::vector<double> leaving(std::int64_t blocks, int cluster, int threads, std::int64_t shared_bytes) {
    return time(leaves_, blocks, cluster, threads, shared_bytes, 0).samples_s;
  }

  // Blocks that an SM holds on average when each stays for so many cycles.
  std::vector<double> resident(int cluster, int threads, unsigned cycles) {
    const int sms = context_.gpu.info().sm_count;
    const std::int64_t at_once =
        static_cast<std::int64_t>(stays_.kernel.resident_blocks(threads, 0)) * sms / cluster * cluster;
    const std::int64_t fewer = 4 * at_once, more = 12 * at_once;
    const Timing shorter = time(stays_, fewer, cluster, threads, 0, cycles);
    const Timing longer = time(stays_, more, cluster, threads, 0, cycles);
    return average_resident(cycles / longer.sm_clock_hz, static_cast<double>(fewer), shorter.samples_s,
                            static_cast<double>(more), longer.samples_s, sms);
  }

  // Blocks in clusters of this size that the driver says are resident at once, on the whole GPU: blocks of
  // one warp with so much shared memory.
  std::optional<double> resident_by_driver(int cluster, std::int64_t shared_bytes) {
    const auto count =
        driver().library.find<decltype(&::cuOccupancyMaxActiveClusters)>("cuOccupancyMaxActiveClusters");
    if (count == nullptr) return std::nullopt;
    const auto function = static_cast<CUfunction>(leaves_.kernel.function());
    TILECAST_DRIVER(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       static_cast<int>(shared_bytes)));
    TILECAST_DRIVER(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = static_cast<unsigned>(cluster);
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    CUlaunchConfig config{};
    config.gridDimX = static_cast<unsigned>(cluster) * 64;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = 32;
    config.sharedMemBytes = static_cast<unsigned>(shared_bytes);
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0;
    check_driver(count(&clusters, function, &config), "cuOccupancyMaxActiveClusters", __FILE__, __LINE__);
    return static_cast<double>(clusters) * cluster;
  }

 private:
  Timing time(const ProbeKernel& kernel, std::int64_t blocks, int cluster, int threads,
              std::int64_t shared_bytes, unsigned cycles) {
    stop_if_interrupted(context_);
    constexpr std::uint64_t nothing[] = {0, 0, 0};
    LaunchPlan plan = probe_plan(kernel, {blocks, threads, shared_bytes}, LoopParams{cycles, 0x7fffffffU});
    plan.cluster_x = cluster;
    return context_.gpu.time(kernel.kernel, plan, nothing, options_);
  }

  const ProbeContext& context_;
  ProbeKernel leaves_, stays_;
  TimingOptions options_;
};

ProbeTable table_of(std::string_view key, std::string method, const std::vector<int>& clusters) {
  return {std::string(key), std::move(method), {clusters.begin(), clusters.end()}, {32, 64, 128, 256}, {}};
}

void measure_leaving(const ProbeContext& context, DispatchBench& bench, const std::vector<int>& clusters,
                     std::int64_t shared_bytes, ProbeResult& result) {
  const std::vector<double> grids = {2048, 4096, 8192, 16384};
  const std::string what = shared_bytes == 0 ? "" : "_shared";
  const std::string how = fmt::format(
      "kernels that read their parameters and leave, {} KiB of dynamic shared memory a block, nodes of a "
      "replayed CUDA graph",
      shared_bytes / 1024);
  ProbeTable table =
      table_of(fmt::format("block_launch{}_over_cluster_and_threads", what),
               "seconds a block, whole GPU: slope of grids of 2048 and 16384 blocks of " + how, clusters);
  for (const double cluster : table.rows) {
    for (const double threads : table.columns) {
      ProbeCurve over_grid{
          fmt::format("grid_of_{:.0f}_threads_clusters_of_{:.0f}{}_over_blocks", threads, cluster, what),
          how,
          grids,
          {}};
      for (const double blocks : grids) {
        if (context.quick && blocks != grids.front() && blocks != grids.back()) {
          over_grid.samples.push_back({});
          continue;
        }
        over_grid.samples.push_back(bench.leaving(static_cast<std::int64_t>(blocks),
                                                  static_cast<int>(cluster), static_cast<int>(threads),
                                                  shared_bytes));
      }
      table.samples.push_back(
          slopes(grids.front(), over_grid.samples.front(), grids.back(), over_grid.samples.back()));
      result.curves.push_back(std::move(over_grid));
    }
  }
  result.tables.push_back(std::move(table));
}

void measure_staying(const ProbeContext& context, DispatchBench& bench, const std::vector<int>& clusters,
                     ProbeResult& result) {
  for (const unsigned cycles : {stay_cycles, stay_cycles / 4}) {
    ProbeTable table = table_of(
        cycles == stay_cycles ? "resident_blocks_over_cluster_and_threads"
                              : "resident_blocks_of_shorter_stay_over_cluster_and_threads",
        fmt::format(
            "blocks that stay for {} cycles by clock64: that time over the slope of grids of 4 and 12 "
            "times the blocks that fit at once, nodes of a replayed CUDA graph",
            cycles),
        clusters);
    for (const double cluster : table.rows) {
      for (const double threads : table.columns)
        table.samples.push_back(bench.resident(static_cast<int>(cluster), static_cast<int>(threads), cycles));
    }
    result.tables.push_back(std::move(table));
    if (context.quick) return;
  }
}

// How many blocks in clusters the driver says are resident at once: by how many fit on an SM.
void measure_room(const GpuInfo& gpu, DispatchBench& bench, const std::vector<int>& clusters,
                  ProbeResult& result) {
  constexpr int most_fit = 8;  // more than that an SM does not hold of clusters' blocks (FINDINGS.md)
  const std::string count = "a count: cuOccupancyMaxActiveClusters times their blocks, one warp each, ";
  ProbeCurve reached{"cluster_sms_over_blocks", count + "shared memory for one block an SM", {}, {}};
  ProbeTable room{"cluster_blocks_over_cluster_and_fit",
                  count + "shared memory so that so many fit on an SM",
                  {},
                  {},
                  {}};
  // For the raw samples only: whether the driver knows how few blocks in clusters an SM holds.
  ProbeCurve small{"resident_one_warp_blocks_by_driver_over_cluster", count + "no shared memory", {}, {}};
  for (int fit = 1; fit <= most_fit; ++fit)
    room.columns.push_back(fit);
  for (const int cluster : clusters) {
    if (cluster == 1) continue;
    const auto without_shared = bench.resident_by_driver(cluster, 0);
    if (!without_shared) return add_reason(result, "the driver does not count clusters");
    small.x.push_back(cluster);
    small.samples.push_back({*without_shared});
    room.rows.push_back(cluster);
    for (int fit = 1; fit <= most_fit; ++fit) {
      const auto blocks = *bench.resident_by_driver(cluster, spread(gpu, fit, fit).dynamic_shared_bytes);
      room.samples.push_back({blocks});
      if (fit > 1) continue;
      reached.x.push_back(cluster);
      reached.samples.push_back({blocks});
    }
  }
  if (room.rows.empty()) return;
  result.curves.push_back(std::move(reached));
  result.curves.push_back(std::move(small));
  result.tables.push_back(std::move(room));
}

}  // namespace

ProbeResult probe_cluster_dispatch(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  DispatchBench bench(context);
  ProbeResult result;
  std::vector<int> clusters = {1};
  if (gpu.architecture.major >= 9) {
    for (const int cluster : {2, 4, 8, 16}) {
      if (bench.takes(cluster, result)) clusters.push_back(cluster);
    }
  }
  measure_leaving(context, bench, clusters, 0, result);
  if (gpu.shared_per_block >= static_cast<std::size_t>(much_shared)) {
    measure_leaving(context, bench, clusters, much_shared, result);
  } else {
    add_reason(result,
               "block_launch_shared_over_cluster_and_threads: a block has less than 64 KiB of shared memory");
  }
  measure_staying(context, bench, clusters, result);
  measure_room(gpu, bench, clusters, result);
  return result;
}

}  // namespace tilecast
