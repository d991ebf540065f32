#pragma once
// compare --calibrate: how wide the models' intervals must be.

#include <span>
#include <string>
#include <vector>

#include "cli/models.hpp"
#include "kernels/family.hpp"
#include "model/device/device_profile.hpp"
#include "model/workload/measured_row.hpp"
#include "validation/calibration.hpp"
#include "validation/recorded_predictions.hpp"
#include "validation/scores.hpp"

namespace tilecast {

// One model's pairs with the measured rows.
struct Compared {
  std::string model;
  Join joined;
};

// Of these pairs, and of those that the fast models would have had without the rows' own code.
std::vector<CalibrationEntry> calibration_of(std::span<const Compared> compared,
                                             std::span<const MeasuredRow> rows,
                                             std::span<const KernelFamily* const> families,
                                             const DeviceProfile& device, std::vector<BoundModel> models,
                                             RecordedOptions sampling);

// The file of --calibrate.
std::string calibration_text(const OptionValues& values, const std::vector<CalibrationEntry>& entries,
                             const std::vector<RunNoise>& noise, const DeviceProfile& device);

}  // namespace tilecast
