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

// A9, of a family that deals out its blocks itself and names those of the busiest SM.
std::array<Wave, 2> dealt_waves(const KernelDescription& kernel, std::int64_t sms, std::int64_t resident) {
  const auto busiest = static_cast<std::int64_t>(kernel.busiest_sm_blocks);
  const auto full = busiest / resident;
  const auto rest = busiest % resident;
  const double active = as_double(std::min(kernel.launch.blocks, sms));
  const double per_busiest_block = as_double(kernel.launch.blocks) / as_double(busiest);
  return {Wave{as_double(full), as_double(resident), active, as_double(resident) * per_busiest_block},
          Wave{rest > 0 ? 1.0 : 0.0, as_double(rest), active, as_double(rest) * per_busiest_block}};
}

// Room for blocks at once: on the device, the SMs that they are spread over, and on each of these.
struct Room {
  std::int64_t blocks = 0, sms = 0, blocks_per_sm = 0;
};

// SMs that clusters reach with one block an SM. A cluster's SMs are in one GPC, and GPCs differ in size, so
// that some SMs are left out. Without a curve of the profile: an H200 by cuOccupancyMaxActiveClusters
// (experiments/cluster_room.csv).
std::int64_t sms_of_clusters(const DeviceProfile& device, std::int64_t cluster) {
  const auto sms = device.sm_count.get();
  const Curve& reached = device.cluster_sms_over_blocks;
  if (reached.present()) return std::min(sms, std::lround(interpolate(reached, as_double(cluster))));
  constexpr double of = 132;
  if (cluster <= 2) return sms;
  return static_cast<std::int64_t>(static_cast<double>(sms) * (cluster <= 8 ? 120 : 112) / of);
}

Room room_of(const LaunchShape& launch, std::int64_t fit, const DeviceProfile& device) {
  const auto sms = device.sm_count.get();
  if (launch.cluster <= 1) return {sms * fit, sms, fit};
  if (const Table2D& counted = device.cluster_blocks_over_cluster_and_fit; counted.present()) {
    const auto most = std::min(fit, std::lround(counted.columns.back()));
    const auto blocks =
        std::min(sms * most, std::lround(interpolate(counted, as_double(launch.cluster), as_double(most))));
    return {blocks, (blocks + most - 1) / most, most};
  }
  const auto reached = sms_of_clusters(device, launch.cluster);
  // An SM holds eight blocks of clusters, however small (stand-in: H200, cluster_room.csv). The profile's
  // table is of averages over all SMs.
  std::int64_t most_blocks = 8;
  constexpr double few_threads = 32;
  if (const Table2D& resident = device.resident_blocks_over_cluster_and_threads; resident.present()) {
    const double all = as_double(sms) * interpolate(resident, as_double(launch.cluster), few_threads);
    most_blocks = std::max(1L, std::lround(all / as_double(reached)));
  }
  const auto most = std::min(fit, most_blocks);
  return {reached * most, reached, most};
}

// A9. Blocks on the busiest SM if `blocks` find room at once. Clusters use an SM for a second block only when
// no other SM has room for a first one: the smallest number of blocks an SM that has room for all. Behind
// full waves (`others`) they come to these waves' SMs.
std::int64_t busiest_of(std::int64_t blocks, bool others, const Room& room, std::int64_t cluster,
                        const DeviceProfile& device) {
  const auto evenly = [&](std::int64_t sms) { return (blocks + sms - 1) / sms; };
  const Table2D& counted = device.cluster_blocks_over_cluster_and_fit;
  if (cluster <= 1 || !counted.present()) return evenly(room.sms);
  auto each = std::max<std::int64_t>(1, evenly(others ? room.sms : device.sm_count.get()));
  while (each < room.blocks_per_sm &&
         std::lround(interpolate(counted, as_double(cluster), as_double(each))) < blocks)
    ++each;
  return blocks > 0 ? each : 0;
}

std::string misfit_text(const KernelDescription& kernel, const Occupancy& fit) {
  return fmt::format(
      "{}: a block of {} threads, {} registers a thread and {:.0f} B of shared memory does not "
      "fit on an SM (limit: {})",
      kernel.family, kernel.launch.threads, kernel.launch.registers, kernel.launch.shared.value(),
      fit.limiter);
}

}  // namespace

bool two_on_a_scheduler(double blocks_per_sm, double tail_blocks, double cluster, double sms) {
  const double groups = blocks_per_sm / 2;  // of schedulers, each with one block's warps
  if (groups > 2) return tail_blocks > sms;
  return tail_blocks > sms / 2 || (cluster > 1 && groups <= 1);
}

double parts_of_device(std::int64_t cluster, const DeviceProfile& device) {
  const double sms = as_double(device.sm_count.get());
  if (cluster <= 1) return sms;
  const Table2D& counted = device.cluster_blocks_over_cluster_and_fit;
  const double blocks = counted.present() ? std::min(sms, interpolate(counted, as_double(cluster), 1))
                                          : as_double(sms_of_clusters(device, cluster));
  return std::max(1.0, std::floor(blocks / as_double(cluster)));
}

Cycles sm_deviation(Cycles time) {
  const double cycles = time.value();
  return Cycles{std::min(sm_walk * std::sqrt(cycles), most_sm_deviation * cycles)};
}

// Blom's mean of the smallest of n, by Hastings' approximation (Abramowitz and Stegun 26.2.23).
double first_of(double n) {
  const double t = std::sqrt(-2 * std::log(0.625 / (n + 0.25)));
  return n <= 1 ? 0
                : t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                          (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

namespace {
constexpr double logistic_scale = 1.702;
}

double normal_share(double deviations) {
  return 1 / (1 + std::exp(-logistic_scale * deviations));
}

double normal_quantile(double share) {
  return std::log(share / (1 - share)) / logistic_scale;
}

// The tail's last place is taken when that share of the parts has filled theirs: the normal quantile of the
// share, within the expected first and last of all parts.
double tail_gone(const Wave& tail, double parts, double of_part) {
  const double filled = tail.blocks / (parts * of_part) - (tail.blocks_per_sm - 1);
  const double share = std::clamp(filled, 0.01, 0.99), most = first_of(parts);
  return std::clamp(normal_quantile(share), -most, most);
}

std::optional<std::string> misfit(const KernelDescription& kernel, const DeviceProfile& device) {
  const auto fit = occupancy(kernel.launch, device);
  if (fit.blocks_per_sm > 0) return std::nullopt;
  return misfit_text(kernel, fit);
}

// A9. The device fills all SMs before it waits for a free place; a tail is spread over as many SMs as it has
// blocks.
std::array<Wave, 2> waves_of(const KernelDescription& kernel, const DeviceProfile& device) {
  const auto fit = occupancy(kernel.launch, device);
  if (fit.blocks_per_sm < 1) throw InputError(misfit_text(kernel, fit));
  const auto room = room_of(kernel.launch, fit.blocks_per_sm, device);
  const auto [at_once, sms, resident] = room;
  if (kernel.busiest_sm_blocks > 0) return dealt_waves(kernel, sms, resident);
  const auto full = kernel.launch.blocks / at_once;
  const auto rest = kernel.launch.blocks % at_once;
  const auto busiest = busiest_of(rest, full > 0, room, kernel.launch.cluster, device);
  const auto reached = rest > 0 ? std::max(sms, (rest + busiest - 1) / busiest) : sms;
  return {
      Wave{as_double(full), as_double(resident), as_double(sms), as_double(at_once)},
      Wave{rest > 0 ? 1.0 : 0.0, as_double(busiest), as_double(std::min(rest, reached)), as_double(rest)}};
}

}  // namespace tilecast::analytic
