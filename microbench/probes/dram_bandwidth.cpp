// DRAM bandwidth over bytes in flight, by what brings the bytes: the same bytes from several shapes (warps x
// accesses of each), the best shape of each number of bytes makes the curve. Writes, copies and mixtures.
//
// Bytes in flight are nominal: a warp that keeps several accesses waits for the oldest, and the slots of
// those that have overtaken it stay empty meanwhile. Hence many warps with one access each need the fewest
// bytes, and few warps with many ("deep") or large copies the most.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "microbench/footprints.hpp"
#include "microbench/memory_reduction.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "microbench/stream_bench.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

constexpr std::array levels{0.90, 0.95, 0.99};
constexpr double kib = 1024;

// One way to have bytes in flight; `infix` names it in the keys.
struct Way {
  const char* infix;
  const char* text;
  StreamMechanism mechanism;
  std::vector<int> access_bytes, accesses;
  int least_major;  // compute capability
};

const std::array<Way, 5>& ways() {
  static const std::array<Way, 5> list{{
      {"", "16-byte loads past L1", StreamMechanism::plain, {16}, {1, 2, 4, 8}, 0},
      {"load8_", "8-byte loads past L1", StreamMechanism::plain, {8}, {1, 2, 4, 8}, 0},
      {"load4_", "4-byte loads past L1", StreamMechanism::plain, {4}, {1, 2, 4, 8, 16}, 0},
      {"cp_async_", "cp.async of 16 bytes a thread", StreamMechanism::cp_async, {16}, {1, 2, 4, 8}, 8},
      {"bulk_",
       "bulk copies (cp.async.bulk) of 512 bytes to 8 KiB, asked for by one thread of a warp",
       StreamMechanism::bulk,
       {512, 1024, 2048, 4096, 8192},
       {1, 2, 4},
       9},
  }};
  return list;
}

// Up to 96 KiB a SM. Every KiB around the knee, which lies between 16 and 32 KiB on what was measured so far.
std::vector<StreamShape> shapes_of(const Way& way, const GpuInfo& gpu, bool quick) {
  std::vector<StreamShape> shapes;
  const int most_warps = gpu.max_threads_per_sm / 32;
  for (const int bytes : way.access_bytes) {
    for (const int accesses : way.accesses) {
      for (int warps = 1; warps <= most_warps; ++warps) {
        StreamShape shape;
        shape.loads = accesses;
        shape.warps_per_sm = warps;
        shape.blocks_per_sm = warps > 32 ? 2 : 1;
        shape.mechanism = way.mechanism;
        shape.access_bytes = bytes;
        const double in_flight = shape.bytes_in_flight(1);
        const bool few = warps <= 4 || warps % 2 == 0, round = warps <= 8 || warps % 4 == 0,
                   power = (warps & (warps - 1)) == 0;
        if (warps % shape.blocks_per_sm != 0 || in_flight > 96 * kib) continue;
        // Bulk copies have five times as many shapes of the same bytes.
        const bool knee = in_flight >= 8 * kib && in_flight <= 40 * kib;
        if (quick ? !power : knee && way.access_bytes.size() == 1 ? !few : !round) continue;
        shapes.push_back(shape);
      }
    }
  }
  return shapes;
}

// Repeats outside, shapes inside: a drift of the clock touches all shapes alike.
ShapeSeries sweep(StreamBench& bench, std::vector<StreamShape> shapes, int repeats, double seconds) {
  std::erase_if(shapes, [&](const StreamShape& shape) { return !bench.fits(shape); });
  ShapeSeries series{std::move(shapes), {}};
  if (series.shapes.empty()) throw Error(ExitCode::failure, "no shape of this stream fits on an SM");
  series.samples.resize(series.shapes.size());
  bench.run(series.shapes.back(), 2e-3);  // leaves L2 as this kind of stream leaves it
  for (int r = 0; r < repeats; ++r) {
    for (std::size_t i = 0; i < series.shapes.size(); ++i) {
      series.samples[i].push_back(bench.run(series.shapes[i], seconds).bytes_per_s);
    }
  }
  return series;
}

// All samples, a curve for each size and number of accesses a thread: goes to the raw samples.
void append_raw(const ShapeSeries& series, const std::string& key, ProbeResult& result) {
  std::map<std::string, ProbeCurve> curves;
  for (std::size_t i = 0; i < series.shapes.size(); ++i) {
    const StreamShape& shape = series.shapes[i];
    const std::string name = fmt::format("{}_{}_accesses_of_{}", key, shape.loads, shape.access_bytes);
    ProbeCurve& curve = curves[name];
    curve.key = name;
    curve.method = "bytes/s over warps per SM";
    curve.x.push_back(shape.warps_per_sm);
    curve.samples.push_back(series.samples[i]);
  }
  for (auto& [name, curve] : curves)
    result.curves.push_back(std::move(curve));
}

