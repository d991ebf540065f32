#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/analytic/analytic.hpp"
#include "model/analytic/code_wave.hpp"
#include "model/analytic/combine.hpp"
#include "model/support/nearest.hpp"

namespace tilecast::analytic {
namespace {

using Totals = std::array<Seconds, bound_count>;

BoundId bound_of(std::string_view name) {
  const auto found = std::ranges::find(bound_table(), name, &BoundInfo::name);
  if (found == bound_table().end())
    throw InputError(fmt::format("--without: unknown bound '{}'", name), nearest_hint(name, bound_names()));
  return found->id;
}

Enabled enabled_bounds(const Machine& machine, const std::vector<std::string>& without) {
  Enabled enabled{};
  for (const auto& bound : bound_table())
    enabled[index(bound.id)] = bound.known(machine);
  for (const auto& name : without)
    enabled[index(bound_of(name))] = false;
  return enabled;
}

// nullopt if no bound has a factor.
std::optional<Factors> factors_of(const Options& options) {
  if (options.factors.empty()) return std::nullopt;
  Factors factors;
  factors.fill(1);
  for (const auto& [name, factor] : options.factors)
    factors[index(bound_of(name))] *= factor;
  return factors;
}

// Adds `times` trips to the bounds' totals: the time that each bound alone would take.
void add(Totals& totals, const TripBounds& t, double times) {
  totals[index(BoundId::fma)] += times * t.fma;
  totals[index(BoundId::issue)] += times * t.issue;
  totals[index(BoundId::shared)] += times * t.shared;
  totals[index(BoundId::l2)] += times * t.l2;
  totals[index(BoundId::dram)] += times * t.dram;
  totals[index(BoundId::latency)] += times * (t.waiting.exposed + t.waiting.round_trip);
  totals[index(BoundId::barrier)] += times * t.barrier;
}

// A12. Factors on the bounds' times at the short and at the long end of the parameters that they read.
struct Ends {
  Factors low, high;
};

Ends ends_of(const Machine& machine) {
  Ends ends;
  for (const auto& bound : bound_table()) {
    const Spread spread = bound.spread(machine);
    ends.low[index(bound.id)] = spread.low;
    ends.high[index(bound.id)] = spread.high;
  }
  return ends;
}

// The prediction under construction: its times, and what each bound alone would take (`totals`).
struct Sum {
  const Machine& machine;
  const Enabled& enabled;
  const Ends& ends;
  const std::optional<Factors>& asked;  // Options::factors
  Prediction& p;
  Totals totals{};

  double factor(BoundId id) const { return asked ? (*asked)[index(id)] : 1; }

