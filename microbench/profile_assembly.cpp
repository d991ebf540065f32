#include "microbench/profile_assembly.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>

#include "kernels/runtime/hash.hpp"
#include "microbench/reduction.hpp"
#include "model/device/gpu_name.hpp"
#include "model/device/parameters.hpp"
#include "model/support/csv.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

Provenance provenance(const ProbeOutcome& outcome, std::string_view method, SourceKind kind,
                      std::string_view date) {
  if (kind != SourceKind::measured) return {kind, std::string(method)};
  return {kind, fmt::format("measure --only {}, {}: {}", outcome.probe, date, method),
          method_id(outcome.probe, method), outcome.run.id};
}

bool usable(const std::vector<double>& samples) {
  return !samples.empty() &&
         std::all_of(samples.begin(), samples.end(), [](double v) { return std::isfinite(v); });
}

template <class Rows>
auto find_row(const Rows& rows, std::string_view key) {
  return std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.key == key; });
}

// Two samples span their interval.
Interval interval_of(const std::vector<double>& kept) {
  const auto [low, high] = std::minmax_element(kept.begin(), kept.end());
  return median_interval(kept).value_or(Interval{*low, *high});
}

void set_value(const ProbeOutcome& outcome, const ProbeValue& value, std::string_view date,
               const ParameterRow& row, DeviceProfile& profile) {
  ParameterInfo info;
  info.provenance = provenance(outcome, value.method, value.kind, date);
  const std::vector<double> kept = without_outliers(value.samples);
  if (value.kind == SourceKind::measured && value.samples.size() > 1) {
    info.samples = static_cast<long>(kept.size());
    const Interval interval = interval_of(kept);
    info.low = interval.low;
    info.high = interval.high;
    if (kept.size() < value.samples.size()) {
      info.provenance.source += fmt::format(" ({} outliers left out)", value.samples.size() - kept.size());
    }
  }
  info.alternatives = row.info(profile).alternatives;
  row.set(profile, median(kept), info);
}

// The points of a curve or a table: median, interval and number of the samples that were kept. Where each
// point has one sample only, as a count or a map has, there is no interval.
template <class Measured>
void set_points(const std::vector<std::vector<double>>& samples, Measured& to) {
  const bool repeated = std::any_of(samples.begin(), samples.end(), [](auto& s) { return s.size() > 1; });
  for (const std::vector<double>& all : samples) {
    const std::vector<double> kept = without_outliers(all);
    to.y.push_back(median(kept));
    if (!repeated) continue;
    const Interval interval = interval_of(kept);
    to.y_low.push_back(interval.low);
    to.y_high.push_back(interval.high);
    to.samples.push_back(static_cast<long>(kept.size()));
  }
}

void set_curve(const ProbeOutcome& outcome, const ProbeCurve& curve, std::string_view date, Curve& to) {
  to = {};
  to.provenance = provenance(outcome, curve.method, SourceKind::measured, date);
  to.x = curve.x;
  set_points(curve.samples, to);
}

void set_table(const ProbeOutcome& outcome, const ProbeTable& table, std::string_view date, Table2D& to) {
  to = {};
  to.provenance = provenance(outcome, table.method, SourceKind::measured, date);
  to.rows = table.rows;
  to.columns = table.columns;
  set_points(table.samples, to);
}

}  // namespace

std::string method_id(std::string_view probe, std::string_view method) {
  const std::uint64_t hash = Fnv1a().add(method).value();
  return fmt::format("{}:{:08x}", probe, static_cast<std::uint32_t>(hash ^ (hash >> 32)));
}

void apply_run(const ProbeOutcome& outcome, const std::vector<std::string>& problems,
               DeviceProfile& profile) {
  if (outcome.run.id.empty()) return;
  std::set<std::string_view> used;
  for (const auto& row : parameter_rows()) {
    if (row.get(profile)) used.insert(row.info(profile).provenance.run);
  }
  for (const auto& row : curve_rows())
    used.insert((profile.*row.member).provenance.run);
  for (const auto& row : table_rows())
    used.insert((profile.*row.member).provenance.run);
  std::erase_if(profile.runs, [&](const MeasurementRun& run) {
    return run.probe == outcome.run.probe && (!used.contains(run.id) || run.id == outcome.run.id);
  });
  profile.runs.push_back(outcome.run);
  profile.runs.back().problem = fmt::format("{}", fmt::join(problems, "; "));
}

