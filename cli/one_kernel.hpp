#pragma once
// One kernel by --conv (or --gemm), --family and --config: for commands that look at one.

#include <string_view>

#include "cli/options.hpp"
#include "kernels/family.hpp"

namespace tilecast {

struct OneKernel {
  const KernelFamily* family = nullptr;
  ConvShape shape;
  Config config;
};

void add_one_kernel_options(OptionsDescription& options);

// The first feasible config with the axes of --config, of the first family that supports the layer unless
// --family says which. Throws UsageError for more than one layer or family, InputError when there is none.
OneKernel one_kernel_option(const OptionValues& values, const DeviceProfile& device,
                            std::string_view command);

}  // namespace tilecast
