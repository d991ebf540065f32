#pragma once
// How wide a 90 % interval must be for a model's own mistakes, from recorded rows (EQUATIONS.md I1). Only the
// interval is calibrated: the predicted time is never moved, and no row of a blind evaluation enters.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/units/quantity.hpp"
#include "validation/model_query.hpp"
#include "validation/scores.hpp"

namespace tilecast {

struct CalibrationEntry {
  std::string model, family;  // family "*": all of the model's families, for one without rows of its own
  CodeSource code = CodeSource::own;  // of predictions that rest on such knowledge of the machine code
  std::size_t rows = 0, layers = 0;
  double low_log = 0;   // 5 % quantile of ln(measured / low end of the parameters' interval)
  double high_log = 0;  // 95 % quantile of ln(measured / high end)
};

struct Calibration {
  std::vector<CalibrationEntry> entries;
  std::string name, sha256;  // of the file it was read from; empty: none

  // That of the family, else that of "*"; nullptr: the model was not calibrated for such predictions.
  const CalibrationEntry* find(std::string_view model, std::string_view family, CodeSource code) const;
  // "validation/recorded/nvidia-h200/calibration.csv 0123..." or "none".
  std::string source() const;
};

struct Interval {
  Seconds low{}, high{};
};
Interval calibrated_interval(Seconds low, Seconds high, const CalibrationEntry& entry);
// The prediction's interval becomes the calibrated one; unchanged where there is no entry for it.
void calibrate_interval(Prediction& prediction, std::string_view model, std::string_view family,
                        const Calibration& calibration);

// Of the pairs that rest on such knowledge of the code, by split conformal: the ranks floor(0.05 (n + 1)) and
// ceil(0.95 (n + 1)) of n rows, clamped to 1 and n. One entry a family and one for all; none without pairs.
// Rows without an interval of parameters have their time at both ends.
std::vector<CalibrationEntry> calibrate(const std::string& model, std::span<const Comparison> pairs,
                                        CodeSource code = CodeSource::own);

// CSV with `comments` in front, and back. parse_calibration() throws InputError for a malformed text.
std::string format_calibration(std::span<const CalibrationEntry> entries,
                               const std::vector<std::string>& comments);
Calibration parse_calibration(std::string_view csv, std::string_view name);

// validation/recorded/<device>/calibration.csv, compiled in; no entries where there is none.
Calibration recorded_calibration(std::string_view gpu_name);

// The model with calibrated intervals; unchanged where the calibration does not know it.
BoundModel calibrated(BoundModel model, const Calibration& calibration);

}  // namespace tilecast
