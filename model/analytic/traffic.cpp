#include "model/analytic/traffic.hpp"

#include <algorithm>
#include <cmath>

namespace tilecast::analytic {

// A5. The share of a footprint that is walked again and again, as by replays of a kernel, and misses each
// time. A pass in which a share m comes from DRAM takes 1/B(F) = (1 - m)/B_L2 + m/B_DRAM a byte; solved for
// m. The curve is of lines that one SM each reads: the least recently used go first, so that a set beyond the
// capacity hardly hits. Near the capacity the bandwidth does not show misses yet, as DRAM delivers them
// beside the hits: there, what is not resident.
double miss_fraction(Bytes footprint, const Machine& machine, Caches caches) {
  if (caches == Caches::cold) return 1;
  const double F = footprint.value();
  const auto& curve = machine.profile->l2_read_private_over_footprint;
  if (!curve.present()) {
    if (!machine.profile->l2_size.present() || F <= 0) return 0;
    return std::max(0.0, 1 - machine.profile->l2_size.get().value() / F);
  }
  constexpr double scatter = 0.02;  // of the curves' own points
  const double l2 = 1 / *std::max_element(curve.y.begin(), curve.y.end());
  const double dram = 1 / std::min(machine.dram_read.value(), curve.y.back());
  double missed = 0;
  if (F > curve.x.front() && dram > l2)
    missed = std::clamp((1 / interpolate(curve, F) - l2) / (dram - l2), 0.0, 1.0);
  const auto& resident = machine.profile->l2_hit_rate_over_footprint;
  if (resident.present() && F >= resident.x.front()) missed = std::max(missed, 1 - interpolate(resident, F));
  return missed < scatter ? 0 : missed;
}

Traffic traffic_of(const KernelDescription& kernel, const Machine& machine, Caches caches) {
  Bytes unique_read, unique_written, asked_read, asked_written;
  for (const auto& s : kernel.streams) {
    (s.written ? unique_written : unique_read) += s.unique;
    (s.written ? asked_written : asked_read) += s.requested;
  }
  Bytes phases_fetch, phases_store;
  const auto blocks = static_cast<double>(kernel.launch.blocks);
  for (const auto& p : kernel.phases) {
    phases_fetch += blocks * p.trips * p.fetched;
    phases_store += blocks * p.trips * p.stored;
  }
  const double miss = miss_fraction(unique_read + unique_written, machine, caches);
  Traffic t;
  if (const auto& curve = machine.profile->l2_write_over_footprint; curve.present())
    t.l2_write = Bandwidth{interpolate(curve, (unique_read + unique_written).value())};
  if (phases_fetch > Bytes{} && asked_read > Bytes{}) t.l2_read_share = asked_read / phases_fetch;
  if (phases_store > Bytes{} && asked_written > Bytes{}) t.l2_write_share = asked_written / phases_store;
  // A first touch that misses is read once; every further request of the grid for it hits.
  if (asked_read > Bytes{}) t.dram_read_share = miss * std::min(1.0, unique_read / asked_read);
  if (asked_written > Bytes{}) t.dram_write_share = miss * std::min(1.0, unique_written / asked_written);
  return t;
}

}  // namespace tilecast::analytic
