#pragma once
// What `predict` says, as rows: pure functions from layers and a device to rows, and from rows to text.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "cli/read_codes.hpp"
#include "kernels/family.hpp"
#include "model/analytic/analytic.hpp"
#include "model/paper/device_constants.hpp"
#include "model/paper/quirks.hpp"
#include "model/workload/config.hpp"
#include "model/workload/prediction.hpp"
#include "model/workload/suites.hpp"

namespace tilecast {

// What the paper model says of a config.
struct PaperValues {
  Bytes shared{};  // that one SM holds
  double fma_per_sm = 0;
  bool hides_latency = false;
  bool reaches_v_s = false;
};

struct PredictionRow {
  std::string_view model;  // "paper", "analytic", "sim", "both"
  std::string_view family;
  std::string suite, layer;
  ConvShape problem;
  Config config;  // empty when the whole layer is refused
  bool feasible = false;
  std::string reason;  // why not
  bool chosen = false;
  std::optional<PaperValues> paper;      // of every config of the paper model
  std::optional<Prediction> prediction;  // of every feasible config of the other models
};

struct RowSelection {
  bool all = false;                   // every config, feasible or not
  std::optional<std::size_t> top;     // so many feasible ones, fastest first
  std::vector<std::string> families;  // empty: every family that does the layer
};

// The paper's choice of each layer, or every partition. A layer that it has no answer for is one row with the
// reason. Families other than chang_single and chang_multi throw InputError.
std::vector<PredictionRow> paper_rows(std::span<const Suite> suites, const paper::DeviceConstants& device,
                                      const paper::Quirks& quirks, const RowSelection& selection);

// Whose code is read: the `fastest` configs of each layer and family, again and again until they are the ones
// whose code was read.
struct CodeReading {
  std::size_t fastest = 0;
  ReadCodes* codes = nullptr;  // needed for more than 0
};

// For each layer and family the fastest config (chosen), the fastest few, or all in the family's order. A
// layer that a family named in `selection` refuses is one row with the reason.
std::vector<PredictionRow> analytic_rows(std::span<const Suite> suites, const DeviceProfile& device,
                                         std::span<const KernelFamily> families,
                                         const RowSelection& selection, const analytic::Options& options,
                                         const CodeReading& reading = {});

// What a model says of each of these feasible configs: a prediction, or why there is none.
struct ConfigOutcome {
  std::optional<Prediction> prediction;
  std::string reason;
};
using PredictConfigs =
    std::function<std::vector<ConfigOutcome>(const KernelFamily&, const ConvShape&, std::span<const Config>)>;

// The same rows by any model of that name.
std::vector<PredictionRow> model_rows(std::string_view model, std::span<const Suite> suites,
                                      const DeviceProfile& device, std::span<const KernelFamily> families,
                                      const RowSelection& selection, const PredictConfigs& predict);

// JSON: nested objects; CSV: one column a value, `bounds` as "name=seconds" pairs; table: for people.
std::string format_rows(std::span<const PredictionRow> rows, Format format);

// The paper's Table 1 for this device, aligned: N_FMA, V_s, threads and warps a SM, ...
std::string constants_text(const paper::DeviceConstants& device);

}  // namespace tilecast
