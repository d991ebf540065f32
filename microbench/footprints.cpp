#include "microbench/footprints.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tilecast {

std::vector<double> chase_footprints(double sm_memory_bytes, double l2_bytes, bool quick) {
  constexpr double step = 4096;
  const auto near_edge = [](double bytes, double edge) { return bytes >= edge / 2 && bytes <= edge * 2; };
  std::vector<double> footprints;
  for (int eighth = 0;; ++eighth) {  // of an octave
    const double bytes = step * std::exp2(eighth / 8.0);
    if (bytes > 8 * l2_bytes) break;
    // L2's edge begins at one partition of two, half its size.
    const bool edge = near_edge(bytes, sm_memory_bytes) || (bytes >= l2_bytes / 4 && bytes <= l2_bytes * 2);
    const int every = edge ? (quick ? 4 : 1) : (quick ? 8 : 4);
    if (eighth % every != 0) continue;
    const double rounded = std::round(bytes / step) * step;
    if (footprints.empty() || rounded > footprints.back()) footprints.push_back(rounded);
  }
  if (footprints.back() < 8 * l2_bytes) footprints.push_back(std::floor(8 * l2_bytes / step) * step);
  return footprints;
}

std::string memory_problem(std::size_t needed, std::size_t usable, std::string_view why) {
  if (needed <= usable) return "";
  return fmt::format("needs {} MiB of device memory ({}), {} MiB can be had", (needed + (1 << 20) - 1) >> 20,
                     why, usable >> 20);
}

}  // namespace tilecast
