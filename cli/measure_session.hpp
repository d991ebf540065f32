#pragma once
// One GPU measured from end to end: what `measure` does for each GPU asked for.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "cli/command.hpp"
#include "model/device/device_profile.hpp"

namespace tilecast {

struct MeasureRequest {
  int index = 0;
  std::string only, name, out, raw;  // as the options of the same names
  std::string suffix;  // of the profile's name and the raw folder, where several GPUs are measured
  bool quick = false;
  std::optional<std::size_t> memory_limit;  // bytes of device memory
};

// Measures, writes profile and raw samples (after each probe when `out` is a file, so that a killed run
// leaves what there was), reports problems and violations. An interrupt (SIGINT) ends the probe that runs;
// everything before it is written and the code is `interrupted`. Throws InputError when `out` is a profile of
// another GPU.
std::pair<DeviceProfile, ExitCode> measure_gpu(const MeasureRequest& request, CommandStreams streams);

}  // namespace tilecast
