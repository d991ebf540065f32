#pragma once
// What a profiler counted of some kernels (validation/recorded/<device>/: counters.csv, and launches that
// find in the caches what those before left in warm.csv, traffic.csv, slope.csv and *_places.csv), and the
// same quantities as a kernel description has them. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast {

// One quantity of one kernel.
struct CountedQuantity {
  std::string quantity;      // "instructions", "wavefronts of shared loads", ...
  double counted = 0;        // by the profiler, of the whole grid
  double read = 0;           // from the machine code, of the whole grid
  double busiest_block = 0;  // likewise, of the block that issues the most instructions
};

// Those of the kernel with this problem and config; empty where it was not counted.
std::vector<CountedQuantity> recorded_counters(std::string_view gpu_name, std::string_view family,
                                               const ConvShape& problem, const Config& config);

// The same from CSV text with the columns
// family,shape,config,quantity,measured,read,busiest_block.
std::vector<CountedQuantity> parse_counters(std::string_view csv, std::string_view name,
                                            std::string_view family, const ConvShape& problem,
                                            const Config& config);

// The quantity as the description counts it, of the block that it describes: instructions and what the pipes
// get from the code mixes where they are known. nullopt: it does not count it.
std::optional<double> described_quantity(std::string_view quantity, const KernelDescription& kernel);

// Of one launch, on average; sectors of 32 bytes.
struct CountedTraffic {
  double dram_read_bytes = 0, dram_written_bytes = 0;
  double least_dram_bytes = 0, most_dram_bytes = 0;  // both together, of one launch or at one place in memory
  double sectors_read = 0, sectors_written = 0;      // by the SMs, of L2
};

// Cycles are summed over schedulers.
struct CountedLaunch {
  CountedTraffic traffic;
  double l1_missed = 0;  // sectors asked of L1 that it has not
  double duration_ns = 0;
  double cycles = 0, active_cycles = 0, issue_cycles = 0;  // all; with a warp; in which one is issued
};

// nullopt where it was not counted.
std::optional<CountedLaunch> recorded_launch(std::string_view gpu_name, std::string_view family,
                                             const ConvShape& problem, const Config& config);
// Over several places in memory (files *_places.csv).
std::optional<CountedTraffic> recorded_places(std::string_view gpu_name, std::string_view family,
                                              const ConvShape& problem, const Config& config);

}  // namespace tilecast
