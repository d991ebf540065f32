#include "model/device/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "model/device/parameters.hpp"
#include "model/support/csv.hpp"
#include "model/support/embedded.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

std::span<const EmbeddedFile> device_files();  // profiles and reference_values.csv, embedded by CMake

namespace {

struct Side {
  double value = 0;
  std::optional<double> low, high;
  bool stated() const { return low && high; }
};

double relative_difference(double a, double b) {
  if (a == b) return 0;
  return std::abs(b - a) / std::max(std::abs(a), std::abs(b));
}

bool overlap(const Side& a, const Side& b) {
  return a.low.value_or(a.value) <= b.high.value_or(b.value) &&
         b.low.value_or(b.value) <= a.high.value_or(a.value);
}

ComparisonVerdict judge(const Side& a, const Side& b, double tolerance) {
  if (relative_difference(a.value, b.value) <= tolerance) return ComparisonVerdict::same;
  if ((a.stated() || b.stated()) && overlap(a, b)) return ComparisonVerdict::overlapping;
  return ComparisonVerdict::differs;
}

void fill(ValueComparison& row, const Side& a, const Side& b, double tolerance) {
  row.first = a.value;
  row.second = b.value;
  if (a.value != 0) row.ratio = b.value / a.value;
  if (a.stated() || b.stated()) row.overlap = overlap(a, b);
  row.verdict = judge(a, b, tolerance);
}

bool same_method(const Provenance& a, const Provenance& b) {
  return a.method.empty() || b.method.empty() || a.method == b.method;
}

bool same_x(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

// Which pair of points stands for a curve: the one with the gravest verdict, then with the largest
// difference.
struct Worst {
  std::optional<ValueComparison> row;
  double difference = -1;
  long points = 0, differing = 0;

  void add(const std::string& label, const Side& a, const Side& b, double tolerance) {
    ValueComparison candidate;
    candidate.key = label;
    fill(candidate, a, b, tolerance);
    ++points;
    const bool differs = candidate.verdict == ComparisonVerdict::differs;
    if (differs) ++differing;
    const double gravity = relative_difference(a.value, b.value) + (differs ? 1e6 : 0);
    if (gravity <= difference) return;
    difference = gravity;
    row = candidate;
  }

  void append(std::string_view key, std::string_view unit, const Provenance& a, const Provenance& b,
              std::vector<ValueComparison>& out) {
    if (!row) return;  // no point in common
    row->key = fmt::format("{} {}", key, row->key);
    row->unit = unit;
    row->points = points;
    row->differing = differing;
    row->same_method = same_method(a, b);
    if (differing > 0) row->verdict = ComparisonVerdict::differs;
    out.push_back(*row);
  }
};

void only_one(std::string_view key, std::string_view unit, bool first, std::vector<ValueComparison>& out) {
  ValueComparison row;
  row.key = key;
  row.unit = unit;
  row.verdict = first ? ComparisonVerdict::only_first : ComparisonVerdict::only_second;
  out.push_back(row);
}

// The i-th point of a curve or a table.
template <class Measured>
Side point(const Measured& from, std::size_t i) {
  Side side{from.y[i], {}, {}};
  if (i < from.y_low.size() && i < from.y_high.size()) {
    side.low = from.y_low[i];
    side.high = from.y_high[i];
  }
  return side;
}

void compare_curves(const CurveRow& row, const Curve& a, const Curve& b, double tolerance,
                    std::vector<ValueComparison>& out) {
  if (a.present() != b.present()) return only_one(row.key, row.y_unit, a.present(), out);
  Worst worst;
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    for (std::size_t j = 0; j < b.x.size(); ++j) {
      if (same_x(a.x[i], b.x[j]))
        worst.add(fmt::format("at {} {}", a.x[i], row.x_unit), point(a, i), point(b, j), tolerance);
    }
  }
  worst.append(row.key, row.y_unit, a.provenance, b.provenance, out);
}

void compare_tables(const TableRow& row, const Table2D& a, const Table2D& b, double tolerance,
                    std::vector<ValueComparison>& out) {
  if (a.present() != b.present()) return only_one(row.key, row.y_unit, a.present(), out);
  Worst worst;
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    const auto other_row = std::ranges::find_if(b.rows, [&](double x) { return same_x(x, a.rows[i]); });
    for (std::size_t j = 0; j < a.columns.size(); ++j) {
      const auto other_column =
          std::ranges::find_if(b.columns, [&](double x) { return same_x(x, a.columns[j]); });
      if (other_row == b.rows.end() || other_column == b.columns.end()) continue;
      const auto at = static_cast<std::size_t>(other_row - b.rows.begin()) * b.columns.size() +
                      static_cast<std::size_t>(other_column - b.columns.begin());
      worst.add(fmt::format("at {} {} x {} {}", a.rows[i], row.row_unit, a.columns[j], row.column_unit),
                point(a, i * a.columns.size() + j), point(b, at), tolerance);
    }
  }
  worst.append(row.key, row.y_unit, a.provenance, b.provenance, out);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter)) {
      if (!inside) words.emplace_back();
      words.back() += static_cast<char>(std::tolower(letter));
    }
    inside = std::isalnum(letter) != 0;
  }
  return words;
}

}  // namespace

