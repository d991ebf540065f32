// S8. Steady state: trips that repeat are skipped.
#include <algorithm>
#include <cmath>

#include "model/sim/sm.hpp"

namespace tilecast::sim {

// Trips that a warp made during the leader's last `trips_back` trips; nullopt: it was or is in no loop of
// that depth. Warps whose loops share a barrier keep together: all with as many trips as the block's first
// such warp count as that one, others as the first of their role.
std::optional<double> Sm::trips_made(std::size_t index, int depth, int trips_back) const {
  const auto& then = progress_[static_cast<std::size_t>(depth)].at(trips_back);
  const auto loop = [&](std::size_t i) -> const LoopLevel& {
    return warps_[i].loops[static_cast<std::size_t>(depth)];
  };
  const auto outside = [&](std::size_t i) { return warps_[i].done || warps_[i].depth <= depth; };
  const auto made = [&](std::size_t i) -> std::optional<double> {
    if (then[i] < 0 || outside(i)) return std::nullopt;
    return then[i] - warps_[i].trips_left(depth);
  };
  const auto head = [&](std::size_t i) -> const ProgramStep& {
    return (*warps_[i].program)[static_cast<std::size_t>(loop(i).begin)];
  };
  if (!made(index)) return std::nullopt;
  const auto barriers = head(index).barriers;
  if (barriers == 0) return made(index);
  auto first = static_cast<std::size_t>(warps_[index].slot * warps_per_block_);
  while (outside(first) || (head(first).barriers & barriers) == 0)
    ++first;
  if (!made(first) || head(index).trips == head(first).trips) return made(first);
  auto same_role = first;
  while (warps_[same_role].program != warps_[index].program)
    ++same_role;
  return made(same_role);
}

// The least and the most of the warp's next trips that hold exactly so many arrivals at barriers; nullopt: no
// number of trips does. `ended`: the current trip is over.
std::optional<Sm::TripRange> Sm::trips_with(const Warp& w, int depth, std::int64_t arrivals, bool ended) {
  const auto& loop = w.loops[static_cast<std::size_t>(depth)];
  const auto& program = *w.program;
  TripRange range;
  auto group = static_cast<std::size_t>(loop.group);
  for (auto left = loop.group_left - (ended ? 0 : 1);; left = program[group].trips) {
    const auto each = program[group].arrivals;
    if (each == 0) {
      range.most += left;
    } else {
      const auto taken = std::min(left, arrivals / each);
      if (taken > 0) range.least = range.most = range.most + taken;
      arrivals -= taken * each;
      if (taken < left) return arrivals == 0 ? std::optional(range) : std::nullopt;
    }
    if (arrivals > 0) range.least = range.most;
    group = static_cast<std::size_t>(program[group].end) + 1;
    if (program[group].kind != ProgramStep::Kind::group_begin)  // the loop's last group
      return arrivals == 0 ? std::optional(range) : std::nullopt;
  }
}

// Operations and arrivals of the warp's next `trips` trips. `ended`: the current trip is over.
Sm::TripContents Sm::contents_of(const Warp& w, int depth, std::int64_t trips, bool ended) {
  const auto& loop = w.loops[static_cast<std::size_t>(depth)];
  const auto& program = *w.program;
  TripContents contents;
  auto group = static_cast<std::size_t>(loop.group);
  for (auto left = loop.group_left - (ended ? 0 : 1);; left = program[group].trips) {
    const auto taken = std::min(trips, left);
    contents.operations += taken * program[group].operations;
    contents.arrivals += taken * program[group].arrivals;
    trips -= taken;
    group = static_cast<std::size_t>(program[group].end) + 1;
    if (trips <= 0 || program[group].kind != ProgramStep::Kind::group_begin) return contents;
  }
}

// Sets own_, each warp's trips to skip while the leader skips `trips`, so that warps which meet at barriers
// skip equally many meetings; false: there is no such choice.
bool Sm::share_skip(const Warp& leader, int depth, std::int64_t trips, std::int64_t window) {
  const auto outside = [&](const Warp& w) { return w.done || w.depth <= depth; };  // and stays there
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    // Trips that are still to be skipped come first.
    if (!outside(warps_[i]) && warps_[i].loops[static_cast<std::size_t>(depth)].skip > 0) return false;
    own_[i] =
        std::llround(static_cast<double>(trips) * trips_made(i, depth, static_cast<int>(window)).value_or(0) /
                     static_cast<double>(window));
  }
  const auto barriers_of = [&](const Warp& w) {
    return (*w.program)[static_cast<std::size_t>(w.loops[static_cast<std::size_t>(depth)].begin)].barriers;
  };
  const auto block = static_cast<std::size_t>(warps_per_block_);
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    const Warp& w = warps_[i];
    if (outside(w) || barriers_of(w) == 0) continue;
    auto first = i / block * block;
    while (outside(warps_[first]) || (barriers_of(warps_[first]) & barriers_of(w)) == 0)
      ++first;
    if (first == i) continue;  // the block's others follow it
    const auto arrivals = contents_of(warps_[first], depth, own_[first], &warps_[first] == &leader).arrivals;
    const auto range = trips_with(w, depth, arrivals, &w == &leader);
    if (!range || range->least >= w.loops[static_cast<std::size_t>(depth)].remaining) return false;
    own_[i] = std::clamp(own_[i], range->least,
                         std::min(range->most, w.loops[static_cast<std::size_t>(depth)].remaining - 1));
  }
  return true;
}

