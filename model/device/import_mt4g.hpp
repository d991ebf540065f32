#pragma once
// A result file of MT4G (https://github.com/caps-tum/mt4g, JSON) as a device profile.

#include <string>
#include <string_view>
#include <vector>

#include "model/device/device_profile.hpp"

namespace tilecast {

struct ImportedDevice {
  DeviceProfile profile;              // partial: MT4G measures no clocks, no FMAs and no saturation
  std::vector<std::string> left_out;  // what the file has and a profile cannot take, and why
};

// Latencies are MT4G's medians (p50); its percentiles are of single loads and become no interval. Bandwidths
// are GiB/s there. Throws InputError for text that is not JSON of that form, or of another maker's GPU.
ImportedDevice import_mt4g(std::string_view json, std::string_view file);

}  // namespace tilecast
