// L2 bandwidth by several ways of reading it past L1. SMs that follow each other through the same data get
// more bytes than those that read data of their own (13 against 9.5 TB/s on an H200), presumably because
// requests for one line are served together. So the value is taken from SMs that each go round and round in a
// part of their own. The same through L1 is the control: a part that fits there is faster, a larger one must
// be equal.
#include <fmt/format.h>

#include <algorithm>

#include "microbench/memory_reduction.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "microbench/stream_bench.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

struct Footprints {
  std::vector<double> bytes;
  double seconds;
  int repeats;
};

// The best of the shapes at each footprint, warmed by a run before; footprints below one round are left out.
ProbeCurve over_footprint(StreamBench& bench, const std::vector<StreamShape>& shapes, const Footprints& at,
                          int sms, std::string key, std::string method) {
  ProbeCurve curve{std::move(key), std::move(method), {}, {}};
  for (const double bytes : at.bytes) {
    std::vector<double> best;
    for (const StreamShape& shape : shapes) {
      const double round = shape.bytes_in_flight(sms) / (shape.walk == StreamWalk::shares ? 1 : sms);
      const double room = shape.walk == StreamWalk::private_part ? bytes / sms : bytes;
      if (room < 1.01 * round || !bench.fits(shape)) continue;
      bench.limit(static_cast<std::size_t>(bytes));
      bench.run(shape, 2 * at.seconds);
      std::vector<double> samples;
      for (int r = 0; r < at.repeats; ++r)
        samples.push_back(bench.run(shape, at.seconds).bytes_per_s);
      if (best.empty() || median(samples) > median(best)) best = samples;
    }
    if (best.empty()) continue;
    curve.x.push_back(bytes);
    curve.samples.push_back(best);
  }
  return curve;
}

std::vector<StreamShape> shapes_of(StreamMode mode, StreamWalk walk, bool through_l1 = false) {
  std::vector<StreamShape> shapes;
  for (const int loads : {1, 2, 4}) {
    StreamShape shape;
    shape.mode = mode;
    shape.loads = loads;
    shape.walk = walk;
    shape.through_l1 = through_l1;
    shapes.push_back(shape);
  }
  return shapes;
}

// How much one SM can draw, and from how many on L2 is what limits. The active SMs are those of the lowest
// numbers.
ProbeCurve over_active_sms(StreamBench& bench, const GpuInfo& gpu, const Footprints& at) {
  constexpr double part = 256 * 1024;  // of each SM: past L1 it makes no difference that this would fit there
  ProbeCurve curve{"l2_read_over_active_sms",
                   "one SM to all of them, each reads a part of its own of 256 KiB past L1 (.cg), 32 warps "
                   "with 1, 2, 4 or "
                   "8 x 16 bytes a thread, whichever is faster, warmed by a run before",
                   {},
                   {}};
  std::vector<int> counts;
  for (int sms = 1; sms < gpu.sm_count; sms *= 2)
    counts.push_back(sms);
  counts.push_back(gpu.sm_count);
  for (const int sms : counts) {
    std::vector<double> best;
    for (const int loads : {1, 2, 4, 8}) {
      StreamShape shape;
      shape.loads = loads;
      shape.walk = StreamWalk::private_part;
      shape.active_sms = sms;
      if (part < 1.01 * shape.bytes_in_flight(gpu.sm_count) / sms || !bench.fits(shape)) continue;
      bench.limit(static_cast<std::size_t>(part) * static_cast<std::size_t>(sms));
      bench.run(shape, 2 * at.seconds);
      std::vector<double> samples;
      for (int r = 0; r < at.repeats; ++r)
        samples.push_back(bench.run(shape, at.seconds).bytes_per_s);
      if (best.empty() || median(samples) > median(best)) best = std::move(samples);
    }
    if (best.empty()) continue;
    curve.x.push_back(sms);
    curve.samples.push_back(std::move(best));
  }
  return curve;
}

}  // namespace

ProbeResult probe_l2_bandwidth(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  const auto l2 = static_cast<double>(gpu.l2_bytes);
  StreamBench bench(context, gpu.l2_bytes * 3, 0);
  Footprints at{{}, 0.4e-3, context.quick ? 3 : 7};
  for (double bytes = 1 << 20; bytes < 0.2 * l2; bytes *= 2)
    at.bytes.push_back(bytes);
  for (double part : {0.25, 0.375, 0.4375, 0.5, 0.5625, 0.625, 0.6875, 0.75, 0.8125, 0.875, 0.9375, 1.0,
                      1.125, 1.25, 1.5, 2.0, 2.5})
    at.bytes.push_back(part * l2);
  const auto curve = [&](StreamMode mode, StreamWalk walk, const char* key, const char* text,
                         bool through_l1 = false) {
    return over_footprint(
        bench, shapes_of(mode, walk, through_l1), at, gpu.sm_count, key,
        fmt::format("{}, 32 warps a SM with 1, 2 or 4 x 16 bytes a thread, whichever is faster, "
                    "random data, warmed by a run before; bytes asked for, by the count of "
                    "each warp",
                    text));
  };
  ProbeResult result;
  const StreamMode read = StreamMode::read, write = StreamMode::write;
  const ProbeCurve shared =
      curve(read, StreamWalk::scattered, "l2_read_over_footprint",
            "all SMs read the same data past L1 (.cg), crosswise: each by a step of its own");
  const ProbeCurve own = curve(read, StreamWalk::private_part, "l2_read_private_over_footprint",
                               "each SM reads a part of its own past L1 (.cg)");
  result.curves = {shared, own,
                   curve(read, StreamWalk::same_data, "l2_read_following_over_footprint",
                         "all SMs read the same data past L1 (.cg), one behind the other"),
                   curve(read, StreamWalk::private_part, "l2_read_private_through_l1_over_footprint",
                         "control: each SM reads a part of its own through L1 (.ca)", true),
                   curve(read, StreamWalk::shares, "l2_read_shares_over_footprint",
                         "all SMs together read the data once a round past L1 (.cg)")};
  const auto plateau_of = [](const ProbeCurve& from) { return saturation(from, {}).plateau; };
  if (own.samples.empty()) {
    result.reason = "L2 is smaller than one round of loads";
    return result;
  }
  result.values.push_back(
      {"l2_read_bytes_per_s", "plateau of l2_read_private_over_footprint: " + own.method, plateau_of(own)});

  const ProbeCurve stores = curve(write, StreamWalk::private_part, "l2_write_over_footprint",
                                  "each SM writes a part of its own, no fence");
  result.curves.push_back(stores);
  result.curves.push_back(over_active_sms(bench, gpu, at));
  result.curves.push_back(curve(write, StreamWalk::shares, "l2_write_shares_over_footprint",
                                "all SMs together write the data once a round, no fence"));
  if (stores.samples.empty()) {
    result.reason = "l2_write_bytes_per_s: L2 is smaller than one round of stores";
    return result;
  }
  result.values.push_back(
      {"l2_write_bytes_per_s", "plateau of l2_write_over_footprint: " + stores.method, plateau_of(stores)});
  return result;
}

}  // namespace tilecast
