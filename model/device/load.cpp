#include "model/device/load.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "model/device/parameters.hpp"
#include "model/device/read_json.hpp"
#include "model/support/csv.hpp"
#include "model/support/embedded.hpp"
#include "model/support/nearest.hpp"

namespace tilecast {

std::span<const EmbeddedFile> device_files();  // profiles/*.json and more, embedded by CMake

namespace {

using nlohmann::json;

constexpr std::string_view schema_version = "tilecast-device/1";

// A place in the file: what every message names.
struct At {
  std::string_view file;
  std::string pointer;  // RFC 6901

  At operator/(std::string_view key) const { return {file, fmt::format("{}/{}", pointer, key)}; }
  At operator/(std::size_t index) const { return {file, fmt::format("{}/{}", pointer, index)}; }
};

std::string shown(const json& value) {
  if (value.is_string()) return fmt::format("'{}'", value.get<std::string>());
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  const std::string text = value.dump();
  return text.size() > 40 ? text.substr(0, 37) + "..." : text;
}

[[noreturn]] void refuse(const At& at, const json& value, std::string_view expected) {
  throw InputError(fmt::format("{}: {}: {}, expected {}", at.file, at.pointer.empty() ? "/" : at.pointer,
                               shown(value), expected));
}

const json& member(const json& object, const char* key, const At& at, std::string_view expected) {
  const auto found = object.find(key);
  if (found == object.end())
    throw InputError(
        fmt::format("{}: {}: missing, expected {}", at.file, (at / std::string_view(key)).pointer, expected));
  return *found;
}

void expect_object(const json& value, const At& at) {
  if (!value.is_object()) refuse(at, value, "an object");
}

void expect_keys(const json& object, const std::vector<std::string>& known, const At& at) {
  expect_object(object, at);
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) == known.end())
      throw InputError(fmt::format("{}: {}: unknown key", at.file, (at / std::string_view(key)).pointer),
                       nearest_hint(key, known));
  }
}

std::string text(const json& value, const At& at) {
  if (!value.is_string()) refuse(at, value, "a string");
  return value.get<std::string>();
}

std::string required_text(const json& object, const char* key, const At& at, std::string_view expected) {
  const auto& value = member(object, key, at, expected);
  std::string result = text(value, at / std::string_view(key));
  if (result.empty()) refuse(at / std::string_view(key), value, expected);
  return result;
}

std::string optional_text(const json& object, const char* key, const At& at) {
  return object.contains(key) ? text(object[key], at / std::string_view(key)) : std::string();
}

double number(const json& value, const At& at) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(at, value, "a finite number");
  const double result = value.get<double>();
  if (result < 0) refuse(at, value, "a number that is not negative");
  return result;
}

std::vector<double> numbers(const json& value, const At& at) {
  if (!value.is_array()) refuse(at, value, "an array of numbers");
  std::vector<double> result;
  result.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i)
    result.push_back(number(value[i], at / i));
  return result;
}

void expect_length(const std::vector<double>& values, std::size_t length, const At& at) {
  if (values.size() != length)
    throw InputError(
        fmt::format("{}: {}: {} values, expected {}", at.file, at.pointer, values.size(), length));
}

// Interpolation is linear in log2(x): x is positive. Numbers of SMs are names: they begin at 0.
void expect_ascending(const std::vector<double>& values, std::string_view unit, const At& at) {
  if (values.empty()) throw InputError(fmt::format("{}: {}: empty, expected values", at.file, at.pointer));
  if (values.front() <= 0 && unit != "SM") refuse(at / std::size_t{0}, values.front(), "a positive number");
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] <= values[i - 1])
      refuse(at / i, values[i], fmt::format("more than the value before it, {}", values[i - 1]));
  }
}

void expect_unit(const json& object, const char* key, std::string_view unit, const At& at) {
  const auto& value = member(object, key, at, fmt::format("'{}'", unit));
  if (!value.is_string() || value.get<std::string>() != unit)
    refuse(at / std::string_view(key), value, fmt::format("'{}'", unit));
}

Provenance read_provenance(const json& object, const At& at) {
  const std::vector<std::string> kinds = source_kind_names();
  const std::string expected = fmt::format("one of {}", fmt::join(kinds, ", "));
  const std::string kind = required_text(object, "kind", at, expected);
  const auto known = source_kind_from(kind);
  if (!known) refuse(at / std::string_view("kind"), kind, expected);
  return {*known, required_text(object, "source", at, "where the value comes from"),
          optional_text(object, "method", at), optional_text(object, "run", at)};
}

