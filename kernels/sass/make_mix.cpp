#include "kernels/sass/make_mix.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "kernels/sass/make_stream.hpp"
#include "kernels/sass/mix_parts.hpp"
#include "kernels/sass/warp_alone.hpp"

namespace tilecast::sass {
namespace {

// A long path repeats itself: of one with more instructions, the first and the last so many are timed.
constexpr std::int64_t timed_at_an_end = 150'000;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

CodeCounts issued_of(const sim::DecodedOp& op, const Instruction& instruction) {
  constexpr int word_bits = 32;
  const auto op_class = instruction.op_class;
  const double words = std::max(1, instruction.width_bits / word_bits);
  CodeCounts c;
  c.local_loads = op_class == OpClass::local_load ? words : 0;
  c.local_stores = op_class == OpClass::local_store ? words : 0;
  c.issued = 1;
  c.ffma = op_class == OpClass::ffma ? 1 : 0;
  switch (op.unit) {
    case sim::Unit::fp32_first:
      c.integer_mad = 1;
      break;
    case sim::Unit::integer:
      c.integer = 1;
      break;
    case sim::Unit::uniform:
      c.uniform = 1;
      break;
    case sim::Unit::memory:
      c.memory = 1;
      c.pipe_cycles = op.in_mix;
      c.queue_cycles = op.interval;
      c.return_cycles = op.return_hold;
      break;
    default:
      break;
  }
  c.copies = op_class == OpClass::async_copy || op_class == OpClass::global_load ? 1 : 0;
  // A14, in place of S4's cycles: A15 has the way of stores beyond the SM as a queue of its own.
  constexpr double store_sectors_a_cycle = 4;
  if (op_class == OpClass::global_store) c.pipe_cycles = std::max(1.0, op.sectors / store_sectors_a_cycle);
  // A barrier and a group's end pass the queue, not the pipe (S5).
  if (op.kind == StreamOpKind::barrier || op.kind == StreamOpKind::commit_group) c.pipe_cycles = 0;
  c.barriers = op.kind == StreamOpKind::barrier && !op.arrive_only ? 1 : 0;
  return c;
}

// Walks along one warp's path and hands what it issues to the parts.
class Walk {
 public:
  Walk(const Program& program, const std::vector<BlockPlace>& places, const sim::DecodedStream& stream,
       const sim::CoreParameters& parameters)
      : program_(program), places_(places), stream_(stream), warp_(parameters) {
    loops_around_core_ = std::ranges::any_of(
        places, [](const BlockPlace& place) { return place.region == Region::around_core; });
  }

  CodeMix run(const std::vector<Visit>& path) {
    const auto [cut_from, cut_to] = middle(path);
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (i == cut_from && cut_from < cut_to) {
        trip_ = {};  // not seen to its end
        in_trip_ = trip_computes_ = false;
        i = cut_to;
      }
      const auto& place = places_[at(path[i].block)];
      if (place.opens_round || place.region == Region::outside || place.region == Region::further_out)
        close_trip();
      if (place.opens_step) mix_[MixPart::step].times += 1;
      if (place.opens_round) in_trip_ = true;
      if (place.region == Region::core) computed_ = trip_computes_ = true;
      visit(path[i].block, i + 1 < path.size() && path[i + 1].block != path[i].block + 1);
    }
    close_trip();
    mix_[MixPart::start].times = mix_[MixPart::end].times = 1;
    auto& stored = seen_[at(static_cast<int>(MixPart::end))];
    for (const int b : before_store_)
      stored.erase(b);
    seen_[at(static_cast<int>(MixPart::sum))] = before_store_;
    mix_[MixPart::core].times = mix_[MixPart::core].unit.ffma;
    mix_[MixPart::copy].times = mix_[MixPart::copy].unit.copies;
    for (std::size_t p = 0; p < seen_.size(); ++p) {
      for (const int b : seen_[p])
        mix_.parts[p].code += program_.blocks[at(b)].last - program_.blocks[at(b)].first;
    }
    return mix_;
  }

 private:
  // Visits [first, second) of a path that is too long.
  std::pair<std::size_t, std::size_t> middle(const std::vector<Visit>& path) const {
    const auto length = [&](const Visit& v) {
      const auto& b = program_.blocks[at(v.block)];
      return static_cast<std::int64_t>(b.last - b.first);
    };
    std::size_t first = 0, last = path.size();
    for (std::int64_t n = 0; first < path.size() && n < timed_at_an_end; ++first)
      n += length(path[first]);
    for (std::int64_t n = 0; last > 0 && n < timed_at_an_end; --last)
      n += length(path[last - 1]);
    return {first, last};
  }

  // nullopt: of the trip under way, whose kind shows at its end.
  std::optional<MixPart> part_of(const BlockPlace& place) const {
    switch (place.region) {
      case Region::core:
        return MixPart::core;
      case Region::copying:
        if (!place.in_loop && computed_) break;
        return MixPart::copy;
      case Region::around_core:
        return std::nullopt;
      case Region::further_out:
        return MixPart::step;
      case Region::outside:
        break;
    }
    return computed_ ? MixPart::end : MixPart::start;
  }

