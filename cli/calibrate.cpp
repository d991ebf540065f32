#include "cli/calibrate.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/program.hpp"
#include "model/device/load.hpp"
#include "model/support/sha256.hpp"

namespace tilecast {

std::vector<CalibrationEntry> calibration_of(std::span<const Compared> compared,
                                             std::span<const MeasuredRow> rows,
                                             std::span<const KernelFamily* const> families,
                                             const DeviceProfile& device, std::vector<BoundModel> models,
                                             RecordedOptions sampling) {
  std::vector<CalibrationEntry> entries;
  const auto noise = run_noise(rows);
  const auto add = [&](const std::string& model, std::span<const Comparison> pairs, CodeSource code) {
    for (auto& entry : calibrate(model, pairs, noise, code))
      entries.push_back(std::move(entry));
  };
  for (const auto& c : compared)
    add(c.model, c.joined.pairs, CodeSource::own);
  std::erase_if(models, [](const BoundModel& model) { return !model_by_name(model.name).fast; });
  for (const auto code : {CodeSource::similar, CodeSource::estimated}) {
    sampling.code = code;
    for (const auto& model : predict_recorded(rows, families, device, models, sampling).models)
      add(model.model, join(rows, model.rows).pairs, code);
  }
  return entries;
}

std::string calibration_text(const OptionValues& values, const std::vector<CalibrationEntry>& entries,
                             const std::vector<RunNoise>& noise, const DeviceProfile& device) {
  std::string models;
  for (const auto& text : values["model"].as<std::vector<std::string>>())
    models += (models.empty() ? "" : ",") + text;
  return format_calibration(
      entries, noise,
      {"Calibration of intervals, not of times: a prediction's 90 % interval is that of its parameters "
       "and of run noise, its ends times exp(low_log) and exp(high_log)",
       "models: quantiles (5 %, 95 %) of ln(measured / end) over development rows, split conformal; "
       "EQUATIONS.md I1",
       "run noise: of kernels that take from_s or longer, ln(5 and 95 % of replays / median), nine in ten "
       "of all development rows are less; EQUATIONS.md I2",
       fmt::format("made by: tilecast compare -d {} --model {} --configs {} --seed {} --calibrate FILE",
                   device.name, models, values["configs"].as<std::string>(), seed_option(values)),
       fmt::format("tilecast {}, device profile sha256 {}", program_version(),
                   sha256_hex(format_device(device)))});
}

}  // namespace tilecast
