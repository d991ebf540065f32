#pragma once
// One line a layer: the best config measured, what the model and the paper's rules would have chosen instead,
// and how the libraries do. Pure.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/device/device_profile.hpp"
#include "model/workload/measured_row.hpp"
#include "validation/scores.hpp"

namespace tilecast {

struct ChosenConfig {
  std::string config;
  Seconds time{};     // measured
  double regret = 0;  // time / best measured - 1
};

struct LayerSummary {
  std::string family, suite, layer;
  ConvShape problem;
  std::size_t n = 0;  // configs that were measured and predicted
  ChosenConfig best;
  ChosenConfig model;
  // What the paper's rules choose, where that was measured. They leave some axes of a kernel open (threads,
  // width of loads, ...): then the best of the configs that agree with them.
  std::optional<ChosenConfig> paper;
  std::string paper_reason;  // why there is none
  // Best of all legacy algorithms and all graph plans; best SGEMM of the equivalent product.
  std::optional<ChosenConfig> cudnn, sgemm;
  // Time of the best cuDNN over that of the best config: above 1 the config is faster.
  std::optional<double> speedup_over_cudnn() const;
};

// `measured` supplies the baselines ("cudnn_legacy", "cudnn_graph", "cublas_sgemm") and, by problem, joins
// them to the pairs. In order of first appearance of (family, suite, problem).
std::vector<LayerSummary> summarise_layers(std::span<const Comparison> pairs,
                                           std::span<const MeasuredRow> measured,
                                           const DeviceProfile& device);

}  // namespace tilecast
