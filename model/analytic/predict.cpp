#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/analytic/analytic.hpp"
#include "model/analytic/combine.hpp"
#include "model/support/nearest.hpp"

namespace tilecast::analytic {
namespace {

using Totals = std::array<Seconds, bound_count>;

std::size_t index(BoundId id) {
  return static_cast<std::size_t>(id);
}

Enabled enabled_bounds(const Machine& machine, const std::vector<std::string>& without) {
  Enabled enabled{};
  for (const auto& bound : bound_table())
    enabled[index(bound.id)] = bound.known(machine);
  for (const auto& name : without) {
    const auto found = std::ranges::find(bound_table(), name, &BoundInfo::name);
    if (found == bound_table().end()) {
      throw InputError(fmt::format("--without: unknown bound '{}'", name), nearest_hint(name, bound_names()));
    }
    enabled[index(found->id)] = false;
  }
  return enabled;
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
  const auto traffic = traffic_of(kernel, machine, options.caches);

  const auto ends = ends_of(machine);

  Totals totals{};
  Prediction p;
  const auto waves = waves_of(kernel, device);
  for (const auto& wave : waves) {
    if (wave.count == 0) continue;
    for (const auto& phase : kernel.phases) {
      const auto bounds = trip_bounds(phase, wave, traffic, machine, enabled);
      const double trips = wave.count * phase.trips;
      p.time += trips * trip_time(bounds);
      p.low += trips * trip_time(scaled(bounds, ends.low));
      p.high += trips * trip_time(scaled(bounds, ends.high));
      add(totals, bounds, trips);
    }
  }
  const auto extend = [&](BoundId id, Seconds by) {
    const auto i = index(id);
    if (!enabled[i]) return;
    totals[i] += by;
    p.time += by;
    p.low += ends.low[i] * by;
    p.high += ends.high[i] * by;
  };
  extend(BoundId::latency, drain_time(kernel, machine));
  const auto threads = static_cast<double>(kernel.launch.threads);
  const double all = std::ceil(static_cast<double>(kernel.launch.blocks) / machine.sms);
  // Of the blocks that are there from the start; the others are handed out while these run.
  const double first = std::min(all, waves[0].blocks_per_sm);
  extend(BoundId::launch, launch_time(first, threads, machine));
  if (const auto i = index(BoundId::launch); enabled[i]) {
    const Seconds least = launch_time(all, threads, machine);
    totals[i] = least;
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