const std::vector<double>& best_of(const ShapeSeries& series, StreamShape& shape) {
  const std::size_t best = highest_median(series.samples);
  shape = series.shapes[best];
  return series.samples[best];
}

class DramProbe {
 public:
  DramProbe(const ProbeContext& context, std::size_t footprint)
      : context_(context),
        gpu_(context.gpu.info()),
        bench_(context, footprint, 2),
        repeats_(context.quick ? 3 : 7),
        seconds_(context.quick ? 0.5e-3 : 1e-3),
        common_(fmt::format("persistent blocks over {} MiB of random data, {:.1f} ms each", footprint >> 20,
                            seconds_ * 1e3)) {}

  void reads(ProbeResult& result) {
    for (const Way& way : ways()) {
      const int major = gpu_.architecture.major;
      if (major < way.least_major) {
        add_reason(result, fmt::format("{}: needs compute capability {}.0, this GPU has {}.{}", way.text,
                                       way.least_major, major, gpu_.architecture.minor));
        continue;
      }
      const ShapeSeries series = sweep(bench_, shapes_of(way, gpu_, context_.quick), repeats_, seconds_);
      saturating(series, way.infix, fmt::format("{}, best of the shapes of the same bytes", way.text),
                 result);
      append_raw(series, fmt::format("dram_read_{}over_warps", way.infix), result);
      if (way.mechanism != StreamMechanism::plain || way.access_bytes.front() != 16) continue;
      saturating(part_of(series, [](const StreamShape& s) { return s.loads == 8; }), "deep_",
                 "few warps with eight 16-byte loads a thread, waited for in the order of their issue",
                 result);
    }
  }

  void active_sms(ProbeResult& result) {
    std::vector<StreamShape> fewer;
    const auto shape = [&](int sms) {
      StreamShape s;
      s.loads = 2;
      s.warps_per_sm = 32;
      s.active_sms = sms;
      return s;
    };
    for (int sms : {1, 2, 4, 8, 16, 24, 32, 48, 64, 72, 80, 88, 96, 104, 112, 120, 128, 144, 160, 176}) {
      if (sms < gpu_.sm_count) fewer.push_back(shape(sms));
    }
    fewer.push_back(shape(0));
    const ShapeSeries series = sweep(bench_, fewer, repeats_, seconds_);
    ProbeCurve curve{"dram_read_over_active_sms",
                     fmt::format("{} warps of two 16-byte loads a thread on each of the first SMs by smid, "
                                 "the others idle: {}",
                                 shape(0).warps_per_sm, common_),
                     {},
                     series.samples};
    for (const StreamShape& s : series.shapes)
      curve.x.push_back(s.active_sms > 0 ? s.active_sms : gpu_.sm_count);
    result.curves.push_back(std::move(curve));
  }

  void fenced_writes(ProbeResult& result) {
    std::vector<StreamShape> shapes = shapes_of(ways()[0], gpu_, context_.quick);
    std::erase_if(shapes, [](const StreamShape& s) { return s.warps_per_sm > 4 && s.warps_per_sm % 4 != 0; });
    for (StreamShape& shape : shapes) {
      shape.mode = StreamMode::write;
      shape.fenced = true;
    }
    const ShapeSeries series = sweep(bench_, shapes, repeats_, seconds_);
    result.curves.push_back(best_over_bytes(series, gpu_.sm_count, "dram_write_over_bytes_in_flight",
                                            "each warp fences (__threadfence) after its stores; best of the "
                                            "shapes (warps x accesses a thread) of "
                                            "the same bytes in flight: " +
                                                common_));
    append_raw(series, "dram_write_fenced_over_warps", result);
  }

