#include "model/analytic/waves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

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

// Where clusters find room: so many blocks at once, spread over so many SMs, each with so many of them.
struct Room {
  std::int64_t blocks = 0, sms = 0, blocks_per_sm = 0;
};

// Where the profile has no counts, stand-ins, of an H200 by cuOccupancyMaxActiveClusters
// (experiments/cluster_room.csv), blocks of one an SM: a cluster's SMs are of one GPC, whose sizes differ, so
// that some SMs are left out; and an SM holds eight blocks of clusters, however small.
std::int64_t sms_of_clusters(const DeviceProfile& device, std::int64_t cluster) {
  const auto sms = device.sm_count.get();
  const Curve& reached = device.cluster_sms_over_blocks;
  if (reached.present()) return std::min(sms, std::lround(interpolate(reached, as_double(cluster))));
  constexpr double of = 132;
  if (cluster <= 2) return sms;
  return static_cast<std::int64_t>(static_cast<double>(sms) * (cluster <= 8 ? 120 : 112) / of);
}

// By the profile's count.
std::int64_t counted_blocks(std::int64_t cluster, std::int64_t blocks_per_sm, const DeviceProfile& device) {
  const Table2D& counted = device.cluster_blocks_over_cluster_and_fit;
  return std::min(device.sm_count.get() * blocks_per_sm,
                  std::lround(interpolate(counted, as_double(cluster), as_double(blocks_per_sm))));
}

Room room_of(const LaunchShape& launch, std::int64_t fit, const DeviceProfile& device) {
  const auto sms = device.sm_count.get();
  if (launch.cluster <= 1) return {sms * fit, sms, fit};
  if (const Table2D& counted = device.cluster_blocks_over_cluster_and_fit; counted.present()) {
    const auto most = std::min(fit, std::lround(counted.columns.back()));
    const auto blocks = counted_blocks(launch.cluster, most, device);
    return {blocks, (blocks + most - 1) / most, most};
  }
  const auto reached = sms_of_clusters(device, launch.cluster);
  std::int64_t most_blocks = 8;
  // Of blocks of one warp; averages over all SMs.
  constexpr double few_threads = 32;
  if (const Table2D& resident = device.resident_blocks_over_cluster_and_threads; resident.present()) {
    const double all = as_double(sms) * interpolate(resident, as_double(launch.cluster), few_threads);
    most_blocks = std::max(1L, std::lround(all / as_double(reached)));
  }
  const auto most = std::min(fit, most_blocks);
  return {reached * most, reached, most};
}

// How many of the tail's blocks the busiest SM has: clusters find room for fewer blocks of one an SM than
// there are SMs with room for two.
std::int64_t tail_per_sm(std::int64_t rest, const Room& room, const LaunchShape& launch,
                         const DeviceProfile& device) {
  auto each = (rest + room.sms - 1) / room.sms;
  if (launch.cluster > 1 && device.cluster_blocks_over_cluster_and_fit.present())
    while (each < room.blocks_per_sm && counted_blocks(launch.cluster, each, device) < rest)
      ++each;
  return each;
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
  const auto room = room_of(kernel.launch, fit.blocks_per_sm, device);
  const auto [at_once, sms, resident] = room;
  if (kernel.busiest_sm_blocks > 0) return dealt_waves(kernel, sms, resident);
  const auto full = kernel.launch.blocks / at_once;
  const auto rest = kernel.launch.blocks % at_once;
  return {Wave{as_double(full), as_double(resident), as_double(sms), as_double(at_once)},
          Wave{rest > 0 ? 1.0 : 0.0, as_double(tail_per_sm(rest, room, kernel.launch, device)),
               as_double(std::min(rest, sms)), as_double(rest)}};
}

}  // namespace tilecast::analytic
