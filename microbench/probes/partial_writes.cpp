// What it costs that a sector's bytes are not written together: DRAM write bandwidth over the size of the
// pieces and over how much is written between neighbouring pieces.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "microbench/footprints.hpp"
#include "microbench/memory_reduction.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/warp_records.hpp"
#include "model/support/statistics.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast {

namespace {

constexpr std::size_t store_bytes = 128, slack_bytes = 4096;

// `visits` pieces of a period at different times: two, or as many as a sector has pieces.
int visits_of(int piece_bytes) {
  return std::max(2, sector_bytes / piece_bytes);
}

struct Case {
  int piece_bytes, offset_bytes;
};

class PartialBench {
 public:
  PartialBench(const ProbeContext& context, std::size_t footprint)
      : context_(context),
        footprint_(footprint),
        target_(footprint + slack_bytes),
        records_(static_cast<std::size_t>(context.gpu.info().sm_count) * 32 * sizeof(WarpRecord)) {
    fill_random(context, target_, 0x7f4a7c15U);
    clock_hz_ = context.gpu.sm_clock_hz();
  }

  double bytes_between(int warps_per_sm, unsigned stores) const {
    return static_cast<double>(stores) * store_bytes * context_.gpu.info().sm_count * warps_per_sm;
  }
  bool fits(const Case& c, int warps_per_sm, unsigned stores) const {
    return bytes_between(warps_per_sm, stores) * visits_of(c.piece_bytes) <= static_cast<double>(footprint_);
  }

  // Bytes/s, each byte once.
  double run(const Case& c, int warps_per_sm, unsigned stores, double seconds) {
    const GpuInfo& gpu = context_.gpu.info();
    const ProbeKernel& code = kernel(c.piece_bytes);
    PartialWriteParams params{};
    params.window_count =
        footprint_ / (stores * store_bytes * static_cast<std::size_t>(visits_of(c.piece_bytes)));
    params.start = next_++ * 977 % params.window_count;
    params.cycles = static_cast<unsigned long long>(seconds * clock_hz_);
    params.stores = stores;
    params.offset_words = static_cast<unsigned>(c.offset_bytes / 4);
    run_probe(context_, code, spread(gpu, warps_per_sm, 1), params, 0, target_.address(), records_.address());
    const auto records = fetch<WarpRecord>(records_, static_cast<std::size_t>(gpu.sm_count * warps_per_sm));
    if (const std::string problem = spread_problem(records, gpu.sm_count, warps_per_sm); !problem.empty())
      throw Error(ExitCode::failure, "blocks did not spread evenly: " + problem);
    return batches_per_second(records) * static_cast<double>(store_bytes);
  }

 private:
  const ProbeKernel& kernel(int piece_bytes) {
    const auto found = kernels_.find(piece_bytes);
    if (found != kernels_.end()) return found->second;
    return kernels_
        .emplace(
            piece_bytes,
            load_probe(context_, {"probes/partial_writes.cu",
                                  "partial_writes",
                                  {{"PIECE_WORDS", piece_bytes / 4}, {"VISITS", visits_of(piece_bytes)}}}))
        .first->second;
  }

  const ProbeContext& context_;
  std::size_t footprint_;
  DeviceBuffer target_, records_;
  double clock_hz_ = 0;
  std::size_t next_ = 0;
  std::map<int, ProbeKernel> kernels_;
};

// Samples by piece, then by distance.
using Samples = std::vector<std::vector<std::vector<double>>>;

}  // namespace

