#include "model/device/occupancy.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "model/units/hardware_sizes.hpp"

namespace tilecast {

namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
constexpr std::int64_t round_up(std::int64_t a, std::int64_t unit) {
  return divide_up(a, unit) * unit;
}

std::int64_t registers_of_warp(const LaunchShape& launch, const DeviceProfile& device) {
  return round_up(launch.registers * threads_per_warp, device.register_allocation_unit.get());
}

std::int64_t limit_by_registers(const LaunchShape& launch, const DeviceProfile& device, std::int64_t warps) {
  if (launch.registers <= 0) return unlimited;
  if (launch.registers > device.max_registers_per_thread.get()) return 0;
  const std::int64_t sub_cores = device.schedulers_per_sm.get();
  const std::int64_t file = device.registers_per_sm.get();
  const std::int64_t per_warp = registers_of_warp(launch, device);
  // The launch check counts as if the block took the same from every sub-core.
  if (per_warp * round_up(warps, sub_cores) > file) return 0;
  // Each sub-core has its own part of the register file: what is left over in one cannot serve another.
  const std::int64_t warps_per_sub_core = file / sub_cores / per_warp;
  return warps_per_sub_core * sub_cores / warps;
}

std::int64_t limit_by_shared(const LaunchShape& launch, const DeviceProfile& device) {
  if (launch.shared > device.shared_per_block.get()) return 0;
  const auto bytes = [](Bytes value) { return static_cast<std::int64_t>(value.value()); };
  const std::int64_t taken = round_up(bytes(launch.shared + device.shared_reserved_per_block.get()),
                                      bytes(device.shared_allocation_unit.get()));
  return taken == 0 ? unlimited : bytes(device.shared_per_sm.get()) / taken;
}

}  // namespace

Occupancy occupancy(const LaunchShape& launch, const DeviceProfile& device) {
  const std::int64_t warps = divide_up(launch.threads, threads_per_warp);
  const bool too_many_threads = launch.threads < 1 || launch.threads > device.max_threads_per_block.get();

  struct Limit {
    std::string_view name;
    std::int64_t blocks;
  };
  const std::array limits{
      Limit{"threads", too_many_threads ? 0 : device.max_threads_per_sm.get() / threads_per_warp / warps},
      Limit{"blocks", device.max_blocks_per_sm.get()},
      Limit{"registers", too_many_threads ? unlimited : limit_by_registers(launch, device, warps)},
      Limit{"shared", limit_by_shared(launch, device)},
  };
  const auto& tightest = *std::min_element(limits.begin(), limits.end(),
                                           [](const auto& a, const auto& b) { return a.blocks < b.blocks; });

  Occupancy result;
  result.blocks_per_sm = tightest.blocks;
  result.limiter = tightest.name;
  if (tightest.blocks > 0) result.waves = divide_up(launch.blocks, device.sm_count.get() * tightest.blocks);
  return result;
}

std::int64_t warps_a_scheduler(const LaunchShape& launch, const DeviceProfile& device) {
  const std::int64_t schedulers = device.schedulers_per_sm.get();
  const std::int64_t by_threads = device.max_threads_per_sm.get() / threads_per_warp / schedulers;
  if (launch.registers <= 0) return by_threads;
  return std::min(by_threads, device.registers_per_sm.get() / schedulers / registers_of_warp(launch, device));
}

std::int64_t most_registers(std::int64_t blocks, std::int64_t threads, std::int64_t registers_per_sm) {
  constexpr std::int64_t most = 255, quarters = 4, step = 8, granted = step * threads_per_warp;
  const std::int64_t warps = divide_up(blocks * divide_up(threads, threads_per_warp), quarters);
  return std::min(most, registers_per_sm / quarters / warps / granted * step);
}

}  // namespace tilecast
