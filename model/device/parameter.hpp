#pragma once
// One value of a device profile: the value in base units, how well it is known, and where it comes from.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/support/errors.hpp"

namespace tilecast {

// How a value came to be known.
enum class SourceKind { measured, datasheet, published, derived, assumed };

struct Provenance {
  SourceKind kind = SourceKind::assumed;
  std::string source;  // probe and date, document, or paper with its table
  // Of measured values: names the way of measuring, "fma:1f2e3d4c" (the digits change with its description),
  // and the run of the probe among DeviceProfile::runs, with the code and the clocks it was measured with.
  std::string method, run;
};

// Another published or measured value of the same parameter, kept beside the one in use.
struct Alternative {
  double value = 0;
  Provenance provenance;
};

// What is known of a value besides the value.
struct ParameterInfo {
  std::optional<double> low, high;  // 95 % confidence interval, base units
  std::optional<long> samples;
  Provenance provenance;
  std::vector<Alternative> alternatives;
};

// A value that may be absent. T is a Quantity, a double or std::int64_t. Reading an absent one throws an
// UnavailableError that names the key and the probe that would measure it; `key` and `probe` are filled from
// the table in parameters.cpp when the profile is made.
template <class T>
class Parameter {
 public:
  bool present() const { return value_.has_value(); }
  const T& get() const {
    if (!value_) missing();
    return *value_;
  }
  const T& operator*() const { return get(); }
  T value_or(T fallback) const { return value_.value_or(fallback); }
  void set(T value, ParameterInfo info_ = {}) {
    value_ = value;
    info = std::move(info_);
  }
  void name(std::string_view key, std::string_view probe) {
    key_ = key;
    probe_ = probe;
  }

  ParameterInfo info;

 private:
  [[noreturn]] void missing() const {
    throw UnavailableError("the device profile has no '" + std::string(key_) + "'",
                           probe_.empty()
                               ? "add it to the profile, with its source"
                               : "run 'tilecast measure --only " + std::string(probe_) + "' on that GPU");
  }
  std::optional<T> value_;
  std::string_view key_;  // string literals of parameters.cpp
  std::string_view probe_;
};

}  // namespace tilecast
