#pragma once
// Device profiles as JSON: profiles/*.json are compiled into the binary, others are files of the user.
// The format is described by profile.schema.json and follows the tables of parameters.hpp.

#include <string>
#include <string_view>
#include <vector>

#include "model/device/device_profile.hpp"

namespace tilecast {

// A partial profile lacks parameters that the models require: an interrupted measurement, to be completed by
// `measure --only`, or another tool's. What looks at profiles takes both.
enum class Completeness { complete, partial };

// Throws InputError "name: /parameters/dram_latency_cycles/unit: 'ns', expected 'cycles'" for the first thing
// that is not as the format says; "name:line:column: ..." for text that is not JSON.
DeviceProfile parse_device(std::string_view json, std::string_view name,
                           Completeness completeness = Completeness::complete);

// A shipped profile by name, else a file by path ("-" is standard input). Throws InputError with the nearest
// name.
DeviceProfile load_device(const std::string& name_or_path,
                          Completeness completeness = Completeness::complete);

// Keys of the required parameters that it has not.
std::vector<std::string> missing_requirements(const DeviceProfile& device);

// Names of the shipped profiles, sorted.
std::vector<std::string> device_names();

// The JSON text of a profile. Numbers keep their exact value: parse_device gives the same profile back.
std::string format_device(const DeviceProfile& device);

// The JSON Schema (draft 2020-12) of the format; committed as profile.schema.json.
std::string device_schema();

}  // namespace tilecast
