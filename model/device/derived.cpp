#include "model/device/derived.hpp"

#include <optional>

#include "model/device/parameters.hpp"

namespace tilecast {

namespace {

std::optional<Estimate> estimate_of(const DeviceProfile& device, std::string_view key) {
  const ParameterRow* row = find_parameter(key);
  const auto value = row ? row->get(device) : std::nullopt;
  if (!value) return std::nullopt;
  const auto& info = row->info(device);
  return Estimate{*value, info.low.value_or(*value), info.high.value_or(*value)};
}

using Inputs = std::optional<Estimate>;

Inputs times(const Inputs& a, const Inputs& b) {
  if (!a || !b) return std::nullopt;
  return Estimate{a->value * b->value, a->low * b->low, a->high * b->high};
}

Inputs over(const Inputs& a, const Inputs& b) {
  if (!a || !b || b->low <= 0) return std::nullopt;
  return Estimate{a->value / b->value, a->low / b->high, a->high / b->low};
}

}  // namespace

std::vector<DerivedValue> derived_values(const DeviceProfile& device) {
  const auto value = [&](std::string_view key) { return estimate_of(device, key); };
  const Inputs latency = value("dram_latency_cycles"), seconds = over(latency, value("sm_clock_hz"));
  const Inputs n_fma = times(latency, value("fp32_lanes_per_sm"));
  const Inputs little = times(value("dram_read_bytes_per_s"), seconds);
  const Inputs peak = times(value("dram_peak_bytes_per_s"), seconds);
  std::vector<DerivedValue> found;
  const auto add = [&](std::string key, std::string unit, const Inputs& estimate, std::string convention) {
    if (estimate) found.push_back({std::move(key), std::move(unit), *estimate, std::move(convention)});
  };
  add("n_fma_derived_fmas", "FMA", n_fma,
      "DRAM latency x lanes: FMAs that an SM executes in one DRAM latency");
  add("n_fma_derived_flops", "flops", times(n_fma, Estimate{2, 2, 2}),
      "DRAM latency x lanes x 2, as Chang et al. print it (two flops a FMA)");
  add("n_fma_idle_over_derived_ratio", "ratio", over(value("n_fma_idle_fmas"), n_fma),
      "n_fma_idle_fmas over the derived one");
  add("n_fma_loaded_over_derived_ratio", "ratio", over(value("n_fma_loaded_fmas"), n_fma),
      "n_fma_loaded_fmas over the derived one");
  add("v_s_peak_bytes", "bytes", peak,
      "DRAM peak x DRAM latency / SM clock (Little's law), as Chang et al. take it");
  add("v_s_derived_bytes", "bytes", little, "DRAM read plateau x DRAM latency / SM clock (Little's law)");
  for (const auto& [key, text] :
       {std::pair{"v_s_95", "v_s_95_bytes, 16-byte loads"},
        {"v_s_95_deep", "v_s_95_deep_bytes, few warps with eight 16-byte loads a thread"},
        {"v_s_95_bulk", "v_s_95_bulk_bytes, bulk copies"}})
    add(std::string(key) + "_over_derived_ratio", "ratio", over(value(std::string(key) + "_bytes"), little),
        std::string(text) + ", over v_s_derived_bytes");
  add("v_s_95_over_peak_ratio", "ratio", over(value("v_s_95_bytes"), peak),
      "v_s_95_bytes, 16-byte loads, over v_s_peak_bytes");
  return found;
}

}  // namespace tilecast
