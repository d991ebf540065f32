// Latency under load: one thread of one SM chases pointers while all other SMs stream at a throttled rate, in
// DRAM and in L2.
//
// Read in the sm_90 code: between two loads of the chain stands the reading of the clock (CS2R.32) and, every
// fourth time, a store of the readings to shared memory, both issued while the load before is under way; the
// loop's test of the time stands behind the eighth load likewise. So timing adds nothing to the chain. The
// streams' loop holds IN_FLIGHT LDG.E.128, each behind a store that never happens and waits for the vector.
#include "microbench/footprints.hpp"
#include "microbench/loaded_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "microbench/access_times.hpp"
#include "microbench/chase_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/warp_records.hpp"
#include "model/support/statistics.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast {

namespace {

constexpr double seconds = 1.5e-3, lead_seconds = 0.15e-3;

class LoadedBench {
 public:
  LoadedBench(const ProbeContext& context, std::size_t ring_bytes, std::size_t data_bytes, StreamCover cover)
      : context_(context),
        chase_(context, ring_bytes),
        data_(data_bytes / granule_bytes * granule_bytes),
        out_(static_cast<std::size_t>(context.gpu.info().sm_count) * 32 * sizeof(WarpRecord) +
             sizeof(LoadedRecord) + (most_timed_steps + 1) * sizeof(std::uint32_t)),
        cover_(cover),
        clock_hz_(context.gpu.sm_clock_hz()) {
    fill_random(context, data_, 0x2545f491U);
    chase_.build(ring_bytes, 1);
    for (const int loads : {1, 2, 4})
      kernels_.push_back(
          load_probe(context, {"probes/loaded_latency.cu", "loaded_latency", {{"IN_FLIGHT", loads}}}));
  }

  void warm(std::int64_t sm) { chase_.warm(sm, 2); }

  // Appends one repeat to `point`. Throws Error when the blocks did not spread over the SMs.
  void run(const StreamSetting& setting, std::int64_t sm, LoadedPoint& point) {
    const GpuInfo& gpu = context_.gpu.info();
    const auto blocks = static_cast<std::size_t>(gpu.sm_count),
               warps = static_cast<std::size_t>(setting.warps);
    const ProbeKernel& kernel =
        kernels_[setting.loads == 4 ? 2 : static_cast<std::size_t>(setting.loads) - 1];
    LoadedParams params{};
    params.start = chase_.offset(position_);
    params.chase_sm = static_cast<unsigned long long>(sm);
    params.cycles = static_cast<unsigned long long>(seconds * clock_hz_);
    params.lead = static_cast<unsigned long long>(lead_seconds * clock_hz_);
    params.walk = loaded_walk(setting, cover_, blocks, data_.bytes() / vector_bytes, next_);
    params.pause = setting.pause;
    params.streams = setting.streams ? 1 : 0;
    run_probe(context_, kernel, spread(gpu, setting.warps, 1, kernel.static_shared_bytes), params,
              chase_.address(), data_.address(), out_.address());

    const auto records = fetch<WarpRecord>(out_, blocks * warps);
    LoadedRecord record{};
    const std::size_t record_at = records.size() * sizeof(WarpRecord);
    out_.download(&record, sizeof record, record_at);
    if (record.sm != params.chase_sm || record.steps == 0) {
      throw Error(ExitCode::failure, fmt::format("no block chased on SM {}", sm));
    }
    std::vector<std::uint32_t> readings(record.steps + 1);
    out_.download(readings.data(), readings.size() * sizeof(std::uint32_t), record_at + sizeof record);
    // One of the next run's blocks may write its own records there.
    record.steps = 0;
    out_.upload(&record, sizeof record, record_at);
    const std::vector<double> times = access_times(readings);
    position_ += times.size() + 2000;  // and those that were not timed

    double rate = static_cast<double>(times.size()) * sector_bytes /
                  (static_cast<double>(record.end_ns - record.start_ns) * 1e-9);
    if (setting.streams) {
      if (const std::string problem = spread_problem(records, gpu.sm_count - 1, setting.warps);
          !problem.empty()) {
        throw Error(ExitCode::failure, "blocks did not spread evenly: " + problem);
      }
      rate += batches_per_second(records) * 32 * setting.loads * vector_bytes;
      unsigned long long batches = 0;
      for (const WarpRecord& warp : records)
        batches = std::max(batches, warp.batches);
      next_ += params.walk.stride * (batches + 1);  // goes on where this run stopped
    }
    point.bytes_per_s.push_back(rate);
    point.mean.push_back(std::accumulate(times.begin(), times.end(), 0.0) /
                         static_cast<double>(times.size()));
    point.p10.push_back(quantile(times, 0.1));
    point.p50.push_back(median(times));
    point.p90.push_back(quantile(times, 0.9));
  }