ProbeResult probe_partial_writes(const ProbeContext& context) {
  const std::size_t footprint = std::size_t{2} << 30;
  if (auto problem = memory_problem(footprint + slack_bytes, usable_memory(context), "many times L2");
      !problem.empty())
    return {{}, {}, {}, std::move(problem)};
  PartialBench bench(context, footprint);
  const int repeats = context.quick ? 3 : 5;
  const double seconds = context.quick ? 0.8e-3 : 1.5e-3;

  // From a fraction of L2 to several times L2, four points an octave: 20, 24, 28 and 32 warps.
  struct Distance {
    int warps;
    unsigned stores;
  };
  std::vector<Distance> distances;
  for (unsigned stores = 4; stores <= 512; stores *= 2) {
    for (const int warps : {20, 24, 28, 32}) {
      if ((!context.quick && stores >= 8 && stores <= 64) || warps == 32)
        distances.push_back({warps, stores});
    }
  }
  std::sort(distances.begin(), distances.end(), [&](const Distance& a, const Distance& b) {
    return bench.bytes_between(a.warps, a.stores) < bench.bytes_between(b.warps, b.stores);
  });

  ProbeResult result;
  const std::string method = fmt::format(
      "warps go through a window of their own several times, each time another piece (two visits, for pieces "
      "of "
      "less than 16 bytes as many as a sector has), 20 to 32 warps a SM, stores of 4 bytes a thread, no "
      "fence, "
      "{} MiB, {:.1f} ms each; bytes/s, each byte once",
      footprint >> 20, seconds * 1e3);
  const auto table = [&](const char* key, const char* text, const std::vector<int>& pieces, int offset,
                         bool all_distances) {
    ProbeTable to{key, fmt::format("{}: {}", text, method), {}, {}, {}};
    std::vector<Distance> used;
    for (const Distance& d : distances) {
      const bool fits_all = std::all_of(pieces.begin(), pieces.end(), [&](int piece) {
        return bench.fits({piece, offset}, d.warps, d.stores);
      });
      // A visit must write whole pieces.
      const bool whole = d.stores * store_bytes >= static_cast<std::size_t>(pieces.back());
      if (fits_all && whole && (all_distances || d.warps == 32)) used.push_back(d);
    }
    Samples samples(pieces.size(), std::vector<std::vector<double>>(used.size()));
    for (int r = 0; r < repeats; ++r) {
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        for (std::size_t d = 0; d < used.size(); ++d) {
          samples[p][d].push_back(bench.run({pieces[p], offset}, used[d].warps, used[d].stores, seconds));
        }
      }
    }
    for (const Distance& d : used)
      to.columns.push_back(bench.bytes_between(d.warps, d.stores));
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      to.rows.push_back(pieces[p]);
      for (const auto& at : samples[p])
        to.samples.push_back(at);
    }
    result.tables.push_back(to);
    return samples;
  };

  const std::vector<int> pieces = {4, 8, 16, 32, 64, 128};
  const Samples aligned = table("dram_write_over_piece_and_distance",
                                "pieces of whole, half or fewer sectors, over the bytes written between "
                                "neighbouring pieces",
                                pieces, 0, true);
  table(
      "dram_write_unaligned_over_piece_and_distance",
      "pieces that begin 8 bytes behind a sector's begin, over the bytes written between neighbouring pieces",
      {32, 64, 128, 256, 512}, 8, false);

  const std::size_t half = 2, whole = 5;  // of `pieces`
  const auto& columns = result.tables.front().columns;
  const HalfSectorCost found = half_sector_cost(columns, aligned[half], aligned[whole]);
  const ProbeValue cost{
      "partial_sector_write_ratio",
      fmt::format("half a sector (16 bytes) written alone against a whole one written with its line "
                  "(128 bytes), {:.0f} MiB between the halves: {}",
                  columns.back() / (1 << 20), method),
      found.ratio};
  const ProbeValue merge{
      "write_merge_bytes",
      "bytes written between the halves of a sector at which half of the cost of the largest distance "
      "is reached, time by piece of 16 over time by piece of 128 bytes: " +
          method,
      found.merge_bytes};
  result.values.push_back(cost);
  if (!merge.samples.empty()) {
    result.values.push_back(merge);
  } else {
    result.reason = "write_merge_bytes: the bandwidth of half sectors does not fall with the distance";
  }
  return result;
}

}  // namespace tilecast
