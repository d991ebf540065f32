#include "kernels/sass/followed_loops.hpp"

#include <algorithm>
#include <optional>

namespace tilecast::sass {
namespace {

// Trips. Enough for a filter's taps (11 x 11 = 121), or fewer taps times another loop's trips.
constexpr std::size_t longest_period = 256;
// Trips executed before following, and in the window that gives the rates. Rows a whole number of words apart
// start at the same place of a sector every 8 trips.
constexpr std::size_t fewest_trips = 16;
constexpr int most_searches = 2;

// Instructions that decide a warp's path, stores of spilled registers included.
bool leads(OpClass op_class) {
  return op_class == OpClass::branch || op_class == OpClass::control || op_class == OpClass::barrier ||
         op_class == OpClass::local_store;
}

bool is_access(OpClass op_class) {
  switch (op_class) {
    case OpClass::shared_load:
    case OpClass::shared_store:
    case OpClass::global_load:
    case OpClass::global_store:
    case OpClass::async_copy:
    case OpClass::atomic:
      return true;
    default:
      return false;
  }
}

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

// Blocks outside the loop that a warp may reach after it.
std::vector<bool> reached_behind(const Program& program, const std::vector<bool>& inside) {
  std::vector<bool> reached(program.blocks.size());
  std::vector<int> open;
  const auto look = [&](std::size_t from) {
    for (const int to : program.blocks[from].successors) {
      if (inside[index(to)] || reached[index(to)]) continue;
      reached[index(to)] = true;
      open.push_back(to);
    }
  };
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    if (inside[b]) look(b);
  }
  while (!open.empty()) {
    const auto from = index(open.back());
    open.pop_back();
    look(from);
  }
  return reached;
}

constexpr double InstructionCount::*counted[] = {&InstructionCount::with_lanes,
                                                 &InstructionCount::threads,
                                                 &InstructionCount::wavefronts,
                                                 &InstructionCount::sectors,
                                                 &InstructionCount::masks,
                                                 &InstructionCount::joined_packets,
                                                 &InstructionCount::unknown_addresses,
                                                 &InstructionCount::cluster,
                                                 &InstructionCount::cluster_own,
                                                 &InstructionCount::lone_sectors,
                                                 &InstructionCount::lines,
                                                 &InstructionCount::by_line,
                                                 &InstructionCount::written};
constexpr std::size_t kinds = std::size(counted);

// Whether a warp may be followed through the blocks inside without executing all of their instructions: they
// store nothing to global memory and do not leave but by branches, and nothing behind them needs a table.
bool may_be_followed(const PreparedProgram& prepared, const std::vector<bool>& inside) {
  const auto& program = *prepared.program;
  const auto behind = reached_behind(program, inside);
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    for (int i = program.blocks[b].first; i < program.blocks[b].last; ++i) {
      const auto& op = prepared.ops[index(i)];
      if (behind[b] && prepared.slice.table_loads[index(i)]) return false;
      if (!inside[b]) continue;
      const bool stores = op.op_class == OpClass::global_store || op.op_class == OpClass::atomic;
      if (stores || op.flow == Flow::call || op.flow == Flow::back || op.flow == Flow::other) return false;
    }
  }
  return true;
}

