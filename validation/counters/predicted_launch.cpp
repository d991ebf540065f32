#include "validation/counters/predicted_launch.hpp"

#include <algorithm>

#include "model/analytic/analytic.hpp"
#include "model/analytic/machine.hpp"
#include "model/analytic/traffic.hpp"
#include "model/analytic/waves.hpp"
#include "validation/counters/recorded_counters.hpp"

namespace tilecast {

PredictedLaunch predicted_launch(const KernelDescription& kernel, const DeviceProfile& device) {
  constexpr double sector_bytes = 32;
  const auto machine = analytic::machine_of(device);
  const auto waves = analytic::waves_of(kernel, device);
  const auto traffic = analytic::traffic_of(kernel, std::max(waves[0].blocks, waves[1].blocks), machine,
                                            analytic::Caches::warm);
  const double asked = traffic.asked_read.value();
  double written = 0;
  for (const auto& stream : kernel.streams)
    written += stream.written ? stream.requested.value() : 0;
  const double issued =
      static_cast<double>(kernel.launch.blocks) * described_quantity("instructions", kernel).value_or(0);
  const double slots =
      machine.sms * machine.schedulers * (analytic::predict(kernel, device).time * machine.clock).value();
  return {.dram_read_bytes = traffic.dram_read_share * asked,
          .dram_written_bytes = traffic.dram_write_share * written,
          .sectors_read = asked / sector_bytes,
          .issue_slots_used = issued / slots};
}

}  // namespace tilecast
