// How much of what was read before is still in L2: sweeps over a footprint, then loads of single lines, each
// timed and counted as hit or miss by a threshold between loads known to hit and loads known to miss.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "microbench/footprints.hpp"
#include "microbench/memory_reduction.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"
#include "model/support/statistics.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast {

namespace {

constexpr unsigned most_samples_per_sm = 64, sweep_passes = 10;

// Who loads the lines afterwards: any SM any line, each SM those that it read itself, or those that another
// one read.
enum class Sampled { all, own, others };

class CapacityBench {
 public:
  CapacityBench(const ProbeContext& context, std::size_t bytes)
      : context_(context),
        blocks_(static_cast<std::size_t>(context.gpu.info().sm_count)),
        data_(bytes),
        arrived_(sizeof(unsigned long long)),
        samples_(static_cast<unsigned>(std::min<std::size_t>(
            most_samples_per_sm, context.gpu.info().l2_bytes / 8 / line_bytes / blocks_))),
        cycles_(blocks_ * samples_ * sizeof(unsigned)),
        kernel_(load_probe(context, {"probes/l2_capacity.cu", "l2_residency", {}})) {
    fill_random(context, data_, 0x51ed270bU);
    arrived_.fill32(0);
  }

  unsigned samples() const { return samples_; }

  // Down to whole lines for each block.
  std::size_t rounded(std::size_t bytes) const {
    return bytes / (blocks_ * line_bytes) * (blocks_ * line_bytes);
  }

  void sweep(std::size_t offset, std::size_t bytes) { run(offset, bytes, 1, 0, 0, Sampled::all, 0); }

  // Cycles of the loads after `passes` over the first `bytes`, each by the same SM or by another one each
  // time.
  std::vector<double> sample(std::size_t bytes, unsigned passes, bool another_each_pass, Sampled sampled,
                             unsigned seed) {
    // 37 is coprime to the number of SMs of every GPU in use, and far enough to reach other parts of the
    // chip.
    run(0, bytes, passes, another_each_pass ? 37 : 0, samples_, sampled, seed);
    const auto cycles = fetch<unsigned>(cycles_, blocks_ * samples_);
    return {cycles.begin(), cycles.end()};
  }

 private:
  void run(std::size_t offset, std::size_t bytes, unsigned passes, unsigned shift, unsigned samples,
           Sampled sampled, unsigned seed) {
    ResidencyParams params{};
    params.offset = offset;
    params.bytes = rounded(bytes);
    params.passes = passes;
    params.shift = shift;
    params.samples = samples;
    params.from = sampled == Sampled::all ? 0 : sampled == Sampled::own ? 1 : 1 + 37;
    params.seed = seed * 1009;
    params.never = 0;  // the data is odd
    params.arrivals = arrivals_ += blocks_;
    run_probe(context_, kernel_, spread(context_.gpu.info(), 32, 1), params, data_.address(),
              arrived_.address(), cycles_.address());
  }

