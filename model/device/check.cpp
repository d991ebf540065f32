#include "model/device/check.hpp"

#include <array>

#include "model/device/check_rules.hpp"

namespace tilecast {

namespace {

// clang-format off
constexpr std::array checks{
    DeviceCheck{"plausible-range", "every value within its physical range", rules::plausible_range},
    DeviceCheck{"interval", "every interval contains its value", rules::interval_contains_value},
    DeviceCheck{"interval-known", "everything measured has an interval, unless it is a count", rules::interval_is_known},
    DeviceCheck{"limits", "a block's limits fit the SM's; L2 below DRAM", rules::limits_fit},
    DeviceCheck{"clocks", "base clock <= boost clock", rules::clock_order},
    DeviceCheck{"latency-order", "shared, L1 < L2 <= L2 far < DRAM with TLB hit <= DRAM with TLB miss", rules::latency_order},
    DeviceCheck{"footprint", "the latency curve has left L2 where DRAM's latency is taken", rules::footprint_covers_l2},
    DeviceCheck{"dram-peak", "DRAM read, write, copy <= memory clock x bus width", rules::dram_below_peak},
    DeviceCheck{"l2-peak", "L2 read, write <= 64 bytes a cycle and SM", rules::l2_below_port},
    DeviceCheck{"l2-above-dram", "L2 read > DRAM read", rules::l2_above_dram},
    DeviceCheck{"lanes", "fp32 lanes of an SM as documented for the compute capability", rules::lanes_of_capability},
    DeviceCheck{"fma-lanes", "FMA rate <= fp32 lanes", rules::fma_below_lanes},
    DeviceCheck{"fma-reached", "FMA rate >= half of the lanes", rules::fma_rate_is_reached},
    DeviceCheck{"fma-latency", "FMA rate x FMA latency = warps x chains x 32 below saturation, never more", rules::fma_rate_is_little},
    DeviceCheck{"shared-peak", "shared read <= 128 bytes/cycle, its results <= 256", rules::shared_below_peak},
    DeviceCheck{"slope", "bandwidth at few bytes in flight agrees with the chase", rules::slope_agrees_with_chase},
    DeviceCheck{"little", "bandwidth x idle latency <= bytes in flight", rules::idle_little},
    DeviceCheck{"loaded-little", "bandwidth x latency under that load <= bytes in flight", rules::loaded_little},
    DeviceCheck{"loaded-latency", "latency under load begins at the idle one; p10 <= median <= p90", rules::loaded_latency_starts_idle},
    DeviceCheck{"n-fma", "N_FMA measured on the idle device = latency x FMA rate", rules::n_fma_is_latency_times_lanes},
    DeviceCheck{"v-s", "V_s (95 %) >= Little's V_s; V_s rises with the share", rules::v_s_above_little},
    DeviceCheck{"plateau", "the DRAM read curve is flat at its end, and dram_read_bytes_per_s is its plateau", rules::plateau_is_reached},
    DeviceCheck{"residency", "blocks counted on an SM = the occupancy rule", rules::residency_is_occupancy},
    DeviceCheck{"clusters", "clusters reach no more SMs than there are, nor hold an SM more blocks than it takes", rules::clusters_fit},
    DeviceCheck{"dram-latency-methods", "DRAM latency by chase and by wall clock agree", rules::dram_latency_methods},
    DeviceCheck{"fma-rate-methods", "FMA rate by SM clock and by wall clock agree", rules::fma_rate_methods},
    DeviceCheck{"runs", "every measured value names a run that the profile has", rules::runs_are_known},
};
// clang-format on

}  // namespace

std::span<const DeviceCheck> device_checks() {
  return checks;
}

std::vector<Violation> check_device(const DeviceProfile& device) {
  std::vector<Violation> out;
  for (const auto& check : checks) {
    for (auto& message : check.judge(device).violations)
      out.push_back({check.name, std::move(message)});
  }
  return out;
}

}  // namespace tilecast
