#pragma once
// How wide a 90 % interval must be for the noise of runs and a model's own mistakes, from recorded rows
// (EQUATIONS.md I1, I2). Only the interval is calibrated: the predicted time is never moved, and no row of a
// blind evaluation enters.

#include <cstdint>
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
  double low_log = 0;   // 5 % quantile of ln(measured / low end of the interval of parameters and noise)
  double high_log = 0;  // 95 % quantile of ln(measured / high end)
};

// I2. How far single replays lie from their median, of kernels that take `from` or longer, until the next's.
struct RunNoise {
  Seconds from{};
  std::size_t rows = 0, layers = 0;
  double low_log = 0;   // below 0: ln(short end / median)
  double high_log = 0;  // ln(long end / median)
};

// How the rows of a calibration were drawn: of each layer and family so many configs, by this seed.
struct CalibrationSample {
  std::size_t configs = 0;
  std::uint64_t seed = 0;
};

struct Calibration {
  std::vector<CalibrationEntry> entries;
  std::vector<RunNoise> noise;              // by ascending `from`
  std::optional<CalibrationSample> sample;  // as the file's comments say
  std::string name, sha256;                 // of the file it was read from; empty: none

  // That of the family, else that of "*"; nullptr: the model was not calibrated for such predictions.
  const CalibrationEntry* find(std::string_view model, std::string_view family, CodeSource code) const;
  // "validation/recorded/nvidia-h200/calibration.csv 0123..." or "none".
  std::string source() const;
};

struct Interval {
  Seconds low{}, high{};
};

// I2, of timed rows of one GPU.
std::vector<RunNoise> run_noise(std::span<const MeasuredRow> rows);
// That of kernels of such a time; nullptr: not known.
const RunNoise* noise_of(Seconds time, std::span<const RunNoise> noise);
// The ends of the parameters' interval and the noise, in quadrature.
Interval with_noise(Seconds time, Interval parameters, std::span<const RunNoise> noise);
Interval calibrated_interval(Seconds low, Seconds high, const CalibrationEntry& entry);
// The prediction's interval becomes the calibrated one; unchanged where there is no entry for it.
void calibrate_interval(Prediction& prediction, std::string_view model, std::string_view family,
                        const Calibration& calibration);

// Of the pairs that rest on such knowledge of the code, by split conformal: the ranks floor(0.05 (n + 1)) and
// ceil(0.95 (n + 1)) of n rows, clamped to 1 and n. One entry a family and one for all; none without pairs.
// Rows without an interval of parameters have their time at both ends; the noise joins these.
std::vector<CalibrationEntry> calibrate(const std::string& model, std::span<const Comparison> pairs,
                                        std::span<const RunNoise> noise = {},
                                        CodeSource code = CodeSource::own);

// CSV with `comments` in front, and back. parse_calibration() throws InputError for a malformed text.
std::string format_calibration(std::span<const CalibrationEntry> entries, std::span<const RunNoise> noise,
                               const std::vector<std::string>& comments);
Calibration parse_calibration(std::string_view csv, std::string_view name);

// validation/recorded/<device>/calibration.csv, compiled in; no entries where there is none.
Calibration recorded_calibration(std::string_view gpu_name);

// The model with calibrated intervals; unchanged where the calibration does not know it.
BoundModel calibrated(BoundModel model, const Calibration& calibration);

}  // namespace tilecast
