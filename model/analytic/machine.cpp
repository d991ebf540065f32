#include "model/analytic/machine.hpp"

#include <algorithm>

#include "model/device/occupancy.hpp"
#include "model/device/rates.hpp"
#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {
namespace {

template <class T>
std::optional<T> value_if(const Parameter<T>& p) {
  return p.present() ? std::optional<T>(p.get()) : std::nullopt;
}

// A8. Against the kernels of the launch probe, whose registers and shared memory leave room for as many
// blocks as there can be; its single block has one warp.
void add_room(Machine& m, const DeviceProfile& d, const LaunchShape& launch) {
  const auto room = occupancy(launch, d).blocks_per_sm;
  const auto less_than = [&](std::int64_t threads) {
    const auto most = occupancy({.threads = threads}, d).blocks_per_sm;
    return room > 0 ? static_cast<double>(std::max<std::int64_t>(0, most - room)) : 0.0;
  };
  m.less_room = less_than(launch.threads);
  m.less_room_than_single = less_than(threads_per_warp);
}

// A17. What the kernel's clusters need. The barrier's stand-in is from H200 loops.
void add_cluster(Machine& m, const DeviceProfile& d, double blocks) {
  constexpr Cycles barrier{341};
  m.cluster = blocks;
  m.cluster_latency = value_if(d.cluster_shared_latency);
  const Curve& rates = d.cluster_shared_read_over_blocks;
  m.cluster_bytes_per_cycle =
      rates.present() ? interpolate(rates, blocks) : stand_in::cluster_bytes_per_cycle;
  const Curve& barriers = d.cluster_barrier_over_blocks;
  m.cluster_barrier = barriers.present() ? Cycles{interpolate(barriers, blocks)} : barrier;
  m.fence_behind = stand_in::fence_behind;
}

// A16. Cycles an instruction of code that only the next cache has. With one warp a scheduler, an FFMA issues
// as soon as it arrives.
std::optional<Cycles> fetch_of(const DeviceProfile& d) {
  const Table2D& rates = d.fma_rate_over_loop_length;
  if (!rates.present()) return std::nullopt;
  const auto schedulers = static_cast<double>(d.schedulers_per_sm.get());
  const double rate = interpolate(rates, stand_in::long_loop_instructions, schedulers);
  const double per_instruction = threads_per_warp * schedulers / rate;
  return Cycles{per_instruction};
}

}  // namespace

// A4. Stand-in: H200 (experiments/some_sms.csv). The blocks of a wave fill some GPCs more than others, and
// each GPC has its own way to L2.
double written_share(double used_sms, double sms) {
  static const Curve of_all{.x = {0.5, 0.61, 0.69, 0.76, 0.83, 0.91, 1},
                            .y = {0.75, 0.70, 0.75, 0.79, 0.88, 0.92, 0.95}};
  return used_sms > 0 && sms > 0 ? interpolate(of_all, used_sms / sms) : 1;
}

PartialSector partial_sector_of(const DeviceProfile& d, const Machine& m) {
  PartialSector cost;
  const auto& rates = d.store_rate_filled_by_warp_over_piece_and_sms;
  if (!rates.present() || !m.l2_write) return cost;
  constexpr double half_sector = 16;
  // Bytes a cycle and SM, each half sector counted as a whole one.
  const auto asked = [&](double sms) { return 2 * interpolate(rates, half_sector, sms); };
  cost.port = std::max(1.0, stand_in::store_port_bytes_per_cycle / asked(1));
  cost.l2 = std::max(1.0, m.l2_write->value() / m.clock.value() / m.sms / asked(m.sms));
  return cost;
}

Machine machine_of(const DeviceProfile& d) {
  Machine m;
  m.clock = sm_clock_of(d);
  m.sms = static_cast<double>(d.sm_count.get());
  m.schedulers = static_cast<double>(d.schedulers_per_sm.get());
  const auto lanes = static_cast<double>(d.fp32_lanes_per_sm.get());
  m.fma_per_cycle = d.fma_rate.present() ? std::min(lanes, d.fma_rate.get().value()) : lanes;
  m.wavefronts_per_cycle =
      d.shared_read.present() ? std::min(1.0, d.shared_read.get().value() / wavefront_bytes) : 1.0;
  if (const Curve& cycles = d.async_copy_cycles_over_width; cycles.present()) {
    constexpr std::array widths{4.0, 8.0, 16.0};
    constexpr double bytes_per_cycle = 4;  // of a lane: 128 B a warp
    for (std::size_t i = 0; i < widths.size(); ++i)
      m.copy_beyond_sectors[i] = std::max(0.0, interpolate(cycles, widths[i]) - widths[i] / bytes_per_cycle);
  }
  m.l2_read = value_if(d.l2_read);
  m.l2_write = d.l2_write.present() ? value_if(d.l2_write) : m.l2_read;
  if (d.l2_read_over_active_sms.present())
    m.sm_l2_read = Bandwidth{interpolate(d.l2_read_over_active_sms, 1)};
  m.partial_sector = partial_sector_of(d, m);
  m.dram_read = dram_read_of(d);
  m.dram_write = dram_write_of(d);
  m.shared_latency = value_if(d.shared_latency);
  m.l2_latency = value_if(d.l2_latency);
  m.dram_latency = value_if(d.dram_latency);
  m.l2_far_latency = value_if(d.l2_far_latency);
  m.fetch = fetch_of(d);
  m.barrier = value_if(d.barrier);
  if (d.store_drain.present()) {
    m.store_drain = d.store_drain.get();
  } else if (m.l2_latency) {
    m.store_drain = *m.l2_latency / m.clock;
  }
  m.profile = &d;
  return m;
}

// A1, A2. An FFMA that waits for a register port holds its scheduler, so that whatever the register tile
// takes beyond the lanes' own cycles costs issue slots.
Machine machine_of(const DeviceProfile& d, const KernelDescription& kernel) {
  Machine m = machine_of(d);
  if (kernel.launch.cluster > 1) add_cluster(m, d, static_cast<double>(kernel.launch.cluster));
  add_room(m, d, kernel.launch);
  m.code_known = !kernel.phases.empty() &&
                 std::ranges::all_of(kernel.phases, [](const Phase& p) { return p.code.has_value(); });
  m.local_memory = std::ranges::any_of(kernel.phases, [](const Phase& p) {
    return p.code && p.code->around.local_loads + p.code->compute.local_loads > 0;
  });
  if (m.code_known) return m;
  const Table2D& rates = d.fma_rate_over_register_tile;
  if (!kernel.register_tile || !rates.present()) return m;
  const auto lanes = static_cast<double>(d.fp32_lanes_per_sm.get());
  m.fma_per_cycle =
      std::min(lanes, nearest(rates, kernel.register_tile->filters, kernel.register_tile->pixels));
  m.tile_measured = true;
  m.ffma_slots = 1 + threads_per_warp * m.schedulers * (1 / m.fma_per_cycle - 1 / lanes);
  return m;
}

}  // namespace tilecast::analytic
