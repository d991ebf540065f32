#include "model/analytic/l1_sharing.hpp"

#include <algorithm>
#include <cmath>

#include "model/analytic/waves.hpp"
#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {
namespace {

// Blocks of clusters that begin on an SM within 1 % of their time, and so find each other's lines, where it
// holds as many (block timelines, experiments/sm_blocks.csv: of clusters of two 2.4 on average where eight or
// three are there at once, of larger ones one or two).
constexpr double begin_in_twos = 2.4, begin_in_larger = 2;

// Of so many blocks that begin together, the share that finds that one before it asked for the same, each as
// likely as `same`.
double later_ones(double together, double same) {
  if (same <= 0 || together <= 1) return 0;
  return 1 - (1 - std::pow(1 - same, together)) / (same * together);
}

constexpr int rounds_to_settle = 8;

// Blocks that follow each other in the grid run beside each other, those further on later.
double same_of_others(const Stream& s, double resident) {
  return s.same_elsewhere + (1 - 1 / resident) * s.same_beside;
}

// A block of a cluster empties the SM's L1 where it goes on behind a barrier of the cluster (CCTL.IVALL), at
// its end: of those that begin together the later ones find what the first has asked for, and nothing of
// others.
void find_together(std::vector<double>& found, const KernelDescription& kernel, double resident) {
  // An SM has the blocks of every second place in a cluster.
  const double same_place = std::min(1.0, 2 / static_cast<double>(kernel.launch.cluster));
  const double together = std::min(kernel.launch.cluster <= 2 ? begin_in_twos : begin_in_larger, resident);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& s = kernel.streams[i];
    const double same = std::min(1.0, s.same_elsewhere + s.same_beside);
    if (s.l1_lines > 0) found[i] = same_place * later_ones(together, same);
  }
}

// An SM's blocks come and go at any time: a line is asked for again after so many of them as one in which
// that happens, on average, and has left when L1's room has been filled anew. What is found takes no further
// lines, so that more is found.
void find_in_turn(std::vector<double>& found, const KernelDescription& kernel, double resident) {
  const auto blocks = static_cast<double>(kernel.launch.blocks);
  const double room = stand_in::l1_beside_shared.value() / line_bytes;
  for (int round = 0; round < rounds_to_settle; ++round) {
    double lines = 0;  // of a block
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& s = kernel.streams[i];
      lines += (1 - found[i]) * (s.written ? s.requested.value() / blocks / line_bytes : s.l1_lines);
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& s = kernel.streams[i];
      if (s.l1_lines > 0) found[i] = -std::expm1(-same_of_others(s, resident) * room / lines);
    }
  }
}

}  // namespace

std::vector<double> found_of_others(const KernelDescription& kernel, double at_once, const Machine& machine) {
  const auto& streams = kernel.streams;
  const double of_sm = static_cast<double>(kernel.launch.blocks) / machine.sms;
  const bool shared = std::ranges::any_of(
      streams, [](const Stream& s) { return s.l1_lines > 0 && s.same_elsewhere + s.same_beside > 0; });
  if (!shared || of_sm <= 1) return {};
  const double resident = std::max(1.0, at_once / machine.sms);
  std::vector<double> found(streams.size());
  if (kernel.launch.cluster > 1)
    find_together(found, kernel, resident);
  else
    find_in_turn(found, kernel, resident);
  for (double& share : found)
    share = std::min(share, 1 - 1 / of_sm);  // an SM's first block finds nothing
  return found;
}

std::vector<double> found_of_others(const KernelDescription& kernel, const DeviceProfile& device) {
  const auto [full, tail] = waves_of(kernel, device);
  return found_of_others(kernel, std::max(full.blocks, tail.blocks), machine_of(device));
}

}  // namespace tilecast::analytic
