// Writing a profile, and the JSON Schema of what may be written: both follow the tables of parameters.hpp.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/device/load.hpp"
#include "model/device/parameters.hpp"

namespace tilecast {

namespace {

using json = nlohmann::ordered_json;

// Whole numbers without ".0", as a person would write them; 2^53 is where doubles stop holding every one.
json as_json(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) <= 9007199254740992.0;
  return whole ? json(static_cast<std::int64_t>(value)) : json(value);
}

json as_json(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values)
    list.push_back(as_json(value));
  return list;
}

// The points' intervals and numbers of samples, of a curve or a table.
template <class Measured>
void put_spread(json& entry, const Measured& from) {
  if (!from.y_low.empty()) entry["y_low"] = as_json(from.y_low);
  if (!from.y_high.empty()) entry["y_high"] = as_json(from.y_high);
  if (!from.samples.empty()) entry["samples"] = from.samples;
}

void put(json& entry, const Provenance& provenance) {
  entry["kind"] = source_kind_name(provenance.kind);
  entry["source"] = provenance.source;
  if (!provenance.method.empty()) entry["method"] = provenance.method;
  if (!provenance.run.empty()) entry["run"] = provenance.run;
}

void put(json& entry, const char* key, const std::optional<double>& value) {
  if (value) entry[key] = as_json(*value);
}
void put(json& entry, const char* key, const std::string& value) {
  if (!value.empty()) entry[key] = value;
}

json write_run(const MeasurementRun& run) {
  json entry;
  entry["id"] = run.id;
  entry["probe"] = run.probe;
  entry["started"] = run.started;
  put(entry, "seconds", run.seconds);
  put(entry, "code", run.code);
  put(entry, "machine_code", run.machine_code);
  put(entry, "sm_clock_before_hz", run.sm_clock_before_hz);
  put(entry, "sm_clock_after_hz", run.sm_clock_after_hz);
  put(entry, "memory_clock_hz", run.memory_clock_hz);
  put(entry, "power_w", run.power_w);
  put(entry, "temperature_c", run.temperature_c);
  if (!run.throttled.empty()) entry["throttled"] = run.throttled;
  if (run.quick) entry["quick"] = true;
  put(entry, "problem", run.problem);
  return entry;
}

json write_conditions(const Conditions& conditions) {
  json entry = json::object();
  put(entry, "pci_id", conditions.pci_id);
  if (conditions.ecc) entry["ecc"] = *conditions.ecc;
  if (conditions.mig) entry["mig"] = *conditions.mig;
  put(entry, "power_limit_w", conditions.power_limit_w);
  if (!conditions.warnings.empty()) entry["warnings"] = conditions.warnings;
  return entry;
}

// An object a line for each member, but arrays of numbers on one line: a curve stays readable.
void write(const json& value, int depth, std::string& out) {
  const bool nested = value.is_object() || (value.is_array() && !value.empty() && value.front().is_object());
  if (!nested) {
    std::string text = value.dump();
    if (value.is_array()) {
      std::string spaced;
      for (const char c : text)
        spaced += c == ',' ? std::string(", ") : std::string(1, c);
      text = spaced;
    }
    out += text;
    return;
  }
  const std::string indent(static_cast<std::size_t>(2 * depth + 2), ' ');
  out += value.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& [key, member] : value.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out += indent;
    if (value.is_object()) out += fmt::format("{}: ", json(key).dump());
    write(member, depth + 1, out);
  }
  if (!first) out += fmt::format("\n{:{}}", "", 2 * depth);
  out += value.is_object() ? '}' : ']';
}

json write_parameter(const ParameterRow& row, const DeviceProfile& device, double value) {
  const ParameterInfo& info = row.info(device);
  json entry;
  entry["value"] = as_json(value);
  entry["unit"] = row.unit;
  if (info.low && info.high) entry["interval"] = {as_json(*info.low), as_json(*info.high)};
  if (info.samples) entry["samples"] = *info.samples;
  put(entry, info.provenance);
  for (const auto& other : info.alternatives) {
    json alternative;
    alternative["value"] = as_json(other.value);
    put(alternative, other.provenance);
    entry["alternatives"].push_back(alternative);
  }
  return entry;
}

