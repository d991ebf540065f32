#pragma once
// A model's word on every config that was measured.

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/family.hpp"
#include "model/workload/measured_row.hpp"
#include "model/workload/prediction.hpp"
#include "validation/scores.hpp"

namespace tilecast {

using PredictFunction = std::function<Prediction(const KernelDescription&, const DeviceProfile&)>;

struct RecordedPredictions {
  std::vector<PredictedRow> rows;                  // in the order of the measured ones
  std::map<std::string, std::size_t> unpredicted;  // measured configs without a prediction, by reason
  std::size_t unrecorded = 0;  // feasible configs of the measured layers that no row speaks of
};

// Rows of other families (baselines) and rows without a time are passed over. The same result for any number
// of threads (0: as many as the machine has). Throws what families and the model throw.
RecordedPredictions predict_recorded(std::span<const MeasuredRow> measured,
                                     std::span<const KernelFamily* const> families,
                                     const DeviceProfile& device, const PredictFunction& predict,
                                     unsigned threads = 0);

}  // namespace tilecast
