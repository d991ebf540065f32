#include "model/device/rates.hpp"

namespace tilecast {

// Without either it is the measurement that is missing, not the label.
Frequency sm_clock_of(const DeviceProfile& d) {
  return d.sm_clock.present() || !d.boost_clock.present() ? d.sm_clock.get() : d.boost_clock.get();
}

Bandwidth dram_read_of(const DeviceProfile& d) {
  return d.dram_read.present() ? d.dram_read.get() : d.dram_peak.get();
}

Bandwidth dram_write_of(const DeviceProfile& d) {
  return d.dram_write.present() ? d.dram_write.get() : d.dram_peak.get();
}

}  // namespace tilecast
