#include "validation/calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
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
constexpr std::string_view noise_name = "run noise";  // in the place of a model

// I2. Kernels of up to so long share what their replays' times spread.
constexpr std::array noise_from{0.0, 4e-6, 16e-6, 64e-6, 256e-6};
// Of rows, nine in ten are no noisier; from 10 and 90 % of a row's replays to 5 and 95 % of normal ones.
constexpr double row_tail = 0.1, wider = 1.6449 / 1.2816;

// I1. The rank-th smallest, counted from 1.
double ranked(std::vector<double> values, double rank) {
  const auto last = static_cast<double>(values.size());
  const auto place = static_cast<long>(std::clamp(rank, 1.0, last)) - 1;
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

CalibrationEntry entry_of(const std::string& model, std::string_view family, CodeSource code,
                          const std::vector<const Comparison*>& rows, std::span<const RunNoise> noise) {
  std::vector<double> low, high;
  std::set<std::string> layers;
  for (const auto* c : rows) {
    const auto ends =
        with_noise(c->predicted, {c->low.value_or(c->predicted), c->high.value_or(c->predicted)}, noise);
    low.push_back(std::log(c->measured / ends.low));
    high.push_back(std::log(c->measured / ends.high));
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

// Of the command that made it.
std::optional<CalibrationSample> sample_of(const std::string& comment) {
  static const std::regex options("--configs sample:([0-9]{1,9}) --seed ([0-9]{1,9})");
  std::smatch found;
  if (!std::regex_search(comment, found, options)) return std::nullopt;
  return CalibrationSample{std::stoul(found[1]), std::stoul(found[2])};
}

std::size_t required(const CsvTable& table, std::string_view column) {
  if (const auto found = table.column(column)) return *found;
  throw InputError(
      fmt::format("{}: no column '{}', expected model,family,code,rows,layers,low_log,high_log,from_s",
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

std::vector<RunNoise> run_noise(std::span<const MeasuredRow> rows) {
  struct Bin {
    std::vector<double> low, high;
    std::set<std::string> layers;
  };
  std::array<Bin, noise_from.size()> bins;
  for (const auto& row : rows) {
    if (!row.time || !row.time_p10 || !row.time_p90) continue;
    const auto after = std::ranges::upper_bound(noise_from, row.time->value());
    auto& bin = bins[static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - noise_from.begin() - 1))];
    bin.low.push_back(std::log(*row.time_p10 / *row.time));
    bin.high.push_back(std::log(*row.time_p90 / *row.time));
    bin.layers.insert(describe_shape(row.problem));
  }
  std::vector<RunNoise> noise;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const auto& bin = bins[i];
    const auto n = static_cast<double>(bin.low.size());
    if (bin.low.empty()) continue;
    noise.push_back({.from = Seconds{noise_from[i]},
                     .rows = bin.low.size(),
                     .layers = bin.layers.size(),
                     .low_log = wider * ranked(bin.low, std::floor(row_tail * (n + 1))),
                     .high_log = wider * ranked(bin.high, std::ceil((1 - row_tail) * (n + 1)))});
  }
  return noise;
}

const RunNoise* noise_of(Seconds time, std::span<const RunNoise> noise) {
  const RunNoise* found = noise.empty() ? nullptr : &noise.front();
  for (const auto& n : noise) {
    if (n.from <= time) found = &n;
  }
  return found;
}

Interval with_noise(Seconds time, Interval parameters, std::span<const RunNoise> noise) {
  const auto* n = noise_of(time, noise);
  if (!n || !(parameters.low > Seconds{})) return parameters;
  const double below = std::max(0.0, std::log(time / parameters.low));
  const double above = std::max(0.0, std::log(parameters.high / time));
  return {std::exp(-std::hypot(below, n->low_log)) * time, std::exp(std::hypot(above, n->high_log)) * time};
}

Interval calibrated_interval(Seconds low, Seconds high, const CalibrationEntry& entry) {
  return {std::exp(entry.low_log) * low, std::exp(entry.high_log) * high};
}

void calibrate_interval(Prediction& prediction, std::string_view model, std::string_view family,
                        const Calibration& calibration) {
  const auto* entry = calibration.find(model, family, prediction.code);
  if (!entry) return;
  const auto ends = with_noise(prediction.time, {prediction.low, prediction.high}, calibration.noise);
  const auto interval = calibrated_interval(ends.low, ends.high, *entry);
  prediction.low = interval.low;
  prediction.high = interval.high;
}

std::vector<CalibrationEntry> calibrate(const std::string& model, std::span<const Comparison> pairs,
                                        std::span<const RunNoise> noise, CodeSource code) {
  std::map<std::string, std::vector<const Comparison*>> families;
  std::vector<const Comparison*> all;
  for (const auto& pair : pairs) {
    if (pair.code != code) continue;
    families[pair.family].push_back(&pair);
    all.push_back(&pair);
  }
  std::vector<CalibrationEntry> entries;
  if (all.empty()) return entries;
  entries.push_back(entry_of(model, every_family, code, all, noise));
  for (const auto& [family, rows] : families)
    entries.push_back(entry_of(model, family, code, rows, noise));
  return entries;
}

std::string format_calibration(std::span<const CalibrationEntry> entries, std::span<const RunNoise> noise,
                               const std::vector<std::string>& comments) {
  std::string text;
  for (const auto& comment : comments)
    text += "# " + comment + '\n';
  text += "model,family,code,rows,layers,low_log,high_log,from_s\n";
  for (const auto& e : entries)
    text += fmt::format("{},{},{},{},{},{:.5f},{:.5f},\n", csv_field(e.model), csv_field(e.family),
                        name_of(e.code), e.rows, e.layers, e.low_log, e.high_log);
  for (const auto& n : noise)
    text += fmt::format("{},{},,{},{},{:.5f},{:.5f},{:g}\n", noise_name, every_family, n.rows, n.layers,
                        n.low_log, n.high_log, n.from.value());
  return text;
}

Calibration parse_calibration(std::string_view csv, std::string_view name) {
  const auto table = parse_csv(csv, name);
  const auto model = required(table, "model"), family = required(table, "family"),
             code = required(table, "code"), rows = required(table, "rows"),
             layers = required(table, "layers"), low = required(table, "low_log"),
             high = required(table, "high_log"), from = required(table, "from_s");
  Calibration calibration{
      .entries = {}, .noise = {}, .sample = {}, .name = std::string(name), .sha256 = sha256_hex(csv)};
  const auto count = [&](const CsvRow& row, std::size_t column) {
    return static_cast<std::size_t>(csv_integer(table, row, column));
  };
  for (const auto& row : table.rows) {
    const double low_log = csv_number(table, row, low), high_log = csv_number(table, row, high);
    if (!(std::abs(low_log) < 100 && std::abs(high_log) < 100)) {
      throw InputError(
          fmt::format("{}:{}: columns 'low_log' and 'high_log': {} and {}, expected logarithms of "
                      "time ratios",
                      name, row.line, low_log, high_log));
    }
    if (row.fields[model] == noise_name) {
      calibration.noise.push_back({.from = Seconds{csv_number(table, row, from)},
                                   .rows = count(row, rows),
                                   .layers = count(row, layers),
                                   .low_log = low_log,
                                   .high_log = high_log});
      continue;
    }
    const auto source = code_source_named(row.fields[code]);
    if (!source)
      throw InputError(fmt::format("{}:{}: column 'code': '{}', expected {}", name, row.line,
                                   row.fields[code], fmt::join(code_source_names, ", ")));
    calibration.entries.push_back({.model = row.fields[model],
                                   .family = row.fields[family],
                                   .code = *source,
                                   .rows = count(row, rows),
                                   .layers = count(row, layers),
                                   .low_log = low_log,
                                   .high_log = high_log});
  }
  for (const auto& comment : table.comments) {
    if (const auto sample = sample_of(comment)) calibration.sample = sample;
  }
  std::ranges::sort(calibration.noise, {}, &RunNoise::from);
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
