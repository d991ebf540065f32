#pragma once
// The rules behind device_checks(), and what they share. Internal to the checks.

#include <initializer_list>
#include <optional>
#include <string_view>

#include "model/device/check.hpp"
#include "model/device/parameters.hpp"

namespace tilecast::rules {

// Reads a profile by key and keeps count of what was judged and what was absent.
class Judge {
 public:
  explicit Judge(const DeviceProfile& device) : device_(device) {}

  // Absent ones are remembered. A key that no profile can have counts as absent.
  std::optional<double> value(std::string_view key);
  const Curve* curve(std::string_view key);    // nullptr: absent
  const Table2D* table(std::string_view key);  // nullptr: absent

  void judged() { ++outcome_.judged; }
  void violation(std::string message) { outcome_.violations.push_back(std::move(message)); }
  // `low` < `high`, or <= where not strict; judged when both are there.
  void expect_less(std::string_view low, std::string_view high, bool strict);
  // value <= peak with room for a noisy plateau; `why` tells what passing it means.
  void expect_below(std::string_view what, double value, std::string_view peak_name, double peak,
                    std::string_view why);

  const DeviceProfile& device() const { return device_; }
  CheckOutcome outcome() && { return std::move(outcome_); }

 private:
  void absent(std::string_view key);
  const DeviceProfile& device_;
  CheckOutcome outcome_;
};

// check_values.cpp: single values, and the order of several
CheckOutcome plausible_range(const DeviceProfile& device);
CheckOutcome interval_contains_value(const DeviceProfile& device);
CheckOutcome interval_is_known(const DeviceProfile& device);
CheckOutcome limits_fit(const DeviceProfile& device);
CheckOutcome clock_order(const DeviceProfile& device);
CheckOutcome latency_order(const DeviceProfile& device);
CheckOutcome footprint_covers_l2(const DeviceProfile& device);
CheckOutcome runs_are_known(const DeviceProfile& device);

// check_rates.cpp: rates against physical peaks
CheckOutcome dram_below_peak(const DeviceProfile& device);
CheckOutcome l2_below_port(const DeviceProfile& device);
CheckOutcome l2_above_dram(const DeviceProfile& device);
CheckOutcome fma_below_lanes(const DeviceProfile& device);
CheckOutcome fma_rate_is_reached(const DeviceProfile& device);
CheckOutcome lanes_of_capability(const DeviceProfile& device);
CheckOutcome shared_below_peak(const DeviceProfile& device);

// check_concurrency.cpp: rate x latency = work in flight, and two ways to the same value
CheckOutcome fma_rate_is_little(const DeviceProfile& device);
CheckOutcome slope_agrees_with_chase(const DeviceProfile& device);
CheckOutcome idle_little(const DeviceProfile& device);
CheckOutcome loaded_little(const DeviceProfile& device);
CheckOutcome loaded_latency_starts_idle(const DeviceProfile& device);
CheckOutcome n_fma_is_latency_times_lanes(const DeviceProfile& device);
CheckOutcome v_s_above_little(const DeviceProfile& device);
CheckOutcome plateau_is_reached(const DeviceProfile& device);
CheckOutcome residency_is_occupancy(const DeviceProfile& device);
CheckOutcome clusters_fit(const DeviceProfile& device);
CheckOutcome dram_latency_methods(const DeviceProfile& device);
CheckOutcome fma_rate_methods(const DeviceProfile& device);

}  // namespace tilecast::rules
