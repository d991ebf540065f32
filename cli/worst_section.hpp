#pragma once
// The part of the report's page that speaks of the worst predictions.

#include <span>

#include "cli/evaluation.hpp"
#include "reports/report.hpp"
#include "validation/model_query.hpp"

namespace tilecast {

// The ten worst predictions of each family with what explains them, and the known mechanisms. `others`:
// models that are asked about these configs too.
void add_worst(ReportInputs& page, const DeviceProfile& device, const Evaluation& evaluation,
               std::span<const BoundModel> others);

}  // namespace tilecast
