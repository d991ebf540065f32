#pragma once
// Which of a profile's parameters the models count by where the one that they want was not measured. Each
// throws UnavailableError where the profile has neither.

#include "model/device/device_profile.hpp"

namespace tilecast {

Frequency sm_clock_of(const DeviceProfile& device);    // sm_clock, else boost_clock
Bandwidth dram_read_of(const DeviceProfile& device);   // dram_read, else dram_peak
Bandwidth dram_write_of(const DeviceProfile& device);  // dram_write, else dram_peak

// Seconds that DRAM takes longer for each byte where it turns from reads to writes and back, of which
// `read_share` are read. Zero where not measured.
double dram_turns_per_byte(const DeviceProfile& device, double read_share);

}  // namespace tilecast
