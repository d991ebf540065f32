#pragma once
// One prediction term by term: its bounds, what it would be without each, and how it moves with each
// parameter of the device. Pure functions.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "model/analytic/residual.hpp"
#include "model/analytic/waves.hpp"
#include "model/device/occupancy.hpp"
#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"
#include "model/workload/measured_row.hpp"
#include "validation/mechanisms/mechanisms.hpp"

namespace tilecast {

struct ExplainedBound {
  Bound bound;
  Seconds without{};  // the prediction with this bound switched off
};

// d ln(time) / d ln(value): -1 means that twice the value halves the time.
struct Sensitivity {
  std::string_view key;  // of the parameter or curve
  double elasticity = 0;
};

// A quantity counted by a profiler and read from the machine code, of the whole grid; then of the block that
// issues the most, read from the code and as the description has it, which is of one such block.
struct ExplainedCount {
  std::string quantity;
  double counted = 0, read = 0, busiest_block = 0;
  std::optional<double> described;
};

// A quantity of one launch that finds in the caches what those before left: counted, and as the analytic
// model has it (warm).
struct ExplainedLaunch {
  std::string_view quantity;
  double counted = 0, predicted = 0;
};

// What was recorded of this kernel.
struct Recorded {
  std::optional<Seconds> measured;
  std::vector<analytic::ResidualTerm>
      residual;                         // which bound could carry the error; empty without a measurement
  std::vector<ExplainedCount> counts;   // empty where no profiler counted it
  std::vector<ExplainedLaunch> launch;  // likewise
  std::vector<Mechanism> mechanisms;    // known reasons for an error like this one
};

struct Explanation {
  Prediction prediction;
  std::string interval;                    // what that of the prediction holds
  Occupancy occupancy;                     // of an SM that takes what fits
  std::array<analytic::Wave, 2> waves;     // A9: full ones and the tail, with the room that clusters find
  std::vector<ExplainedBound> bounds;      // longest first
  std::vector<Sensitivity> sensitivities;  // strongest first; those without effect are left out
  Recorded recorded;
};

// Throws what analytic::predict throws.
Explanation explain(const KernelDescription& kernel, const DeviceProfile& device,
                    const analytic::Options& options);

// What the profiler counted of this kernel beside what its description says; empty where it was not counted.
std::vector<ExplainedCount> explained_counts(const KernelDescription& kernel, const ConvShape& problem,
                                             const Config& config, const DeviceProfile& device);

// Bytes of DRAM, hits of L2 and issue slots of this kernel; empty where they were not counted.
std::vector<ExplainedLaunch> explained_launch(const KernelDescription& kernel, const ConvShape& problem,
                                              const Config& config, const DeviceProfile& device);

// What the rows and the counters of the device say of this kernel.
Recorded recorded_of(const KernelDescription& kernel, const analytic::Options& options,
                     const ConvShape& problem, const Config& config, const DeviceProfile& device,
                     std::span<const MeasuredRow> rows);

// The explanation for people.
std::string explanation_text(const KernelDescription& kernel, const Explanation& explanation);
// One JSON object: time_s, limiter, launch {...}, bounds [...], sensitivities [...].
std::string explanation_json(const KernelDescription& kernel, const Explanation& explanation);

}  // namespace tilecast
