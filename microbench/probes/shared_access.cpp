// What a shared-memory access costs by width and by the pattern of its lanes, and what it takes until its
// data are there.
#include <fmt/format.h>

#include <array>

#include "microbench/loop_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

constexpr int accesses_a_round = 32;
constexpr unsigned shorter_rounds = 8, longer_rounds = 40;
using Offsets = std::array<unsigned, 32>;

// Lane l at vector `stride` l.
Offsets strided(unsigned width, unsigned stride) {
  Offsets offsets{};
  for (unsigned lane = 0; lane < 32; ++lane)
    offsets[lane] = lane * stride * width;
  return offsets;
}

// `different` vectors in a row, each wanted by 32 / different lanes: by neighbours, or by every so-manieth
// lane.
Offsets shared_by(unsigned width, unsigned different, bool neighbours) {
  Offsets offsets{};
  for (unsigned lane = 0; lane < 32; ++lane)
    offsets[lane] = (neighbours ? lane * different / 32 : lane % different) * width;
  return offsets;
}

class AccessBench {
 public:
  AccessBench(const ProbeContext& context, int repeats)
      : context_(context), bench_(context), offsets_(sizeof(Offsets)), repeats_(repeats) {
    bench_.input(offsets_.address());
  }

  // Cycles an SM spends on one warp's access, all warps at it.
  double cycles(std::string_view entry, int width, const Offsets& offsets) {
    offsets_.upload(offsets.data(), sizeof offsets);
    const ProbeKernel kernel =
        load_probe(context_, {"probes/shared_access.cu", entry, {{"WIDTH", width}, {"BODY", 256}}});
    std::vector<double> samples;
    for (int r = 0; r < repeats_; ++r)
      samples.push_back(
          1 / (bench_.rounds_per_cycle(kernel, 16, shorter_rounds, longer_rounds) * accesses_a_round));
    return median(samples);
  }

  std::vector<double> latency(int width) {
    constexpr int few = 256, many = 768;
    constexpr unsigned rounds = 4;
    const auto kernel = [&](int body) {
      return load_probe(context_,
                        {"probes/shared_access.cu", "shared_latency", {{"WIDTH", width}, {"BODY", body}}});
    };
    const ProbeKernel shorter = kernel(few), longer = kernel(many);
    bench_.cycles(longer, 1, rounds);  // instruction caches
    std::vector<double> samples;
    for (int r = 0; r < repeats_; ++r) {
      samples.push_back(slope(rounds * few, bench_.cycles(shorter, 1, rounds), rounds * many,
                              bench_.cycles(longer, 1, rounds)));
    }
    return samples;
  }

 private:
  const ProbeContext& context_;
  LoopBench bench_;
  DeviceBuffer offsets_;
  int repeats_;
};

const std::string how =
    "cycles of an SM for one warp's access, 16 warps on all SMs, loop of 32, slope of 8 and 40 rounds by "
    "clock64, "
    "median over SMs; ";

}  // namespace

ProbeResult probe_shared_access(const ProbeContext& context) {
  AccessBench bench(context, context.quick ? 3 : 9);
  const std::vector<double> widths = {4, 8, 16};
  const std::vector<double> strides = {1, 2, 3, 4, 5, 8, 16, 32, 33}, different = {1, 2, 4, 8, 16, 32};
  const std::string by_stride = how + "lane l at vector stride x l of that width";
  ProbeTable load{"shared_load_cycles_over_width_and_stride", by_stride, widths, strides, {}};
  ProbeTable store{"shared_store_cycles_over_width_and_stride", by_stride, widths, strides, {}};
  ProbeTable near{"shared_load_cycles_over_width_and_vectors",
                  how + "so many different vectors in a row, each for as many neighbouring lanes",
                  widths,
                  different,
                  {}};
  ProbeTable far{"shared_load_cycles_over_width_and_vectors_apart",
                 how + "so many different vectors in a row, each for every so-manieth lane",
                 widths,
                 different,
                 {}};
  ProbeCurve latency{
      "shared_latency_over_width",
      "one warp a SM, dependent loads of that width, each lane in its own vector, without conflicts; 4 "
      "rounds of 256 and of 768 in a row: their difference has no loop in it; median over SMs",
      widths,
      {}};
  for (const double bytes : widths) {
    const int width = static_cast<int>(bytes);
    const auto unsigned_width = static_cast<unsigned>(width);
    for (const double stride : strides) {
      const Offsets offsets = strided(unsigned_width, static_cast<unsigned>(stride));
      load.y.push_back(bench.cycles("shared_load", width, offsets));
      store.y.push_back(bench.cycles("shared_store", width, offsets));
    }
    for (const double vectors : different) {
      const auto count = static_cast<unsigned>(vectors);
      near.y.push_back(bench.cycles("shared_load", width, shared_by(unsigned_width, count, true)));
      far.y.push_back(bench.cycles("shared_load", width, shared_by(unsigned_width, count, false)));
    }
    latency.samples.push_back(bench.latency(width));
  }
  ProbeResult result;
  result.tables = {std::move(load), std::move(store), std::move(near), std::move(far)};
  result.curves.push_back(std::move(latency));
  return result;
}

}  // namespace tilecast
