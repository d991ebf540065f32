#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {

// A4. What all running blocks ask of L2, at the bandwidth of the whole device.
Seconds l2_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  if (!machine.l2_read) return Seconds{};
  return wave.blocks * traffic.l2_read_share * phase.fetched / *machine.l2_read +
         wave.blocks * traffic.l2_write_share * phase.stored / traffic.l2_write.value_or(*machine.l2_write);
}

}  // namespace tilecast::analytic
