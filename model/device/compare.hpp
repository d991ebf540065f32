#pragma once
// Two profiles side by side, several profiles' spread, and a profile against published values.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/device/device_profile.hpp"

namespace tilecast {

// same: within the tolerance. overlapping: beyond it, but the intervals have values in common, so a
// repetition could exchange them. differs: beyond it, and no interval explains it.
enum class ComparisonVerdict { same, overlapping, differs, only_first, only_second };
std::string_view verdict_name(ComparisonVerdict verdict);

struct ValueComparison {
  std::string key;  // of curves and tables with the point that differs most: "... at 65536 bytes"
  std::string unit;
  std::optional<double> first, second;
  std::optional<double> ratio;  // second / first
  std::optional<bool> overlap;  // absent: neither side states an interval
  bool same_method = true;      // false: both name a method, and they differ
  ComparisonVerdict verdict = ComparisonVerdict::same;
  long points = 1, differing = 0;  // of a curve or table: at x that both have; beyond tolerance and interval
};

// What of the circumstances differs where both sides know it, in words: compute capability, driver, ECC, MIG,
// power limit. Empty: nothing that is known of both.
std::vector<std::string> condition_differences(const DeviceProfile& first, const DeviceProfile& second);

// Every parameter, curve and table that either profile has, in the order of the tables in parameters.cpp.
// `tolerance`: relative, 0.03 for 3 %.
std::vector<ValueComparison> compare_devices(const DeviceProfile& first, const DeviceProfile& second,
                                             double tolerance);

struct ValueSpread {
  std::string key, unit;
  double low = 0, median = 0, high = 0;
  double relative = 0;  // (high - low) / median; 0 when the median is 0
  std::size_t count = 0;
};

// Of the parameters that at least two of the profiles have.
std::vector<ValueSpread> spread_of(std::span<const DeviceProfile> devices);

// A published value with its source. `gpu`: consecutive words of the GPU's name, in lower case ("h100 pcie").
struct ReferenceValue {
  std::string key, gpu;
  double low = 0, high = 0;
  std::string source;
};

// reference_values.csv; throws InputError for a broken line.
std::vector<ReferenceValue> reference_values();
std::vector<ReferenceValue> parse_reference_values(std::string_view csv, std::string_view name);
// "NVIDIA H200" has the words of "h200"; "NVIDIA GH200 480GB" has not.
bool names_gpu(std::string_view gpu_name, std::string_view words);

enum class ReferenceVerdict { in_range, outside, no_reference };
std::string_view verdict_name(ReferenceVerdict verdict);

struct ReferenceComparison {
  std::string key, unit;
  double value = 0;
  std::optional<double> low, high;  // over all sources for this GPU
  std::string sources;
  ReferenceVerdict verdict = ReferenceVerdict::no_reference;
};

// Every parameter of the profile. In range: within all sources' common range widened by `slack`, which is how
// far published values of one quantity lie apart where several exist.
std::vector<ReferenceComparison> compare_with_references(const DeviceProfile& device,
                                                         std::span<const ReferenceValue> references,
                                                         double slack = 0.10);

}  // namespace tilecast
