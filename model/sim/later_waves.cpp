#include "model/sim/later_waves.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "model/analytic/waves.hpp"
#include "model/sim/order_parameter.hpp"

namespace tilecast::sim {
namespace {

// S9. Of what DRAM does, the share of reads at which half of an SM's order is the device's: of lone blocks,
// and of two or three, which are closer together in the few waves that are simulated than in later ones.
double read_share_of_half(int resident) {
  constexpr double lone = 0.03, few = 0.15;
  constexpr int most = 3;
  return resident == 1 ? lone : resident <= most ? few : 0;
}

}  // namespace

double cycles_of_a_wave(const SmResult& result, const SmWork& work) {
  const int full = work.blocks - work.tail_blocks;
  // The first blocks that begin apart have the SM for themselves until the others have begun.
  const int first = work.apart ? work.resident : 0;
  if (full - work.resident <= first) return 0;
  const auto begin = static_cast<std::size_t>(first), end = static_cast<std::size_t>(full - work.resident);
  const auto cycles = static_cast<double>(result.block_end[end] - result.block_end[begin]);
  // Of blocks alone the ends say it all, also where some have less to do.
  if (work.resident == 1) return cycles / static_cast<double>(end - begin);
  return result.block_instructions * work.resident * cycles /
         (result.issued_by_end[end] - result.issued_by_end[begin]);
}

double in_step(const SmResult& result, const SmWork& work) {
  const double wave = cycles_of_a_wave(result, work);
  const int full = work.blocks - work.tail_blocks;
  if (wave <= 0 || full < 2 * work.resident || result.behind_writes <= 0) return 0;
  const auto at_once = static_cast<std::size_t>(work.resident);
  const std::span ends(result.block_end);
  const double own =
      order_parameter(ends.subspan(static_cast<std::size_t>(full) - 2 * at_once, at_once), wave);
  // A wait shorter than SMs deviate does not bring them together.
  const double wait = result.behind_writes / (analytic::most_sm_deviation * wave);
  const double read = 1 - result.dram_write_cycles / result.dram_cycles;
  return own * own * (1 - std::exp(-wait * wait)) * read / (read + read_share_of_half(work.resident));
}

bool come_apart(const SmResult& result, const SmWork& work, double issued,
                const std::vector<EdgeBlocks>& edges) {
  constexpr double longest_wave = 250000;
  const bool otherwise = work.resident > 1 || !edges.empty() || result.behind_writes > 0;
  return otherwise && work.resident * issued <= longest_wave;
}

SmWork later_blocks(const SmWork& work, double wave, const std::vector<EdgeBlocks>& edges) {
  // The first, those that are timed, and one beside whose begin these end. Two, as in one alone the stores of
  // the wave before may still hold back the next one's instructions.
  int timed = 2;
  constexpr std::int64_t most_rows = 8;
  for (const auto& edge : edges) {
    if (work.resident == 1 && edge.rows <= most_rows) timed = std::max(timed, static_cast<int>(edge.rows));
  }
  const int waves = timed + 2;
  SmWork later = work;
  later.apart = true;
  later.share.in_step = false;
  later.blocks = waves * work.resident;
  later.tail_blocks = 0;
  later.ends = later.blocks - work.resident + 1;  // all that cycles_of_a_wave() reads
  later.start.clear();
  for (int b = 0; b < work.resident; ++b)
    later.start.push_back(std::lround(wave * b / work.resident));
  return later;
}

}  // namespace tilecast::sim
