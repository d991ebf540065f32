#pragma once
// The GPU's state beside the measurement, in words: clocks, power, reasons for a lower clock, neighbours.
// Pure; who asks is nvml.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/device/measurement_run.hpp"

namespace tilecast {

// At one moment. What could not be read is absent.
struct GpuState {
  std::optional<double> sm_clock_hz;  // by in-kernel clocks, filled by the caller
  std::optional<double> memory_clock_hz, power_w, temperature_c;
  std::vector<std::string> throttled;
};

// The names of NVML's clocks-event-reason bits that mean a lower clock than asked for. Bits, not equality:
// several are set at once. Idle is no reason: the GPU slows down because nobody asks for more.
std::vector<std::string> throttle_reasons(std::uint64_t bits);

// What another tenant does to a measurement, in words; empty when nothing was seen. `processes`: compute
// processes on the GPU, this one included; `utilization`: per cent busy before the first launch.
std::vector<std::string> neighbour_warnings(std::optional<int> processes, std::optional<int> utilization);

// Notes of `run` from the states at its ends.
void note_states(const GpuState& before, const GpuState& after, MeasurementRun& run);

}  // namespace tilecast
