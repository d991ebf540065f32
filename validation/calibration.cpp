#include "validation/calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/device/gpu_name.hpp"
#include "model/support/csv.hpp"
#include "model/support/embedded.hpp"
#include "model/support/errors.hpp"
#include "model/support/sha256.hpp"
#include "validation/measurement_store.hpp"

namespace tilecast {

std::span<const EmbeddedFile> calibration_files();  // made by tilecast_embed in CMakeLists.txt

namespace {

constexpr double tail = 0.05;  // of each side: together a 90 % interval
constexpr std::string_view every_family = "*";

// I1. The rank-th smallest, counted from 1.
double ranked(std::vector<double> values, double rank) {
  const auto last = static_cast<double>(values.size());
  const auto place = static_cast<long>(std::clamp(rank, 1.0, last)) - 1;
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

CalibrationEntry entry_of(const std::string& model, std::string_view family, CodeSource code,
                          const std::vector<const Comparison*>& rows) {
  std::vector<double> low, high;
  std::set<std::string> layers;
  for (const auto* c : rows) {
    low.push_back(std::log(c->measured / c->low.value_or(c->predicted)));
    high.push_back(std::log(c->measured / c->high.value_or(c->predicted)));
    layers.insert(describe_shape(c->problem));
  }
  const auto n = static_cast<double>(rows.size());
  return {.model = model,
          .family = std::string(family),
          .code = code,
          .rows = rows.size(),
          .layers = layers.size(),
          .low_log = ranked(low, std::floor(tail * (n + 1))),
          .high_log = ranked(high, std::ceil((1 - tail) * (n + 1)))};
}

std::size_t required(const CsvTable& table, std::string_view column) {
  if (const auto found = table.column(column)) return *found;
  throw InputError(fmt::format("{}: no column '{}', expected model,family,code,rows,layers,low_log,high_log",
                               table.name, column));
}

}  // namespace

const CalibrationEntry* Calibration::find(std::string_view model, std::string_view family,
                                          CodeSource code) const {
  const CalibrationEntry* any = nullptr;
  for (const auto& entry : entries) {
    if (entry.model != model || entry.code != code) continue;
    if (entry.family == family) return &entry;
    if (entry.family == every_family) any = &entry;
  }
  return any;
}

std::string Calibration::source() const {
  return entries.empty() ? "none" : name + ' ' + sha256;
}

Interval calibrated_interval(Seconds low, Seconds high, const CalibrationEntry& entry) {
  return {std::exp(entry.low_log) * low, std::exp(entry.high_log) * high};
}

void calibrate_interval(Prediction& prediction, std::string_view model, std::string_view family,
                        const Calibration& calibration) {
  const auto* entry = calibration.find(model, family, prediction.code);
  if (!entry) return;
  const auto interval = calibrated_interval(prediction.low, prediction.high, *entry);
  prediction.low = interval.low;
  prediction.high = interval.high;
}

std::vector<CalibrationEntry> calibrate(const std::string& model, std::span<const Comparison> pairs,
                                        CodeSource code) {
  std::map<std::string, std::vector<const Comparison*>> families;
  std::vector<const Comparison*> all;
  for (const auto& pair : pairs) {
    if (pair.code != code) continue;
    families[pair.family].push_back(&pair);
    all.push_back(&pair);
  }
  std::vector<CalibrationEntry> entries;
  if (all.empty()) return entries;
  entries.push_back(entry_of(model, every_family, code, all));
  for (const auto& [family, rows] : families)
    entries.push_back(entry_of(model, family, code, rows));
  return entries;
}

std::string format_calibration(std::span<const CalibrationEntry> entries,
                               const std::vector<std::string>& comments) {
  std::string text;
  for (const auto& comment : comments)
    text += "# " + comment + '\n';
  text += "model,family,code,rows,layers,low_log,high_log\n";
  for (const auto& e : entries)
    text += fmt::format("{},{},{},{},{},{:.5f},{:.5f}\n", csv_field(e.model), csv_field(e.family),
                        name_of(e.code), e.rows, e.layers, e.low_log, e.high_log);
  return text;
}

Calibration parse_calibration(std::string_view csv, std::string_view name) {
  const auto table = parse_csv(csv, name);
  const auto model = required(table, "model"), family = required(table, "family"),
             code = required(table, "code"), rows = required(table, "rows"),
             layers = required(table, "layers"), low = required(table, "low_log"),
             high = required(table, "high_log");
  Calibration calibration{.entries = {}, .name = std::string(name), .sha256 = sha256_hex(csv)};
  for (const auto& row : table.rows) {
    const auto source = code_source_named(row.fields[code]);
    if (!source)
      throw InputError(fmt::format("{}:{}: column 'code': '{}', expected {}", name, row.line,
                                   row.fields[code], fmt::join(code_source_names, ", ")));
    calibration.entries.push_back({.model = row.fields[model],
                                   .family = row.fields[family],
                                   .code = *source,
                                   .rows = static_cast<std::size_t>(csv_integer(table, row, rows)),
                                   .layers = static_cast<std::size_t>(csv_integer(table, row, layers)),
                                   .low_log = csv_number(table, row, low),
                                   .high_log = csv_number(table, row, high)});
    const auto& e = calibration.entries.back();
    if (!(std::abs(e.low_log) < 100 && std::abs(e.high_log) < 100)) {
      throw InputError(
          fmt::format("{}:{}: columns 'low_log' and 'high_log': {} and {}, expected logarithms of "
                      "time ratios",
                      name, row.line, e.low_log, e.high_log));
    }
  }
  return calibration;
}

Calibration recorded_calibration(std::string_view gpu_name) {
  const auto path = "recorded/" + folder_name(gpu_name) + "/calibration.csv";
  for (const auto& file : calibration_files()) {
    if (file.path == path) return parse_calibration(file.text, "validation/" + path);
  }
  return {};
}

BoundModel calibrated(BoundModel model, const Calibration& calibration) {
  const auto predict = model.predict;
  model.predict = [predict, calibration, name = model.name](const ModelQuery& query) -> ModelAnswer {
    auto said = predict(query);
    if (auto* p = std::get_if<Prediction>(&said))
      calibrate_interval(*p, name, query.family.name, calibration);
    return said;
  };
  return model;
}

}  // namespace tilecast
