#include "model/analytic/code_wave.hpp"

#include <algorithm>
#include <cmath>

#include "model/analytic/overlap.hpp"
#include "model/analytic/paces.hpp"
#include "model/analytic/phase_cost.hpp"
#include "model/analytic/staged_stores.hpp"
#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {
namespace {

// A15's L. A barrier waits for the slowest of the lines that the block's trip asked for, which comes from
// DRAM unless all of them hit L2.
Seconds slowest_latency(const Phase& phase, const Traffic& traffic, const Machine& machine) {
  const Cycles hit = traffic.slow_hit.value_or(machine.l2_latency.value_or(Cycles{}));
  const Cycles miss = std::max(hit, traffic.slow_miss.value_or(machine.dram_latency.value_or(hit)));
  const double waiting = waiting_share(traffic);
  if (waiting <= 0) return hit / machine.clock;
  const double lines = std::max(1.0, phase.fetched.value() / line_bytes);
  const double missed = 1 - std::pow(1 - waiting, lines);
  return (hit + missed * (miss - hit)) / machine.clock;
}

// A15's n L of a trip that waits for its own loads.
Seconds own_latency(const Phase& phase, const Traffic& traffic, const Machine& machine) {
  if (!waits_for_itself(phase)) return Seconds{};
  return exposed_rounds(phase) * slowest_latency(phase, traffic, machine);
}

// A19. Cycles by which a warp's chain is longer in a trip for spilled registers that miss L1 (describe()
// counts the chain with hits). All waits for memory but one are for these; once they come behind the data
// that the warp asked for before.
double local_wait_cycles(const Phase& phase, const Wave& wave, const Traffic& traffic,
                         const Machine& machine) {
  const auto& around = phase.code->around;
  const double waits = around.long_waits - 1;
  if (around.local_loads <= 0 || waits <= 0) return 0;
  const double missed =
      1 - std::pow(local_memory(phase, wave).hit, std::max(1.0, around.local_loads / waits));
  const Cycles of_l2 = machine.l2_latency.value_or(stand_in::local_latency);
  Cycles longer = waits * (of_l2 - stand_in::local_latency);
  if (phase.fetched > Bytes{})
    longer += std::max(Cycles{}, slowest_latency(phase, traffic, machine) * machine.clock - of_l2);
  return missed * longer.value();
}

// A15's m and D. Loads into registers that the trip itself waits for, though the next trip uses the data: how
// often, and cycles of a warp alone between the last load's issue and the wait.
struct LoadWaits {
  double times = 0, distance = 0;
};

LoadWaits load_waits_of(const Phase& phase) {
  const auto& around = phase.code->around;
  const auto& compute = phase.code->compute;
  const double waits = around.load_waits + compute.load_waits;
  if (waits <= 0 || phase.fetched <= Bytes{}) return {};
  // A mean over all trips, of which the last ones load nothing: those that load wait at least once.
  return {std::max(1.0, waits), (around.load_distance + compute.load_distance) / waits};
}

// A15. Stores that an SM has room for, so that they go on while its blocks do something else
// (experiments/store_queue.csv).
constexpr Bytes room_for_stores{448.0 * sector_bytes};

// A15, S9. The part of that room behind the pipe, in packets of whole sectors; none of it counts for stores
// beside computation.
constexpr Bytes room_behind_pipe{stand_in::store_packets_held * sector_bytes};

// Share of the SM's stores in a trip that it has room for.
double share_with_room(const Phase& phase, const Wave& wave) {
  return std::min(1.0, room_for_stores / (wave.blocks_per_sm * phase.stored));
}

// A4 of a trip of all blocks that run at once.
struct L2Times {
  Seconds read{}, write{};
  Seconds slice{};  // A22: of the busiest slice, for the reads
};

// What the steps of code_wave() share.
struct Surroundings {
  const Wave& wave;
  const Traffic& traffic;
  const Machine& machine;
  const Enabled& enabled;
  double warps = 0;  // of a block
  Cycles barrier{};  // one of these warps'
  bool on(BoundId id) const { return enabled[index(id)]; }
};

// A15. Time that each resource needs for one trip of all blocks together.
CodePart needed(const Phase& phase, const PhaseCost& cost, const L2Times& l2, const Surroundings& at) {
  const auto& machine = at.machine;
  const double b = at.wave.blocks_per_sm;
  const double all = warps_on_busiest_scheduler(b * at.warps, machine);
  const double active = computing_warps(phase, b, machine);
  const auto both = [&](double CodeCost::*part) {
    return Cycles{all * cost.around.*part + active * cost.compute.*part} / machine.clock;
  };
  CodePart n{.fma = both(&CodeCost::fma),
             .issue = both(&CodeCost::issue),
             .ports = both(&CodeCost::ports),
             .alu = both(&CodeCost::alu),
             .queue = both(&CodeCost::queue)};
  n.pipe = Cycles{b * (at.warps * cost.around.pipe + phase.active_warps * cost.compute.pipe)} / machine.clock;
  n.l2 = std::max(l2.read, l2.slice) + l2.write;
  n.l2_stores = l2.write;
  if (at.on(BoundId::dram)) {
    const auto dram = dram_busy(phase, at.wave, at.traffic, machine);
    n.dram = dram.all;
    n.dram_writes = dram.written;
  }
  if (at.on(BoundId::cluster)) n.cluster = b * cluster_transfer(phase, machine);
  return n;
}

// A14, A7. One block's trip if only its own instructions and barriers take time.
struct BlockAlone {
  Seconds before{}, computing{}, barrier{};  // `before`: code outside of the computation
  Seconds spilled{};                         // what `before` takes longer as spilled registers miss L1 (A19)
  Seconds total() const { return before + computing + barrier; }
};

BlockAlone block_alone(const Phase& phase, const PhaseCost& cost, const Surroundings& at) {
  const auto& machine = at.machine;
  BlockAlone block;
  const Seconds latency = at.on(BoundId::latency) ? own_latency(phase, at.traffic, machine) : Seconds{};
  const double waited = (latency * machine.clock).value();
  block.before = Cycles{around_cycles(phase, cost, at.warps, waited, machine, at.enabled)} / machine.clock;
  block.computing = Cycles{computing_cycles(phase, cost, 0, machine, at.enabled)} / machine.clock;
  if (at.on(BoundId::barrier)) {
    const double barriers = phase.code->around.barriers + phase.code->compute.barriers;
    block.barrier = barriers * at.barrier / machine.clock;
  }
  return block;
}

// A15. How one block's trip waits for the data that it or an earlier trip asked for.
struct DataWaits {
  Seconds latency{};   // n L, and the waits for loads into registers as if L2 were idle
  Seconds loading{};   // what these take longer for the block's share of L2
  Seconds requests{};  // requests d trips ahead: (around + L) / d + barriers
  Seconds transfer{};  // R' / d
};

// `before`: time of the code outside of the computation; `read`: the block's share of L2's reads (R).
DataWaits data_waits(const CodePart& part, const Phase& phase, const PhaseCost& cost, Seconds before,
                     Seconds read, const Surroundings& at) {
  DataWaits waits;
  const bool ahead = phase.fetch_distance > 0 && phase.fetched > Bytes{}, itself = waits_for_itself(phase);
  if (!at.on(BoundId::latency) || !(itself || phase.exposed_latencies > 0 || ahead)) return waits;
  const Seconds latency = slowest_latency(phase, at.traffic, at.machine);
  waits.latency = itself ? own_latency(phase, at.traffic, at.machine) : phase.exposed_latencies * latency;
  const double alone = cost.around.chain + cost.compute.chain;
  // The block's warps share the trip's resources, which stretches any part of one warp's chain alike.
  const auto stretch = [&](double cycles) { return std::min(1.0, cycles / alone) * part.chain; };
  if (itself && alone > 0)
    waits.latency = waits.latency - std::min(latency, stretch(phase.cycles_until_wait));
  if (!ahead) return waits;
  const auto loads = load_waits_of(phase);
  if (loads.times > 0 && alone > 0) {
    const Seconds distance = stretch(loads.distance);
    const Seconds waited = loads.times * std::max(Seconds{}, latency - distance);
    // The first of them are on their way while the others are asked for.
    const Seconds behind = read - std::min(read, before);
    waits.loading = loads.times * std::max(Seconds{}, latency + behind / loads.times - distance) - waited;
    waits.latency += waited;
  }
  const auto trips_ahead = static_cast<double>(phase.fetch_distance);
  const Seconds asked = asking_share(phase, cost, at.warps, at.machine, at.enabled) * before;
  waits.requests = (asked + latency) / trips_ahead + part.barrier;
  waits.transfer = (read - std::min(read, before)) / trips_ahead;
  return waits;
}

// A15. What the computation takes longer for `storing` of L2's time beside it.
Seconds longer_beside_stores(const Phase& phase, const PhaseCost& cost, const BlockAlone& block,
                             Seconds storing, const Surroundings& at) {
  const auto& machine = at.machine;
  const double cycles = computing_cycles(phase, cost, (storing * machine.clock).value(), machine, at.enabled);
  return Cycles{cycles} / machine.clock - block.computing;
}

// What add_alone() needs to know of the trip beside its phase.
struct TripPlace {
  double pace = 1;      // factor on a block's own time: S18's (A20) over A14's
  double followed = 1;  // share of the trips behind which another one begins
};

// A15. A block's share of L2's time for a trip's stores; of a block alone on its SM with the pauses between
// them.
Seconds storing_time(const CodePart& part, const Phase& phase, const L2Times& l2, const Surroundings& at) {
  const double b = at.wave.blocks_per_sm;
  const auto& code = *phase.code;
  const auto pauses =
      store_pauses(phase, code.around.barriers + code.compute.barriers, part.barrier, at.machine);
  const bool staged = pauses.count > 0 && phase.cluster_barriers <= 0;
  if (b > 1 || !staged || l2.write <= Seconds{}) return l2.write / b;
  const Seconds port = l2_write_port_time(phase, at.wave, at.traffic, at.machine);
  const auto time = [&](Seconds w) { return time_with_pauses(store_counts(phase), pauses, w, port); };
  if (!stores_unevenly(at.wave, at.traffic, at.machine)) return time(l2.write);
  return time_of_last_sm(l2.write, time(l2.write), time(Seconds{}));
}

// A15. Adds what one block takes for one trip. As all SMs are in the same phase, more or less, a block gets
// its share of L2's bandwidth and no more.
void add_alone(CodePart& part, const Phase& phase, const PhaseCost& cost, const BlockAlone& block,
               const L2Times& l2, const TripPlace& place, const Surroundings& at) {
  const double b = at.wave.blocks_per_sm;
  const Seconds before = place.pace * block.before + block.spilled;
  part.chain = before + place.pace * block.computing;
  part.barrier = place.pace * block.barrier;
  if (at.on(BoundId::cluster)) {
    part.exchange = cluster_waits(phase, part.chain, at.machine);
    part.meeting = cluster_waits(phase, part.chain, at.machine, b) - part.exchange;
  }
  // A22. Blocks ask for their first data in step, later ones apart.
  const Seconds read = (waits_for_itself(phase) ? std::max(l2.read, l2.slice) : l2.read) / b;
  const Seconds write = l2.write / b;
  const auto data = data_waits(part, phase, cost, before, read, at);
  Seconds chain = part.chain + part.barrier + data.latency + part.exchange;
  const Seconds untouched = std::max(chain, data.requests);
  chain += data.loading;
  // A trip that waits for its own loads has asked for all of them before the first one comes.
  if (waits_for_itself(phase)) chain += std::max(Seconds{}, read - before);
  if (phase.stores_apart > 0 && write > Seconds{}) {
    const Seconds storing = (1 - place.followed * share_with_room(phase, at.wave)) * write;
    chain += longer_beside_stores(phase, cost, block, storing, at);
  }
  part.latency = std::max(data.latency, data.requests - part.chain - part.barrier - part.exchange);
  part.share =
      std::max({chain, data.requests + data.transfer, read + storing_time(part, phase, l2, at)}) - untouched;
}

// A18. One trip of several blocks that compute and then store, in the stretches that they go through
// together: what comes before the computation, its first window, and the rest.
std::vector<CodePart> stretches(const CodePart& part, const Phase& phase, const PhaseCost& cost,
                                const BlockAlone& block, Seconds read, const Surroundings& at) {
  if (at.wave.blocks_per_sm <= 1 || phase.trips != 1 || phase.stores_apart <= 0) return {part};
  const auto of = [&](const PhaseCost& some, Seconds l2, Seconds chain) {
    CodePart stretch = needed(phase, some, {.read = l2, .write = {}, .slice = {}}, at);
    stretch.dram = stretch.dram_writes = stretch.cluster = {};
    stretch.chain = chain;
    return stretch;
  };
  PhaseCost before, window;
  before.around = cost.around;
  window.compute = cost.window;
  const double cycles = segment_cycles(cost.window, phase.active_warps, at.machine, at.enabled);
  std::vector<CodePart> all{of(before, read, block.before), of(window, {}, Cycles{cycles} / at.machine.clock),
                            part};
  all[0].latency = part.latency;
  all[0].barrier = part.barrier;
  CodePart others = all[0];
  others += all[1];
  all[2] = less(part, others);
  return all;
}

// A20's room: L2's time for as many packets of the blocks' stores as the SM holds (S6).
Seconds time_of_room(const Phase& last, const L2Times& l2, const Wave& w) {
  if (last.stored <= Bytes{} || w.blocks_per_sm <= 0) return {};
  return stand_in::store_packets_held / (w.blocks_per_sm * store_counts(last).packets) * l2.write;
}

// A20. One block's stores on the SM's own way to L2, and those that wait in front of it without holding up
// the pipe. In clusters A17 has that way.
void set_port(CodeWave& wave, const Phase& last, const Wave& w, const Traffic& traffic,
              const Machine& machine) {
  if (last.stored <= Bytes{} || w.blocks_per_sm <= 0 || machine.cluster > 1) return;
  const Seconds trip = 1 / w.blocks_per_sm * l2_write_port_time(last, w, traffic, machine);
  wave.port = last.trips * trip;
  wave.unsent = stand_in::open_sectors / store_counts(last).sectors * trip;
}

// A15, begin of blocks in later waves: the part of a block's last stores that is still under way when it
// ends. On an SM with several blocks these go on beside the others; a block alone leaves when its stores have
// passed the SM's pipe.
void add_stores_left(CodeWave& wave, const Phase& last, const L2Times& l2, const Wave& w,
                     const Traffic& traffic, const Machine& machine) {
  if (last.stored <= Bytes{} || w.blocks_per_sm <= 0) return;
  const Seconds waited = wave.phases.back().share;
  if (w.blocks_per_sm > 1) {
    wave.stores_left = std::min(waited, share_with_room(last, w) * (l2.write / w.blocks_per_sm));
  } else {
    const Seconds own = l2_write_port_time(last, w, traffic, machine);
    const double in_room = last.stores_apart > 0 ? 0 : std::min(1.0, room_behind_pipe / last.stored);
    wave.stores_left = std::min(waited, in_room * l2.write);
    const Seconds longer = l2.write - std::min(l2.write, own);
    wave.waits_in_step = (1 - in_room) * (last.stores_apart > 0 ? std::min(waited, longer) : longer);
    wave.waits_again = waited - wave.stores_left;
  }
}

// A20. Whether the waits that S18 saw replace A15's. A15's stay for codes that ask ahead, where they also
// contain L2's transfer, unless the code loads spilled registers: A15 has no waits for those that miss L1.
bool waits_seen(const KernelDescription& kernel, const Enabled& enabled) {
  return !kernel.core_waits.empty() && enabled[index(BoundId::latency)] &&
         (!asks_ahead(kernel) || loads_spilled(kernel));
}

// A20. Replaces A15's latency by what S18 saw at the latency of A15's slowest line, the mean over the bytes
// fetched. Spilled registers come from L2 at most, so with these it is L2's latency, and what the trip's own
// data take longer is waited for once.
void set_latency(CodeWave& wave, const KernelDescription& kernel, const Traffic& traffic,
                 const Machine& machine) {
  const bool spilled = loads_spilled(kernel);
  const Cycles hit = traffic.slow_hit.value_or(machine.l2_latency.value_or(Cycles{}));
  double bytes = 0, latencies = 0;
  Seconds own{};
  for (const auto& phase : kernel.phases) {
    const double fetched = phase.trips * phase.fetched.value();
    if (fetched <= 0) continue;
    const Seconds latency = slowest_latency(phase, traffic, machine);
    bytes += fetched;
    latencies += fetched * (spilled ? hit : latency * machine.clock).value();
    if (spilled && waits_for_itself(phase))
      own += phase.trips * exposed_rounds(phase) * (latency - hit / machine.clock);
  }
  if (bytes <= 0) return;
  const Seconds seen = latency_seen(kernel, Cycles{latencies / bytes}, machine) + own;
  const double part = wave.all.latency > Seconds{} ? seen / wave.all.latency : 0;
  for (auto& phase : wave.phases)
    phase.latency = part * phase.latency;
  if (part <= 0) wave.phases.front().latency = seen;
  wave.all.latency = seen;
}

// A15. How a wave's blocks sit on an SM's schedulers. The schedulers that a block's warps sit on are a group;
// the blocks are spread over `groups` groups.
CodeWave placed(const Wave& wave, double warps, double groups, const Machine& machine) {
  const double on_scheduler = std::max(1.0, std::ceil(wave.blocks_per_sm / groups));
  CodeWave placed;
  placed.blocks_per_sm = wave.blocks_per_sm;
  placed.on_scheduler = on_scheduler;
  placed.groups_with_one_less = groups * on_scheduler - wave.blocks_per_sm;
  placed.in_pairs = machine.cluster <= small_cluster &&
                    wave.blocks_per_sm * warps == 2 * machine.schedulers && on_scheduler == 2;
  placed.in_clusters = machine.cluster > 1;
  return placed;
}

// A phase's costs, and the trip of one block alone that follows from them.
struct PhaseAlone {
  PhaseCost cost;
  BlockAlone block;
};

std::vector<PhaseAlone> phases_alone(const KernelDescription& kernel, const Surroundings& at) {
  std::vector<PhaseAlone> phases;
  phases.reserve(kernel.phases.size());
  for (const auto& phase : kernel.phases) {
    auto& alone = phases.emplace_back();
    alone.cost = cost_of(phase, at.machine, at.enabled);
    alone.block = block_alone(phase, alone.cost, at);
  }
  return phases;
}

// A19. Adds the waits for spilled registers that L1 does not have.
void add_spilled(PhaseAlone& alone, const Phase& phase, const Surroundings& at) {
  auto& [cost, block] = alone;
  const double spilled = local_wait_cycles(phase, at.wave, at.traffic, at.machine);
  if (spilled <= 0) return;
  cost.around.chain += spilled;
  block.spilled =
      Cycles{segment_cycles(cost.around, at.warps, at.machine, at.enabled)} / at.machine.clock - block.before;
}

// A20. The waits with which the wave has S18's paces, which were read with all spilled registers in L1 and
// warps in step. `spilled`: what one block waits for those that are not.
void add_paces(CodeWave& sum, const KernelDescription& kernel, double groups, Seconds spilled,
               const Surroundings& at) {
  const Seconds chain = sum.all.chain, barrier = sum.all.barrier;
  const double in_step = 1 / out_of_step(kernel);
  sum.all.chain = in_step * (chain - spilled);
  sum.all.barrier = in_step * barrier;
  sum.paced = as_waits(sum, wave_pace(kernel, at.wave.blocks_per_sm, groups, at.machine), at.enabled);
  sum.all.chain = chain;
  sum.all.barrier = barrier;
  // Of single waves only: otherwise the last stores go on beside the next blocks' first loads.
  if (!at.traffic.single_wave) return;
  const double of_last = sum.paced->last_share, b = at.wave.blocks_per_sm;
  const double last = of_last < 1 ? of_last * b : b + sum.groups_with_one_less;
  sum.end_together = std::max(1.0, last / sum.on_scheduler);
  sum.first_together = std::max(1.0, sum.groups_with_one_less);
}

}  // namespace

