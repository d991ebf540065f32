#pragma once
// What follows from a profile's values: the two constants of Chang et al. in every convention that is in use,
// and how the measured ones compare with them.

#include <string>
#include <vector>

#include "model/device/device_profile.hpp"

namespace tilecast {

// A value with its 95 % interval; both ends are the value where no interval is known.
struct Estimate {
  double value = 0, low = 0, high = 0;
};

struct DerivedValue {
  std::string key;         // ends in its unit: "v_s_derived_bytes"
  std::string unit;        // as in parameters.cpp: "FMA", "flops", "bytes", "ratio"
  Estimate estimate;       // its ends: every input at the end of its interval that makes it least, most
  std::string convention;  // one line: what it is made of
};

// Those whose inputs the profile has.
std::vector<DerivedValue> derived_values(const DeviceProfile& device);

}  // namespace tilecast
