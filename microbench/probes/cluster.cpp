// Clusters: a dependent load from another block's shared memory, how many bytes a cycle come from there, and
// what it costs that the blocks meet. Read in the sm_90 code: the loop of the chase is 16 LD.E.64, each
// addressed by the one before.
#include <fmt/format.h>

#include "microbench/loop_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

namespace {

// One thread after the other block's pointers.
void measure_latency(const ProbeContext& context, ProbeResult& result) {
  const GpuInfo& gpu = context.gpu.info();
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
      pairs.samples.push_back({cycles});
      sms.samples.push_back({static_cast<double>(found.owner_sm)});
      (owner == 0 ? own.samples[0] : remote.samples).push_back(cycles);
    }
  }
  result.values.push_back(std::move(remote));
  result.curves.push_back(std::move(own));
  result.tables.push_back(std::move(pairs));
  result.tables.push_back(std::move(sms));
}

const std::vector<double> sizes = {2, 4, 8, 16};  // 16 is more than is promised (8): where the GPU takes it

// What a size that the GPU does not take leaves behind.
void note_refused(std::string_view what, double blocks, const Error& error, ProbeResult& result) {
  add_reason(result, fmt::format("{} with {:.0f} blocks: {}", what, blocks, error.what()));
}

// All warps of all blocks meet, with the fences that the orders of memory ask for, or without.
void measure_barriers(const ProbeContext& context, LoopBench& bench, int repeats, ProbeResult& result) {
  constexpr int few = 8, many = 24;
  constexpr unsigned rounds = 16;
  for (const bool relaxed : {false, true}) {
    const auto kernel = [&](int body) {
      return load_probe(context,
                        {"probes/cluster.cu", "cluster_barriers", {{"BODY", body}, {"RELAXED", relaxed}}});
    };
    const ProbeKernel shorter = kernel(few), longer = kernel(many);
    for (const int warps : {8, 1, 32}) {
      ProbeCurve curve{
          fmt::format("cluster_barrier_{}{}over_blocks", relaxed ? "relaxed_" : "",
                      warps == 8 ? std::string() : fmt::format("{}_warps_", warps)),
          fmt::format("barrier.cluster.arrive.{}, barrier.cluster.wait{}, {} warp{} a block, one block a SM, "
                      "16 rounds of "
                      "8 and of 24 in a row: their difference has no loop in it; median over SMs",
                      relaxed ? "relaxed" : "release", relaxed ? "" : ".acquire", warps,
                      warps == 1 ? "" : "s"),
          {},
          {}};
      for (const double blocks : sizes) {
        const LoopWarps all(warps, warps, static_cast<int>(blocks));
        try {
          curve.samples.push_back(
              bench.cycles_in_a_row({shorter, few}, {longer, many}, all, rounds, repeats));
          curve.x.push_back(blocks);
        } catch (const Error& error) {
          note_refused(curve.key, blocks, error, result);
        }
      }
      result.curves.push_back(std::move(curve));
    }
  }
}

// Each block reads the next one's shared memory, all SMs that clusters reach at once.
void measure_reading(const ProbeContext& context, LoopBench& bench, int repeats, ProbeResult& result) {
  constexpr double bytes_a_round = 32 * 32 * 16;  // 32 loads of 16 bytes by each of a warp's 32 threads
  constexpr unsigned few = 16, many = 80;
  const ProbeKernel kernel = load_probe(context, {"probes/cluster.cu", "cluster_read", {}});
  for (const int warps : {8, 16}) {
    ProbeCurve curve{
        fmt::format("cluster_shared_read_{}over_blocks", warps == 8 ? "" : "16_warps_"),
        fmt::format("{} warps a block, one block a SM, each reads the shared memory of the next block of its "
                    "cluster (in "
                    "a cluster of one its own, addressed likewise), 16 bytes a lane side by side, four loads "
                    "in flight; "
                    "bytes a cycle and SM, slope of 16 and 80 rounds by clock64, median over SMs",
                    warps),
        {},
        {}};
    std::vector<double> blocks_of = {1};
    blocks_of.insert(blocks_of.end(), sizes.begin(), sizes.end());
    for (const double blocks : blocks_of) {
      const LoopWarps all(warps, warps, static_cast<int>(blocks));
      try {
        std::vector<double> samples = bench.cycles_a_round(kernel, all, few, many, repeats);
        for (double& sample : samples)  // so far cycles a round
          sample = warps * bytes_a_round / sample;
        curve.x.push_back(blocks);
        curve.samples.push_back(std::move(samples));
      } catch (const Error& error) {
        note_refused(curve.key, blocks, error, result);
      }
    }
    result.curves.push_back(std::move(curve));
  }
}

}  // namespace

ProbeResult probe_cluster(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  if (gpu.architecture.major < 9) {
    return {{},
            {},
            {},
            fmt::format("{} has no thread block clusters (compute capability 9.0 and above have)",
                        gpu.architecture.name())};
  }
  const int repeats = context.quick ? 3 : 9;
  LoopBench bench(context);
  ProbeResult result;
  measure_latency(context, result);
  measure_barriers(context, bench, repeats, result);
  measure_reading(context, bench, repeats, result);
  return result;
}

}  // namespace tilecast