// Whether the warp has waited at a barrier during all of the leader's last `window` trips: it waits for warps
// that come there behind their loops.
bool Sm::rests(const Warp& w, int depth, std::int64_t window) const {
  const auto since = steady_[static_cast<std::size_t>(depth)].mark(static_cast<int>(window)).at;
  return w.barrier_until == never && w.depth <= depth && w.last_issue + skipped_ < since;
}

// The most trips that the leader can skip, a multiple of `step`, so that every warp at work keeps some trips
// of its loop of this depth, each at its pace during the leader's last `window` trips; 0 where one is in no
// such loop.
std::int64_t Sm::trips_to_skip(int depth, std::int64_t window, std::int64_t step) const {
  constexpr std::int64_t kept = 3;
  std::int64_t trips = never;
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    const Warp& w = warps_[i];
    if (w.done || rests(w, depth, window)) continue;
    if (w.depth <= depth) return 0;  // waits at a barrier, though not for that long
    const auto made = trips_made(i, depth, static_cast<int>(window));
    if (!made || *made < 0) return 0;  // it was elsewhere
    const auto left = w.loops[static_cast<std::size_t>(depth)].remaining - kept;
    if (*made > 0)
      trips = std::min(trips, static_cast<std::int64_t>(static_cast<double>(left * window) / *made + 1e-6));
  }
  return trips == never || trips < step ? 0 : trips / step * step;
}

void Sm::skip_trips(const Warp& leader, Cycle now) {
  const int depth = leader.depth - 1;
  auto& steady = steady_[static_cast<std::size_t>(depth)];
  auto& progress = progress_[static_cast<std::size_t>(depth)];
  // Trips are timed while all warps are in their loops, or are at rest outside.
  const auto elsewhere = [&](const Warp& w) {
    const bool to_begin = slots_[static_cast<std::size_t>(w.slot)].began > now;
    return !w.done && (to_begin || (w.depth <= depth && w.barrier_until != never));
  };
  if (std::ranges::any_of(warps_, elsewhere)) {
    steady.reset();
    progress.reset();
    return;
  }
  take_issued(now);
  progress.add(warps_, depth);
  steady.add({now + skipped_, result_.stalls, result_.issued, memory_.l2_bytes(), memory_.dram_bytes(),
              memory_.store_cycles(), memory_.dram_cycles(), memory_.dram_written(), memory_.backlog(now)});
  const auto found = steady.find();
  if (!found) return;
  // If exactly periodic, all warps are where they were. Else the longest window gives their pace best.
  std::int64_t window = found->spread == 0 ? found->trips : steady.trips();
  auto trips = trips_to_skip(depth, window, found->spread == 0 ? found->trips : 1);
  const auto rests_since = [&](const Warp& w) { return !w.done && rests(w, depth, found->trips); };
  if (trips < 1 && window > found->trips &&
      std::ranges::any_of(warps_, rests_since)) {  // they have not waited that long
    window = found->trips;
    trips = trips_to_skip(depth, window, 1);
  }
  if (trips < 1 || !share_skip(leader, depth, trips, window)) return;
  const auto& last = steady.mark(0);
  const auto& before = steady.mark(found->trips);
  // What is skipped takes time in proportion to its operations, summed over all warps.
  std::int64_t left_out = 0;
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    if (own_[i] > 0) left_out += contents_of(warps_[i], depth, own_[i], &warps_[i] == &leader).operations;
  }
  const double times = static_cast<double>(left_out) / (last.issued - before.issued);
  result_.stalls.add_difference(last.stalls, before.stalls, times);
  result_.issued += static_cast<double>(left_out);
  const auto cycles = static_cast<Cycle>(std::llround(times * static_cast<double>(last.at - before.at)));
  memory_.add_skipped(
      cycles, times * (last.l2_bytes - before.l2_bytes), times * (last.dram_bytes - before.dram_bytes),
      times * (last.store_cycles - before.store_cycles), times * (last.dram_cycles - before.dram_cycles),
      times * (last.dram_written - before.dram_written));
  if (timeline_) {
    timeline_->add({TimelineEvent::Kind::skipped, slots_[static_cast<std::size_t>(leader.slot)].block,
                    leader.number, now + skipped_, now + skipped_ + cycles, trips});
  }
  for (const auto& w : warps_) {
    if (!w.done && w.depth <= depth) result_.stalls[Cause::barrier] += static_cast<double>(cycles);
  }
  skipped_ += cycles;
  result_.skipped_trips += trips;
  result_.steady_spread = std::max(result_.steady_spread, found->spread);
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    auto& loop = warps_[i].loops[static_cast<std::size_t>(depth)];
    loop.remaining -= own_[i];
    loop.skip += own_[i];
  }
  reset_steady();
}

void Sm::reset_steady() {
  for (std::size_t d = 0; d < steady_.size(); ++d) {
    steady_[d].reset();
    progress_[d].reset();
  }
}

}  // namespace tilecast::sim