// The loop's instructions that decide a warp's path, here and behind the loop: backward data flow from the
// registers that are live behind it. nullopt: a load from a table is among them.
std::optional<std::vector<bool>> needed_in(const PreparedProgram& prepared, const Loop& loop,
                                           const std::vector<bool>& inside) {
  const auto& program = *prepared.program;
  std::vector<bool> needed(prepared.ops.size());
  std::vector<RegisterSet> live_in(program.blocks.size());
  const auto live_at = [&](int block) -> const RegisterSet& {
    return inside[index(block)] ? live_in[index(block)] : prepared.slice.live_in[index(block)];
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto b = loop.blocks.rbegin(); b != loop.blocks.rend(); ++b) {
      const auto& block = program.blocks[index(*b)];
      RegisterSet live;
      for (const int to : block.successors)
        live |= live_at(to);
      for (int i = block.last - 1; i >= block.first; --i) {
        const auto& op = prepared.ops[index(i)];
        const auto written = registers_written(*op.code);
        const bool used = written.intersects(live);
        if (!used && !leads(op.op_class)) continue;
        if (prepared.slice.table_loads[index(i)]) return std::nullopt;
        needed[index(i)] = true;
        if (!op.guarded) live.remove(written);
        // An access's result is unknown in any case; only its guard decides whether it replaces the old
        // value.
        live |= is_access(op.op_class) ? registers_of_guard(op) : registers_needed(op);
      }
      if (live != live_in[index(*b)]) {
        live_in[index(*b)] = live;
        changed = true;
      }
    }
  }
  return needed;
}

}  // namespace

FollowedLoop followed_loop(const PreparedProgram& prepared, const Loop& loop) {
  const auto& program = *prepared.program;
  FollowedLoop f;
  f.inside.resize(program.blocks.size());
  f.blocks.resize(program.blocks.size());
  for (const int b : loop.blocks)
    f.inside[index(b)] = true;
  if (!may_be_followed(prepared, f.inside)) return f;
  const auto needed = needed_in(prepared, loop, f.inside);
  if (!needed) return f;
  for (const int b : loop.blocks) {
    for (const auto& step : prepared.blocks[index(b)].steps) {
      const auto& op = prepared.ops[index(step.instruction)];
      if ((*needed)[index(step.instruction)]) f.blocks[index(b)].steps.push_back(step);
      if (!step.plain && !leads(op.op_class)) f.rated.push_back({step.instruction, b});
    }
  }
  f.possible = true;
  return f;
}

LoopFollower::LoopFollower(const PreparedProgram& prepared, RunCounts& counts, FollowedLoops* shared)
    : prepared_(prepared), counts_(counts), shared_(shared) {
  if (!shared_) return;
  const auto& program = *prepared.program;
  shared_->loops.resize(program.loops.size());
  trips_.resize(program.loops.size());
  loop_of_header_.resize(program.blocks.size());
  for (std::size_t l = 0; l < program.loops.size(); ++l)
    loop_of_header_[index(program.loops[l].header)] = static_cast<int>(l) + 1;
}

const PreparedBlock* LoopFollower::enter(int block, bool all_threads, int last) {
  if (!shared_) return nullptr;
  if (followed_ && !followed_->inside[index(block)]) leave();
  if (!followed_ && loop_of_header_[index(block)] > 0) {
    const auto loop = index(loop_of_header_[index(block)] - 1);
    const auto& blocks = prepared_.program->loops[loop].blocks;
    at_header(loop, all_threads, !std::ranges::binary_search(blocks, last));
  }
  if (!followed_) return nullptr;
  visits_[index(block)] += 1;
  return &followed_->blocks[index(block)];
}

void LoopFollower::at_header(std::size_t loop, bool all_threads, bool entered) {
  auto& trips = trips_[loop];
  auto& entry = shared_->loops[loop];
  if (entered) {
    trips.made = trips.begin = 0;
    trips.marks.clear();
    trips.counts.clear();
  } else {
    ++trips.made;
  }
  if (trips.given_up || entry.searches >= most_searches) return;
  if (entry.looked_at && !entry.loop.possible) return;
  trips.marks.push_back(done_);
  if (!all_threads || trips.made < fewest_trips) return;
  if (!entry.looked_at) {
    entry.looked_at = true;
    entry.loop = followed_loop(prepared_, prepared_.program->loops[loop]);
    if (!entry.loop.possible) return;
  }
  // With tables, all warps are followed from the same trip on, as far as the first one calculated them.
  const bool together = counts_.words != nullptr && prepared_.slice.has_tables;
  if (trips.begin == 0 && together && entry.begin > 0) {
    trips.begin = entry.begin;
    trips.period = entry.period;
  }
  if (trips.begin == 0) find_begin(trips, entry);
  if (trips.begin == 0) return;
  if (trips.made + trips.period == trips.begin) keep_counts(entry.loop, trips.counts);
  if (trips.made != trips.begin || trips.counts.empty()) return;
  // The last period must have done the same as the one before.
  const auto n = trips.marks.size();
  const auto mark = [&](std::size_t periods) { return trips.marks[n - 1 - periods * trips.period]; };
  if (n > 2 * trips.period && mark(0) - mark(1) == mark(1) - mark(2)) {
    entry.begin = trips.begin;
    entry.period = trips.period;
    follow(loop);
  } else if (together) {
    trips.given_up = true;
  } else {
    trips.begin = 0;
  }
}