  void visit(int block, bool leaves) {
    const auto& b = program_.blocks[at(block)];
    const auto part = part_of(places_[at(block)]);
    (part ? seen_[at(static_cast<int>(*part))] : seen_in_trip_).insert(block);
    for (int i = b.first; i < b.last; ++i) {
      const auto op_class = program_.instructions[at(i)].op_class;
      if (part == MixPart::end && op_class == OpClass::global_store && !mix_[MixPart::sum].times) {
        before_store_ = seen_[at(static_cast<int>(MixPart::end))];
        mix_[MixPart::sum].times = 1;
        std::swap(mix_[MixPart::sum].unit, mix_[MixPart::end].unit);
      }
      const bool in_last = part == MixPart::start && data_there_ && !loops_around_core_;
      if (in_last) mix_[MixPart::last].times = 1;
      auto& to = in_last ? mix_[MixPart::last].unit : part ? mix_[*part].unit : trip_;
      const auto& op = stream_.ops[at(i)];
      const bool taken = leaves && i + 1 == b.last && op_class == OpClass::branch;
      const auto step = warp_.issue(op, taken);
      CodeCounts c = issued_of(op, program_.instructions[at(i)]);
      c.chain_cycles = step.cycles;
      c.shared_waits = step.short_waits;
      c.port_cycles = step.port_cycles;
      c.queue_waits = step.queue_waits;
      c.long_waits = step.long_wait ? 1 : 0;
      c.load_waits = step.load_wait ? 1 : 0;
      c.load_distance = step.load_distance;
      to.add(c);
      note_copies(op, c);
    }
  }

  // When the warp makes its last copy before it first waits for all of them, how long before that is, and the
  // barrier behind which all warps' data are there.
  void note_copies(const sim::DecodedOp& op, const CodeCounts& issued) {
    alone_ += issued.chain_cycles;
    if (waited_ && op.kind == StreamOpKind::barrier) data_there_ = true;
    if (op.kind == StreamOpKind::async_copy) copied_ = alone_;
    if (op.kind != StreamOpKind::wait_groups || op.groups > 0 || !copied_ || waited_) return;
    waited_ = true;
    mix_[MixPart::start].unit.copy_distance = alone_ - *copied_;
  }

  void close_trip() {
    if (!in_trip_) return;
    const auto part = !trip_computes_ ? MixPart::fetch : trip_.copies > 0 ? MixPart::round : MixPart::last;
    mix_[part].times += 1;
    mix_[part].unit.add(trip_);
    seen_[at(static_cast<int>(part))].merge(seen_in_trip_);
    seen_in_trip_.clear();
    trip_ = {};
    in_trip_ = trip_computes_ = false;
  }

  const Program& program_;
  const std::vector<BlockPlace>& places_;
  const sim::DecodedStream& stream_;
  WarpAlone warp_;
  CodeMix mix_;                                     // sums; run() leaves them so
  std::array<std::set<int>, mix_part_count> seen_;  // blocks
  CodeCounts trip_;
  std::set<int> seen_in_trip_, before_store_;
  bool in_trip_ = false, trip_computes_ = false, computed_ = false;
  double alone_ = 0;              // cycles since the warp began
  std::optional<double> copied_;  // when it made its last copy so far
  bool waited_ = false, data_there_ = false;
  bool loops_around_core_ = false;
};

double chain_of(const CodeMix& one, MixPart part) {
  return one[part].unit.chain_cycles;
}

double chain_behind_start(const CodeMix& one) {
  double sum = -chain_of(one, MixPart::start);
  for (const auto& part : one.parts)
    sum += part.unit.chain_cycles;
  return sum;
}

// Of the warps that wait for copies; 0 if none does.
double fewest_behind_copies(const std::vector<CodeMix>& warps) {
  double fewest = 0;
  for (const auto& one : warps) {
    const double cycles = one[MixPart::start].unit.copy_distance;
    if (cycles > 0 && (fewest <= 0 || cycles < fewest)) fewest = cycles;
  }
  return fewest;
}

// Means of the warps' sums, with the chain of the slowest one: all wait for the one that starts last, then
// for the one that takes longest. Per unit of the warp that has most.
CodeMix mix_of_warps(const std::vector<CodeMix>& warps) {
  const auto start = [](const CodeMix& one) { return chain_of(one, MixPart::start); };
  const CodeMix& starts_last = *std::ranges::max_element(warps, {}, start);
  const CodeMix& slowest = *std::ranges::max_element(warps, {}, chain_behind_start);
  CodeMix mix;
  for (int i = 0; i < mix_part_count; ++i) {
    const auto which = static_cast<MixPart>(i);
    auto& part = mix[which];
    double most = 0;
    for (const auto& one : warps) {
      part.times += one[which].times;
      part.code = std::max(part.code, one[which].code);
      part.unit.add(one[which].unit);
      most = std::max(most, one[which].times);
    }
    if (part.times > 0) part.unit = CodeCounts{}.add(part.unit, 1 / part.times);
    const CodeMix& waited_for = which == MixPart::start ? starts_last : slowest;
    if (waited_for[which].times > 0) part.unit.chain_cycles = chain_of(waited_for, which) / most;
    // Where the shortest of waits that count as one was in another part than the first of them.
    part.unit.load_distance = std::max(0.0, part.unit.load_distance);
    part.times /= static_cast<double>(warps.size());
  }
  mix[MixPart::start].unit.copy_distance = fewest_behind_copies(warps);
  return mix;
}

}  // namespace

CodeMix make_mix(const Program& program, const Executor& executor, BlockIndex block) {
  const auto stream = make_stream(program, executor, block);
  const sim::CoreParameters parameters;
  const auto decoded = sim::decode(stream, parameters);
  Counts counts;
  std::vector<std::vector<Visit>> paths(at(executor.warps_per_block()));
  for (int warp = 0; warp < executor.warps_per_block(); ++warp)
    executor.run_warp(block, warp, counts, {.path = &paths[at(warp)]});
  const auto places = mix_places(program, counts);
  std::vector<CodeMix> warps;
  for (const auto& path : paths)
    warps.push_back(Walk(program, places, decoded, parameters).run(path));
  return mix_of_warps(warps);
}

}  // namespace tilecast::sass
