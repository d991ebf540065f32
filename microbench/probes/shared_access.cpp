// What a shared-memory access costs by width and by the pattern of its lanes, and what it takes until its
// data are there.
#include <fmt/format.h>

#include "microbench/loop_bench.hpp"
#include "microbench/probes/lane_offsets.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

namespace {

constexpr int accesses_a_round = 32;
constexpr unsigned shorter_rounds = 8, longer_rounds = 40;

class AccessBench {
 public:
  AccessBench(const ProbeContext& context, int repeats)
      : context_(context), bench_(context), offsets_(sizeof(LaneOffsets)), repeats_(repeats) {
    bench_.input(offsets_.address());
  }

  // Cycles an SM spends on one warp's access, all warps at it.
  std::vector<double> cycles(std::string_view entry, int width, const LaneOffsets& offsets) {
    offsets_.upload(offsets.data(), sizeof offsets);
    const ProbeKernel kernel =
        load_probe(context_, {"probes/shared_access.cu", entry, {{"WIDTH", width}, {"BODY", 256}}});
    return cycles_each(bench_.rates(kernel, 16, shorter_rounds, longer_rounds, repeats_), accesses_a_round);
  }

  std::vector<double> latency(int width, const LaneOffsets& offsets) {
    offsets_.upload(offsets.data(), sizeof offsets);
    constexpr int few = 256, many = 768;
    constexpr unsigned rounds = 4;
    const auto kernel = [&](int body) {
      return load_probe(context_,
                        {"probes/shared_access.cu", "shared_latency", {{"WIDTH", width}, {"BODY", body}}});
    };
    const ProbeKernel shorter = kernel(few), longer = kernel(many);
    return bench_.cycles_in_a_row({shorter, few}, {longer, many}, 1, rounds, repeats_);
  }

 private:
  const ProbeContext& context_;
  LoopBench bench_;
  DeviceBuffer offsets_;
  int repeats_;
};

const std::string in_a_row =
    "one warp a SM, 4 rounds of 256 and of 768 in a row: their difference has no loop in it; median over SMs";
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
      "dependent loads of that width, each lane in its own vector, without conflicts; " + in_a_row,
      widths,
      {}};
  ProbeCurve conflicts{
      "shared_latency_over_wavefronts",
      "dependent loads of 4 bytes, so many lanes in each bank, each in a word of its own; " + in_a_row,
      {1, 2, 4, 8, 16, 32},
      {}};
  for (const double bytes : widths) {
    const int width = static_cast<int>(bytes);
    const auto unsigned_width = static_cast<unsigned>(width);
    for (const double stride : strides) {
      const LaneOffsets offsets = strided(unsigned_width, static_cast<unsigned>(stride));
      load.samples.push_back(bench.cycles("shared_load", width, offsets));
      store.samples.push_back(bench.cycles("shared_store", width, offsets));
    }
    for (const double vectors : different) {
      const auto count = static_cast<unsigned>(vectors);
      near.samples.push_back(bench.cycles("shared_load", width, shared_by(unsigned_width, count, true)));
      far.samples.push_back(bench.cycles("shared_load", width, shared_by(unsigned_width, count, false)));
    }
    latency.samples.push_back(bench.latency(width, strided(unsigned_width, 1)));
  }
  for (const double ways : conflicts.x)
    conflicts.samples.push_back(bench.latency(4, strided(4, static_cast<unsigned>(ways))));

  ProbeResult result;
  // What the simulator reads of these (EQUATIONS.md S4).
  result.values.push_back(
      {"memory_accept_cycles", "4 bytes a lane side by side: " + load.method, load.samples.front()});
  ProbeValue back{"shared_return_bytes_per_cycle",
                  "16 bytes a lane, the same for all lanes, over cycles: " + near.method,
                  {}};
  for (const double cycles : near.samples[(widths.size() - 1) * different.size()])
    back.samples.push_back(32 * widths.back() / cycles);
  result.values.push_back(std::move(back));
  result.values.push_back(
      {"shared_pass_cycles",
       "slope of shared_latency_over_width from 4 to 16 bytes, one wavefront to four: " + latency.method,
       slopes(1, latency.samples.front(), 4, latency.samples.back())});
  result.tables = {std::move(load), std::move(store), std::move(near), std::move(far)};
  result.curves = {std::move(latency), std::move(conflicts)};
  return result;
}

}  // namespace tilecast