  const ProbeContext& context_;
  std::size_t blocks_;
  DeviceBuffer data_, arrived_;
  unsigned samples_;  // a SM's; no line twice even in the smallest footprint
  DeviceBuffer cycles_;
  ProbeKernel kernel_;
  unsigned long long arrivals_ = 0;
};

// The latencies themselves, for the raw samples: 1 to 99 %.
ProbeCurve quantiles_of(const char* key, const char* what, const std::vector<std::vector<double>>& repeats) {
  ProbeCurve curve{key,
                   std::string("cycles with the clock reads, over the percentage of loads up to it: ") + what,
                   {},
                   {}};
  for (int percent = 1; percent < 100; percent += 2) {
    curve.x.push_back(percent);
    curve.samples.emplace_back();
    for (const auto& samples : repeats)
      curve.samples.back().push_back(quantile(samples, percent / 100.0));
  }
  return curve;
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

ProbeResult probe_l2_capacity(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  const std::size_t l2 = gpu.l2_bytes, most = 6 * l2;
  if (auto problem = memory_problem(most, usable_memory(context), "6 x L2"); !problem.empty())
    return {{}, {}, {}, std::move(problem)};
  CapacityBench bench(context, most);
  const int repeats = context.quick ? 3 : 7;
  const auto seed_of = [](int repeat) { return static_cast<unsigned>(repeat) + 1; };

  // Known to hit: an eighth of L2, read many times by other SMs. Known to miss: the same after five times L2
  // has passed.
  const std::size_t small = bench.rounded(l2 / 8);
  std::vector<std::vector<double>> hit_sets, miss_sets, other_sets;
  std::vector<double> hits, misses;
  for (int r = 0; r < repeats; ++r) {
    hit_sets.push_back(bench.sample(small, sweep_passes, true, Sampled::all, seed_of(r)));
    bench.sweep(l2 / 4, most - l2 / 4);
    miss_sets.push_back(bench.sample(small, 0, false, Sampled::all, seed_of(r)));
    bench.sweep(l2 / 4, most - l2 / 4);
    other_sets.push_back(bench.sample(small, 1, false, Sampled::others, seed_of(r)));
    append(hits, hit_sets.back());
    append(hits, other_sets.back());
    append(misses, miss_sets.back());
  }
  const HitThreshold threshold = hit_threshold(hits, misses);
  ProbeResult result;
  result.curves = {quantiles_of("l2_hit_latency_quantiles", "known to hit", hit_sets),
                   quantiles_of("l2_miss_latency_quantiles", "known to miss", miss_sets),
                   quantiles_of("l2_other_latency_quantiles", "read once before, by another SM", other_sets)};
  constexpr double tolerated = 0.02;
  if (threshold.hits_above > tolerated || threshold.misses_below > tolerated) {
    result.reason = fmt::format(
        "no threshold tells L2 hits from misses: at {:.0f} cycles {:.1f} % of the hits and {:.1f} % of the "
        "misses "
        "are on the wrong side",
        threshold.cycles, 100 * threshold.hits_above, 100 * threshold.misses_below);
    return result;
  }
  const std::string method = fmt::format(
      "{} passes over the footprint, then each SM loads {} random lines, one at a time (page loaded before, "
      ".cg); "
      "a hit takes up to {:.0f} cycles ({:.2f} % of known hits above, {:.2f} % of known misses below)",
      sweep_passes, bench.samples(), threshold.cycles, 100 * threshold.hits_above,
      100 * threshold.misses_below);

  const auto hit_rate = [&](const char* key, const char* text, bool another, Sampled sampled) {
    ProbeCurve curve{key, std::string(text) + ": " + method, {}, {}};
    for (double part : {0.125, 0.25, 0.375, 0.425, 0.45, 0.475, 0.5, 0.525, 0.55, 0.6,  0.65, 0.7, 0.75,
                        0.8,   0.85, 0.9,   0.925, 0.95, 0.975, 1.0, 1.05,  1.1,  1.25, 1.5,  2.0}) {
      const std::size_t bytes = bench.rounded(static_cast<std::size_t>(part * static_cast<double>(l2)));
      std::vector<double> samples;
      for (int r = 0; r < repeats; ++r) {
        bench.sweep(2 * l2, most - 2 * l2);  // what the other case left behind is gone
        samples.push_back(
            share_up_to(bench.sample(bytes, sweep_passes, another, sampled, seed_of(r)), threshold.cycles));
      }
      curve.x.push_back(static_cast<double>(bytes));
      curve.samples.push_back(samples);
    }
    return curve;
  };
  const ProbeCurve once =
      hit_rate("l2_hit_rate_over_footprint",
               "share of a footprint that is in L2 for the SM that read it, each line read by "
               "one SM only",
               false, Sampled::own);
  const ProbeCurve by_all =
      hit_rate("l2_hit_rate_shared_over_footprint",
               "share of a footprint that is in L2, each line read by several SMs", true, Sampled::all);
  result.curves.push_back(hit_rate("l2_hit_rate_others_over_footprint",
                                   "share of a footprint that is in L2 for an SM that did not read it, each "
                                   "line read by one SM only",
                                   false, Sampled::others));
  const auto effective = [&](const ProbeCurve& curve, const char* key) {
    const ProbeValue value{key,
                           fmt::format("footprint at which {} goes below 95 %: {}", curve.key, curve.method),
                           x_below_by_repeat(curve, 0.95)};
    if (!value.samples.empty()) {
      result.values.push_back(value);
    } else {
      add_reason(result, fmt::format("{}: the hit rate does not cross 95 %", key));
    }
  };
  effective(once, "l2_effective_bytes");
  effective(by_all, "l2_effective_shared_bytes");
  result.curves.push_back(once);
  result.curves.push_back(by_all);
  return result;
}

}  // namespace tilecast