  void extend(BoundId id, Seconds by) { extend(id, by, ends.low[index(id)] * by, ends.high[index(id)] * by); }
  // `low`, `high`: what it is at the ends of the parameters' intervals.
  void extend(BoundId id, Seconds by, Seconds low, Seconds high) {
    const auto i = index(id);
    if (!enabled[i]) return;
    totals[i] += factor(id) * by;
    p.time += factor(id) * by;
    p.low += factor(id) * low;
    p.high += factor(id) * high;
  }
};

// A11, the sum over waves and phases, where the machine code is not known.
void add_formula_waves(Sum& sum, const KernelDescription& kernel, const std::array<Wave, 2>& waves,
                       const Traffic& traffic) {
  for (const auto& wave : waves) {
    if (wave.count == 0) continue;
    for (const auto& phase : kernel.phases) {
      auto bounds = trip_bounds(phase, wave, traffic, sum.machine, sum.enabled);
      if (sum.asked) bounds = scaled(bounds, *sum.asked);
      const double trips = wave.count * phase.trips;
      sum.p.time += trips * trip_time(bounds);
      sum.p.low += trips * trip_time(scaled(bounds, sum.ends.low));
      sum.p.high += trips * trip_time(scaled(bounds, sum.ends.high));
      add(sum.totals, bounds, trips);
    }
  }
}

void add(Totals& totals, const CodePart& w, double times) {
  const std::pair<BoundId, Seconds> parts[] = {
      {BoundId::fma, w.fma},
      {BoundId::issue, w.issue},
      {BoundId::ports, w.ports},
      {BoundId::alu, w.alu},
      {BoundId::shared, std::max(w.queue, w.pipe)},
      {BoundId::chain, w.chain},
      {BoundId::l2, w.l2},
      {BoundId::dram, w.dram},
      {BoundId::latency, w.latency},
      {BoundId::barrier, w.barrier},
      {BoundId::cluster, std::max(w.cluster, w.exchange)},
  };
  for (const auto& [id, time] : parts)
    totals[index(id)] += times * time;
}

// A16. Mean time that a line takes to come (`longer` times as long as measured) beyond that in which a warp
// issues the one before, the longer of its scheduler's busiest part and its own chain, while the wave's
// blocks run. Lines are lost anywhere in the code, of which each phase has what a trip issues.
Seconds waited_for_line(const CodeWave& wave, const KernelDescription& kernel, const Machine& machine,
                        double longer = 1) {
  Seconds waited{};
  double code = 0;
  for (std::size_t i = 0; i < kernel.phases.size(); ++i) {
    const auto& phase = kernel.phases[i];
    const double issued = phase.code->around.issued + phase.code->compute.issued;
    if (issued <= 0 || phase.trips <= 0) continue;
    const Cycles trip =
        std::max(wave.phases[i].scheduler(), wave.phases[i].chain) / phase.trips * machine.clock;
    waited += issued * fetch_time(1, trip.value() / issued, machine, longer);
    code += issued;
  }
  return code > 0 ? waited / code : Seconds{};
}

// A15. Begin of a wave's last block: in the first wave after the first block's, as blocks are handed out one
// by one; in later waves after the end of the block whose place it takes.
struct Starts {
  Seconds first{}, next{};
};

Starts starts_of(const Sum& sum, const KernelDescription& kernel, double first_blocks) {
  Starts starts;
  if (!sum.enabled[index(BoundId::launch)]) return starts;
  const auto threads = static_cast<double>(kernel.launch.threads);
  const double factor = sum.factor(BoundId::launch);
  if (first_blocks > 1)
    starts.first =
        factor * (launch_time(first_blocks, threads, sum.machine) - launch_time(1, threads, sum.machine));
  starts.next = factor * replacement_time(threads, sum.machine);
  return starts;
}

// What the former waves leave to those behind them.
struct Former {
  double waves = 0;        // number of them
  double tail_blocks = 0;  // the tail's blocks an SM on the part of the device that it keeps longest (A9)
  Seconds ahead{};         // how much sooner than the median part that one has places for them (A9)
  FreeSooner free_sooner;
  Seconds began_sooner{};           // how much sooner than behind the wave the tail begins (A9)
  Seconds spread{};                 // the last of its blocks an SM later than the first (A9)
  Beside beside;                    // A20
  Seconds filled_later{};           // A9
  bool in_twos = false;             // whether the tail's blocks come to schedulers in twos (A9)
  std::optional<PacedWaits> paced;  // the waits of these pairs
};

// `count` equal waves behind the former ones. If they include the first of all, its last block starts `begin`
// later than its first; the blocks of the others start `after` those whose places they take.
struct WaveRun {
  const CodeWave& wave;
  const Former& former;
  double count = 0;
  Seconds begin{}, after{};
  const Enabled& enabled;

  // Time of all these waves, blocks apart. A12 calls it with scaled `work` and the launch's `factor`.
  Seconds time(const CodePart& work, double factor) const {
    const double first_waves = former.waves == 0 ? 1 : 0, next_waves = count - first_waves;
    Seconds time{};
    if (first_waves > 0) time += wave_time(work, wave, factor * begin, enabled);
    // A9. A tail takes the places that are free first, and both blocks of a scheduler in step end together.
    if (former.in_twos && wave.on_scheduler < 2) {
      time += crowded_time(work, wave, former.paced, factor * after, enabled);
    } else if (next_waves > 0) {
      const auto apart = coming_apart(wave, former.waves + first_waves, next_waves, enabled);
      time += next_waves * pace_of_waves(work, apart, factor * after, enabled);
    }
    // How much sooner a tail finds room than behind the former wave's last block.
    Seconds sooner = former.began_sooner;
    if (wave.blocks_per_sm <= former.free_sooner.blocks) sooner = std::max(sooner, former.free_sooner.by);
    sooner = std::max(sooner, former.beside.sooner(time));
    return time - std::min(time, factor * (sooner + former.ahead - former.filled_later));
  }

