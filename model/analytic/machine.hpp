#pragma once
// The device profile as the bounds read it: rates in use, with the documented stand-in where one is absent,
// and their uncertainty.

#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "model/device/device_profile.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

// Factors by which the time that a parameter causes may be shorter and longer (its 95 % interval); 1 and 1 if
// the profile gives no interval.
struct Spread {
  double low = 1, high = 1;
};

// Cost, in whole sectors, of a sector that one store fills in part and others complete: on the SM's way to L2
// (port) and in L2. Defaults where the profile has no rates: H200 loops (experiments/scattered_stores.csv).
struct PartialSector {
  double port = 1.4, l2 = 1.5;
};

struct Machine {
  Frequency clock{};  // sm_clock, else boost_clock
  double sms = 0;
  double schedulers = 0;  // each issues one warp instruction a cycle
  // One SM's, at most the lanes: the rate of the kernel's register tile, else fma_rate, else the lanes.
  double fma_per_cycle = 0;
  bool tile_measured = false;       // fma_per_cycle is the register tile's
  bool code_known = false;          // the kernel's machine code was read: register ports are counted
  double ffma_slots = 1;            // issue slots of an FFMA of the tile, waits for register ports included
  double wavefronts_per_cycle = 0;  // one SM's: shared_read / 128 B; 1 where not measured
  // Cycles of the SM's memory pipe that an asynchronous copy of 4, 8, 16 bytes a lane takes beyond those of
  // its sectors (A14); zero where not measured.
  std::array<double, 3> copy_beyond_sectors{};
  std::optional<Bandwidth> l2_read, l2_write;  // l2_write: l2_read where not measured
  std::optional<Bandwidth> sm_l2_read;         // one SM alone
  PartialSector partial_sector;
  Bandwidth dram_read{}, dram_write{};  // dram_peak where not measured
  std::optional<Cycles> shared_latency, l2_latency, l2_far_latency, dram_latency;
  // A17, the kernel's clusters: blocks in one; latency of another block's shared memory; bytes a cycle that
  // an SM reads there; a cluster's barrier, and what it takes longer behind accesses to global memory.
  double cluster = 1;
  std::optional<Cycles> cluster_latency;
  double cluster_bytes_per_cycle = 0;
  Cycles cluster_barrier{}, fence_behind{};
  bool local_memory = false;  // the kernel's code has spilled registers (S16)
  // A8. Blocks fewer that an SM has room for than of the launch probe's grids of as many threads, and of its
  // single block.
  double less_room = 0, less_room_than_single = 0;
  std::optional<Cycles> fetch;  // between instructions that the SM's cache does not have (A16)
  std::optional<Cycles> barrier;
  std::optional<Seconds> store_drain;  // l2_latency where not measured
  const DeviceProfile* profile = nullptr;
};

// Throws UnavailableError without sm_count, fp32_lanes_per_sm, schedulers_per_sm, dram_peak or a clock.
Machine machine_of(const DeviceProfile& device);

// The same while `kernel` runs: the FMA rate is that of its register tile where the profile has the table.
Machine machine_of(const DeviceProfile& device, const KernelDescription& kernel);

// A4. From the profile's rates of half sectors, which the same warp's next store completes.
PartialSector partial_sector_of(const DeviceProfile& device, const Machine& machine);

// A4. Share of L2's write bandwidth that `used_sms` SMs get if each has equally much to store. `used_sms` 0:
// 1, as all SMs are at work and the faster ones take more blocks.
double written_share(double used_sms, double sms);

// Spread of a typical point of a table or curve.
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

// A12. Combines parameters that were measured independently: relative widths in quadrature.
Spread apart(std::initializer_list<Spread> spreads);

// Combines two that may be wrong together: the factors multiply.
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
