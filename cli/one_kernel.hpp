#pragma once
// One kernel by --conv (or --gemm), --family and --config: for commands that look at one.

#include <ostream>
#include <string_view>

#include "cli/options.hpp"
#include "cli/prediction_rows.hpp"
#include "kernels/family.hpp"

namespace tilecast {

struct OneKernel {
  const KernelFamily* family = nullptr;
  ConvShape shape;
  Config config;
};

void add_one_kernel_options(OptionsDescription& options);

// Of the configs with the axes of --config, of --family or of every family that does the layer, the one that
// the analytic model says is fastest. Throws UsageError for more than one layer or axes that no family has,
// InputError when no such config runs, and what the model throws.
PredictionRow fastest_config(const OptionValues& values, const DeviceProfile& device,
                             const analytic::Options& options, std::string_view command);

// The same kernel, without its prediction; where there was a choice, a line on `notes` says what was chosen
// and of how many. For a device that the model cannot predict: the first feasible one, and the line says so.
// `runs_on`: of those that this device can run too; where none is left, InputError with its reason.
OneKernel one_kernel_option(const OptionValues& values, const DeviceProfile& device, std::string_view command,
                            std::ostream& notes, const DeviceProfile* runs_on = nullptr);

}  // namespace tilecast
