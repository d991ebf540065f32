#include "cli/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/table.hpp"
#include "model/device/parameters.hpp"
#include "validation/counters/predicted_launch.hpp"
#include "validation/counters/recorded_counters.hpp"
#include "validation/work_list.hpp"

namespace tilecast {
namespace {

// The derivative is a central difference over this ratio: small against the kinks between bounds, large
// against rounding.
constexpr double step = 1.01;

double elasticity(Seconds higher, Seconds lower) {
  return std::log(higher.value() / lower.value()) / (2 * std::log(step));
}

// Counts are not continuous (half an SM has no meaning), so only the other parameters are moved.
std::vector<Sensitivity> sensitivities(const KernelDescription& kernel, const DeviceProfile& device,
                                       const analytic::Options& options) {
  std::vector<Sensitivity> found;
  const auto consider = [&](std::string_view key, const DeviceProfile& higher, const DeviceProfile& lower) {
    const double e = elasticity(analytic::predict(kernel, higher, options).time,
                                analytic::predict(kernel, lower, options).time);
    if (std::abs(e) > 1e-9) found.push_back({key, e});  // what is left of rounding
  };
  for (const auto& row : parameter_rows()) {
    const auto value = row.get(device);
    if (!value || row.integer || row.unit == "bytes") continue;  // memory sizes decide occupancy, in steps
    auto higher = device, lower = device;
    row.set(higher, *value * step, row.info(device));
    row.set(lower, *value / step, row.info(device));
    consider(row.key, higher, lower);
  }
  const auto consider_all_points = [&](const auto& row) {  // of a curve or a table
    if (!(device.*row.member).present()) return;
    auto higher = device, lower = device;
    for (auto& y : (higher.*row.member).y)
      y *= step;
    for (auto& y : (lower.*row.member).y)
      y /= step;
    consider(row.key, higher, lower);
  };
  std::ranges::for_each(curve_rows(), consider_all_points);
  std::ranges::for_each(table_rows(), consider_all_points);
  std::ranges::stable_sort(
      found, [](const auto& a, const auto& b) { return std::abs(a.elasticity) > std::abs(b.elasticity); });
  return found;
}

}  // namespace

Explanation explain(const KernelDescription& kernel, const DeviceProfile& device,
                    const analytic::Options& options) {
  Explanation e;
  e.prediction = analytic::predict(kernel, device, options);
  e.occupancy = occupancy(kernel.launch, device);
  e.waves = analytic::waves_of(kernel, device);
  for (const auto& bound : e.prediction.bounds) {
    auto without = options;
    without.without.emplace_back(bound.name);
    e.bounds.push_back({bound, analytic::predict(kernel, device, without).time});
  }
  std::ranges::stable_sort(e.bounds,
                           [](const auto& a, const auto& b) { return a.bound.time > b.bound.time; });
  if (e.prediction.time > Seconds{}) e.sensitivities = sensitivities(kernel, device, options);
  return e;
}

std::vector<ExplainedCount> explained_counts(const KernelDescription& kernel, const ConvShape& problem,
                                             const Config& config, const DeviceProfile& device) {
  std::vector<ExplainedCount> counts;
  for (auto& c : recorded_counters(device.gpu_name, kernel.family, problem, config))
    counts.push_back(
        {c.quantity, c.counted, c.read, c.busiest_block, described_quantity(c.quantity, kernel)});
  return counts;
}

std::vector<ExplainedLaunch> explained_launch(const KernelDescription& kernel, const ConvShape& problem,
                                              const Config& config, const DeviceProfile& device) {
  const auto counted = recorded_launch(device.gpu_name, kernel.family, problem, config);
  if (!counted) return {};
  constexpr double sector_bytes = 32;
  const auto predicted = predicted_launch(kernel, device);
  const auto not_from_dram = [](double bytes, double sectors) {
    return sectors > 0 ? 100 * std::max(0.0, 1 - bytes / (sector_bytes * sectors)) : 100.0;
  };
  return {{"bytes read from DRAM", counted->traffic.dram_read_bytes, predicted.dram_read_bytes},
          {"bytes written to DRAM", counted->traffic.dram_written_bytes, predicted.dram_written_bytes},
          {"sectors that SMs read from L2", counted->traffic.sectors_read, predicted.sectors_read},
          {"of these not from DRAM [%]",
           not_from_dram(counted->traffic.dram_read_bytes, counted->traffic.sectors_read),
           not_from_dram(predicted.dram_read_bytes, predicted.sectors_read)},
          {"issue slots used [%]", 100 * counted->issue_cycles / counted->cycles,
           100 * predicted.issue_slots_used}};
}

Recorded recorded_of(const KernelDescription& kernel, const analytic::Options& options,
                     const ConvShape& problem, const Config& config, const DeviceProfile& device,
                     std::span<const MeasuredRow> rows) {
  Recorded recorded;
  const auto wanted = config_text(config);
  for (const auto& row : rows) {
    if (row.family != kernel.family || row.problem != problem || !row.time ||
        !std::ranges::is_permutation(row.config, wanted))
      continue;
    recorded.measured = row.time;
    break;
  }
  if (recorded.measured) {
    recorded.residual = analytic::residual_terms(kernel, device, options, *recorded.measured);
    const Seconds predicted = analytic::predict(kernel, device, options).time;
    const FactRow row{row_facts(problem, config, kernel, device), "", predicted / *recorded.measured - 1};
    for (auto& mechanism : known_mechanisms()) {
      if (mechanism.applies("analytic", kernel.family, row))
        recorded.mechanisms.push_back(std::move(mechanism));
    }
  }
  recorded.counts = explained_counts(kernel, problem, config, device);
  recorded.launch = explained_launch(kernel, problem, config, device);
  return recorded;
}

namespace {

std::string recorded_text(const Explanation& e) {
  std::string text;
  if (const auto& measured = e.recorded.measured) {
    const auto residual = *measured - e.prediction.time;
    text +=
        fmt::format("\nmeasured {}: the prediction is {:.1f} % too {}\n", for_people(measured->value(), "s"),
                    100 * std::abs(residual / *measured), residual > Seconds{} ? "fast" : "slow");
    ResultTable terms({{"bound", "bound that alone could carry it"}, {"factor", "its time, times", 3}});
    for (const auto& term : e.recorded.residual) {
      if (term.factor) terms.add({std::string(term.bound), *term.factor});
    }
    text += terms.size() > 0 ? terms.text() : "no bound alone could carry it\n";
    for (const auto& m : e.recorded.mechanisms)
      text +=
          fmt::format("known where {}: {} ({}; {})\n", m.condition_text, m.mechanism, m.status, m.evidence);
  }
  if (!e.recorded.counts.empty()) {
    ResultTable counts({{"quantity"},
                        {"counted", "counted by the profiler", 9},
                        {"read", "read from the code", 9},
                        {"block", "read, busiest block", 9},
                        {"described", "described, a block", 9},
                        {"difference", "difference [%]", 3}});
    for (const auto& c : e.recorded.counts) {
      const bool both = c.described && c.busiest_block > 0;
      counts.add({c.quantity, c.counted, c.read, c.busiest_block, c.described ? Cell{*c.described} : Cell{},
                  both ? Cell{100 * (*c.described / c.busiest_block - 1)} : Cell{}});
    }
    text += "\n" + counts.text();
  }
  if (e.recorded.launch.empty()) return text;
  ResultTable launch({{"quantity", "one launch, warm"},
                      {"counted", "counted by the profiler", 9},
                      {"predicted", "analytic model", 9}});
  // Percent to a tenth, bytes and sectors whole.
  const auto shown = [](double v) { return v <= 100 ? std::round(10 * v) / 10 : std::round(v); };
  for (const auto& l : e.recorded.launch)
    launch.add({std::string(l.quantity), shown(l.counted), shown(l.predicted)});
  return text + "\n" + launch.text();
}

// "8 a SM (16 fit, limit: blocks; clusters of 2), 3 waves: 2 of 1056 blocks and a tail of 48, 1 on the
// busiest SM"
std::string waves_text(const KernelDescription& kernel, const Explanation& e) {
  const auto& [full, tail] = e.waves;
  const auto fit = static_cast<double>(e.occupancy.blocks_per_sm);
  std::string text =
      fmt::format("{:.0f} a SM ({}limit: {}{})", full.blocks_per_sm,
                  full.blocks_per_sm < fit ? fmt::format("{:.0f} fit, ", fit) : "", e.occupancy.limiter,
                  kernel.launch.cluster > 1 ? fmt::format("; clusters of {}", kernel.launch.cluster) : "");
  const double waves = full.count + tail.count;
  text += fmt::format(", {:.0f} wave{}", waves, waves == 1 ? "" : "s");
  if (full.count > 0 && tail.count > 0)
    text += fmt::format(": {:.0f} of {:.0f} blocks and a tail of {:.0f}, {:.0f} on the busiest SM",
                        full.count, full.blocks, tail.blocks, tail.blocks_per_sm);
  return text;
}

}  // namespace

std::string explanation_text(const KernelDescription& kernel, const Explanation& e) {
  const auto& l = kernel.launch;
  std::string text = fmt::format(
      "{} ({} to {}), limited by {}\n"
      "interval: {}\n"
      "{} blocks of {} threads, {} registers a thread{}, {:.0f} B shared: {}\n"
      "{:.4g} FMAs, {:.1f} % of them useful\n\n",
      for_people(e.prediction.time.value(), "s"), for_people(e.prediction.low.value(), "s"),
      for_people(e.prediction.high.value(), "s"), e.prediction.limiter, e.interval, l.blocks, l.threads,
      l.registers, kernel.code == CodeSource::own ? "" : fmt::format(" (code: {})", name_of(kernel.code)),
      l.shared.value(), waves_text(kernel, e), kernel.fma_executed,
      kernel.fma_executed > 0 ? 100 * kernel.fma_useful / kernel.fma_executed : 0.0);
  ResultTable bounds({{"bound"},
                      {"equation"},
                      {"time", "alone [us]", 4},
                      {"share", "of the time [%]", 3},
                      {"without", "time without it [us]", 4}});
  for (const auto& [bound, without] : e.bounds) {
    bounds.add({std::string(bound.name), std::string(bound.equation), 1e6 * bound.time.value(),
                100 * (bound.time / e.prediction.time), 1e6 * without.value()});
  }
  ResultTable moves({{"parameter", "parameter of the device"}, {"change", "time, for +1 % [%]", 3}});
  for (const auto& [key, value] : e.sensitivities)
    moves.add({std::string(key), value});
  return text + bounds.text() + "\n" + moves.text() + recorded_text(e);
}

std::string explanation_json(const KernelDescription& kernel, const Explanation& e) {
  nlohmann::ordered_json json;
  json["family"] = kernel.family;
  json["time_s"] = e.prediction.time.value();
  json["time_lo_s"] = e.prediction.low.value();
  json["time_hi_s"] = e.prediction.high.value();
  json["limiter"] = e.prediction.limiter;
  json["launch"] = {{"blocks", kernel.launch.blocks},
                    {"threads", kernel.launch.threads},
                    {"registers", kernel.launch.registers},
                    {"shared_bytes", kernel.launch.shared.value()},
                    {"blocks_per_sm", static_cast<std::int64_t>(e.waves[0].blocks_per_sm)},
                    {"blocks_that_fit", e.occupancy.blocks_per_sm},
                    {"waves", static_cast<std::int64_t>(e.waves[0].count + e.waves[1].count)},
                    {"tail_blocks", e.waves[1].count > 0 ? e.waves[1].blocks : 0}};
  json["interval"] = e.interval;
  json["bounds"] = nlohmann::ordered_json::array();
  for (const auto& [bound, without] : e.bounds) {
    json["bounds"].push_back({{"name", bound.name},
                              {"equation", bound.equation},
                              {"time_s", bound.time.value()},
                              {"time_without_s", without.value()}});
  }
  json["sensitivities"] = nlohmann::ordered_json::array();
  for (const auto& [key, value] : e.sensitivities)
    json["sensitivities"].push_back({{"parameter", key}, {"elasticity", value}});
  if (e.recorded.measured) {
    json["measured_s"] = e.recorded.measured->value();
    json["residual"] = nlohmann::ordered_json::array();
    for (const auto& term : e.recorded.residual) {
      json["residual"].push_back({{"bound", term.bound}, {"factor", nullptr}});
      if (term.factor) json["residual"].back()["factor"] = *term.factor;
    }
    json["mechanisms"] = nlohmann::ordered_json::array();
    for (const auto& m : e.recorded.mechanisms)
      json["mechanisms"].push_back({{"id", m.id}, {"status", m.status}, {"mechanism", m.mechanism}});
  }
  if (!e.recorded.counts.empty()) {
    json["counts"] = nlohmann::ordered_json::array();
    for (const auto& c : e.recorded.counts) {
      json["counts"].push_back({{"quantity", c.quantity},
                                {"counted", c.counted},
                                {"read", c.read},
                                {"busiest_block", c.busiest_block},
                                {"described", nullptr}});
      if (c.described) json["counts"].back()["described"] = *c.described;
    }
  }
  for (const auto& l : e.recorded.launch)
    json["launch_counts"].push_back(
        {{"quantity", l.quantity}, {"counted", l.counted}, {"predicted", l.predicted}});
  return json.dump(2) + "\n";
}

}  // namespace tilecast
