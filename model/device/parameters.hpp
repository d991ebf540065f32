#pragma once
// The one visible list of what a device profile may hold. Loading, writing, showing, checking and the JSON
// Schema all follow it: a new parameter is one member of DeviceProfile and one line in parameters.cpp.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/device/device_profile.hpp"

namespace tilecast {

enum class Presence { required, optional };

// A scalar parameter. Values pass as doubles in base units, whatever type the member has.
struct ParameterRow {
  std::string_view key;      // ends in its unit: "dram_latency_cycles"; counts have no ending
  std::string_view unit;     // as the JSON file states it: "cycles", "bytes/s"; "count" for pure integers
  Presence presence;         // required: a profile without it is refused
  double minimum, maximum;   // physically plausible; check.cpp flags what lies outside
  std::string_view probe;    // that measures it; empty for what a datasheet or the driver tells
  std::string_view meaning;  // one line
  bool integer;              // holds exact integers only

  std::optional<double> (*get)(const DeviceProfile&);
  void (*set)(DeviceProfile&, double value, ParameterInfo info);
  const ParameterInfo& (*info)(const DeviceProfile&);
  void (*name)(DeviceProfile&, std::string_view key, std::string_view probe);
};

struct CurveRow {
  std::string_view key;
  std::string_view x_unit, y_unit;
  std::string_view probe;
  std::string_view meaning;
  Curve DeviceProfile::*member;
};

struct TableRow {
  std::string_view key;
  std::string_view row_unit, column_unit, y_unit;
  std::string_view probe;
  std::string_view meaning;
  Table2D DeviceProfile::*member;
};

std::span<const ParameterRow> parameter_rows();
std::span<const CurveRow> curve_rows();
std::span<const TableRow> table_rows();

// Whether a prediction may depend on it. The others, most of what a probe measures, are there to be shown,
// compared and checked against each other.
bool read_by_models(std::string_view key);

// nullptr when the profile has no such parameter.
const ParameterRow* find_parameter(std::string_view key);

// "measured", "datasheet", ...: how JSON files and tables spell a SourceKind.
std::string_view source_kind_name(SourceKind kind);
std::optional<SourceKind> source_kind_from(std::string_view name);
std::vector<std::string> source_kind_names();

}  // namespace tilecast
