#include "model/rivals/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/device/occupancy.hpp"
#include "model/device/rates.hpp"
#include "model/support/errors.hpp"

namespace tilecast::rivals {

Rates rates_of(const DeviceProfile& d) {
  return {.clock = sm_clock_of(d),
          .sms = static_cast<double>(d.sm_count.get()),
          .lanes = static_cast<double>(d.fp32_lanes_per_sm.get()),
          .dram = dram_read_of(d)};
}

Moved moved_by(const KernelDescription& kernel) {
  Moved moved;
  for (const auto& s : kernel.streams) {
    (s.written ? moved.written_unique : moved.read_unique) += s.unique;
    (s.written ? moved.written_requested : moved.read_requested) += s.requested;
  }
  return moved;
}

double resident_blocks(const KernelDescription& kernel, const DeviceProfile& device) {
  const auto fit = occupancy(kernel.launch, device);
  if (fit.blocks_per_sm == 0)
    throw InputError(fmt::format("a block does not fit on an SM ({})", fit.limiter));
  return static_cast<double>(fit.blocks_per_sm);
}

Prediction prediction_of(Seconds time, std::vector<Bound> bounds) {
  Prediction p{.time = time, .low = time, .high = time, .limiter = {}, .bounds = std::move(bounds)};
  const auto longest = std::ranges::max_element(p.bounds, {}, &Bound::time);
  if (longest != p.bounds.end()) p.limiter = longest->name;
  return p;
}

}  // namespace tilecast::rivals