std::vector<Alternative> read_alternatives(const json& list, const At& at) {
  if (!list.is_array()) refuse(at, list, "an array of alternatives");
  std::vector<Alternative> result;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const At here = at / i;
    expect_keys(list[i], {"value", "kind", "source"}, here);
    result.push_back({number(member(list[i], "value", here, "a number"), here / std::string_view("value")),
                      read_provenance(list[i], here)});
  }
  return result;
}

long sample_count(const json& value, const At& at) {
  if (!value.is_number_integer() || value.get<long>() < 1) refuse(at, value, "a positive integer");
  return value.get<long>();
}

void read_parameter(DeviceProfile& device, const ParameterRow& row, const json& entry, const At& at) {
  expect_keys(
      entry, {"value", "unit", "interval", "samples", "kind", "source", "method", "run", "alternatives"}, at);
  expect_unit(entry, "unit", row.unit, at);

  const json& given = member(entry, "value", at, fmt::format("a number of {}", row.unit));
  const double value = number(given, at / std::string_view("value"));
  if (value == 0 && row.minimum > 0) refuse(at / std::string_view("value"), given, "a positive number");
  // 2^53: beyond it a double no longer holds every integer.
  if (row.integer && (value != std::floor(value) || value > 9007199254740992.0))
    refuse(at / std::string_view("value"), given, "an integer");

  ParameterInfo info;
  if (entry.contains("interval")) {
    const At here = at / std::string_view("interval");
    const auto interval = numbers(entry["interval"], here);
    expect_length(interval, 2, here);
    if (interval[0] > interval[1]) refuse(here, entry["interval"], "[low, high] with low <= high");
    info.low = interval[0];
    info.high = interval[1];
  }
  if (entry.contains("samples")) {
    info.samples = sample_count(entry["samples"], at / std::string_view("samples"));
  }
  info.provenance = read_provenance(entry, at);
  if (entry.contains("alternatives"))
    info.alternatives = read_alternatives(entry["alternatives"], at / std::string_view("alternatives"));
  row.set(device, value, std::move(info));
}

// The points' intervals and numbers of samples, of a curve or a table whose y has been read.
template <class Measured>
void read_spread(Measured& to, const json& entry, const At& at) {
  if (entry.contains("y_low") != entry.contains("y_high"))
    throw InputError(
        fmt::format("{}: {}: only one of y_low and y_high, expected both or neither", at.file, at.pointer));
  for (const auto& [key, end] : {std::pair{"y_low", &to.y_low}, std::pair{"y_high", &to.y_high}}) {
    if (!entry.contains(key)) continue;
    const At here = at / std::string_view(key);
    *end = numbers(entry[key], here);
    expect_length(*end, to.y.size(), here);
  }
  to.spread = point_spread(to.y, to.y_low, to.y_high);
  if (!entry.contains("samples")) return;
  const json& list = entry["samples"];
  const At here = at / std::string_view("samples");
  if (!list.is_array() || list.size() != to.y.size())
    refuse(here, list, fmt::format("an array of {} numbers of samples", to.y.size()));
  for (std::size_t i = 0; i < list.size(); ++i)
    to.samples.push_back(sample_count(list[i], here / i));
}

Curve read_curve(const CurveRow& row, const json& entry, const At& at) {
  expect_keys(entry,
              {"x_unit", "y_unit", "x", "y", "y_low", "y_high", "samples", "kind", "source", "method", "run"},
              at);
  expect_unit(entry, "x_unit", row.x_unit, at);
  expect_unit(entry, "y_unit", row.y_unit, at);
  Curve curve;
  curve.x = numbers(member(entry, "x", at, "an array of numbers"), at / std::string_view("x"));
  curve.y = numbers(member(entry, "y", at, "an array of numbers"), at / std::string_view("y"));
  expect_ascending(curve.x, row.x_unit, at / std::string_view("x"));
  expect_length(curve.y, curve.x.size(), at / std::string_view("y"));
  read_spread(curve, entry, at);
  curve.provenance = read_provenance(entry, at);
  return curve;
}

