#pragma once
// From what probes return to a device profile. Pure; tested on made-up results.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/runtime/gpu.hpp"
#include "microbench/probe.hpp"
#include "model/device/device_profile.hpp"

namespace tilecast {

// What one probe returned and how long it took.
struct ProbeOutcome {
  std::string probe;
  ProbeResult result;
  double seconds = 0;
  MeasurementRun run;  // without an id: values refer to no run
};

// Names a way of measuring: the probe, and eight digits that change with the description of the method.
std::string method_id(std::string_view probe, std::string_view method);

// Adds outcome.run to the profile's runs, after leaving out those of the same probe that no value refers to
// any more; its `problem` is what apply_outcome() returned.
void apply_run(const ProbeOutcome& outcome, const std::vector<std::string>& problems, DeviceProfile& profile);

// Sets every value, curve and table of `outcome` that the profile has a place for: median, 95 % interval,
// number of samples and method. Returns what could not be set and why (the probe's own reason, a value with
// no or with impossible samples), empty when all is well. `date` is that of the measurement.
std::vector<std::string> apply_outcome(const ProbeOutcome& outcome, std::string_view date,
                                       DeviceProfile& profile);

// The identity of the GPU: names, compute capability, driver, compiler, date. `name` empty: from the GPU's.
void apply_identity(const GpuInfo& gpu, std::string_view name, std::string_view toolkit,
                    std::string_view date, DeviceProfile& profile);

// All samples of an outcome as CSV: what,key,x,column,sample,value; the methods as comments.
std::string format_raw_samples(const ProbeOutcome& outcome, std::string_view gpu_name, std::string_view date);

}  // namespace tilecast