std::string_view verdict_name(ComparisonVerdict verdict) {
  switch (verdict) {
    case ComparisonVerdict::same:
      return "same";
    case ComparisonVerdict::overlapping:
      return "overlapping";
    case ComparisonVerdict::differs:
      return "differs";
    case ComparisonVerdict::only_first:
      return "only first";
    case ComparisonVerdict::only_second:
      return "only second";
  }
  return "";
}

std::string_view verdict_name(ReferenceVerdict verdict) {
  switch (verdict) {
    case ReferenceVerdict::in_range:
      return "in range";
    case ReferenceVerdict::outside:
      return "outside";
    case ReferenceVerdict::no_reference:
      return "no reference";
  }
  return "";
}

std::vector<std::string> condition_differences(const DeviceProfile& first, const DeviceProfile& second) {
  std::vector<std::string> differences;
  const auto differ = [&](std::string_view what, const std::string& a, const std::string& b) {
    if (!a.empty() && !b.empty() && a != b) differences.push_back(fmt::format("{}: {} and {}", what, a, b));
  };
  const auto capability = [](const DeviceProfile& device) {
    return fmt::format("{}.{}", device.compute_capability_major, device.compute_capability_minor);
  };
  const auto switched = [](const std::optional<bool>& on) -> std::string {
    if (!on) return "";
    return *on ? "on" : "off";
  };
  const auto watts = [](const std::optional<double>& limit) {
    return limit ? fmt::format("{:.0f} W", *limit) : std::string();
  };
  const Conditions &a = first.conditions, &b = second.conditions;
  differ("compute capability", capability(first), capability(second));
  differ("driver", first.driver, second.driver);
  differ("PCI id", a.pci_id, b.pci_id);
  differ("ECC", switched(a.ecc), switched(b.ecc));
  differ("MIG", switched(a.mig), switched(b.mig));
  differ("power limit", watts(a.power_limit_w), watts(b.power_limit_w));
  return differences;
}

std::vector<ValueComparison> compare_devices(const DeviceProfile& first, const DeviceProfile& second,
                                             double tolerance) {
  std::vector<ValueComparison> out;
  for (const auto& row : parameter_rows()) {
    const auto a = row.get(first), b = row.get(second);
    if (!a && !b) continue;
    if (!a || !b) {
      only_one(row.key, row.unit, a.has_value(), out);
      (a ? out.back().first : out.back().second) = a ? a : b;
      continue;
    }
    const ParameterInfo &of_a = row.info(first), &of_b = row.info(second);
    ValueComparison comparison;
    comparison.key = row.key;
    comparison.unit = row.unit;
    comparison.same_method = same_method(of_a.provenance, of_b.provenance);
    fill(comparison, {*a, of_a.low, of_a.high}, {*b, of_b.low, of_b.high}, tolerance);
    if (comparison.verdict == ComparisonVerdict::differs) comparison.differing = 1;
    out.push_back(std::move(comparison));
  }
  for (const auto& row : curve_rows())
    compare_curves(row, first.*row.member, second.*row.member, tolerance, out);
  for (const auto& row : table_rows())
    compare_tables(row, first.*row.member, second.*row.member, tolerance, out);
  return out;
}