Table2D read_table(const TableRow& row, const json& entry, const At& at) {
  expect_keys(entry,
              {"row_unit", "column_unit", "y_unit", "rows", "columns", "y", "y_low", "y_high", "samples",
               "kind", "source", "method", "run"},
              at);
  expect_unit(entry, "row_unit", row.row_unit, at);
  expect_unit(entry, "column_unit", row.column_unit, at);
  expect_unit(entry, "y_unit", row.y_unit, at);
  Table2D table;
  table.rows = numbers(member(entry, "rows", at, "an array of numbers"), at / std::string_view("rows"));
  table.columns =
      numbers(member(entry, "columns", at, "an array of numbers"), at / std::string_view("columns"));
  table.y = numbers(member(entry, "y", at, "an array of numbers"), at / std::string_view("y"));
  expect_ascending(table.rows, row.row_unit, at / std::string_view("rows"));
  expect_ascending(table.columns, row.column_unit, at / std::string_view("columns"));
  expect_length(table.y, table.rows.size() * table.columns.size(), at / std::string_view("y"));
  read_spread(table, entry, at);
  table.provenance = read_provenance(entry, at);
  return table;
}

std::optional<double> optional_number(const json& object, const char* key, const At& at) {
  if (!object.contains(key)) return std::nullopt;
  return number(object[key], at / std::string_view(key));
}

std::optional<bool> optional_bool(const json& object, const char* key, const At& at) {
  if (!object.contains(key)) return std::nullopt;
  if (!object[key].is_boolean()) refuse(at / std::string_view(key), object[key], "true or false");
  return object[key].get<bool>();
}

std::vector<std::string> texts(const json& object, const char* key, const At& at) {
  std::vector<std::string> result;
  if (!object.contains(key)) return result;
  const json& list = object[key];
  if (!list.is_array()) refuse(at / std::string_view(key), list, "an array of strings");
  for (std::size_t i = 0; i < list.size(); ++i)
    result.push_back(text(list[i], at / std::string_view(key) / i));
  return result;
}

MeasurementRun read_run(const json& entry, const At& at) {
  expect_keys(
      entry,
      {"id", "probe", "started", "seconds", "code", "machine_code", "sm_clock_before_hz", "sm_clock_after_hz",
       "memory_clock_hz", "power_w", "temperature_c", "throttled", "quick", "problem"},
      at);
  MeasurementRun run;
  run.id = required_text(entry, "id", at, "the run's name");
  run.probe = required_text(entry, "probe", at, "the probe's name");
  run.started = required_text(entry, "started", at, "a time, UTC");
  run.seconds = optional_number(entry, "seconds", at);
  run.code = optional_text(entry, "code", at);
  run.machine_code = optional_text(entry, "machine_code", at);
  run.sm_clock_before_hz = optional_number(entry, "sm_clock_before_hz", at);
  run.sm_clock_after_hz = optional_number(entry, "sm_clock_after_hz", at);
  run.memory_clock_hz = optional_number(entry, "memory_clock_hz", at);
  run.power_w = optional_number(entry, "power_w", at);
  run.temperature_c = optional_number(entry, "temperature_c", at);
  run.throttled = texts(entry, "throttled", at);
  run.quick = optional_bool(entry, "quick", at).value_or(false);
  run.problem = optional_text(entry, "problem", at);
  return run;
}

Conditions read_conditions(const json& entry, const At& at) {
  expect_keys(entry, {"pci_id", "ecc", "mig", "power_limit_w", "warnings"}, at);
  return {optional_text(entry, "pci_id", at), optional_bool(entry, "ecc", at),
          optional_bool(entry, "mig", at), optional_number(entry, "power_limit_w", at),
          texts(entry, "warnings", at)};
}

template <class Row>
std::vector<std::string> keys_of(std::span<const Row> rows) {
  std::vector<std::string> keys;
  for (const auto& row : rows)
    keys.emplace_back(row.key);
  return keys;
}

