#pragma once
// What several rivals read, counted once.

#include "model/device/device_profile.hpp"
#include "model/workload/kernel_description.hpp"
#include "model/workload/prediction.hpp"

namespace tilecast::rivals {

struct Rates {
  Frequency clock{};  // sm_clock, else boost_clock
  double sms = 0;
  double lanes = 0;  // fp32 of an SM
  Bandwidth dram{};  // dram_read, else dram_peak
  double fmas_per_second() const { return sms * lanes * clock.value(); }
};
Rates rates_of(const DeviceProfile& device);

// Bytes of the whole grid.
struct Moved {
  Bytes read_unique{}, read_requested{};
  Bytes written_unique{}, written_requested{};
};
Moved moved_by(const KernelDescription& kernel);

// Blocks that an SM holds; throws InputError when none fits.
double resident_blocks(const KernelDescription& kernel, const DeviceProfile& device);

// The largest of the bounds limits.
Prediction prediction_of(Seconds time, std::vector<Bound> bounds);

}  // namespace tilecast::rivals
