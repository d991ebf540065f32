#pragma once
// The device profile as the bounds read it: rates in use, with the documented stand-in where one is absent,
// and how well each is known.

#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "model/device/device_profile.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

// By which factors the time that a parameter causes may be shorter and longer (its 95 % interval); 1 and 1
// when the profile gives no interval.
struct Spread {
  double low = 1, high = 1;
};

// What a sector takes that a store fills in part and others complete, in whole sectors: an SM's way to L2,
// and L2 (H200 loops, experiments/scattered_stores.csv, where the profile has no rates).
struct PartialSector {
  double port = 1.4, l2 = 1.5;
};

struct Machine {
  Frequency clock{};  // sm_clock, else boost_clock
  double sms = 0;
  double schedulers = 0;  // each issues one warp instruction a cycle
  // Of one SM, at most the lanes: that of the kernel's register tile, else fma_rate, else the lanes.
  double fma_per_cycle = 0;
  bool tile_measured = false;  // fma_per_cycle is the register tile's
  bool code_known = false;     // the kernel's machine code was read: register ports are counted
  double ffma_slots = 1;  // issue slots that an FFMA of the tile takes, the stalls of its operands included
  double wavefronts_per_cycle = 0;  // of one SM: shared_read / 128 B; 1 where not measured
  // Cycles of the SM's memory pipe that an asynchronous copy of 4, 8, 16 bytes a lane takes beyond those of
  // its sectors (A14); zero where not measured.
  std::array<double, 3> copy_beyond_sectors{};
  std::optional<Bandwidth> l2_read, l2_write;  // l2_write: l2_read where not measured
  std::optional<Bandwidth> sm_l2_read;         // of one SM alone
  PartialSector partial_sector;
  Bandwidth dram_read{}, dram_write{};  // dram_peak where not measured
  std::optional<Cycles> l2_latency, l2_far_latency, dram_latency;
  // Of the kernel's clusters: blocks; latency of the shared memory of another block, bytes a cycle that an SM
  // reads there, a barrier, and what it takes longer behind accesses to global memory (A17).
  double cluster = 1;
  std::optional<Cycles> cluster_latency;
  double cluster_bytes_per_cycle = 0;
  Cycles cluster_barrier{}, fence_behind{};
  bool local_memory = false;    // the kernel's code has spilled registers (S16)
  std::optional<Cycles> fetch;  // between instructions that are new to the SM (A16)
  std::optional<Cycles> barrier;
  std::optional<Seconds> store_drain;  // l2_latency where not measured
  const DeviceProfile* profile = nullptr;
};

// Throws UnavailableError without sm_count, fp32_lanes_per_sm, schedulers_per_sm, dram_peak or a clock.
Machine machine_of(const DeviceProfile& device);

// The same while `kernel` runs: the FMA rate is that of its register tile where the profile has the table.
Machine machine_of(const DeviceProfile& device, const KernelDescription& kernel);

// A4. By the profile's rates of half sectors, which the same warp's next store completes.
PartialSector partial_sector_of(const DeviceProfile& device, const Machine& machine);

// A4. What of L2's bandwidth for stores so many of all SMs get, of which each has as much to store; all of it
// if 0: those that are faster take more blocks.
double written_share(double used_sms, double sms);

// Of a table or curve: of a typical point.
template <class Points>
Spread spread_of_times(const Points& points) {
  return {points.spread.low, points.spread.high};
}
template <class Points>
Spread spread_of_rates(const Points& points) {
  return {1 / points.spread.high, 1 / points.spread.low};
}

template <class T>
Spread spread_of_time(const Parameter<T>& parameter);  // a latency: longer when the value is higher
template <class T>
Spread spread_of_rate(const Parameter<T>& parameter);  // a bandwidth or clock: longer when it is lower

// A12. Of parameters that were measured apart: widths in quadrature.
Spread apart(std::initializer_list<Spread> spreads);

// Both at once: the factors multiply, as if they were wrong together.
Spread operator*(Spread a, Spread b);

namespace detail {
inline double base_value(double v) {
  return v;
}
template <int B, int F, int C, int S>
double base_value(Quantity<B, F, C, S> q) {
  return q.value();
}
}  // namespace detail

template <class T>
Spread spread_of_time(const Parameter<T>& p) {
  if (!p.present() || !p.info.low || !p.info.high) return {};
  const double value = detail::base_value(p.get());
  return {*p.info.low / value, *p.info.high / value};
}

template <class T>
Spread spread_of_rate(const Parameter<T>& p) {
  if (!p.present() || !p.info.low || !p.info.high) return {};
  const double value = detail::base_value(p.get());
  return {value / *p.info.high, value / *p.info.low};
}

inline Spread apart(std::initializer_list<Spread> spreads) {
  double below = 0, above = 0;
  for (const auto& s : spreads) {
    below += (1 / s.low - 1) * (1 / s.low - 1);
    above += (s.high - 1) * (s.high - 1);
  }
  return {1 / (1 + std::sqrt(below)), 1 + std::sqrt(above)};
}

inline Spread operator*(Spread a, Spread b) {
  return {a.low * b.low, a.high * b.high};
}

}  // namespace tilecast::analytic