std::vector<std::string> apply_outcome(const ProbeOutcome& outcome, std::string_view date,
                                       DeviceProfile& profile) {
  std::vector<std::string> problems;
  const ProbeResult& result = outcome.result;
  if (!result.reason.empty()) problems.push_back(fmt::format("{}: {}", outcome.probe, result.reason));
  for (const ProbeValue& value : result.values) {
    const ParameterRow* row = find_parameter(value.key);
    if (row == nullptr) continue;
    if (!usable(value.samples)) {
      problems.push_back(fmt::format("{}: {} has no usable samples", outcome.probe, value.key));
      continue;
    }
    set_value(outcome, value, date, *row, profile);
  }
  for (const ProbeCurve& curve : result.curves) {
    const auto row = find_row(curve_rows(), curve.key);
    if (row == curve_rows().end()) continue;
    if (curve.x.empty() || curve.x.size() != curve.samples.size() ||
        !std::all_of(curve.samples.begin(), curve.samples.end(), usable)) {
      problems.push_back(fmt::format("{}: {} has a point without usable samples", outcome.probe, curve.key));
      continue;
    }
    set_curve(outcome, curve, date, profile.*(row->member));
  }
  for (const ProbeTable& table : result.tables) {
    const auto row = find_row(table_rows(), table.key);
    if (row == table_rows().end()) continue;
    if (table.samples.empty() || table.samples.size() != table.rows.size() * table.columns.size() ||
        !std::all_of(table.samples.begin(), table.samples.end(), usable)) {
      problems.push_back(fmt::format("{}: {} is not complete", outcome.probe, table.key));
      continue;
    }
    set_table(outcome, table, date, profile.*(row->member));
  }
  return problems;
}

void apply_identity(const GpuInfo& gpu, std::string_view name, std::string_view toolkit,
                    std::string_view date, DeviceProfile& profile) {
  profile.name = name.empty() ? profile_name(gpu.name) : std::string(name);
  profile.gpu_name = gpu.name;
  profile.compute_capability_major = gpu.architecture.major;
  profile.compute_capability_minor = gpu.architecture.minor;
  profile.driver = gpu.driver_version;
  profile.toolkit = toolkit;
  profile.measured_on = date;
}

std::string format_raw_samples(const ProbeOutcome& outcome, std::string_view gpu_name,
                               std::string_view date) {
  const ProbeResult& result = outcome.result;
  std::string text = fmt::format("# {}, probe {}, {}, {:.2f} s; base units\n", gpu_name, outcome.probe, date,
                                 outcome.seconds);
  if (!result.reason.empty()) text += fmt::format("# incomplete: {}\n", result.reason);
  const auto methods = [&](const auto& list) {
    for (const auto& entry : list)
      text += fmt::format("# {}: {}\n", entry.key, entry.method);
  };
  methods(result.values);
  methods(result.curves);
  methods(result.tables);
  text += "what,key,x,column,sample,value\n";
  const auto row = [&](std::string_view what, std::string_view key, std::string x, std::string column,
                       std::size_t sample, double value) {
    text += fmt::format("{},{},{},{},{},{}\n", what, csv_field(key), x, column, sample, value);
  };
  for (const ProbeValue& value : result.values) {
    for (std::size_t i = 0; i < value.samples.size(); ++i)
      row("value", value.key, "", "", i, value.samples[i]);
  }
  for (const ProbeCurve& curve : result.curves) {
    for (std::size_t p = 0; p < curve.samples.size(); ++p) {
      for (std::size_t i = 0; i < curve.samples[p].size(); ++i) {
        row("curve", curve.key, fmt::format("{}", curve.x[p]), "", i, curve.samples[p][i]);
      }
    }
  }
  for (const ProbeTable& table : result.tables) {
    for (std::size_t p = 0; p < table.samples.size(); ++p) {
      for (std::size_t i = 0; i < table.samples[p].size(); ++i) {
        row("table", table.key, fmt::format("{}", table.rows[p / table.columns.size()]),
            fmt::format("{}", table.columns[p % table.columns.size()]), i, table.samples[p][i]);
      }
    }
  }
  return text;
}

}  // namespace tilecast
