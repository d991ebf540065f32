#include <algorithm>

#include "model/analytic/bounds.hpp"
#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {
namespace {

// What a phase stores, as bytes of whole sectors that would take as long: S6's packets, those of sectors that
// are stored to again for longer in L2. Where masks are not known, a sector that a store fills in part, half
// of it on average (of sectors filled to f, 2 (1 - f)), costs what the profile says.
Bytes stored_sectors(const Phase& phase, double cost_of_partial, double cost_of_lone,
                     const std::optional<WordStores>& words) {
  constexpr Bytes sector{sector_bytes};
  const auto& store = phase.warp.global_store;
  const Bytes touched = phase.active_warps * store.sectors * sector;
  const Bytes lone = (cost_of_lone - 1) * (phase.active_warps * store.lone_sectors * sector);
  if (touched <= phase.stored) return phase.stored + lone;
  const double again = 1 - phase.stored / touched;
  if (store.masks) {
    const Bytes packets = touched + phase.active_warps * (*store.masks - store.joined) * sector;
    return (words ? packet_cost(again, *words) : 1) * packets + lone;
  }
  return (1 + (cost_of_partial - 1) * std::min(1.0, 2 * again)) * touched + lone;
}

}  // namespace

// A19. Copies and spilled registers of a trip, of all blocks of the SM, share L1.
LocalMemory local_memory(const Phase& phase, const Wave& wave) {
  LocalMemory local;
  if (!phase.code) return local;
  const auto& around = phase.code->around;
  const auto& compute = phase.code->compute;
  const double loads = phase.active_warps * (around.local_loads + compute.local_loads);
  const double stores = phase.active_warps * (around.local_stores + compute.local_stores);
  if (loads + stores <= 0) return local;
  constexpr Bytes line{line_bytes};
  const Bytes fetched = phase.fetched_lines > 0 ? phase.fetched_lines * line : phase.fetched;
  const Bytes used = std::max(1.0, wave.blocks_per_sm) * (fetched + std::max(loads, stores) * line);
  local.hit = std::min(1.0, stand_in::l1_beside_shared / used);
  local.read = (1 - local.hit) * loads * line;
  local.written = stores * line;
  return local;
}

namespace {

// A4. Of what a phase counts of the block with the most work, the share that the busiest SM's blocks have: in
// a single wave some SM has only such blocks; of many waves each SM has as many others as the next one.
double busiest_share(double of_all, const Traffic& traffic) {
  return traffic.single_wave ? 1 : of_all;
}

}  // namespace

// A4. What all running blocks ask of L2, at the bandwidth of the whole device, or those of the busiest SM at
// its own.
Seconds l2_read_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  if (!machine.l2_read) return Seconds{};
  const Bytes fetched = traffic.l2_read_share * phase.fetched;
  const Bytes local = local_memory(phase, wave).read;
  const Seconds read = wave.blocks * (1 / traffic.read_together * fetched + local) / *machine.l2_read;
  if (!machine.sm_l2_read) return read;
  const Bytes busiest = busiest_share(traffic.l2_read_share, traffic) * phase.fetched;
  return std::max(read, wave.blocks_per_sm * (busiest + local) / *machine.sm_l2_read);
}

Seconds l2_write_port_time(const Phase& phase, const Wave& wave, const Traffic& traffic,
                           const Machine& machine) {
  const double busiest = busiest_share(traffic.l2_write_share, traffic);
  const Bytes of_block =
      busiest * stored_sectors(phase, machine.partial_sector.port, stand_in::lone_sector_port, {});
  const Bytes by_sm = wave.blocks_per_sm * (of_block + local_memory(phase, wave).written);
  return Cycles{by_sm.value() / stand_in::store_port_bytes_per_cycle} / machine.clock;
}

// A4. Those that have a block more store it when the others are done.
double storing_sms(const Wave& wave, double all, Bandwidth write, const Machine& machine) {
  const double b = wave.blocks_per_sm, more = wave.blocks - (b - 1) * wave.active_sms;
  if (b <= 1 || more <= 0 || more >= wave.active_sms) return 0;
  const Bandwidth port{stand_in::store_port_bytes_per_cycle * machine.clock.value()};
  const double alone = std::max(more / written_share(more, machine.sms), write / port);
  return ((b - 1) * wave.active_sms / all + alone) / b;
}

Seconds l2_write_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  // Each block stores to the lines that the one before it in its place has stored to.
  const Bytes local = (1 + stand_in::stored_again_cost) * local_memory(phase, wave).written;
  if (!machine.l2_read || phase.stored + local <= Bytes{}) return Seconds{};
  const Bytes of_block = traffic.l2_write_share * stored_sectors(phase, machine.partial_sector.l2,
                                                                 stand_in::lone_sector_l2, traffic.words);
  const Bandwidth write = traffic.l2_write.value_or(*machine.l2_write);
  const double used = wave.active_sms < machine.sms ? wave.active_sms : 0;
  const double all = written_share(used, machine.sms);
  const double sms = phase.stores_apart > 0 ? storing_sms(wave, all, write, machine) : 0;
  return std::max({wave.blocks * (of_block + local) / (all * write),
                   sms * wave.blocks_per_sm * (of_block + local) / write,
                   l2_write_port_time(phase, wave, traffic, machine)});
}

Seconds l2_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  return l2_read_time(phase, wave, traffic, machine) + l2_write_time(phase, wave, traffic, machine);
}

}  // namespace tilecast::analytic
