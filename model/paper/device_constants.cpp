#include "model/paper/device_constants.hpp"

#include <cmath>

#include "model/units/hardware_sizes.hpp"

namespace tilecast::paper {
namespace {

constexpr std::int64_t stated_registers = 128;      // their section 4
constexpr std::int64_t resident_threads = 2 * 512;  // their section 4: two blocks a SM, 512 threads each

Cycles latency_of(const DeviceProfile& device, Latency reading) {
  if (reading == Latency::profile) return device.dram_latency.get();
  const auto& alternatives = device.dram_latency.info.alternatives;
  if (alternatives.empty()) {
    throw UnavailableError("the device profile keeps no alternative to its global-memory latency",
                           "add one to the profile, with its source, or use --latency=profile");
  }
  return Cycles{alternatives.front().value};
}

Frequency clock_of(const DeviceProfile& device) {
  if (device.base_clock.present()) return *device.base_clock;
  if (device.sm_clock.present()) return *device.sm_clock;
  return device.boost_clock.get();
}

}  // namespace

DeviceConstants device_constants(const DeviceProfile& device, const Quirks& quirks) {
  DeviceConstants c;
  c.sm_count = device.sm_count.get();
  c.cores_per_sm = device.fp32_lanes_per_sm.get();
  c.shared_per_sm = device.shared_per_sm.get();
  c.latency = latency_of(device, quirks.latency);
  c.clusters = device.compute_capability_major >= 9;
  c.registers_per_thread = quirks.registers == Registers::stated
                               ? stated_registers
                               : device.registers_per_sm.get() / resident_threads;

  // EQUATIONS.md P1: their "2 FMA operations a clock cycle and core" are the two flops of one FMA.
  const double per_core_and_cycle = quirks.fma_count == FmaCount::flops ? 2 : 1;
  c.n_fma = c.latency.value() * static_cast<double>(c.cores_per_sm) * per_core_and_cycle;

  // EQUATIONS.md P2: 484e9 / 1.48e9 = 327.03 is used as 327.
  const Bandwidth bandwidth = device.dram_peak.present() ? *device.dram_peak : device.dram_read.get();
  c.transfer_rate = BytesPerCycle{std::round((bandwidth / clock_of(device)).value())};
  c.data_requirement = c.transfer_rate * c.latency;
  c.words = static_cast<std::int64_t>(std::ceil(c.data_requirement.value() / word_bytes));
  const auto threads_asked = (c.words + c.sm_count - 1) / c.sm_count;
  c.warps_per_sm = (threads_asked + threads_per_warp - 1) / threads_per_warp;
  c.threads_per_sm = c.warps_per_sm * threads_per_warp;
  c.bytes_per_sm = Bytes{word_bytes * static_cast<double>(c.threads_per_sm)};
  c.v_s = static_cast<double>(c.sm_count) * c.bytes_per_sm;
  return c;
}

}  // namespace tilecast::paper