// Where trips repeat, the warp is followed after one more period of them; not while loads are still logged.
void LoopFollower::find_begin(Trips& trips, FollowedLoops::Entry& entry) {
  if (counts_.loads && !counts_.loads->full() && counts_.loads->accesses.size() != trips.logged) {
    trips.logged = counts_.loads->accesses.size();
    return;
  }
  if (const auto period = period_of(trips); period > 0) {
    trips.period = (fewest_trips + period - 1) / period * period;
    trips.begin = trips.made + trips.period;
  } else if (trips.made > 3 * longest_period) {
    trips.given_up = true;
    ++entry.searches;
  }
}

// The shortest period, in trips, after which accesses repeat; 0: none. Short periods must repeat twice, and
// cover at least half of `fewest_trips`.
std::size_t LoopFollower::period_of(const Trips& trips) const {
  const auto& marks = trips.marks;
  const auto n = marks.size();
  const auto trip = [&](std::size_t back) { return marks[n - 1 - back] - marks[n - 2 - back]; };
  for (std::size_t period = 1; period <= longest_period; ++period) {
    const auto compared = std::max(period <= fewest_trips ? 2 * period : period, fewest_trips / 2);
    if (compared + period + 1 > n) return 0;
    bool alike = true;
    for (std::size_t i = 0; alike && i < compared; ++i)
      alike = trip(i) == trip(i + period);
    if (alike) return period;
  }
  return 0;
}

void LoopFollower::keep_counts(const FollowedLoop& loop, std::vector<double>& to) const {
  to.clear();
  for (const auto& [instruction, block] : loop.rated) {
    to.push_back(counts_.block_visits[index(block)]);
    for (const auto kind : counted)
      to.push_back(counts_.steps[index(instruction)].*kind);
  }
}

void LoopFollower::follow(std::size_t loop) {
  const auto& l = shared_->loops[loop].loop;
  const auto& before = trips_[loop].counts;
  std::vector<double> now;
  keep_counts(l, now);
  rates_.assign(l.rated.size(), {});
  for (std::size_t i = 0; i < l.rated.size(); ++i) {
    const auto* from = &before[i * (kinds + 1)];
    const auto* to = &now[i * (kinds + 1)];
    const double visits = to[0] - from[0];
    if (visits <= 0) {  // not visited in the window: assume lanes side by side
      rates_[i].with_lanes = rates_[i].unknown_addresses = 1;
      rates_[i].threads = warp_lanes;
      continue;
    }
    for (std::size_t k = 0; k < kinds; ++k)
      rates_[i].*counted[k] = (to[k + 1] - from[k + 1]) / visits;
  }
  visits_.assign(prepared_.program->blocks.size(), 0);
  followed_ = &l;
}

void LoopFollower::leave() {
  if (!followed_) return;
  for (std::size_t i = 0; i < followed_->rated.size(); ++i) {
    const auto& [instruction, block] = followed_->rated[i];
    auto& count = counts_.steps[index(instruction)];
    for (const auto kind : counted)
      count.*kind += visits_[index(block)] * rates_[i].*kind;
  }
  followed_ = nullptr;
}

}  // namespace tilecast::sass
