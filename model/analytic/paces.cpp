#include "model/analytic/paces.hpp"

#include <algorithm>
#include <cmath>

#include "model/analytic/overlap.hpp"

namespace tilecast::analytic {
namespace {

// S18's pace of `blocks` blocks: linear between the numbers of blocks that were read, proportional beyond.
CorePace pace_of(std::span<const CorePace> paces, double blocks) {
  const auto next = std::ranges::lower_bound(paces, blocks, {}, &CorePace::blocks);
  if (next == paces.begin()) return *next;
  const auto& before = *(next - 1);
  if (next == paces.end()) {
    const double more = blocks / before.blocks;
    return {blocks, more * before.first, more * before.later, more * before.ends_apart};
  }
  const double share = (blocks - before.blocks) / (next->blocks - before.blocks);
  const auto between = [&](double CorePace::*of) { return std::lerp(before.*of, (*next).*of, share); };
  return {blocks, between(&CorePace::first), between(&CorePace::later), between(&CorePace::ends_apart)};
}

}  // namespace

WavePace wave_pace(const KernelDescription& kernel, double blocks, const Machine& machine) {
  const auto pace = pace_of(kernel.core_paces, blocks);
  const auto time = [&](double cycles) { return Cycles{kernel.core_pace_scale * cycles} / machine.clock; };
  return {time(pace.first), time(pace.later), time(pace.ends_apart), 1, time(pace.ends_apart)};
}

WavePace wave_pace(const KernelDescription& kernel, double blocks, double groups, const Machine& machine) {
  const double most = kernel.core_paces.back().blocks, each = std::floor(blocks / groups);
  if (blocks <= 1 || blocks >= most) return wave_pace(kernel, blocks, machine);
  const double fewer = each * groups;
  const double more = blocks > fewer ? std::min(most, fewer + groups) : fewer;
  // Blocks with a group each meet at the SM's pipe only.
  if (fewer <= 0 || more <= fewer) return wave_pace(kernel, blocks, machine);
  const auto high = wave_pace(kernel, more, machine);
  const auto low = wave_pace(kernel, fewer, machine);
  // A20's a: a wave in which only some groups have a further block takes nearly as long as if all had one
  // (core_pace_groups.csv).
  constexpr double at_once = 2.0 / 3, first_at_once = 5.0 / 6;
  const double part = (blocks - fewer) / (more - fewer);
  const auto between = [&](Seconds WavePace::*of, double least) {
    return low.*of + (least + (1 - least) * part) * (high.*of - low.*of);
  };
  const Seconds first = between(&WavePace::first, first_at_once);
  return {first, between(&WavePace::later, at_once), low.ends_apart + (first - low.first),
          (each + 1) * (blocks - fewer) / blocks, high.ends_apart};
}

Seconds block_pace(const KernelDescription& kernel, const Machine& machine) {
  return out_of_step(kernel) * wave_pace(kernel, 1, machine).first;
}

double out_of_step(const KernelDescription& kernel) {
  if (kernel.core_waits.empty() || !asks_ahead(kernel)) return 1;
  const double least = std::ranges::min(kernel.core_waits, {}, &CoreWait::cycles).cycles;
  return std::min(1.0, least / kernel.core_paces.front().first);
}

bool asks_ahead(const KernelDescription& kernel) {
  return std::ranges::any_of(
      kernel.phases, [](const Phase& phase) { return phase.fetched > Bytes{} && phase.fetch_distance > 0; });
}

bool loads_spilled(const KernelDescription& kernel) {
  return std::ranges::any_of(kernel.phases,
                             [](const Phase& phase) { return phase.code->around.local_loads > 0; });
}

namespace {

// S18's time of one block alone with this latency: between those that were read straight, beyond the longest
// by the last two.
double cycles_with(const KernelDescription& kernel, Cycles latency) {
  CoreWait before{0, kernel.core_paces.front().first}, next = before;
  for (const auto& wait : kernel.core_waits) {
    if (next.latency > 0) before = next;
    next = wait;
    if (latency.value() <= next.latency) break;
  }
  const double slope = (next.cycles - before.cycles) / (next.latency - before.latency);
  return before.cycles + slope * (latency.value() - before.latency);
}

}  // namespace

Seconds latency_seen(const KernelDescription& kernel, Cycles latency, const Machine& machine) {
  const double least = out_of_step(kernel) * kernel.core_paces.front().first;
  double longer = std::max(0.0, cycles_with(kernel, latency) - least);
  // What hides some latency hides as much of a longer one, so that waits grow at least in proportion.
  for (const auto& wait : kernel.core_waits) {
    if (wait.latency >= latency.value())
      longer = std::min(longer, latency.value() / wait.latency * (wait.cycles - least));
  }
  return Cycles{kernel.core_pace_scale * longer} / machine.clock;
}

void add_waits_ahead(CodeWave& wave, const KernelDescription& kernel, const Traffic& traffic,
                     const Machine& machine) {
  if (kernel.core_waits.empty() || !machine.l2_latency) return;
  const Cycles hit = *machine.l2_latency, miss = std::max(hit, machine.dram_latency.value_or(hit));
  Seconds counted{};
  for (std::size_t i = 0; i < kernel.phases.size(); ++i) {
    if (kernel.phases[i].fetched > Bytes{}) counted += wave.phases[i].latency + wave.phases[i].share;
  }
  const Seconds seen = latency_seen(kernel, hit + waiting_share(traffic) * (miss - hit), machine);
  const Seconds longer = seen - std::min(seen, counted);
  wave.phases.front().latency += longer;
  wave.all.latency += longer;
}

CodePart core_of(CodePart part) {
  part.l2 = part.dram = part.cluster = part.latency = part.exchange = part.share = part.meeting = Seconds{};
  return part;
}

PacedWaits as_waits(const CodeWave& wave, const WavePace& pace, const Enabled& enabled) {
  const CodePart core = core_of(wave.all);
  const Seconds alone = core.alone(), later = std::max(alone, pace.later);
  const double n = wave.on_scheduler, b = wave.blocks_per_sm;
  // A20's t is that of the busiest group of schedulers; `pace.later` is the mean pace of all groups.
  const Seconds apart =
      std::max(alone, std::min(pace.first, (b + wave.groups_with_one_less) / b * pace.later));
  PacedWaits waits{
      .ends_apart = pace.ends_apart, .last_share = pace.last_share, .last_apart = pace.last_apart};
  // A13 yields no time below what the busiest resource needs. If S18 has less, that need was counted too
  // high.
  constexpr double above = 1.0001;
  const Seconds busiest = above * std::max(core.scheduler(), core.pipe);
  if (apart < busiest) {
    waits.of_service = apart / busiest;
    waits.of_waits = 0;
  } else {
    const Queue queues[] = {{n, core.scheduler().value() / n}, {b, core.pipe.value() / b}};
    waits.of_waits = share_of_waits(queues, alone.value(), apart.value());
  }
  waits.in_step = std::max(Seconds{}, pace.first - apart);
  if (wave.groups_with_one_less > 0) {
    SmBlocks paced = wave;
    paced.paced = waits;
    waits.of_pace = later / pace_of_waves(core, paced, Seconds{}, enabled);
  }
  return waits;
}

}  // namespace tilecast::analytic
