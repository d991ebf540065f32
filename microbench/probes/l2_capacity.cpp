// How much of what was read before is still in L2: sweeps over a footprint, then loads of single lines, each
// timed and counted as hit or miss by a threshold between loads known to hit and loads known to miss.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "microbench/memory_reduction.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

constexpr unsigned sample_count = 4096, sweep_passes = 6;
constexpr std::size_t line_bytes = 128;

class CapacityBench {
 public:
  CapacityBench(const ProbeContext& context, std::size_t bytes)
      : context_(context),
        data_(bytes),
        result_(sizeof(SampleRecord) + sample_count * sizeof(unsigned)),
        sweep_(load_probe(context, {"probes/l2_capacity.cu", "l2_sweep", {}})),
        sample_(load_probe(context, {"probes/l2_capacity.cu", "l2_sample", {}})) {
    fill_random(context, data_, 0x51ed270bU);
    result_.fill32(0);
  }

  // Rounded down so that each block has a whole number of lines; returns what is swept.
  std::size_t sweep(std::size_t offset, std::size_t bytes, unsigned passes, bool another_block_each_pass) {
    const auto blocks = static_cast<std::size_t>(context_.gpu.info().sm_count);
    SweepParams params{};
    params.offset = offset;
    params.bytes = bytes / (blocks * line_bytes) * (blocks * line_bytes);
    params.passes = passes;
    // Coprime to any number of SMs in use, and far enough to reach another part of the chip.
    params.shift = another_block_each_pass ? 37 : 0;
    params.never = 0;  // the data is odd
    run_probe(context_, sweep_, spread(context_.gpu.info(), 32, 1), params, data_.address(), 0,
              result_.address());
    return params.bytes;
  }

  // Cycles of loads of lines picked at random from the first `bytes`.
  std::vector<double> sample(std::size_t bytes, unsigned seed, int sm) {
    SampleParams params{};
    params.lines = bytes / line_bytes;
    params.samples = sample_count;
    params.seed = seed;
    params.sm = sm;
    params.turn = ++turn_;
    params.never = 0;
    const GpuInfo& gpu = context_.gpu.info();
    run_probe(context_, sample_, {gpu.sm_count * 4L, 1}, params, data_.address(), 0, result_.address());
    std::vector<unsigned char> raw(result_.bytes());
    result_.download(raw.data(), raw.size());
    SampleRecord record{};
    std::memcpy(&record, raw.data(), sizeof record);
    if (record.turn != params.turn || record.sm != static_cast<unsigned>(sm))
      throw Error(ExitCode::failure, fmt::format("no block of the samples landed on SM {}", sm));
    std::vector<unsigned> cycles(sample_count);
    std::memcpy(cycles.data(), raw.data() + sizeof record, sample_count * sizeof(unsigned));
    return {cycles.begin(), cycles.end()};
  }

 private:
  const ProbeContext& context_;
  DeviceBuffer data_, result_;
  ProbeKernel sweep_, sample_;
  unsigned turn_ = 0;
};

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

ProbeResult probe_l2_capacity(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  const std::size_t l2 = gpu.l2_bytes, most = 6 * l2;
  if (most > gpu.dram_bytes / 10 * 8) {
    return {{}, {}, {}, fmt::format("needs {} MiB of device memory (6 x L2)", most >> 20)};
  }
  CapacityBench bench(context, most);
  const int repeats = context.quick ? 3 : 7;
  const auto sm_of = [&](int repeat) { return (repeat * 19 + 1) % gpu.sm_count; };

  // Known to hit: an eighth of L2, just read. Known to miss: the same after five times L2 has passed.
  std::vector<double> hits, misses;
  for (int r = 0; r < repeats; ++r) {
    const std::size_t small = bench.sweep(0, l2 / 8, sweep_passes, true);
    append(hits, bench.sample(small, static_cast<unsigned>(r) + 1, sm_of(r)));
    bench.sweep(l2 / 8 + (1 << 21), most - l2 / 8 - (1 << 21), 1, false);
    append(misses, bench.sample(small, static_cast<unsigned>(r) + 1, sm_of(r)));
  }
  const HitThreshold threshold = hit_threshold(hits, misses);
  ProbeResult result;
  result.curves.push_back({"l2_known_latency",
                           "1: loads known to hit, 2: known to miss; cycles with the clock "
                           "reads; every 16th",
                           {1, 2},
                           {{}, {}}});
  for (std::size_t i = 0; i < hits.size(); i += 16)
    result.curves[0].samples[0].push_back(hits[i]);
  for (std::size_t i = 0; i < misses.size(); i += 16)
    result.curves[0].samples[1].push_back(misses[i]);
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
      "{} passes over the footprint, then {} loads of random lines, one at a time, by one thread of an SM "
      "that "
      "differs from repeat to repeat (page loaded before, .cg); a hit takes up to {:.0f} cycles ({:.2f} % of "
      "known hits above, {:.2f} % of known misses below)",
      sweep_passes, sample_count, threshold.cycles, 100 * threshold.hits_above, 100 * threshold.misses_below);

  const auto hit_rate = [&](const char* key, const char* text, bool another) {
    ProbeCurve curve{key, std::string(text) + ": " + method, {}, {}};
    for (double part : {0.125, 0.25, 0.375, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.1,
                        1.25, 1.5, 2.0}) {
      std::vector<double> samples;
      std::size_t bytes = 0;
      for (int r = 0; r < repeats; ++r) {
        bytes =
            bench.sweep(0, static_cast<std::size_t>(part * static_cast<double>(l2)), sweep_passes, another);
        samples.push_back(
            share_up_to(bench.sample(bytes, static_cast<unsigned>(r) + 100, sm_of(r)), threshold.cycles));
      }
      curve.x.push_back(static_cast<double>(bytes));
      curve.samples.push_back(samples);
    }
    return curve;
  };
  const ProbeCurve once =
      hit_rate("l2_hit_rate_over_footprint",
               "share of a footprint that is in L2, each line read by one SM only", false);
  const ProbeCurve by_all =
      hit_rate("l2_hit_rate_shared_over_footprint",
               "share of a footprint that is in L2, each line read by several SMs", true);
  const auto effective = [&](const ProbeCurve& curve, const char* key) {
    ProbeValue value{
        key, fmt::format("footprint at which {} goes below 95 %: {}", curve.key, curve.method), {}};
    for (int r = 0; r < repeats; ++r) {
      std::vector<double> y;
      for (const auto& samples : curve.samples)
        y.push_back(samples[static_cast<std::size_t>(r)]);
      if (const auto x = x_below(curve.x, y, 0.95)) value.samples.push_back(*x);
    }
    if (!value.samples.empty()) {
      result.values.push_back(value);
    } else {
      result.reason +=
          fmt::format("{}{}: the hit rate does not cross 95 %", result.reason.empty() ? "" : "; ", key);
    }
  };
  effective(once, "l2_effective_bytes");
  effective(by_all, "l2_effective_shared_bytes");
  result.curves.push_back(once);
  result.curves.push_back(by_all);
  return result;
}

}  // namespace tilecast