  // Reads and writes together, in bytes read : bytes written.
  void mixtures(ProbeResult& result) {
    struct Mix {
      StreamMode mode;
      int every, copies;
      double read_share;
      const char* name;
    };
    ProbeCurve curve{"dram_mixed_over_read_share",
                     "bytes read and written in the same kernel, over the percentage of them that is read, "
                     "best of the shapes, no fence: " +
                         common_,
                     {},
                     {}};
    for (const Mix& mix :
         {Mix{StreamMode::write, 1, 1, 0, "dram_write"}, Mix{StreamMode::copy, 1, 2, 1.0 / 3, "1_to_2"},
          Mix{StreamMode::copy, 1, 1, 1.0 / 2, "dram_copy"}, Mix{StreamMode::copy, 2, 1, 2.0 / 3, "2_to_1"},
          Mix{StreamMode::copy, 4, 1, 4.0 / 5, "4_to_1"}, Mix{StreamMode::read, 1, 1, 1, "read"}}) {
      std::vector<StreamShape> shapes;
      for (int warps : {8, 16, 24, 32, 48, 64}) {
        for (int loads : {2, 4}) {
          StreamShape shape;
          shape.mode = mix.mode;
          shape.loads = loads;
          shape.warps_per_sm = warps;
          shape.blocks_per_sm = warps > 32 ? 2 : 1;
          shape.write_every = mix.every;
          shape.write_copies = mix.copies;
          if (warps <= gpu_.max_threads_per_sm / 32 && loads % mix.every == 0) shapes.push_back(shape);
        }
      }
      const ShapeSeries series = sweep(bench_, shapes, repeats_, seconds_);
      StreamShape shape;
      const std::vector<double>& best = best_of(series, shape);
      if (mix.read_share > 0) {
        curve.x.push_back(100 * mix.read_share);
        curve.samples.push_back(best);
      }
      if (std::string_view(mix.name).starts_with("dram")) {
        result.values.push_back({fmt::format("{}_bytes_per_s", mix.name),
                                 fmt::format("best shape, {} warps a SM x {} accesses a thread of 16 bytes, "
                                             "no fence: {}",
                                             shape.warps_per_sm, shape.loads, common_),
                                 best});
      }
      append_raw(series, fmt::format("dram_mixed_{}_over_warps", mix.name), result);
    }
    result.curves.push_back(std::move(curve));
  }

 private:
  // The curve, its plateau where it is the first, and the bytes in flight at each level of the plateau.
  void saturating(const ShapeSeries& series, const std::string& infix, const std::string& text,
                  ProbeResult& result) {
    const ProbeCurve curve = best_over_bytes(
        series, gpu_.sm_count, fmt::format("dram_read_{}over_bytes_in_flight", infix), text + ", " + common_);
    const Saturation found = saturation(curve, levels);
    if (infix.empty()) {
      result.values.push_back(
          {"dram_read_bytes_per_s", "plateau of " + curve.key + ": " + curve.method, found.plateau});
    }
    const std::optional<double> little = little_of(median(found.plateau));
    if (infix.empty() && little) {
      result.values.push_back({"v_s_little_bytes",
                               "dram_read_bytes_per_s x dram_latency_cycles / sm_clock_hz",
                               {*little},
                               SourceKind::derived});
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const int percent = static_cast<int>(std::lround(100 * levels[i]));
      const std::string key = fmt::format("v_s_{}_{}bytes", percent, infix);
      if (found.at[i].empty()) {
        add_reason(result, key + ": the curve does not cross that level");
        continue;
      }
      const double bytes = median(found.at[i]);
      std::string method = fmt::format("{:.1f} KiB a SM", bytes / gpu_.sm_count / kib);
      if (little) method += fmt::format(", {:.2f} x Little's", bytes / *little);
      method += fmt::format(
          ": bytes in flight at {} % of the plateau ({:.3f} TB/s) of each repeat, by monotone interpolation "
          "in "
          "log2(bytes): {}",
          percent, median(found.plateau) * 1e-12, curve.method);
      result.values.push_back({key, method, found.at[i]});
    }
    result.curves.push_back(curve);
  }

  std::optional<double> little_of(double bytes_per_s) const {
    const DeviceProfile& known = context_.known;
    if (!known.dram_latency.present() || !known.sm_clock.present()) return std::nullopt;
    return little_bytes(bytes_per_s, known.dram_latency.get().value(), known.sm_clock.get().value());
  }

  const ProbeContext& context_;
  const GpuInfo& gpu_;
  StreamBench bench_;
  int repeats_;
  double seconds_;
  std::string common_;
};

}  // namespace

ProbeResult probe_dram_bandwidth(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  const std::size_t footprint = std::max(8 * gpu.l2_bytes, std::size_t{1} << 30);
  if (auto problem =
          memory_problem(3 * footprint, usable_memory(context), "three buffers of 8 x L2, at least 1 GiB");
      !problem.empty())
    return {{}, {}, {}, std::move(problem)};
  DramProbe probe(context, footprint);
  ProbeResult result;
  probe.reads(result);
  probe.active_sms(result);
  probe.fenced_writes(result);
  probe.mixtures(result);
  return result;
}

}  // namespace tilecast
