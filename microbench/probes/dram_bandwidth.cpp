// DRAM bandwidth over bytes in flight: the same bytes from several shapes (warps x loads a thread), the best
// shape of each number of bytes makes the curve.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "microbench/stream_bench.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

struct Series {
  std::vector<StreamShape> shapes;
  std::vector<std::vector<double>> samples;  // bytes/s
};

std::vector<int> warp_steps(int most, bool quick) {
  std::vector<int> steps = quick ? std::vector<int>{1, 2, 4, 8, 16, 32, 64}
                                 : std::vector<int>{1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 40, 48, 64};
  std::erase_if(steps, [&](int warps) { return warps > most; });
  return steps;
}

std::vector<StreamShape> shapes_of(StreamMode mode, bool fenced, int most_warps, bool quick) {
  std::vector<StreamShape> shapes;
  for (int loads : {1, 2, 4, 8}) {
    for (int warps : warp_steps(most_warps, quick)) {
      shapes.push_back({mode, loads, warps, warps > 32 ? 2 : 1, 0, fenced});
    }
  }
  return shapes;
}

// Repeats outside, shapes inside: a drift of the clock touches all shapes alike.
Series sweep(StreamBench& bench, std::vector<StreamShape> shapes, int repeats, double seconds) {
  std::erase_if(shapes, [&](const StreamShape& shape) { return !bench.fits(shape); });
  Series series{std::move(shapes), {}};
  series.samples.resize(series.shapes.size());
  bench.run(series.shapes.back(), 2e-3);  // leaves L2 as this kind of stream leaves it
  for (int r = 0; r < repeats; ++r) {
    for (std::size_t i = 0; i < series.shapes.size(); ++i) {
      series.samples[i].push_back(bench.run(series.shapes[i], seconds).bytes_per_s);
    }
  }
  return series;
}

ProbeCurve best_over_bytes(const Series& series, int sms, std::string key, std::string method) {
  std::map<double, std::size_t> best;
  for (std::size_t i = 0; i < series.shapes.size(); ++i) {
    const double bytes = series.shapes[i].bytes_in_flight(sms);
    const auto [at, added] = best.try_emplace(bytes, i);
    if (!added && median(series.samples[i]) > median(series.samples[at->second])) at->second = i;
  }
  ProbeCurve curve{std::move(key), std::move(method), {}, {}};
  for (const auto& [bytes, i] : best) {
    curve.x.push_back(bytes);
    curve.samples.push_back(series.samples[i]);
  }
  return curve;
}

std::vector<double> repeat_of(const ProbeCurve& curve, std::size_t repeat) {
  std::vector<double> y;
  for (const auto& samples : curve.samples)
    y.push_back(samples[repeat]);
  return y;
}

// One curve for each number of accesses a thread, with all samples: goes to the raw samples.
void append_raw(const Series& series, const std::string& key, ProbeResult& result) {
  std::map<int, ProbeCurve> curves;
  for (std::size_t i = 0; i < series.shapes.size(); ++i) {
    const StreamShape& shape = series.shapes[i];
    ProbeCurve& curve = curves[shape.loads];
    curve.key = fmt::format("{}_{}_accesses", key, shape.loads);
    curve.method = "bytes/s over warps per SM";
    curve.x.push_back(shape.warps_per_sm);
    curve.samples.push_back(series.samples[i]);
  }
  for (auto& [loads, curve] : curves)
    result.curves.push_back(std::move(curve));
}

}  // namespace

