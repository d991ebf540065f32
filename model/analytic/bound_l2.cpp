#include <algorithm>
#include <cmath>

#include "model/analytic/bounds.hpp"
#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {
namespace {

// A4. What a block stores in one trip, as bytes of whole sectors that would take equally long. Where byte
// masks are counted these are S6's packets; with `words`, packets of sectors that are stored to again take L2
// longer. Where masks are not counted, a partly filled sector costs `cost_of_partial` whole ones. Such a
// sector is half full on average, so with sectors filled to a share f they are 2 (1 - f) of all.
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

// A19. L1 is shared by what all blocks of the SM fetch in a trip and by the registers that they spill.
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

// A4. A phase's counts are those of the block with the most work, and `of_all` scales them to the average
// block. Returns the scale for the busiest SM: in a single wave some SM has only blocks with the most work;
// over many waves every SM runs the same mix.
double busiest_share(double of_all, const Traffic& traffic) {
  return traffic.single_wave ? 1 : of_all;
}

// A4. The same of stores: a single wave's SM has whole tiles first, as the grid ends with its edge.
double busiest_stores(const Wave& wave, const Traffic& traffic) {
  const double b = wave.blocks_per_sm;
  if (!traffic.single_wave || traffic.edge_blocks <= 0 || b <= 0)
    return busiest_share(traffic.l2_write_share, traffic);
  const double whole = std::min(b, std::ceil((wave.blocks - traffic.edge_blocks) / wave.active_sms));
  return (whole + (b - whole) * traffic.edge_stored) / b;
}

}  // namespace

// A4. L2 read time of one trip: all running blocks at the device's read bandwidth, or the busiest SM's blocks
// at that of one SM, whichever is longer.
Seconds l2_read_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  if (!machine.l2_read) return Seconds{};
  const Bytes fetched = traffic.l2_read_share * phase.fetched;
  const Bytes local = local_memory(phase, wave).read;
  const Seconds read = wave.blocks * (1 / traffic.read_together * fetched + local) / *machine.l2_read;
  if (!machine.sm_l2_read) return read;
  const Bytes busiest = busiest_share(traffic.l2_read_share, traffic) * phase.fetched;
  return std::max(read, wave.blocks_per_sm * (busiest + local) / *machine.sm_l2_read);
}

// A22. In proportion to what the launch asks for.
Seconds busiest_slice_time(const Phase& phase, const Wave& wave, const Traffic& traffic) {
  return Seconds{traffic.slice_time * wave.blocks * traffic.l2_read_share * phase.fetched.value()};
}

Seconds l2_write_port_time(const Phase& phase, const Wave& wave, const Traffic& traffic,
                           const Machine& machine) {
  const double busiest = busiest_stores(wave, traffic);
  const Bytes of_block =
      busiest * stored_sectors(phase, machine.partial_sector.port, stand_in::lone_sector_port, {});
  const Bytes by_sm = wave.blocks_per_sm * (of_block + local_memory(phase, wave).written);
  return Cycles{by_sm.value() / stand_in::store_port_bytes_per_cycle} / machine.clock;
}

double sms_with_one_more(const Wave& wave) {
  const double b = wave.blocks_per_sm, more = wave.blocks - (b - 1) * wave.active_sms;
  return b > 1 && more < wave.active_sms ? std::max(0.0, more) : 0;
}

bool stores_in_passes(const Phase& phase) {
  return phase.stored > Bytes{} && phase.warp.shared_store.wavefronts > 0;
}

namespace {

// A4. L2's times for one block's stores on each of so many SMs.
struct WriteTimes {
  Seconds port{};                           // of the SM's own way
  Seconds by_all{}, by_fewer{}, by_most{};  // on all SMs, on those with fewer blocks, with one more
};

// A4. Time in which the SMs with one block more store theirs. While the others store, each gets an equal
// share. These begin `computed_later` sooner.
Seconds uneven_write_time(double blocks, const WriteTimes& one, Seconds computed_later) {
  const Seconds fewer = std::max(one.by_fewer, one.port), most = std::max(one.by_most, one.port);
  const double beside = std::max(0.0, blocks - 1 - computed_later / fewer);
  return beside * one.by_all + (blocks - beside) * most;
}

}  // namespace

Seconds l2_write_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine,
                      std::optional<Seconds> computed_later) {
  // A block spills to the lines that its predecessor in the same place has stored to, which takes L2 longer.
  const Bytes local = (1 + stand_in::stored_again_cost) * local_memory(phase, wave).written;
  if (!machine.l2_read || phase.stored + local <= Bytes{}) return Seconds{};
  const auto of_block = [&](const std::optional<WordStores>& words) {
    return traffic.l2_write_share *
               stored_sectors(phase, machine.partial_sector.l2, stand_in::lone_sector_l2, words) +
           local;
  };
  const Bytes stored = of_block(traffic.words);
  const Bandwidth write = traffic.l2_write.value_or(*machine.l2_write);
  // Where further blocks come, faster SMs take more of them.
  const double used = traffic.single_wave || wave.active_sms < machine.sms ? wave.active_sms : 0;
  const auto time = [&](double blocks, double share) { return blocks * stored / (share * write); };
  const double all = written_share(used, machine.sms);
  const Seconds port = l2_write_port_time(phase, wave, traffic, machine);
  const Seconds even = std::max(time(wave.blocks, all), port);
  const double most = sms_with_one_more(wave);
  // Blocks that store as they compute begin together.
  if (phase.stores_apart > 0) computed_later = Seconds{};
  if (most <= 0 || !computed_later || stores_in_passes(phase)) return even;
  const double b = wave.blocks_per_sm;
  const WriteTimes one{
      .port = 1 / b * port,
      .by_all = time(wave.active_sms, all),
      .by_fewer = time(wave.active_sms - most, all),
      .by_most = std::max(time(most, all), most * of_block({}) / (written_share(most, machine.sms) * write))};
  return std::max(even, uneven_write_time(b, one, *computed_later));
}

Seconds l2_time_together(Seconds reads, Seconds stores, std::span<const Phase> phases) {
  constexpr double stores_among_reads = 0.5;  // experiments/l2_mix.csv: 0.4 to 0.5
  double touched = 0;
  Bytes stored;
  for (const auto& phase : phases) {
    touched += phase.trips * phase.active_warps * phase.warp.global_store.sectors * sector_bytes;
    stored += phase.trips * phase.stored;
  }
  const double unfilled = touched > 0 ? std::max(0.0, 1 - stored.value() / touched) : 0;
  const double reads_among_stores =
      std::min(1.0, stand_in::read_among_stores + stand_in::read_among_parts * unfilled);
  return std::max(stores + reads_among_stores * reads, reads + stores_among_reads * stores);
}

Seconds l2_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  return std::max(l2_read_time(phase, wave, traffic, machine), busiest_slice_time(phase, wave, traffic)) +
         l2_write_time(phase, wave, traffic, machine);
}

}  // namespace tilecast::analytic
