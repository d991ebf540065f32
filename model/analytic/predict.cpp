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

std::size_t index(BoundId id) {
  return static_cast<std::size_t>(id);
}

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

// Nothing where no bound has a factor.
std::optional<Factors> factors_of(const Options& options) {
  if (options.factors.empty()) return std::nullopt;
  Factors factors;
  factors.fill(1);
  for (const auto& [name, factor] : options.factors)
    factors[index(bound_of(name))] *= factor;
  return factors;
}

// Adds `times` trips to what each bound alone would take.
void add(Totals& totals, const TripBounds& t, double times) {
  totals[index(BoundId::fma)] += times * t.fma;
  totals[index(BoundId::issue)] += times * t.issue;
  totals[index(BoundId::shared)] += times * t.shared;
  totals[index(BoundId::l2)] += times * t.l2;
  totals[index(BoundId::dram)] += times * t.dram;
  totals[index(BoundId::latency)] += times * (t.waiting.exposed + t.waiting.round_trip);
  totals[index(BoundId::barrier)] += times * t.barrier;
}

// A12. Every bound at the short and at the long end of the parameters that it reads.
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

// The prediction under way: its times, and what each bound alone would take.
struct Sum {
  const Machine& machine;
  const Enabled& enabled;
  const Ends& ends;
  const std::optional<Factors>& asked;  // Options::factors
  Prediction& p;
  Totals totals{};

  double factor(BoundId id) const { return asked ? (*asked)[index(id)] : 1; }

  void extend(BoundId id, Seconds by) {
    const auto i = index(id);
    if (!enabled[i]) return;
    by = factor(id) * by;
    totals[i] += by;
    p.time += by;
    p.low += ends.low[i] * by;
    p.high += ends.high[i] * by;
  }
};

// A11, first part, where the machine code is not known.
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

// A16. Of a warp, while the wave's blocks are at work: as its scheduler's busiest part has it, or the warp
// alone.
double cycles_an_instruction(const CodePart& all, const KernelDescription& kernel, const Machine& machine) {
  double issued = 0;
  for (const auto& phase : kernel.phases)
    issued += phase.trips * (phase.code->around.issued + phase.code->compute.issued);
  return issued > 0 ? (std::max(all.scheduler(), all.chain) * machine.clock).value() / issued : 1;
}

