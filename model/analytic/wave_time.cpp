// Time of a wave's blocks together (EQUATIONS.md A4, A9, A13, A15, A18, A20).
#include <algorithm>
#include <cmath>

#include "model/analytic/code_wave.hpp"
#include "model/analytic/overlap.hpp"
#include "model/analytic/paces.hpp"
#include "model/analytic/staged_stores.hpp"
#include "model/device/stand_ins.hpp"

namespace tilecast::analytic {
namespace {

// A20. Of the waits for the busiest of what is beyond the SM, the share that is left: of its time for stores
// they go with the blocks' step.
double left_beyond(const CodePart& part, const SmBlocks& sm) {
  const Seconds most = std::max({part.l2, part.dram, part.cluster});
  if (most <= Seconds{} || part.cluster >= most) return 1;
  const double stores =
      part.dram >= most ? part.dram_writes / part.dram : std::min(1.0, part.l2_stores / part.l2);
  return std::lerp(1.0, sm.of_stores, stores);
}

// A20. A13 with the share of the waits that follows from S18's paces. The busiest of what is beyond the SM is
// a third queue, for which nobody stays.
Seconds paced_time(const CodePart& part, const SmBlocks& sm, double n, Seconds alone) {
  const auto& paced = *sm.paced;
  const double service = paced.of_service * part.scheduler().value() / sm.on_scheduler;
  const double b = sm.blocks_per_sm, pipe = paced.of_service * part.pipe.value(),
               beyond = std::max({part.l2, part.dram, part.cluster}).value();
  const Queue queues[] = {{n, service}, {b, pipe / b}, {b, beyond / b, true}};
  const double sharp = std::max({n * service, pipe, beyond, alone.value()});
  const double left = left_beyond(part, sm);
  return Seconds{std::max(sharp, queued_with(paced.of_waits, queues, alone.value(), left))};
}

// A13, A15 with `n` blocks on the busiest scheduler.
Seconds wave_time(const CodePart& part, const SmBlocks& sm, double n, Seconds later, const Enabled& enabled) {
  const Seconds alone = part.alone() + later;
  if (sm.paced && enabled[index(BoundId::overlap)] && sm.blocks_per_sm > 0)
    return paced_time(part, sm, n, alone);
  const Seconds service = part.scheduler() / sm.on_scheduler;
  const Seconds sharp = std::max({n * service, part.wide(), alone});
  if (!enabled[index(BoundId::overlap)] || sm.blocks_per_sm <= 0) return sharp;
  const double b = sm.blocks_per_sm;
  // Nobody stays while L2 or DRAM serves.
  const Queue queues[] = {{n, service.value()}, {b, part.wide().value() / b, part.wide() > part.pipe}};
  return std::max(sharp, Seconds{queued_at(queues, alone.value(), left_beyond(part, sm))});
}

}  // namespace

// A13 with two queues: a scheduler's blocks at the scheduler, and all of the SM's blocks at the busiest
// resource of the SM or the device.
Seconds wave_time(const CodePart& part, const SmBlocks& sm, Seconds later, const Enabled& enabled) {
  return wave_time(part, sm, sm.on_scheduler, later, enabled);
}

Seconds pace_of_waves(const CodePart& part, const SmBlocks& sm, Seconds later, const Enabled& enabled) {
  const Seconds busiest = wave_time(part, sm, sm.on_scheduler, later, enabled);
  if (sm.groups_with_one_less <= 0 || busiest <= Seconds{}) return busiest;
  const double less = sm.on_scheduler - 1;
  const double groups = (sm.blocks_per_sm + sm.groups_with_one_less) / sm.on_scheduler;
  // Each group of schedulers takes on new blocks at its own pace, so that their rates add.
  double blocks_a_second = (groups - sm.groups_with_one_less) * sm.on_scheduler / busiest.value();
  if (less > 0)
    blocks_a_second += sm.groups_with_one_less * less / wave_time(part, sm, less, later, enabled).value();
  return (sm.paced ? sm.paced->of_pace : 1) * Seconds{sm.blocks_per_sm / blocks_a_second};
}

Seconds crowded_time(const CodePart& part, SmBlocks sm, const std::optional<PacedWaits>& of_pairs,
                     Seconds later, const Enabled& enabled) {
  sm.paced = of_pairs;
  return wave_time(part, sm, 2, later, enabled);
}

Seconds begun_sooner(const CodeWave& first, double blocks, Seconds later, const Enabled& enabled) {
  if (first.blocks_per_sm <= 0 || blocks >= first.blocks_per_sm) return {};
  const Seconds of_tail = blocks / first.blocks_per_sm * later;
  return wave_time(first.all, first, later, enabled) - wave_time(first.all, first, of_tail, enabled);
}

FreeSooner schedulers_free_sooner(const CodeWave& wave, const Enabled& enabled) {
  const double less = wave.on_scheduler - 1;
  if (wave.groups_with_one_less <= 0 || less <= 0) return {};
  return {wave.groups_with_one_less * less, wave_time(wave.all, wave, wave.on_scheduler, Seconds{}, enabled) -
                                                wave_time(wave.all, wave, less, Seconds{}, enabled)};
}

namespace {

Seconds less(Seconds from, Seconds by) {
  return from - std::min(from, by);
}

// A20, stores that hold up. What has not left by the SM's own way, or L2 has no room for, waits in the memory
// pipe and lets nothing pass, so that the other blocks compute later.
struct HeldUp {
  Seconds before{};  // delay until the last blocks have computed (A20's `held`)
  Seconds last{};    // what L2 then still has to take, the last blocks' own stores included (A20's `left`)
  double last_blocks = 1;  // blocks that end last together (A20's n)
};

struct Storing {
  Seconds each{};     // L2's time for one block's stores
  Seconds issuing{};  // in which a block issues its stores
  Seconds room{};     // L2's time for what the SM has room for
  Seconds port{};     // the time of the SM's own way for one block's stores
  Seconds unsent{};   // and for those that may wait in front of it
};

// `together` blocks end and store, and the next ones end `apart` behind them.
void store(HeldUp& held, const Storing& s, double together, Seconds apart) {
  const Seconds blocked = less(together * s.port, s.issuing + s.unsent);
  const Seconds left = less(held.last + together * s.each, s.issuing + blocked);
  held.before += blocked + less(left, s.room);
  held.last = less(std::min(left, s.room), less(apart, s.issuing));
}

// The blocks of those schedulers that have one less than the others end first, between `first` and `apart`
// before the last end; the others' ends are `apart`.
HeldUp held_up(const CodeWave& wave, Seconds first, Seconds apart) {
  const auto& last = wave.phases.back();
  const double b = std::max(1.0, wave.blocks_per_sm), most = wave.paced->last_share * b;
  const Storing s{.each = 1 / b * last.l2,
                  .issuing = core_of(last).alone(),
                  .room = wave.room,
                  .port = wave.port,
                  .unsent = wave.unsent};
  HeldUp held;
  const double fewer = std::max(0.0, b - most), at_once = std::min(fewer, wave.first_together);
  for (double ended = 0; ended + 0.5 < fewer; ended += at_once)
    store(held, s, std::min(at_once, fewer - ended), at_once / fewer * less(first, apart));
  const double others = std::max(0.0, std::ceil(most / wave.end_together) - 1);
  for (double i = 0; i < others; ++i)
    store(held, s, wave.end_together, 1 / others * apart);
  held.last_blocks = std::max(1.0, most - others * wave.end_together);
  held.last = less(held.last + held.last_blocks * s.each, s.issuing);
  return held;
}

// 1 - u of A18 and A20: the share of the wave's time in which L2 and DRAM have room for more.
double left_of_l2(const CodeWave& wave, Seconds whole) {
  const Seconds beyond = std::max(wave.all.l2, wave.all.dram);
  return beyond > Seconds{} && whole > Seconds{} ? 1 - std::min(1.0, beyond / whole) : 1;
}

// A18. Two blocks of a scheduler take turns and stay in step. Of three or more the older ones go first.
bool take_turns(const CodeWave& wave) {
  return wave.on_scheduler <= 2;
}

// A9. How far apart the blocks of an SM end where paces are not known, from the first to the last of them.
Seconds ends_apart(const CodeWave& wave, Seconds whole) {
  return take_turns(wave) ? Seconds{} : left_of_l2(wave, whole) * less(whole, wave.all.alone());
}

// The share of the wave's time in which L2 and DRAM have room for what a block asks for before its stores.
double left_for_loads(const CodeWave& wave, Seconds whole) {
  if (wave.phases.empty() || whole <= Seconds{}) return 1;
  CodePart before;
  for (std::size_t i = 0; i + 1 < wave.phases.size(); ++i)
    before += wave.phases[i];
  return 1 - std::min(1.0, std::max(before.l2, before.dram) / whole);
}

}  // namespace

namespace {

// Time of so many of the wave's blocks alone, `n` of them on the busiest scheduler.
Seconds time_of_some(const CodeWave& wave, double blocks, double n, const Enabled& enabled) {
  SmBlocks some = wave;
  some.blocks_per_sm = blocks;
  CodePart part = wave.all;
  for (auto of : {&CodePart::pipe, &CodePart::l2, &CodePart::dram, &CodePart::cluster})
    part.*of = blocks / wave.blocks_per_sm * (part.*of);
  return wave_time(part, some, n, Seconds{}, enabled);
}

}  // namespace

std::optional<Seconds> computed_later(const CodeWave& wave, const Enabled& enabled) {
  const double b = wave.blocks_per_sm;
  if (b <= 1) return std::nullopt;
  const double groups = (b + wave.groups_with_one_less) / wave.on_scheduler;
  const Seconds all = wave_time(wave.all, wave, Seconds{}, enabled);
  return less(all, time_of_some(wave, b - 1, std::ceil((b - 1) / groups), enabled));
}

Beside tail_beside_wave(const CodeWave& wave, double blocks, const Enabled& enabled) {
  const double b = wave.blocks_per_sm, left = b - blocks;
  if (blocks <= 0 || left <= 0) return {};
  const Seconds whole = wave_time(wave.all, wave, Seconds{}, enabled);
  const Seconds rest = time_of_some(wave, left, left / b * wave.on_scheduler, enabled);
  if (!wave.paced) return {left / std::max(1.0, b - 1) * ends_apart(wave, whole), whole, rest};
  const Seconds held = held_up(wave, wave.paced->ends_apart, wave.paced->last_apart).before;
  const Seconds apart = std::min(wave.paced->ends_apart + held, whole);
  return {left_for_loads(wave, whole) * left / std::max(1.0, b - 1) * apart, whole, rest};
}

Seconds Beside::sooner(Seconds tail) const {
  if (alone <= Seconds{}) return {};
  return std::clamp(1 - (whole - tail) / alone, 0.0, 1.0) * ends;
}

namespace {

// S9's places of a wave's blocks, which end `each` apart on an SM (in shares of the wave's time, from the
// first end on). SMs deviate by their own time and by stores; an SM's places have a part of it in common.
struct Places {
  double blocks = 0, each = 0, own = 0, stores = 0;

