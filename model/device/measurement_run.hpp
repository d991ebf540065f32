#pragma once
// Under which circumstances a profile was measured: what a reader needs to judge a value and to repeat it.

#include <optional>
#include <string>
#include <vector>

namespace tilecast {

// One probe's run. Values refer to it by `id`; a run that no value refers to says what could not be measured.
struct MeasurementRun {
  std::string id;                 // "fma 2026-11-21T10:20:30Z"
  std::string probe, started;     // UTC
  std::optional<double> seconds;  // wall clock, compilation included
  std::string code;               // hash of the machine code of all its kernels; empty: it has none
  std::string machine_code;       // what became of the check of that code: "as declared: 7 kernels", ...
  std::optional<double> sm_clock_before_hz, sm_clock_after_hz;    // by in-kernel clocks, at its ends
  std::optional<double> memory_clock_hz, power_w, temperature_c;  // NVML, at its end
  std::vector<std::string> throttled;  // NVML's reasons for a lower clock, at its ends
  bool quick = false;                  // fewer points and repeats
  std::string problem;                 // what it, or a part of it, could not measure and why; empty: nothing
};

// The GPU's state that no probe changes.
struct Conditions {
  std::string pci_id;  // "10de:2335", vendor and device
  std::optional<bool> ecc, mig;
  std::optional<double> power_limit_w;
  std::vector<std::string> warnings;  // other processes on the GPU, NVML missing, ...
  bool known() const { return !pci_id.empty() || ecc || mig || power_limit_w || !warnings.empty(); }
};

}  // namespace tilecast
