#pragma once
// The options of compare, and what they ask for.

#include <cstddef>
#include <optional>
#include <ostream>
#include <vector>

#include "cli/models.hpp"
#include "cli/options.hpp"
#include "model/analytic/analytic.hpp"
#include "model/device/device_profile.hpp"
#include "model/workload/measured_row.hpp"
#include "validation/recorded_predictions.hpp"

namespace tilecast {

struct CompareRequest {
  std::optional<double> gate;        // largest median error that passes, as a share
  std::optional<std::size_t> worst;  // so many rows, and what explains them
  bool by_family = false, by_layer = false, by_data = false, cost = false;
  bool calibrate = false, quiet = false;
  Format format = Format::table;
  RecordedOptions sampling;
  analytic::Options analytic;  // without some bounds
  bool recorded_rows = true;   // those shipped for the device
  // Whether the scores are those of the recorded rows and of the models as they are.
  bool as_recorded() const;
  // Whether the first model's rows are all that is written.
  bool first_model_alone() const;
};

OptionsDescription compare_options();

// Throws UsageError for options that contradict each other.
CompareRequest compare_request(const OptionValues& values);

// --worst N. Throws UsageError.
std::optional<std::size_t> worst_option(const OptionValues& values);

// The models of --model, the analytic one without the bounds of --without.
std::vector<BoundModel> models_to_compare(const OptionValues& values, const CompareRequest& request,
                                          const DeviceProfile& device, std::ostream& err);

// The rows of --measured, else those recorded for the device; with -l of those problems alone, under the
// suite and name that they have there. Throws UnavailableError where there are none.
std::vector<MeasuredRow> rows_to_compare(const OptionValues& values, const DeviceProfile& device,
                                         std::ostream& err);

}  // namespace tilecast
