#pragma once
// validate on a GPU: recording rows, checking kernels, and step 2 of the blind protocol.

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "kernels/family.hpp"
#include "validation/work_list.hpp"

namespace tilecast {

// -f, as families of ours and names of baselines.
struct Selection {
  std::vector<const KernelFamily*> families;
  std::vector<std::string> baselines;
  bool all = false;  // nothing was named: a baseline that is not installed is passed over
};

// --configs, --seed, --order. Throws UsageError when malformed.
WorkOptions work_options(const OptionValues& values);

// Records rows, or with --check-only checks kernels. Throws UnavailableError where there is no GPU.
ExitCode run_on_gpu(const OptionValues& values, const Selection& selection,
                    const std::vector<SuiteLayer>& layers, CommandStreams streams);

// Runs the kernels of --blind FOLDER's frozen predictions and appends their rows to FOLDER/measured; goes on
// where an earlier run stopped. Throws InputError when the predictions, the device profile or the machine are
// not those that were frozen, UnavailableError where there is no GPU.
ExitCode run_blind(const OptionValues& values, CommandStreams streams);

}  // namespace tilecast
