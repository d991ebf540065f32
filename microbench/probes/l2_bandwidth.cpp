// L2 bandwidth: all SMs read the same data past L1, each from a place of its own, so that the copies in all
// parts of L2 serve; writes go to a share of each block's own.
#include <algorithm>

#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "microbench/stream_bench.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

ProbeResult probe_l2_bandwidth(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  const int repeats = context.quick ? 3 : 7;
  constexpr double seconds = 0.4e-3;
  const auto l2 = static_cast<double>(gpu.l2_bytes);
  StreamBench bench(context, gpu.l2_bytes / 2 * 3, false);
  const std::vector<StreamShape> shapes = {{StreamMode::read, 2, 32, 1, 0, false, true},
                                           {StreamMode::read, 4, 32, 1, 0, false, true}};
  ProbeResult result;
  ProbeCurve read{
      "l2_read_over_footprint",
      "all SMs read the same random data past L1 (.cg), 32 warps a SM with 2 or 4 x 16 bytes in flight "
      "a thread, whichever is faster; warmed by a run before",
      {},
      {}};
  for (double part : {0.125, 0.25, 0.375, 0.4375, 0.5, 0.5625, 0.625, 0.75, 0.875, 1.0, 1.25, 1.5}) {
    const auto footprint = static_cast<std::size_t>(part * l2);
    std::vector<double> best;
    for (const StreamShape& shape : shapes) {
      bench.limit(footprint);
      bench.run(shape, 2 * seconds);
      std::vector<double> samples;
      for (int r = 0; r < repeats; ++r)
        samples.push_back(bench.run(shape, seconds).bytes_per_s);
      if (best.empty() || median(samples) > median(best)) best = samples;
    }
    read.x.push_back(static_cast<double>(footprint));
    read.samples.push_back(best);
  }
  ProbeValue read_plateau{"l2_read_bytes_per_s", "plateau of l2_read_over_footprint: " + read.method, {}};
  for (int r = 0; r < repeats; ++r) {
    std::vector<double> y;
    for (const auto& samples : read.samples)
      y.push_back(samples[static_cast<std::size_t>(r)]);
    read_plateau.samples.push_back(plateau(y));
  }

  ProbeCurve write{
      "l2_write_over_footprint", "all SMs store 16 bytes a thread, 32 warps a SM x 4, no fence", {}, {}};
  const StreamShape store{StreamMode::write, 4, 32, 1};
  const double least = 1.01 * store.bytes_in_flight(gpu.sm_count);  // one round of all SMs must fit
  for (double part : {0.1875, 0.25, 0.375, 0.5, 0.75}) {
    if (part * l2 < least) continue;
    bench.limit(static_cast<std::size_t>(part * l2));
    bench.run(store, 2 * seconds);
    std::vector<double> samples;
    for (int r = 0; r < repeats; ++r)
      samples.push_back(bench.run(store, seconds).bytes_per_s);
    write.x.push_back(part * l2);
    write.samples.push_back(samples);
  }
  result.curves = {read, write};
  result.values = {read_plateau};
  if (write.samples.empty()) {
    result.reason = "l2_write_bytes_per_s: L2 is smaller than one round of stores";
    return result;
  }
  const auto best = std::max_element(write.samples.begin(), write.samples.end(),
                                     [](const auto& a, const auto& b) { return median(a) < median(b); });
  result.values.push_back({"l2_write_bytes_per_s", "best footprint below L2: " + write.method, *best});
  return result;
}

}  // namespace tilecast