json constant(std::string_view text) {
  return {{"const", text}};
}
json reference(std::string_view name) {
  return {{"$ref", fmt::format("#/$defs/{}", name)}};
}

json closed_object(json properties, json required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

}  // namespace

std::string format_device(const DeviceProfile& device) {
  json root;
  root["schema"] = "tilecast-device/1";
  root["name"] = device.name;
  root["gpu_name"] = device.gpu_name;
  root["compute_capability"] =
      fmt::format("{}.{}", device.compute_capability_major, device.compute_capability_minor);
  if (!device.driver.empty()) root["driver"] = device.driver;
  if (!device.toolkit.empty()) root["toolkit"] = device.toolkit;
  if (!device.measured_on.empty()) root["measured_on"] = device.measured_on;
  if (device.conditions.known()) root["conditions"] = write_conditions(device.conditions);
  for (const MeasurementRun& run : device.runs)
    root["runs"].push_back(write_run(run));
  root["parameters"] = json::object();
  for (const auto& row : parameter_rows()) {
    if (const auto value = row.get(device))
      root["parameters"][std::string(row.key)] = write_parameter(row, device, *value);
  }
  for (const auto& row : curve_rows()) {
    const Curve& curve = device.*row.member;
    if (!curve.present()) continue;
    json& entry = root["curves"][std::string(row.key)];
    entry["x_unit"] = row.x_unit;
    entry["y_unit"] = row.y_unit;
    entry["x"] = as_json(curve.x);
    entry["y"] = as_json(curve.y);
    put_spread(entry, curve);
    put(entry, curve.provenance);
  }
  for (const auto& row : table_rows()) {
    const Table2D& table = device.*row.member;
    if (!table.present()) continue;
    json& entry = root["tables"][std::string(row.key)];
    entry["row_unit"] = row.row_unit;
    entry["column_unit"] = row.column_unit;
    entry["y_unit"] = row.y_unit;
    entry["rows"] = as_json(table.rows);
    entry["columns"] = as_json(table.columns);
    entry["y"] = as_json(table.y);
    put_spread(entry, table);
    put(entry, table.provenance);
  }
  std::string out;
  write(root, 0, out);
  return out + "\n";
}

