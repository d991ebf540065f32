#include "model/analytic/traffic.hpp"

#include <algorithm>
#include <cmath>

namespace tilecast::analytic {

// A5a. The curve of L2 bandwidth over footprint walks its footprint again and again, as replays of a kernel
// do. A pass in which a share f comes from DRAM takes 1/B(F) = (1 - f)/B_L2 + f/B_DRAM a byte; solved for f.
// Without the curve, what exceeds the capacity misses.
namespace {

// By a curve of bandwidth over footprint, beyond the footprint at which it is highest.
double missed_share(double footprint, const Curve& curve, Bandwidth dram_bandwidth) {
  const auto fastest = std::max_element(curve.y.begin(), curve.y.end());
  if (footprint <= curve.x[static_cast<std::size_t>(fastest - curve.y.begin())]) return 0;
  const double l2 = 1 / *fastest;
  const double dram = 1 / std::min(dram_bandwidth.value(), curve.y.back());
  if (dram <= l2) return 0;
  return std::clamp((1 / interpolate(curve, footprint) - l2) / (dram - l2), 0.0, 1.0);
}

}  // namespace

double miss_fraction(Bytes footprint, const Machine& machine, Caches caches) {
  if (caches == Caches::cold) return 1;
  const double F = footprint.value();
  const auto& curve = machine.profile->l2_read_over_footprint;
  if (curve.present()) return missed_share(F, curve, machine.dram_read);
  if (!machine.profile->l2_size.present() || F <= 0) return 0;
  return std::max(0.0, 1 - machine.profile->l2_size.get().value() / F);
}

// Written lines that L2 hands to DRAM: where writes over such a footprint were measured, by their curve.
double written_back_fraction(Bytes footprint, const Machine& machine, Caches caches) {
  const auto& curve = machine.profile->l2_write_over_footprint;
  if (caches == Caches::cold || !curve.present()) return miss_fraction(footprint, machine, caches);
  return missed_share(footprint.value(), curve, machine.dram_write);
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
  const double written_back = written_back_fraction(unique_read + unique_written, machine, caches);
  Traffic t;
  if (const auto& curve = machine.profile->l2_write_over_footprint; curve.present())
    t.l2_write = Bandwidth{interpolate(curve, (unique_read + unique_written).value())};
  if (phases_fetch > Bytes{} && asked_read > Bytes{}) t.l2_read_share = asked_read / phases_fetch;
  if (phases_store > Bytes{} && asked_written > Bytes{}) t.l2_write_share = asked_written / phases_store;
  // A first touch that misses is read once; every further request of the grid for it hits.
  if (asked_read > Bytes{}) t.dram_read_share = miss * std::min(1.0, unique_read / asked_read);
  if (asked_written > Bytes{})
    t.dram_write_share = written_back * std::min(1.0, unique_written / asked_written);
  return t;
}

}  // namespace tilecast::analytic
