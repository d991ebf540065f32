#include <fmt/format.h>

#include <algorithm>

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
      throw UsageError(fmt::format("--without: unknown bound '{}'", name), nearest_hint(name, bound_names()));
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

// A12. The limiter's share of the time moves with the intervals of the parameters that it reads; the whole
// moves at least as the clock does.
void set_interval(Prediction& p, const BoundInfo& limiter, Seconds limiter_time,
                  const DeviceProfile& device) {
  const Spread own = limiter.spread(device);
  const Spread clock = spread_of_rate(device.sm_clock);
  p.low = std::min(p.time - (1 - own.low) * limiter_time, clock.low * p.time);
  p.high = std::max(p.time + (own.high - 1) * limiter_time, clock.high * p.time);
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

// A11: T = launch + sum over waves and phases of trips x trip time.
Prediction predict(const KernelDescription& kernel, const DeviceProfile& device, const Options& options) {
  const auto machine = machine_of(device);
  const auto enabled = enabled_bounds(machine, options.without);
  const auto traffic = traffic_of(kernel, machine, options.caches);

  Totals totals{};
  Prediction p;
  for (const auto& wave : waves_of(kernel, device)) {
    if (wave.count == 0) continue;
    for (const auto& phase : kernel.phases) {
      const auto bounds = trip_bounds(phase, wave, traffic, machine, enabled);
      p.time += wave.count * phase.trips * trip_time(bounds);
      add(totals, bounds, wave.count * phase.trips);
    }
  }
  if (enabled[index(BoundId::launch)]) {
    totals[index(BoundId::launch)] = launch_time(machine);
    p.time += launch_time(machine);
  }

  const BoundInfo* limiter = nullptr;
  p.bounds.reserve(bound_count);
  for (const auto& bound : bound_table()) {
    const auto i = index(bound.id);
    if (!enabled[i]) continue;
    p.bounds.push_back({bound.name, bound.equation, totals[i]});
    if (!limiter || totals[i] > totals[index(limiter->id)]) limiter = &bound;
  }
  if (!limiter) return p;  // every bound is switched off
  p.limiter = limiter->name;
  set_interval(p, *limiter, totals[index(limiter->id)], device);
  return p;
}

}  // namespace tilecast::analytic