 private:
  static constexpr std::size_t vector_bytes = 16, granule_bytes = 4096;
  const ProbeContext& context_;
  ChaseBench chase_;
  DeviceBuffer data_, out_;
  StreamCover cover_;
  double clock_hz_;
  std::vector<ProbeKernel> kernels_;  // 1, 2, 4 loads
  std::size_t next_ = 0, position_ = 0;
};

// Repeats outside: each on another SM of the chase, spread over the device.
std::vector<LoadedPoint> sweep(LoadedBench& bench, const std::vector<StreamSetting>& settings,
                               const GpuInfo& gpu, int repeats) {
  std::vector<LoadedPoint> points(settings.size());
  for (int r = 0; r < repeats; ++r) {
    const std::int64_t sm = (37 * r + 5) % gpu.sm_count;
    bench.warm(sm);
    LoadedPoint unused;
    bench.run(settings.back(), sm, unused);  // leaves L2 as the streams leave it
    for (std::size_t i = 0; i < settings.size(); ++i) {
      points[i].bytes_in_flight = settings[i].bytes_in_flight(gpu.sm_count - 1);
      bench.run(settings[i], sm, points[i]);
    }
  }
  return points;
}

void append_curves(const std::vector<LoadedPoint>& points, const std::vector<std::size_t>& which,
                   std::string_view memory, std::string_view over, const std::string& method, bool by_rate,
                   ProbeResult& result) {
  const std::pair<std::string_view, std::vector<double> LoadedPoint::*> parts[] = {
      {"latency", &LoadedPoint::p50},
      {"latency_mean", &LoadedPoint::mean},
      {"latency_p10", &LoadedPoint::p10},
      {"latency_p90", &LoadedPoint::p90}};
  for (const auto& [name, member] : parts) {
    ProbeCurve curve{fmt::format("{}_{}_over_{}", memory, name, over), method, {}, {}};
    for (const std::size_t i : which) {
      curve.x.push_back(by_rate ? median(points[i].bytes_per_s) : points[i].bytes_in_flight);
      curve.samples.push_back(points[i].*member);
    }
    result.curves.push_back(std::move(curve));
  }
}

void measure(const ProbeContext& context, bool dram, ProbeResult& result) {
  const GpuInfo& gpu = context.gpu.info();
  // In L2: both together twice over (a copy in each partition) still fit.
  const std::size_t ring = dram ? 8 * gpu.l2_bytes : gpu.l2_bytes / 8;
  const std::size_t data = dram ? 8 * gpu.l2_bytes : gpu.l2_bytes / 4;
  const std::string_view memory = dram ? "dram" : "l2";
  LoadedBench bench(context, ring, data, dram ? StreamCover::together : StreamCover::parts);
  const int repeats = context.quick ? 3 : 9;
  std::vector<StreamSetting> settings = loaded_settings(context.quick);
  if (!dram) {
    const auto part = static_cast<double>(data) / gpu.sm_count;
    std::erase_if(settings, [&](const StreamSetting& s) { return s.bytes_in_flight(1) > 0.9 * part; });
  }
  const std::vector<LoadedPoint> points = sweep(bench, settings, gpu, repeats);
  const std::string method = fmt::format(
      "one thread chases (.cg, random cycle over {} MiB) while each other SM streams its share of {} MiB "
      "(.cg), from 1 warp with pauses to 32 warps x 4 x 16 bytes in flight; each load timed by a clock "
      "reading "
      "behind the next one's issue, which costs the chain nothing; statistics over the loads of 1.2 ms, "
      "repeats on {} SMs",
      ring >> 20, data >> 20, repeats);
  const std::vector<std::size_t> rising = rising_part(points);
  append_curves(points, rising, memory, "load",
                method + "; x: bytes of streams and chase, up to where more in flight moves no more", true,
                result);

  std::vector<std::size_t> unpaused;
  ProbeCurve rates{fmt::format("{}_load_over_bytes_in_flight", memory), method, {}, {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!settings[i].streams || settings[i].pause > 0) continue;
    unpaused.push_back(i);
    rates.x.push_back(points[i].bytes_in_flight);
    rates.samples.push_back(points[i].bytes_per_s);
  }
  append_curves(points, unpaused, memory, "bytes_in_flight", method, false, result);
  result.curves.push_back(std::move(rates));

  constexpr double share = 0.95;
  result.values.push_back(
      {fmt::format("{}_loaded_latency_cycles", memory),
       fmt::format("mean load of the chase where the streams reach {:.0f} % of their highest bandwidth: {}",
                   100 * share, method),
       latency_at_load(points, &LoadedPoint::mean, share)});
  // Does latency depend on the rate alone? The same rates from 32 warps that pause.
  std::vector<StreamSetting> paused;
  for (const unsigned pause : {30000U, 15000U, 8000U, 5000U, 3500U, 2500U, 2000U, 1500U, 1000U, 500U})
    paused.push_back({1, 32, pause, true});
  if (!context.quick) {
    const std::vector<LoadedPoint> others = sweep(bench, paused, gpu, 3);
    append_curves(others, rising_part(others), memory, "load_of_pausing_warps",
                  method + "; 32 warps x 16 bytes, pauses only", true, result);
  }
}

}  // namespace

ProbeResult probe_loaded_latency(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  ProbeResult result;
  result.reason =
      memory_problem(16 * gpu.l2_bytes, usable_memory(context), "latency of DRAM under load: 16 x L2");
  if (result.reason.empty()) measure(context, true, result);
  measure(context, false, result);
  return result;
}

}  // namespace tilecast