  // A18. Further time because blocks are in step.
  Seconds longer_together() const {
    if (!enabled[index(BoundId::together)]) return Seconds{};
    const Seconds later = former.waves == 0 ? begin : after;
    return together_time(together(wave, later, enabled), wave, former.waves, count);
  }
};

void add_run(Sum& sum, const WaveRun& run) {
  const auto& all = run.wave.all;
  const Seconds time = run.time(all, 1), longer = run.longer_together();
  const double share = time > Seconds{} ? longer / time : 0;
  const auto launch = index(BoundId::launch);
  sum.p.time += time + longer;
  const auto at = [&](const Factors& ends) {
    return (1 + ends[index(BoundId::together)] * share) * run.time(scaled(all, ends), ends[launch]);
  };
  sum.p.low += at(sum.ends.low);
  sum.p.high += at(sum.ends.high);
  add(sum.totals, all, run.count);
  sum.totals[index(BoundId::together)] += longer;
  if (sum.enabled[index(BoundId::overlap)]) {
    const Seconds sharp = std::max({all.scheduler(), all.wide(), all.alone()});
    sum.totals[index(BoundId::overlap)] += time - run.count * sharp;
  }
}

// A16. Waits for code to be fetched: of the launch's first blocks, and of each block that takes another's
// place.
struct Fetched {
  Seconds first{}, again{};
  Seconds low{}, high{};  // `first` where a line takes as long as at the ends of its interval (A12)
};

// `lines`: lines_first().
Fetched fetched_by(const Sum& sum, const KernelDescription& kernel, const CodeWave& wave, double lines) {
  if (lines <= 0 || !sum.enabled[index(BoundId::fetch)]) return {};
  const Seconds line = waited_for_line(wave, kernel, sum.machine);
  const auto at = [&](const Factors& ends) {
    return lines * waited_for_line(wave, kernel, sum.machine, ends[index(BoundId::fetch)]);
  };
  return {lines * line, sum.factor(BoundId::fetch) * lines_again(kernel, lines, wave.blocks_per_sm) * line,
          at(sum.ends.low), at(sum.ends.high)};
}

// A9. The kernel of a tail that consists of the grid's edge only, which stores less.
KernelDescription of_edge(KernelDescription kernel) {
  for (auto& phase : kernel.phases) {
    auto& stores = phase.warp.global_store;
    phase.stored = kernel.edge_stored * phase.stored;
    stores.sectors *= kernel.edge_stored;
    stores.lone_sectors *= kernel.edge_stored;
    if (stores.masks) *stores.masks *= kernel.edge_stored;
    stores.joined *= kernel.edge_stored;
  }
  return kernel;
}

// A15 of one wave, with the factors that were asked for. A9: a tail may be the grid's edge.
CodeWave code_parts(const Sum& sum, const KernelDescription& kernel, const Wave& wave, bool first,
                    const Traffic& traffic) {
  const bool at_edge =
      !first && wave.count == 1 && wave.blocks <= kernel.edge_blocks && kernel.edge_stored < 1;
  const auto parts_of = [&](const KernelDescription& blocks) {  // a ?: would copy the kernel
    return code_wave(blocks, wave, traffic, sum.machine, sum.enabled);
  };
  auto parts = at_edge ? parts_of(of_edge(kernel)) : parts_of(kernel);
  if (!sum.asked) return parts;
  parts.all = scaled(parts.all, *sum.asked);
  for (auto& phase : parts.phases)
    phase = scaled(phase, *sum.asked);
  for (auto& stretch : parts.stretches)
    stretch = scaled(stretch, *sum.asked);
  return parts;
}

// S9. How much later than the first the single or first wave's last block counts as begun. That is hidden as
// far as the blocks' ends are apart anyway, and in a single wave behind the drain (A6), too.
Seconds noticed_begin(const Sum& sum, const KernelDescription& kernel, const CodeWave& parts, Seconds begin,
                      bool single) {
  if (!parts.paced) return begin;
  const bool drains = single && sum.enabled[index(BoundId::latency)];
  const Seconds meanwhile = parts.paced->ends_apart + (drains ? drain_time(kernel, sum.machine) : Seconds{});
  return begin - std::min(begin, meanwhile);
}

// What the `parts` of `wave`, the first of all, leave to the tail. The first wave's last block begins `begun`
// later than its first, `begin` as far as that is noticed.
Former behind_first(const Sum& sum, const KernelDescription& kernel, const Wave& wave, const CodeWave& parts,
                    const Wave& tail, Seconds begun, Seconds begin) {
  const auto& machine = sum.machine;
  Former former;
  former.began_sooner = begun_sooner(parts, tail.blocks_per_sm, begin, sum.enabled);
  const double device_parts = parts_of_device(kernel.launch.cluster, *machine.profile);
  const auto of_part = first_part(parts, wave.count, tail, machine.cluster, device_parts, begun, sum.enabled);
  former.tail_blocks = of_part.blocks;
  former.ahead = of_part.ahead;
  const auto of_first = tail_of_first_sm(parts, wave.count, tail, machine, sum.enabled);
  former.tail_blocks = std::max(former.tail_blocks, of_first.blocks);
  former.began_sooner = std::max(former.began_sooner, of_first.sooner);
  former.spread = of_first.spread;
  former.beside = tail_beside_wave(parts, former.tail_blocks, sum.enabled);
  former.filled_later = filled_later(parts, wave.count, tail, machine.cluster, machine, sum.enabled);
  former.waves = wave.count;
  former.free_sooner = schedulers_free_sooner(parts, sum.enabled);
  former.in_twos = tail_in_twos(parts, wave.count, tail, machine.cluster, machine.sms);
  former.paced = parts.paced;
  return former;
}

// A15: the waves where the machine code is known.
void add_code_waves(Sum& sum, const KernelDescription& kernel, const std::array<Wave, 2>& waves,
                    const Traffic& traffic, double first_blocks) {
  const auto starts = starts_of(sum, kernel, first_blocks);
  const auto& tail = waves[1];
  const bool single = waves[0].count + tail.count <= 1;
  const double lines = lines_first(kernel);
  Former former;
  Fetched fetched_first;
  for (auto wave : waves) {
    if (wave.count == 0) continue;
    const bool first = former.waves == 0;
    if (!first) wave.blocks_per_sm = former.tail_blocks;
    const auto parts = code_parts(sum, kernel, wave, first, traffic);
    const Seconds begin = first ? noticed_begin(sum, kernel, parts, starts.first, single) : Seconds{};
    const auto fetched = fetched_by(sum, kernel, parts, lines);
    sum.totals[index(BoundId::fetch)] += (wave.count - (first ? 1 : 0)) * fetched.again;
    add_run(sum, {.wave = parts,
                  .former = former,
                  .count = wave.count,
                  .begin = begin,
                  .after = starts.next + fetched.again - sooner_again(parts, former.waves, wave.count) +
                           former.spread,
                  .enabled = sum.enabled});
    if (!first) continue;
    fetched_first = fetched;
    if (tail.count > 0) former = behind_first(sum, kernel, wave, parts, tail, starts.first, begin);
  }
  sum.extend(BoundId::fetch, fetched_first.first, fetched_first.low, fetched_first.high);
}

}  // namespace

std::vector<std::string> bound_names() {
  std::vector<std::string> names;
  for (const auto& bound : bound_table())
    names.emplace_back(bound.name);
  return names;
}

std::vector<std::string> unknown_bounds(const DeviceProfile& device) {
  const auto machine = machine_of(device);
  std::vector<std::string> names;
  for (const auto& bound : bound_table()) {
    if (!bound.known(machine)) names.emplace_back(bound.name);
  }
  return names;
}

// A11: T = launch + sum over waves and phases of trips x trip time + first load + drain, and at least the
// time to hand out all blocks.
Prediction predict(const KernelDescription& kernel, const DeviceProfile& device, const Options& options) {
  const auto machine = machine_of(device, kernel);
  const auto enabled = enabled_bounds(machine, options.without);

  const auto ends = ends_of(machine);
  Prediction p;
  p.code = kernel.code;
  const auto asked = factors_of(options);
  Sum sum{machine, enabled, ends, asked, p};
  const auto waves = waves_of(kernel, device);
  const auto traffic =
      traffic_of(kernel, std::max(waves[0].blocks, waves[1].blocks), machine, options.caches);
  const auto threads = static_cast<double>(kernel.launch.threads);
  const double all = static_cast<double>(kernel.launch.blocks) / machine.sms;
  // Blocks an SM that are launched at the start; the others are handed out while these run.
  const double first = std::min(all, waves[0].blocks_per_sm);
  if (machine.code_known) {
    add_code_waves(sum, kernel, waves, traffic, first);
  } else {
    add_formula_waves(sum, kernel, waves, traffic);
  }
  sum.extend(BoundId::latency, first_access_time(kernel, machine) + drain_time(kernel, machine));
  sum.extend(BoundId::launch,
             launch_beside_work(machine.code_known ? std::min(1.0, all) : first, threads, machine));
  auto& totals = sum.totals;
  if (const auto i = index(BoundId::launch); enabled[i]) {
    const Seconds least = sum.factor(BoundId::launch) * launch_time(all, threads, machine);
    totals[i] = std::max(totals[i], least);
    p.time = std::max(p.time, least);
    p.low = std::max(p.low, ends.low[i] * least);
    p.high = std::max(p.high, ends.high[i] * least);
  }

  const BoundInfo* limiter = nullptr;
  p.bounds.reserve(bound_count);
  for (const auto& bound : bound_table()) {
    const auto i = index(bound.id);
    if (!enabled[i]) continue;
    p.bounds.push_back({bound.name, bound.equation, totals[i]});
    if (!limiter || totals[i] > totals[index(limiter->id)]) limiter = &bound;
  }
  if (limiter) p.limiter = limiter->name;  // else every bound is switched off
  return p;
}

}  // namespace tilecast::analytic
