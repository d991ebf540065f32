#pragma once
// What a validation run does, in which order. Pure: made from the families, the layers and the device profile
// before anything touches a GPU.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/family.hpp"
#include "model/workload/measured_row.hpp"
#include "model/workload/suites.hpp"

namespace tilecast {

// A layer of a suite.
struct SuiteLayer {
  std::string suite;
  Layer layer;
};

// The layers of all suites in order; a problem that an earlier suite has is left out.
std::vector<SuiteLayer> distinct_layers(std::span<const Suite> suites);

// A stretch of work on one layer: its tensors and its reference are made once.
struct WorkGroup {
  std::size_t layer = 0;  // into the list of layers
  const KernelFamily* family = nullptr;
  std::vector<Config> configs;
};

enum class WorkOrder { layer_by_layer, interleaved };

struct WorkOptions {
  std::optional<std::size_t> sample;  // at most so many configs of a layer and family; all when absent
  std::uint64_t seed = 1;             // of the sample
  WorkOrder order = WorkOrder::interleaved;
  std::size_t rounds = 4;  // interleaved: every layer gets a share in each round
};

struct WorkList {
  std::vector<WorkGroup> groups;
  std::size_t configs = 0;      // in all groups
  std::size_t infeasible = 0;   // left out: the device cannot run them
  std::size_t unsampled = 0;    // left out by the sample
  std::size_t done = 0;         // left out: `is_done` said so
  std::size_t unsupported = 0;  // layers times families that do not go together
};

// Of each layer and family: the family's configs and the choice of the paper's own model for this device,
// where the family can run it, so that every run says how good that choice is. `is_done` is asked before
// sampling has any effect on the others: a resumed run does the same configs.
WorkList plan_work(std::span<const SuiteLayer> layers, std::span<const KernelFamily* const> families,
                   const DeviceProfile& device, const WorkOptions& options,
                   const std::function<bool(const MeasuredRow&)>& is_done);

// The config's axes by name as a row stores them, and back. The names of the Config point into the row.
std::vector<std::pair<std::string, std::string>> config_text(const Config& config);
Config config_of(const MeasuredRow& row);  // throws InputError when a value is no integer

// The columns that rows of these layers need beside those of every row: "dilation" where a layer's is not 1,
// then `axes`.
std::vector<std::string> row_columns(std::vector<std::string> axes, std::span<const SuiteLayer> layers);

// The same for a family: every axis that its configs have on the layers that it supports, in order of first
// appearance.
std::vector<std::string> config_axes(const KernelFamily& family, std::span<const SuiteLayer> layers,
                                     const DeviceProfile& device);

}  // namespace tilecast
