#include "microbench/gpu_state.hpp"

#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

namespace tilecast {

// Bits of nvmlClocksEventReasons (NVML API reference, "NvmlClocksEventReasons").
std::vector<std::string> throttle_reasons(std::uint64_t bits) {
  constexpr std::array<std::pair<std::uint64_t, const char*>, 7> reasons{{
      {0x2, "applications clocks setting"},
      {0x4, "software power cap"},
      {0x8, "hardware slowdown"},
      {0x10, "sync boost"},
      {0x20, "software thermal slowdown"},
      {0x40, "hardware thermal slowdown"},
      {0x80, "hardware power brake"},
  }};
  std::vector<std::string> names;
  for (const auto& [bit, name] : reasons) {
    if (bits & bit) names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> neighbour_warnings(std::optional<int> processes, std::optional<int> utilization) {
  std::vector<std::string> warnings;
  if (processes && *processes > 1)
    warnings.push_back(
        fmt::format("{} other process{} on this GPU: bandwidths, latencies under load and clocks "
                    "may be theirs too",
                    *processes - 1, *processes == 2 ? "" : "es"));
  if (utilization && *utilization > 5)
    warnings.push_back(fmt::format("the GPU was {} % busy before the first launch", *utilization));
  return warnings;
}

void note_states(const GpuState& before, const GpuState& after, MeasurementRun& run) {
  run.sm_clock_before_hz = before.sm_clock_hz;
  run.sm_clock_after_hz = after.sm_clock_hz;
  run.memory_clock_hz = after.memory_clock_hz;
  run.power_w = after.power_w;
  run.temperature_c = after.temperature_c;
  std::set<std::string> reasons(before.throttled.begin(), before.throttled.end());
  reasons.insert(after.throttled.begin(), after.throttled.end());
  run.throttled.assign(reasons.begin(), reasons.end());
}

}  // namespace tilecast