std::vector<ValueSpread> spread_of(std::span<const DeviceProfile> devices) {
  std::vector<ValueSpread> out;
  for (const auto& row : parameter_rows()) {
    std::vector<double> values;
    for (const auto& device : devices) {
      if (const auto value = row.get(device)) values.push_back(*value);
    }
    if (values.size() < 2) continue;
    ValueSpread spread;
    spread.key = row.key;
    spread.unit = row.unit;
    spread.count = values.size();
    spread.low = *std::ranges::min_element(values);
    spread.high = *std::ranges::max_element(values);
    spread.median = median(values);
    if (spread.median != 0) spread.relative = (spread.high - spread.low) / spread.median;
    out.push_back(std::move(spread));
  }
  return out;
}

std::vector<ReferenceValue> parse_reference_values(std::string_view csv, std::string_view name) {
  const CsvTable table = parse_csv(csv, name);
  const auto column = [&](std::string_view header) {
    const auto found = table.column(header);
    if (!found) throw InputError(fmt::format("{}: no column '{}'", name, header));
    return *found;
  };
  const auto key = column("key"), gpu = column("gpu"), low = column("low"), high = column("high"),
             source = column("source");
  std::vector<ReferenceValue> values;
  for (const auto& row : table.rows) {
    const auto refuse = [&](std::string_view what) {
      throw InputError(fmt::format("{}:{}: {}", name, row.line, what));
    };
    ReferenceValue value{row.fields[key], row.fields[gpu], csv_number(table, row, low),
                         csv_number(table, row, high), row.fields[source]};
    if (!find_parameter(value.key)) refuse(fmt::format("column 'key': '{}' is no parameter", value.key));
    if (value.low > value.high) refuse("low is above high");
    if (value.source.empty() || value.gpu.empty()) refuse("a reference needs a GPU and a source");
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<ReferenceValue> reference_values() {
  for (const auto& file : device_files()) {
    if (file.path == "reference_values.csv") return parse_reference_values(file.text, file.path);
  }
  return {};
}

bool names_gpu(std::string_view gpu_name, std::string_view words) {
  const auto name = words_of(gpu_name), wanted = words_of(words);
  return !wanted.empty() && std::ranges::search(name, wanted).begin() != name.end();
}

std::vector<ReferenceComparison> compare_with_references(const DeviceProfile& device,
                                                         std::span<const ReferenceValue> references,
                                                         double slack) {
  std::vector<ReferenceComparison> out;
  for (const auto& row : parameter_rows()) {
    const auto value = row.get(device);
    if (!value) continue;
    ReferenceComparison comparison;
    comparison.key = row.key;
    comparison.unit = row.unit;
    comparison.value = *value;
    for (const auto& reference : references) {
      if (reference.key != row.key || !names_gpu(device.gpu_name, reference.gpu)) continue;
      comparison.low = std::min(comparison.low.value_or(reference.low), reference.low);
      comparison.high = std::max(comparison.high.value_or(reference.high), reference.high);
      comparison.sources += fmt::format("{}{}", comparison.sources.empty() ? "" : "; ", reference.source);
    }
    if (comparison.low && comparison.high) {
      const bool inside = *value >= *comparison.low * (1 - slack) && *value <= *comparison.high * (1 + slack);
      comparison.verdict = inside ? ReferenceVerdict::in_range : ReferenceVerdict::outside;
    }
    out.push_back(std::move(comparison));
  }
  return out;
}

}  // namespace tilecast
