#pragma once
// Quantities as text. Prefixes exist only here and in the figures' axes.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/units/quantity.hpp"

namespace tilecast {

std::string format_time(Seconds time);                     // "12.3 µs"
std::string format_percent(double ratio);                  // 0.123 -> "12.3 %"
std::string format_signed_percent(double ratio);           // 0.123 -> "+12.3 %"
std::string format_binary_bytes(Bytes bytes);              // "228 KiB"
std::string format_significant(double v, int digits = 3);  // "1230", "0.0123"

// A unit that keeps a figure's numbers between about 1 and 1000.
struct ScaledUnit {
  double base_units = 1;     // of one of this unit
  std::string plain, latex;  // "µs", "$\mu$s"
};
ScaledUnit time_unit(Seconds largest);

}  // namespace tilecast