  // The share of all places that are free.
  double free(double at) const {
    double sum = 0;
    for (double k = 0; k < blocks; ++k)
      sum += normal_share((at - k * each) / std::hypot(own, stores));
    return sum / blocks;
  }
  double time_of(double share) const {
    double from = -each * blocks - 1, to = each * blocks + 1;
    constexpr int halvings = 12;
    for (int i = 0; i < halvings; ++i) {
      const double middle = (from + to) / 2;
      (free(middle) < share ? from : to) = middle;
    }
    return to;
  }
};

}  // namespace

FirstPart first_part(const CodeWave& wave, double count, const Wave& tail, double cluster, double parts,
                     Seconds later, const Enabled& enabled) {
  const double b = wave.blocks_per_sm, share = tail.blocks_per_sm;
  if (!wave.paced || count > most_waves_in_step || cluster <= small_cluster || tail.count == 0)
    return {share};
  const Seconds whole = wave_time(wave.all, wave, Seconds{}, enabled);
  const double apart = std::min(1.0, std::max(wave.paced->ends_apart, later) / whole);
  const Places places{
      .blocks = b, .each = std::max(apart, 1e-6) / std::max(1.0, b - 1), .own = part_deviation};
  const double filled = places.time_of(std::min(0.99, tail.blocks / (parts * cluster * b)));
  const double ahead = part_deviation * first_of(parts);
  const double free = std::floor((filled + ahead) / places.each) + 1;
  const double blocks = std::min({b, tail.blocks / cluster, free});
  if (blocks <= share) return {share, ((share - 1) * places.each - filled) * whole};
  return {blocks, ahead * whole};
}

TailOfFirst tail_of_first_sm(const CodeWave& wave, double count, const Wave& tail, const Machine& machine,
                             const Enabled& enabled) {
  const double b = wave.blocks_per_sm, share = tail.blocks_per_sm;
  if (wave.paced || count > most_waves_in_step || machine.cluster > 1) return {share};
  if (tail.count == 0 || share >= b || take_turns(wave)) return {share};
  const Seconds whole = wave_time(wave.all, wave, Seconds{}, enabled);
  if (whole <= Seconds{}) return {share};
  const double apart = ends_apart(wave, whole) / whole;
  const double storing = wave.phases.back().l2 / whole;
  const Places places{
      .blocks = b,
      .each = apart / (b - 1),
      .own = std::sqrt(count) * (sm_deviation(whole * machine.clock) / (whole * machine.clock)),
      .stores = limited_by_l2(storing) * stand_in::store_deviation * storing};
  const double filled = places.time_of(tail.blocks / (machine.sms * b));
  const double ahead =
      first_of(machine.sms) * std::hypot(std::sqrt(stand_in::places_in_common) * places.own, places.stores);
  const double free = places.each > 0 ? std::floor((filled + ahead) / places.each) + 1 : b;
  const double blocks = std::min({b, tail.blocks, free});
  if (blocks <= share) return {share};
  const double spread = (blocks - 1) * places.each;
  return {blocks, std::max(0.0, apart - filled + spread) * whole, spread * whole};
}

bool tail_in_twos(const CodeWave& wave, double count, const Wave& tail, double cluster, double sms) {
  return wave.in_pairs && count <= most_waves_in_step &&
         two_on_a_scheduler(wave.blocks_per_sm, tail.blocks, cluster, sms);
}

Seconds filled_later(const CodeWave& wave, double count, const Wave& tail, double cluster,
                     const Machine& machine, const Enabled& enabled) {
  if (!wave.paced || cluster > 1 || count > most_waves_in_step || tail.count == 0) return {};
  Wave filled = tail;
  const bool several_groups = wave.blocks_per_sm > 2;
  if (wave.in_pairs && tail.blocks_per_sm == 1 &&
      (several_groups || tail_in_twos(wave, count, tail, cluster, machine.sms)))
    filled.blocks = tail.blocks / 2;
  const Cycles deviation = sm_deviation(wave_time(wave.all, wave, Seconds{}, enabled) * machine.clock);
  return tail_gone(filled, machine.sms, 1) * deviation / machine.clock;
}

double share_in_step(Seconds ends_apart, double blocks, Seconds whole) {
  return blocks <= 1 ? 1 : 1 - std::min(1.0, ends_apart / ((blocks - 1) / blocks * whole));
}

double waves_in_step(double before, double count) {
  const double first = before <= 0 ? 1 : 0;
  return first + 2 * (std::sqrt(before + count + 0.5) - std::sqrt(before + first + 0.5));
}

namespace {

// A20. How long L2 has nothing to take while the first blocks store and the others still compute: `storing`
// of all blocks takes `in_core` without L2, so that of some of them keeps L2 busy for a part of the time
// only.
Seconds idle_among_ends(const CodeWave& wave, Seconds storing, Seconds in_core, Seconds apart) {
  const double b = std::max(1.0, wave.blocks_per_sm), n = wave.end_together;
  const double others = std::ceil(b / n) - 1;
  if (others <= 0 || in_core <= Seconds{}) return {};
  double idle = 0;
  for (double i = 1; i <= others; ++i)
    idle += std::max(0.0, 1 - i * n / b * (storing / in_core));
  return idle / others * apart;
}

// A20's first wave, in place of A18. S18's first wave lacks only what comes from beyond the SM. The blocks
// store when they have computed, and L2, DRAM and the way to the cluster take the stores of one block after
// the other. So the wave lasts at least all of the storing behind the first block's computation, the busiest
// schedulers' share of it behind the first of theirs, and the last blocks' own behind the last. As the SM has
// room for stores, a block goes on while L2 takes them.
Together together_beyond(const CodeWave& wave, const Enabled& enabled) {
  Together t;
  t.first = wave.paced->in_step;
  const auto& last = wave.phases.back();
  if (std::max({last.l2, last.dram, last.cluster}) <= Seconds{}) return t;
  CodePart before;
  for (std::size_t i = 0; i + 1 < wave.phases.size(); ++i)
    before += wave.phases[i];
  const auto time = [&](const CodePart& part) { return wave_time(part, wave, Seconds{}, enabled); };
  const Seconds in_core = time(core_of(last));
  const Seconds all_computed = t.first + time(before);
  const Seconds first_computed = all_computed - std::min(wave.paced->ends_apart, all_computed);
  // The first blocks' last phases are beside all others, the last block's only beside those that have not
  // ended.
  const Seconds own = std::max(core_of(last).alone(), less(in_core, wave.paced->ends_apart));
  CodePart computing = before;
  computing += core_of(last);
  const Seconds last_computed = std::max(all_computed, less(t.first + time(computing), own));
  const double b = std::max(1.0, wave.blocks_per_sm), share = wave.paced->last_share;
  const Seconds storing = std::max({in_core, last.wide(), last.alone() + last.meeting});
  const Seconds apart = std::min(wave.paced->last_apart, all_computed);
  const auto held = held_up(wave, all_computed - first_computed, apart);
  const Seconds idle = idle_among_ends(wave, storing, in_core, all_computed - first_computed);
  const Seconds whole =
      std::max({first_computed + storing + idle, all_computed - apart + share * storing,
                last_computed + held.before + std::max(held.last_blocks / b * storing, held.last)});
  const Seconds of_all = time(wave.all), apart_all = t.first + of_all;
  t.storing = std::max(Seconds{}, whole - apart_all);
  t.left = left_of_l2(wave, of_all);
  // Beside the last block's last phase nobody computes, which A13 does not know.
  const Seconds last_ends = last_computed + held.before + last.alone();
  t.first += std::max(Seconds{}, last_ends - std::max(whole, apart_all));
  return t;
}

}  // namespace

SmBlocks coming_apart(const CodeWave& wave, double before, double count, const Enabled& enabled) {
  SmBlocks apart = wave;
  if (wave.blocks_per_sm <= 1) return apart;
  const double left = waves_in_step(before, count) / count;
  apart.of_stores = left;
  if (!wave.paced || wave.paced->of_waits <= 1 || !take_turns(wave)) return apart;
  const Seconds whole = wave_time(wave.all, wave, Seconds{}, enabled);
  const double in_step = share_in_step(wave.paced->ends_apart, wave.blocks_per_sm, whole);
  apart.paced->of_waits -= (1 - left) * in_step * (wave.paced->of_waits - 1);
  return apart;
}

Seconds sooner_again(const CodeWave& wave, double before, double count) {
  const double later = before <= 0 ? count - 1 : count;
  if (later <= 0) return wave.stores_left;
  const double in_step = (waves_in_step(before, count) - (count - later)) / later;
  return wave.stores_left + std::min(wave.waits_again, (1 - in_step) * wave.waits_in_step);
}

Together together(const CodeWave& wave, Seconds later, const Enabled& enabled) {
  constexpr double of_two = 0.8, of_more = 0.4, of_clusters = 1;
  const auto& parts = wave.stretches.empty() ? wave.phases : wave.stretches;
  if (parts.size() < 2) return {};
  if (wave.paced) return together_beyond(wave, enabled);
  const double share = wave.in_clusters ? of_clusters : take_turns(wave) ? of_two : of_more;
  Together t;
  Seconds in_step{};
  CodePart before;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    in_step += wave_time(parts[i], wave, Seconds{}, enabled);
    before += parts[i];
  }
  t.loading = std::max(Seconds{}, in_step - wave_time(before, wave, Seconds{}, enabled));
  const Seconds last = wave_time(parts.back(), wave, Seconds{}, enabled);
  const Seconds apart = wave_time(wave.all, wave, later, enabled);
  t.storing = share * std::max(Seconds{}, in_step + last - (apart + t.loading));
  t.left = left_of_l2(wave, wave_time(wave.all, wave, Seconds{}, enabled));
  return t;
}

Seconds together_time(const Together& first, const CodeWave& wave, double before, double count) {
  const double of_first = before < 1 ? 1 : 0;
  const double drifting = waves_in_step(before, count);
  const double storing = take_turns(wave) ? drifting : std::clamp(2 - before, 0.0, count);
  return of_first * first.first + drifting * first.loading +
         (of_first + (storing - of_first) * first.left) * first.storing;
}

}  // namespace tilecast::analytic
