#pragma once
// Which configs the blind protocol looks at. Pure.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kernels/family.hpp"
#include "model/workload/measured_row.hpp"
#include "validation/work_list.hpp"

namespace tilecast {

struct BlindPick {
  bool development = false;
  std::string suite, layer;
  ConvShape problem;
  const KernelFamily* family = nullptr;
  Config config;
  bool drawn = true;          // by the sample
  bool paper_choice = false;  // the paper's rules choose it
};

struct BlindOptions {
  std::size_t sample = 12;  // configs of each layer and family, uniformly of all that are feasible
  std::uint64_t seed = 1;
};

// The layers that no recorded row speaks of. `known`: how many were left out, as they are development data.
std::vector<SuiteLayer> unseen_layers(std::span<const SuiteLayer> layers,
                                      std::span<const MeasuredRow> recorded, std::size_t& known);

// The sample of each layer and family, and beside it up to four configs that the paper's rules choose (they
// leave axes of a kernel open), marked so that only the paper is scored by them.
std::vector<BlindPick> evaluation_picks(std::span<const SuiteLayer> layers,
                                        std::span<const KernelFamily* const> families,
                                        const DeviceProfile& device, const BlindOptions& options);

// The sample of the rows of each layer and family that have a time; where there are more than `most` layers
// of families, so many of them, drawn by the seed.
std::vector<BlindPick> development_picks(std::span<const MeasuredRow> recorded,
                                         std::span<const KernelFamily* const> families,
                                         const DeviceProfile& device, const BlindOptions& options,
                                         std::size_t most = std::numeric_limits<std::size_t>::max());

// Layers of families among picks; a layer in three families counts three times.
std::size_t layers_of_families(std::span<const BlindPick> picks);

}  // namespace tilecast
