#pragma once
// What models say of every config that was measured.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/family.hpp"
#include "model/workload/measured_row.hpp"
#include "validation/model_query.hpp"
#include "validation/scores.hpp"

namespace tilecast {

struct RecordedOptions {
  std::optional<std::size_t> sample;  // at most so many rows of a layer and family; all when absent
  std::uint64_t seed = 1;             // of the sample
  unsigned threads = 0;               // 0: as many as the machine has
  CodeSource code = CodeSource::own;  // no better knowledge of the machine code is used
};

struct ModelPredictions {
  std::string model;
  std::vector<PredictedRow> rows;                  // in the order of the measured ones
  std::map<std::string, std::size_t> unpredicted;  // measured configs without a prediction, by reason
};

struct RecordedPredictions {
  std::vector<ModelPredictions> models;  // in the order given
  std::size_t unsampled = 0;             // rows left out by the sample
};

// The rows that a sample draws, each config of a layer once.
std::vector<MeasuredRow> sampled_rows(std::span<const MeasuredRow> measured,
                                      std::span<const KernelFamily* const> families, std::size_t count,
                                      std::uint64_t seed);

// Rows of other families (baselines) and rows without a time are passed over. The same result for any number
// of threads. Throws what families throw.
RecordedPredictions predict_recorded(std::span<const MeasuredRow> measured,
                                     std::span<const KernelFamily* const> families,
                                     const DeviceProfile& device, std::span<const BoundModel> models,
                                     const RecordedOptions& options = {});

// Number of feasible configs of the measured layers that no row with a time speaks of.
std::size_t unrecorded_configs(std::span<const MeasuredRow> measured,
                               std::span<const KernelFamily* const> families, const DeviceProfile& device);

}  // namespace tilecast
