#include "model/analytic/hot_lines.hpp"

#include <algorithm>
#include <cmath>

#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {
namespace {

// H200: slices of each of L2's two partitions, which both keep what all SMs read (FINDINGS, stores on their
// way to L2).
constexpr int partitions = 2, slices = 47;

// Of an SM's blocks, which are its number of SMs apart in the grid, the share that asks for what no other of
// them does: L1 has the rest, or it is under way.
double asked_anew(const Stream& s, double blocks_of_sm, const Machine& machine) {
  if (blocks_of_sm <= 1 || s.walks * s.blocks_of_walk <= 0) return 1;
  const double tiles = std::max(1.0, s.blocks_of_walk / std::max(1.0, s.readers));
  const double different = 1 + (blocks_of_sm - 1) * machine.sms / std::max(1.0, s.readers);
  return std::min({blocks_of_sm, tiles, different}) / blocks_of_sm;
}

// A22. The share of a tensor's requests that L2 gets: the SM's other blocks have asked for the rest, as far
// as L1 still has it.
double asked_of_l2(const Stream& s, double blocks_of_sm, double lines_of_block, const Machine& machine) {
  const double kept = -std::expm1(-stand_in::l1_beside_shared.value() / line_bytes / lines_of_block);
  return 1 - kept * (1 - asked_anew(s, blocks_of_sm, machine));
}

// Of what is asked for of so many lines, the fullest slice's share beyond the mean's.
double more_of_fullest(double lines) {
  return std::max(0.0, std::min(1.0, lines_of_fullest(lines) / lines) - 1.0 / slices);
}

// The share of all that a block fetches that it asks for before its first step.
double share_at_begin(const KernelDescription& kernel) {
  Bytes begin, all;
  for (const auto& phase : kernel.phases) {
    all += phase.trips * phase.fetched;
    if (phase.role == PhaseRole::prologue) begin += phase.trips * phase.fetched;
  }
  return all > Bytes{} ? begin / all : 0;
}

}  // namespace

double lines_of_fullest(double lines) {
  constexpr double enough = 20, deviations = 2.18;  // of 47 normally distributed ones the largest
  const double mean = lines / slices;
  if (mean > enough) return mean + deviations * std::sqrt(mean);
  double term = std::exp(-mean), sum = term;  // Poisson
  int most = 0;
  while (std::pow(sum, slices) < 0.5) {
    term *= mean / ++most;
    sum += term;
  }
  return std::max(1, most);
}

Seconds busiest_slice(const KernelDescription& kernel, double at_once, const Machine& machine) {
  const auto shared = [](const Stream& s) { return !s.written && s.readers > 1; };
  if (!machine.l2_read || std::ranges::none_of(kernel.streams, shared)) return Seconds{};
  const Bandwidth slice_rate = *machine.l2_read / (partitions * slices);
  const double share = share_at_begin(kernel);
  const auto all = static_cast<double>(kernel.launch.blocks);
  const double blocks = std::min(all, at_once), running = blocks / all;
  Seconds longer;
  for (const auto& s : kernel.streams) {
    if (s.written) continue;
    const double lines = std::max(1.0, share * s.unique.value() / line_bytes);
    // What several copies of a block ask for again counts again.
    const Bytes of_sm = shared(s) ? s.requested / (s.walks * s.readers) : s.unique;
    const Bytes asked = std::min(asked_anew(s, blocks / machine.sms, machine) * running * s.requested,
                                 std::min(blocks, machine.sms) * of_sm) *
                        (share / partitions);
    longer = std::max(longer, more_of_fullest(lines) * asked / slice_rate);
  }
  return longer;
}

SliceLoad slice_load(const KernelDescription& kernel, const Machine& machine) {
  SliceLoad load;
  if (!machine.l2_read) return load;
  load.request = Bytes{2.0 * sector_bytes} / (*machine.l2_read / (partitions * slices));
  const auto blocks = static_cast<double>(kernel.launch.blocks);
  double lines_of_block = 0;
  for (const auto& s : kernel.streams)
    lines_of_block += s.requested.value() / blocks / line_bytes;
  double more = 0;
  for (const auto& s : kernel.streams) {
    if (s.written || s.lookups <= 0) continue;
    const double lines = std::max(1.0, s.unique.value() / line_bytes);
    const double asked = asked_of_l2(s, blocks / machine.sms, lines_of_block, machine) * s.lookups;
    load.asked += asked;
    more += std::pow(more_of_fullest(lines) * asked / partitions, 2);
  }
  load.busiest = load.asked / (partitions * slices) + std::sqrt(more);
  return load;
}

}  // namespace tilecast::analytic