void read_compute_capability(DeviceProfile& device, const json& root, const At& at) {
  const std::string given =
      required_text(root, "compute_capability", at, "a compute capability such as '9.0'");
  const auto dot = given.find('.');
  const auto digits = [](std::string_view s) {
    return !s.empty() && s.size() <= 3 && std::ranges::all_of(s, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (dot == std::string::npos || !digits(given.substr(0, dot)) || !digits(given.substr(dot + 1)))
    refuse(at / std::string_view("compute_capability"), given, "a compute capability such as '9.0'");
  device.compute_capability_major = std::stoi(given.substr(0, dot));
  device.compute_capability_minor = std::stoi(given.substr(dot + 1));
}

}  // namespace

DeviceProfile parse_device(std::string_view source, std::string_view name, Completeness completeness) {
  const json root = read_json(source, name);
  const At top{name, ""};
  expect_object(root, top);
  const std::string version = required_text(root, "schema", top, fmt::format("'{}'", schema_version));
  if (version != schema_version)
    refuse(top / std::string_view("schema"), version, fmt::format("'{}'", schema_version));
  expect_keys(root,
              {"schema", "name", "gpu_name", "compute_capability", "driver", "toolkit", "measured_on",
               "conditions", "runs", "parameters", "curves", "tables"},
              top);

  DeviceProfile device;
  device.name = required_text(root, "name", top, "the profile's name");
  device.gpu_name = required_text(root, "gpu_name", top, "the GPU's name");
  read_compute_capability(device, root, top);
  device.driver = optional_text(root, "driver", top);
  device.toolkit = optional_text(root, "toolkit", top);
  device.measured_on = optional_text(root, "measured_on", top);
  if (root.contains("conditions"))
    device.conditions = read_conditions(root["conditions"], top / std::string_view("conditions"));
  if (root.contains("runs")) {
    const At at = top / std::string_view("runs");
    if (!root["runs"].is_array()) refuse(at, root["runs"], "an array of runs");
    for (std::size_t i = 0; i < root["runs"].size(); ++i)
      device.runs.push_back(read_run(root["runs"][i], at / i));
  }

  const At parameters_at = top / std::string_view("parameters");
  const json& parameters = member(root, "parameters", top, "an object");
  expect_keys(parameters, keys_of(parameter_rows()), parameters_at);
  for (const auto& row : parameter_rows()) {
    const auto entry = parameters.find(std::string(row.key));
    if (entry != parameters.end()) {
      read_parameter(device, row, *entry, parameters_at / row.key);
    } else if (row.presence == Presence::required && completeness == Completeness::complete) {
      throw InputError(fmt::format("{}: {}: missing, expected {} in {}", name,
                                   (parameters_at / row.key).pointer, row.meaning, row.unit),
                       row.probe.empty()
                           ? std::string()
                           : fmt::format("a measured profile is completed on its GPU by 'tilecast "
                                         "measure --only {} -o FILE'",
                                         row.probe));
    }
  }
  if (root.contains("curves")) {
    const At at = top / std::string_view("curves");
    expect_keys(root["curves"], keys_of(curve_rows()), at);
    for (const auto& row : curve_rows()) {
      const auto entry = root["curves"].find(std::string(row.key));
      if (entry != root["curves"].end()) device.*row.member = read_curve(row, *entry, at / row.key);
    }
  }
  if (root.contains("tables")) {
    const At at = top / std::string_view("tables");
    expect_keys(root["tables"], keys_of(table_rows()), at);
    for (const auto& row : table_rows()) {
      const auto entry = root["tables"].find(std::string(row.key));
      if (entry != root["tables"].end()) device.*row.member = read_table(row, *entry, at / row.key);
    }
  }
  return device;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const auto& file : device_files()) {
    if (!file.path.starts_with("profiles/")) continue;
    const auto begin = file.path.rfind('/') + 1;
    names.emplace_back(file.path.substr(begin, file.path.rfind('.') - begin));
  }
  std::ranges::sort(names);
  return names;
}

DeviceProfile load_device(const std::string& name_or_path, Completeness completeness) {
  for (const auto& file : device_files()) {
    if (file.path == fmt::format("profiles/{}.json", name_or_path)) return parse_device(file.text, file.path);
  }
  // A bare word is a name; anything that looks like a path is one.
  const bool path = name_or_path == "-" || name_or_path.find_first_of("/.") != std::string::npos;
  if (!path)
    throw InputError(fmt::format("unknown device '{}'", name_or_path),
                     nearest_hint(name_or_path, device_names()));
  return parse_device(read_file(name_or_path), name_or_path, completeness);
}

std::vector<std::string> missing_requirements(const DeviceProfile& device) {
  std::vector<std::string> keys;
  for (const auto& row : parameter_rows()) {
    if (row.presence == Presence::required && !row.get(device)) keys.emplace_back(row.key);
  }
  return keys;
}

}  // namespace tilecast