std::string device_schema() {
  json definitions;
  definitions["text"] = {{"type", "string"}, {"minLength", 1}};
  definitions["number"] = {{"type", "number"}, {"minimum", 0}};
  definitions["numbers"] = {{"type", "array"}, {"items", reference("number")}, {"minItems", 1}};
  definitions["interval"] = {
      {"type", "array"}, {"items", reference("number")}, {"minItems", 2}, {"maxItems", 2}};
  definitions["samples"] = {{"type", "integer"}, {"minimum", 1}};
  definitions["counts"] = {{"type", "array"}, {"items", reference("samples")}, {"minItems", 1}};
  definitions["kind"]["enum"] = source_kind_names();
  definitions["alternatives"] = {{"type", "array"},
                                 {"items", closed_object({{"value", reference("number")},
                                                          {"kind", reference("kind")},
                                                          {"source", reference("text")}},
                                                         {"value", "kind", "source"})}};

  definitions["texts"] = {{"type", "array"}, {"items", reference("text")}};
  definitions["conditions"] = closed_object({{"pci_id", reference("text")},
                                             {"ecc", {{"type", "boolean"}}},
                                             {"mig", {{"type", "boolean"}}},
                                             {"power_limit_w", reference("number")},
                                             {"warnings", reference("texts")}},
                                            json::array());
  definitions["run"] = closed_object({{"id", reference("text")},
                                      {"probe", reference("text")},
                                      {"started", reference("text")},
                                      {"seconds", reference("number")},
                                      {"code", reference("text")},
                                      {"machine_code", reference("text")},
                                      {"sm_clock_before_hz", reference("number")},
                                      {"sm_clock_after_hz", reference("number")},
                                      {"memory_clock_hz", reference("number")},
                                      {"power_w", reference("number")},
                                      {"temperature_c", reference("number")},
                                      {"throttled", reference("texts")},
                                      {"quick", {{"type", "boolean"}}},
                                      {"problem", reference("text")}},
                                     {"id", "probe", "started"});

  json parameters = json::object(), required = json::array();
  for (const auto& row : parameter_rows()) {
    json value = {{"type", row.integer ? "integer" : "number"}};
    value[row.minimum > 0 ? "exclusiveMinimum" : "minimum"] = 0;
    json entry = closed_object({{"value", value},
                                {"unit", constant(row.unit)},
                                {"interval", reference("interval")},
                                {"samples", reference("samples")},
                                {"kind", reference("kind")},
                                {"source", reference("text")},
                                {"method", reference("text")},
                                {"run", reference("text")},
                                {"alternatives", reference("alternatives")}},
                               {"value", "unit", "kind", "source"});
    entry["description"] = row.meaning;
    parameters[std::string(row.key)] = entry;
    if (row.presence == Presence::required) required.push_back(row.key);
  }
  const json both_ends = {{"y_low", json::array({"y_high"})}, {"y_high", json::array({"y_low"})}};
  json curves = json::object();
  for (const auto& row : curve_rows()) {
    json entry = closed_object({{"x_unit", constant(row.x_unit)},
                                {"y_unit", constant(row.y_unit)},
                                {"x", reference("numbers")},
                                {"y", reference("numbers")},
                                {"y_low", reference("numbers")},
                                {"y_high", reference("numbers")},
                                {"samples", reference("counts")},
                                {"kind", reference("kind")},
                                {"source", reference("text")},
                                {"method", reference("text")},
                                {"run", reference("text")}},
                               {"x_unit", "y_unit", "x", "y", "kind", "source"});
    entry["dependentRequired"] = both_ends;
    entry["description"] = row.meaning;
    curves[std::string(row.key)] = entry;
  }
  json tables = json::object();
  for (const auto& row : table_rows()) {
    json entry =
        closed_object({{"row_unit", constant(row.row_unit)},
                       {"column_unit", constant(row.column_unit)},
                       {"y_unit", constant(row.y_unit)},
                       {"rows", reference("numbers")},
                       {"columns", reference("numbers")},
                       {"y", reference("numbers")},
                       {"y_low", reference("numbers")},
                       {"y_high", reference("numbers")},
                       {"samples", reference("counts")},
                       {"kind", reference("kind")},
                       {"source", reference("text")},
                       {"method", reference("text")},
                       {"run", reference("text")}},
                      {"row_unit", "column_unit", "y_unit", "rows", "columns", "y", "kind", "source"});
    entry["dependentRequired"] = both_ends;
    entry["description"] = row.meaning;
    tables[std::string(row.key)] = entry;
  }

  json root;
  root["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  root["title"] = "tilecast device profile";
  root["description"] =
      "A GPU's limits, latencies, rates and curves, each with its unit and where it comes from. "
      "Written by 'tilecast devices schema' from model/device/parameters.cpp.";
  const json body =
      closed_object({{"schema", constant("tilecast-device/1")},
                     {"name", reference("text")},
                     {"gpu_name", reference("text")},
                     {"compute_capability", {{"type", "string"}, {"pattern", "^[0-9]{1,3}\\.[0-9]{1,3}$"}}},
                     {"driver", {{"type", "string"}}},
                     {"toolkit", {{"type", "string"}}},
                     {"measured_on", {{"type", "string"}}},
                     {"conditions", reference("conditions")},
                     {"runs", {{"type", "array"}, {"items", reference("run")}}},
                     {"parameters", closed_object(parameters, required)},
                     {"curves", closed_object(curves, json::array())},
                     {"tables", closed_object(tables, json::array())}},
                    {"schema", "name", "gpu_name", "compute_capability", "parameters"});
  for (const auto& [key, value] : body.items())
    root[key] = value;
  root["$defs"] = definitions;
  std::string out;
  write(root, 0, out);
  return out + "\n";
}

}  // namespace tilecast
