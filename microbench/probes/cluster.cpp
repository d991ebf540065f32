// Distributed shared memory: a dependent load from the shared memory of another block of the cluster.
// Read in the sm_90 code: the loop is 16 LD.E.64, each addressed by the one before.
#include <fmt/format.h>

#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

ProbeResult probe_cluster(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  if (gpu.architecture.major < 9) {
    return {{},
            {},
            {},
            fmt::format("{} has no thread block clusters (compute capability 9.0 and above have)",
                        gpu.architecture.name())};
  }
  constexpr unsigned size = 8;  // the most that every GPU with clusters takes (CUDA C++ Programming Guide)
  const unsigned clusters = static_cast<unsigned>(gpu.sm_count) / size / (context.quick ? 4 : 1);
  const ProbeKernel kernel = load_probe(context, {"probes/cluster.cu", "cluster_chase", {}});
  DeviceBuffer result_buffer(sizeof(ClusterRecord));
  ProbeLaunch launch = spread(gpu, 4, 1, kernel.static_shared_bytes);  // one block on each SM
  launch.blocks = static_cast<std::int64_t>(clusters) * size;
  const std::string method = fmt::format(
      "one thread chases 8-byte generic addresses in the shared memory of another block, clusters of {}, one "
      "block a SM, slope of two lengths",
      size);
  ProbeValue remote{"cluster_shared_latency_cycles",
                    method + "; all pairs of a first block and another, over the clusters",
                    {}};
  ProbeCurve own{
      "cluster_own_shared_latency", "the block's own shared memory, addressed in the same way", {0}, {{}}};
  ProbeTable pairs{"cluster_shared_latency_over_cluster_and_owner",
                   method + "; column: the owner's rank, the reader is block 0",
                   {},
                   {},
                   {}};
  ProbeTable sms{"cluster_sm_over_cluster_and_rank", "SM of that block", {}, {}, {}};
  for (unsigned owner = 0; owner < size; ++owner) {
    pairs.columns.push_back(owner);
    sms.columns.push_back(owner);
  }
  for (unsigned cluster = 0; cluster < clusters; ++cluster) {
    pairs.rows.push_back(cluster);
    sms.rows.push_back(cluster);
    for (unsigned owner = 0; owner < size; ++owner) {
      const ClusterParams params{cluster, 0, owner, 256, 1280};
      LaunchPlan plan = probe_plan(kernel, launch, params);
      plan.cluster_x = size;
      const std::uint64_t addresses[] = {0, 0, result_buffer.address()};
      context.gpu.launch(kernel.kernel, plan, addresses);
      context.gpu.synchronize();
      const ClusterRecord found = fetch<ClusterRecord>(result_buffer, 1).front();
      const double cycles = slope(params.short_steps, static_cast<double>(found.short_cycles),
                                  params.long_steps, static_cast<double>(found.long_cycles));
      pairs.y.push_back(cycles);
      sms.y.push_back(static_cast<double>(found.owner_sm));
      (owner == 0 ? own.samples[0] : remote.samples).push_back(cycles);
    }
  }
  ProbeResult result;
  result.values = {remote};
  result.curves = {own};
  result.tables = {pairs, sms};
  return result;
}

}  // namespace tilecast
