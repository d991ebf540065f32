#include "kernels/sass/mix_parts.hpp"

#include <algorithm>
#include <numeric>

namespace tilecast::sass {
namespace {

constexpr double noticeable = 1.0 / 20;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Executions in a block of instructions for which `wanted` holds.
template <class Predicate>
double executed_in(const Program& program, const Counts& counts, int block, Predicate wanted) {
  double sum = 0;
  for (int i = program.blocks[at(block)].first; i < program.blocks[at(block)].last; ++i) {
    if (wanted(program.instructions[at(i)])) sum += counts.instructions[at(i)].executed;
  }
  return sum;
}

}  // namespace

std::vector<BlockPlace> mix_places(const Program& program, const Counts& counts) {
  const auto is_ffma = [](const Instruction& i) { return i.op_class == OpClass::ffma; };
  const auto copies = [](const Instruction& i) {
    return i.op_class == OpClass::async_copy || i.op_class == OpClass::global_load;
  };
  std::vector<double> ffma(program.blocks.size()), copied(program.blocks.size());
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    ffma[b] = executed_in(program, counts, static_cast<int>(b), is_ffma);
    copied[b] = executed_in(program, counts, static_cast<int>(b), copies);
  }
  const double enough = noticeable * std::accumulate(ffma.begin(), ffma.end(), 0.0);
  const auto in_loop = [&](const Loop& loop, const std::vector<double>& of) {
    double sum = 0;
    for (const int b : loop.blocks)
      sum += of[at(b)];
    return sum;
  };

  // Height of a loop over the innermost ones that hold multiply-adds; -1: it holds none. Inner loops follow
  // outer ones in the list.
  std::vector<int> height(program.loops.size(), -1);
  for (std::size_t l = program.loops.size(); l-- > 0;) {
    const auto& loop = program.loops[l];
    const double sum = in_loop(loop, ffma);
    if (sum <= 0 || sum < enough) continue;
    height[l] = std::max(height[l], 0);
    if (loop.parent) height[at(*loop.parent)] = std::max(height[at(*loop.parent)], height[l] + 1);
  }
  const bool any_loop = std::ranges::any_of(height, [](int h) { return h >= 0; });

  std::vector<BlockPlace> places(program.blocks.size());
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    auto& place = places[b];
    if (!any_loop) {
      if (ffma[b] > 0 && ffma[b] >= enough) place.region = Region::core;
    }
    auto loop = program.blocks[b].loop;
    if (loop && height[at(*loop)] < 0 && in_loop(program.loops[at(*loop)], copied) > 0)
      place.region = Region::copying;
    while (loop && height[at(*loop)] < 0)
      loop = program.loops[at(*loop)].parent;
    if (!loop) continue;
    place.in_loop = true;
    const int h = height[at(*loop)];
    if (place.region != Region::copying)
      place.region = h == 0 ? Region::core : h == 1 ? Region::around_core : Region::further_out;
    const bool header = program.loops[at(*loop)].header == static_cast<int>(b);
    place.opens_round = header && h == 1;
    place.opens_step = header && h == 2;
  }
  return places;
}

}  // namespace tilecast::sass