// A15, where it is.
void add_code_waves(Sum& sum, const KernelDescription& kernel, const std::array<Wave, 2>& waves,
                    const Traffic& traffic, double first_blocks) {
  const auto threads = static_cast<double>(kernel.launch.threads);
  // How much later the last block starts: of the first wave, as they are handed out; of another, after the
  // block whose place it takes.
  Seconds later{}, next{};
  if (sum.enabled[index(BoundId::launch)]) {
    if (first_blocks > 1)
      later = sum.factor(BoundId::launch) *
              (launch_time(first_blocks, threads, sum.machine) - launch_time(1, threads, sum.machine));
    next = sum.factor(BoundId::launch) * replacement_time(sum.machine);
  }
  const auto launch = index(BoundId::launch);
  double before = 0;  // waves
  const double clustered_parts = parts_of_device(kernel.launch.cluster, *sum.machine.profile);
  FreeSooner free_sooner;
  Seconds began_sooner{};  // A9
  double tail_beside = 0;  // A20, of a tail
  bool pairs_before = false;
  std::optional<PacedWaits> of_pairs;  // their waits
  Seconds fetched_first{};             // A16
  double of_first_part = 0;            // blocks of the tail
  for (auto wave : waves) {
    if (wave.count == 0) continue;
    if (before > 0) wave.blocks_per_sm = of_first_part;
    auto parts = code_wave(kernel, wave, traffic, sum.machine, sum.enabled);
    if (sum.asked) {
      parts.all = scaled(parts.all, *sum.asked);
      for (auto& phase : parts.phases)
        phase = scaled(phase, *sum.asked);
    }
    // S9. Ends that are far enough apart by themselves are noticed as they come.
    if (before == 0 && parts.paced) later = later - std::min(later, parts.paced->ends_apart);
    const double first_waves = before == 0 ? 1 : 0, next_waves = wave.count - first_waves;
    Seconds fetched{};  // A16: by a block that takes another's place
    if (const double lines = lines_first(kernel); lines > 0 && sum.enabled[index(BoundId::fetch)]) {
      const double cycles = cycles_an_instruction(parts.all, kernel, sum.machine);
      if (before == 0) fetched_first = fetch_time(lines, cycles, sum.machine);
      fetched = sum.factor(BoundId::fetch) *
                fetch_time(lines_again(kernel, wave.blocks_per_sm), cycles, sum.machine);
      sum.totals[index(BoundId::fetch)] += next_waves * fetched;
    }
    const Seconds after = next + fetched - sooner_again(parts, before, wave.count);
    // A9. A tail's blocks take the places of those that end first, of a scheduler in step both.
    const bool crowded = pairs_before && parts.on_scheduler < 2;
    const auto apart = [&](const CodePart& work, double factor) {
      Seconds time{};
      if (first_waves > 0) time += wave_time(work, parts, factor * later, sum.enabled);
      if (crowded) {
        time += crowded_time(work, parts, of_pairs, factor * after, sum.enabled);
      } else if (next_waves > 0) {
        time += next_waves * pace_of_waves(work, parts, factor * after, sum.enabled);
      }
      // Of a tail that finds room where the wave before it has ended.
      Seconds sooner = began_sooner;
      if (wave.blocks_per_sm <= free_sooner.blocks) sooner = std::max(sooner, free_sooner.by);
      sooner = std::max(sooner, tail_beside * time);
      return time - std::min(time, factor * sooner);
    };
    const Seconds time = apart(parts.all, 1);
    // A18.
    Seconds longer{};
    if (sum.enabled[index(BoundId::together)]) {
      const Seconds begins = before == 0 ? later : after;
      const Seconds one = wave_time(parts.all, parts, begins, sum.enabled);
      longer = together_time(together(parts, one, sum.enabled), parts, before, wave.count);
    }
    const double share = time > Seconds{} ? longer / time : 0;
    sum.p.time += time + longer;
    sum.p.low += (1 + share) * apart(scaled(parts.all, sum.ends.low), sum.ends.low[launch]);
    sum.p.high += (1 + share) * apart(scaled(parts.all, sum.ends.high), sum.ends.high[launch]);
    add(sum.totals, parts.all, wave.count);
    sum.totals[index(BoundId::together)] += longer;
    if (sum.enabled[index(BoundId::overlap)]) {
      const Seconds sharp = std::max({parts.all.scheduler(), parts.all.wide(), parts.all.alone()});
      sum.totals[index(BoundId::overlap)] += time - wave.count * sharp;
    }
    if (before == 0) began_sooner = begun_sooner(parts, waves[1].blocks_per_sm, later, sum.enabled);
    if (before == 0) {
      of_first_part = blocks_of_first_part(parts, wave.count, waves[1], sum.machine.cluster, clustered_parts,
                                           sum.enabled);
      tail_beside = tail_beside_wave(parts, of_first_part, sum.enabled);
    }
    before += wave.count;
    free_sooner = schedulers_free_sooner(parts, sum.enabled);
    pairs_before = parts.in_pairs;
    of_pairs = parts.paced;
  }
  sum.extend(BoundId::fetch, fetched_first);
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

// A11: T = launch + sum over waves and phases of trips x trip time + drain, but not less than it takes to
// hand out all blocks.
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
  const double each = static_cast<double>(kernel.launch.blocks) / machine.sms;
  const double all = each < 1 ? each : std::ceil(each);
  // Of the blocks that are there from the start; the others are handed out while these run.
  const double first = std::min(all, waves[0].blocks_per_sm);
  if (machine.code_known) {
    add_code_waves(sum, kernel, waves, traffic, first);
  } else {
    add_formula_waves(sum, kernel, waves, traffic);
  }
  sum.extend(BoundId::latency, first_access_time(kernel, machine) + drain_time(kernel, machine));
  sum.extend(BoundId::launch, launch_time(machine.code_known ? std::min(1.0, all) : first, threads, machine));
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
