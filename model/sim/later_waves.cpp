#include "model/sim/later_waves.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "model/sim/order_parameter.hpp"

namespace tilecast::sim {

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
  // Ends of waves deviate by as much from SM to SM, without stores (S9): a shorter wait keeps nobody
  // together.
  constexpr double least_wait = 0.03;
  const double wave = cycles_of_a_wave(result, work);
  const int full = work.blocks - work.tail_blocks;
  if (wave <= 0 || full < 2 * work.resident || result.behind_writes < least_wait * wave) return 0;
  const auto at_once = static_cast<std::size_t>(work.resident);
  const std::span ends(result.block_end);
  const double own =
      order_parameter(ends.subspan(static_cast<std::size_t>(full) - 2 * at_once, at_once), wave);
  return own * own;
}

bool come_apart(const SmResult& result, const SmWork& work, double issued,
                const std::vector<EdgeBlocks>& edges) {
  constexpr double longest_wave = 250000;
  const bool otherwise = work.resident > 1 || !edges.empty() || result.behind_writes > 0;
  return otherwise && work.resident * issued <= longest_wave;
}

SmWork later_blocks(const SmWork& work, double wave, const std::vector<EdgeBlocks>& edges) {
  // The first, those that are timed, and one beside whose begin these end.
  int timed = 1;
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
