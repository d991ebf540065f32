#pragma once
// What a profiler counted of some kernels (validation/recorded/<device>/counters.csv), and the same
// quantities as a kernel description has them. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast {

// One quantity of one kernel, of the whole grid.
struct CountedQuantity {
  std::string quantity;  // "instructions", "wavefronts of shared loads", ...
  double counted = 0;    // by the profiler
  double read = 0;       // from the machine code
};

// Those of the kernel with this problem and config; empty where it was not counted.
std::vector<CountedQuantity> recorded_counters(std::string_view gpu_name, std::string_view family,
                                               const ConvShape& problem, const Config& config);

// The same from CSV text with the columns family,shape,config,quantity,measured,read.
std::vector<CountedQuantity> parse_counters(std::string_view csv, std::string_view name,
                                            std::string_view family, const ConvShape& problem,
                                            const Config& config);

// The quantity as the description counts it, over the whole grid as if every block had the work of the one
// that it describes; nullopt: it does not count it.
std::optional<double> described_quantity(std::string_view quantity, const KernelDescription& kernel);

}  // namespace tilecast