ProbeResult probe_dram_bandwidth(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  const std::size_t footprint = std::max(8 * gpu.l2_bytes, std::size_t{1} << 30);
  if (2 * footprint > gpu.dram_bytes / 10 * 8) {
    return {{}, {}, {}, fmt::format("needs 2 x {} MiB of device memory (8 x L2)", footprint >> 20)};
  }
  StreamBench bench(context, footprint, true);
  const int repeats = context.quick ? 3 : 7;
  const double seconds = context.quick ? 0.5e-3 : 1e-3;
  const int most_warps = gpu.max_threads_per_sm / 32;
  const std::string common = fmt::format(
      "persistent blocks past L1 (.cg, 16-byte accesses) over {} MiB of random data, {:.1f} ms each, "
      "best of the shapes (warps x accesses a thread) of the same bytes in flight",
      footprint >> 20, seconds * 1e3);
  ProbeResult result;

  const Series reads =
      sweep(bench, shapes_of(StreamMode::read, false, most_warps, context.quick), repeats, seconds);
  const ProbeCurve read = best_over_bytes(reads, gpu.sm_count, "dram_read_over_bytes_in_flight", common);
  ProbeValue plateau_read{
      "dram_read_bytes_per_s", "plateau of dram_read_over_bytes_in_flight: " + common, {}};
  const std::string crossing = " of the plateau of each repeat, by monotone interpolation in log2(bytes): ";
  ProbeValue v95{"v_s_95_bytes", "bytes in flight at 95 %" + crossing + common, {}};
  ProbeValue v99{"v_s_99_bytes", "bytes in flight at 99 %" + crossing + common, {}};
  for (int r = 0; r < repeats; ++r) {
    const std::vector<double> y = repeat_of(read, static_cast<std::size_t>(r));
    const double top = plateau(y);
    plateau_read.samples.push_back(top);
    if (const auto x = x_at_level(read.x, y, 0.95 * top)) v95.samples.push_back(*x);
    if (const auto x = x_at_level(read.x, y, 0.99 * top)) v99.samples.push_back(*x);
  }
  result.values = {plateau_read};
  for (const ProbeValue& value : {v95, v99}) {
    if (!value.samples.empty()) {
      result.values.push_back(value);
    } else {
      result.reason = value.key + ": the curve does not cross that level";
    }
  }
  result.curves.push_back(read);
  append_raw(reads, "dram_read_over_warps", result);

  std::vector<StreamShape> fewer;
  for (int sms : {1, 2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128, 144}) {
    if (sms < gpu.sm_count) fewer.push_back({StreamMode::read, 4, 32, 1, sms});
  }
  fewer.push_back({StreamMode::read, 4, 32, 1});
  const Series active = sweep(bench, fewer, repeats, seconds);
  ProbeCurve over_sms{
      "dram_read_over_active_sms", "32 warps of 4 x 16 bytes on each active SM", {}, active.samples};
  for (const StreamShape& shape : active.shapes) {
    over_sms.x.push_back(shape.active_sms > 0 ? shape.active_sms : gpu.sm_count);
  }
  result.curves.push_back(over_sms);

  const Series fenced =
      sweep(bench, shapes_of(StreamMode::write, true, most_warps, context.quick), repeats, seconds);
  result.curves.push_back(best_over_bytes(fenced, gpu.sm_count, "dram_write_over_bytes_in_flight",
                                          "each warp fences (__threadfence) after its stores; " + common));

  append_raw(fenced, "dram_write_fenced_over_warps", result);

  for (const StreamMode mode : {StreamMode::write, StreamMode::copy}) {
    std::vector<StreamShape> shapes;
    for (int warps : {8, 16, 32, 64}) {
      for (int loads : {2, 4}) {
        if (warps <= most_warps) shapes.push_back({mode, loads, warps, warps > 32 ? 2 : 1});
      }
    }
    const Series series = sweep(bench, shapes, repeats, seconds);
    const auto best = std::max_element(series.samples.begin(), series.samples.end(),
                                       [](const auto& a, const auto& b) { return median(a) < median(b); });
    const StreamShape& shape = series.shapes[static_cast<std::size_t>(best - series.samples.begin())];
    result.values.push_back({mode == StreamMode::write ? "dram_write_bytes_per_s" : "dram_copy_bytes_per_s",
                             fmt::format("best shape, {} warps a SM x {} accesses a thread, no fence: {}",
                                         shape.warps_per_sm, shape.loads, common),
                             *best});
    append_raw(series, mode == StreamMode::write ? "dram_write_over_warps" : "dram_copy_over_warps", result);
  }
  return result;
}

}  // namespace tilecast