CodeWave code_wave(const KernelDescription& kernel, const Wave& wave, const Traffic& traffic,
                   const Machine& machine, const Enabled& enabled) {
  const double warps = static_cast<double>(kernel.launch.threads) / threads_per_warp;
  const double groups = std::max(1.0, std::floor(machine.schedulers / warps));
  const Surroundings at{wave, traffic, machine, enabled, warps, barrier_cycles(warps, machine)};
  CodeWave sum = placed(wave, warps, groups, machine);
  sum.phases.reserve(kernel.phases.size());

  auto phases = phases_alone(kernel, at);
  Seconds counted{};  // one block alone, by A14 and A7
  for (std::size_t i = 0; i < phases.size(); ++i)
    counted += kernel.phases[i].trips * phases[i].block.total();
  const bool paced = !kernel.core_paces.empty() && counted > Seconds{} && at.on(BoundId::pace) &&
                     at.on(BoundId::overlap) && at.on(BoundId::chain);
  const double pace = paced ? block_pace(kernel, machine) / counted : 1;
  const bool seen_waiting = paced && waits_seen(kernel, enabled);

  L2Times l2;
  Seconds spilled{}, reads{}, writes{};
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const auto& phase = kernel.phases[i];
    const auto& [cost, block] = phases[i];
    const bool last = i + 1 == phases.size();
    if (at.on(BoundId::l2))
      l2 = {l2_read_time(phase, wave, traffic, machine),
            l2_write_time(phase, wave, traffic, machine,
                          last && traffic.single_wave ? computed_later(sum, enabled) : std::nullopt),
            busiest_slice_time(phase, wave, traffic)};
    if (at.on(BoundId::latency) && !seen_waiting) add_spilled(phases[i], phase, at);
    spilled += phase.trips * block.spilled;
    CodePart part = needed(phase, cost, l2, at);
    reads += phase.trips * std::max(l2.read, l2.slice);
    writes += phase.trips * l2.write;
    const double followed = last ? 1 - 1 / std::max(1.0, phase.trips) : 1;
    add_alone(part, phase, cost, block, l2, {.pace = pace, .followed = followed}, at);
    sum.phases.push_back(phase.trips * part);
    sum.all += sum.phases.back();
    if (paced) continue;
    for (const auto& stretch : stretches(part, phase, cost, block, l2.read, at))
      sum.stretches.push_back(phase.trips * stretch);
  }

  sum.all.l2 = l2_time_together(reads, writes, kernel.phases);
  if (seen_waiting)
    set_latency(sum, kernel, traffic, machine);
  else if (paced && at.on(BoundId::latency))
    add_waits_ahead(sum, kernel, traffic, machine);
  if (!kernel.phases.empty()) {
    // `l2` is the last phase's.
    if (at.on(BoundId::l2)) add_stores_left(sum, kernel.phases.back(), l2, wave, traffic, machine);
    sum.room = time_of_room(kernel.phases.back(), l2, wave);
    if (at.on(BoundId::l2)) set_port(sum, kernel.phases.back(), wave, traffic, machine);
  }
  if (paced) add_paces(sum, kernel, groups, spilled, at);
  return sum;
}

}  // namespace tilecast::analytic
