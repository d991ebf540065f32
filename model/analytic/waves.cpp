#include "model/analytic/waves.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/analytic/analytic.hpp"
#include "model/device/occupancy.hpp"

namespace tilecast::analytic {
namespace {

double as_double(std::int64_t value) {
  return static_cast<double>(value);
}

// A family that deals out its blocks itself says how many the busiest SM runs.
std::array<Wave, 2> dealt_waves(const KernelDescription& kernel, std::int64_t sms, std::int64_t resident) {
  const auto busiest = static_cast<std::int64_t>(kernel.busiest_sm_blocks);
  const auto full = busiest / resident;
  const auto rest = busiest % resident;
  const double active = as_double(std::min(kernel.launch.blocks, sms));
  const double per_busiest_block = as_double(kernel.launch.blocks) / as_double(busiest);
  return {Wave{as_double(full), as_double(resident), active, as_double(resident) * per_busiest_block},
          Wave{rest > 0 ? 1.0 : 0.0, as_double(rest), active, as_double(rest) * per_busiest_block}};
}

// A cluster must find room in one group of SMs, so that some SMs are left out. Shares of an H200's 132 SMs,
// by the most clusters of so many blocks that the driver says run at once (as S12).
std::int64_t usable_sms(std::int64_t sms, std::int64_t cluster) {
  constexpr double of = 132;
  if (cluster <= 2) return sms;
  return static_cast<std::int64_t>(static_cast<double>(sms) * (cluster <= 8 ? 120 : 112) / of);
}

std::string misfit_text(const KernelDescription& kernel, const Occupancy& fit) {
  return fmt::format(
      "{}: a block of {} threads, {} registers a thread and {:.0f} B of shared memory does not "
      "fit on an SM (limit: {})",
      kernel.family, kernel.launch.threads, kernel.launch.registers, kernel.launch.shared.value(),
      fit.limiter);
}

}  // namespace

std::optional<std::string> misfit(const KernelDescription& kernel, const DeviceProfile& device) {
  const auto fit = occupancy(kernel.launch, device);
  if (fit.blocks_per_sm > 0) return std::nullopt;
  return misfit_text(kernel, fit);
}

// A9. The scheduler fills every SM before it waits for one to be free; a tail is spread over as many SMs as
// it has blocks.
std::array<Wave, 2> waves_of(const KernelDescription& kernel, const DeviceProfile& device) {
  const auto fit = occupancy(kernel.launch, device);
  if (fit.blocks_per_sm < 1) throw InputError(misfit_text(kernel, fit));
  const auto sms = usable_sms(device.sm_count.get(), kernel.launch.cluster);
  if (kernel.busiest_sm_blocks > 0) return dealt_waves(kernel, sms, fit.blocks_per_sm);
  const auto at_once = sms * fit.blocks_per_sm;
  const auto full = kernel.launch.blocks / at_once;
  const auto rest = kernel.launch.blocks % at_once;
  return {Wave{as_double(full), as_double(fit.blocks_per_sm), as_double(sms), as_double(at_once)},
          Wave{rest > 0 ? 1.0 : 0.0, as_double((rest + sms - 1) / sms), as_double(std::min(rest, sms)),
               as_double(rest)}};
}

}  // namespace tilecast::analytic
