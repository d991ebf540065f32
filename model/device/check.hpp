#pragma once
// Cross-checks of a device profile: relations that hold on any GPU whatever its make, so that a value in the
// wrong unit, a cache hit taken for DRAM or a rate divided by the wrong count of SMs is caught. Each check is
// a pure function and one line of the list in check.cpp; it judges only values that are present.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/device/device_profile.hpp"

namespace tilecast {

// What a check found. It passed when it judged something and found no violation.
struct CheckOutcome {
  std::vector<std::string> violations;  // each says the numbers
  int judged = 0;                       // comparisons made
  std::vector<std::string> absent;      // keys that it would have needed for more of them
  bool skipped() const { return judged == 0; }
};

struct DeviceCheck {
  std::string_view name;
  std::string_view rule;  // one line, for tables
  CheckOutcome (*judge)(const DeviceProfile&);
};

std::span<const DeviceCheck> device_checks();

struct Violation {
  std::string_view check;
  std::string message;
};

// All checks, in the order of the list.
std::vector<Violation> check_device(const DeviceProfile& device);

}  // namespace tilecast
