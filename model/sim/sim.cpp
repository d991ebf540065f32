#include "model/sim/sim.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/analytic/bounds.hpp"
#include "model/analytic/dram_writes.hpp"
#include "model/analytic/hot_lines.hpp"
#include "model/analytic/machine.hpp"
#include "model/analytic/traffic.hpp"
#include "model/analytic/waves.hpp"
#include "model/device/occupancy.hpp"
#include "model/device/rates.hpp"
#include "model/device/stand_ins.hpp"
#include "model/sim/dram_share.hpp"
#include "model/sim/l1_half.hpp"
#include "model/sim/later_waves.hpp"
#include "model/sim/tail_places.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::sim {
namespace {

using analytic::Machine;
using analytic::Traffic;
using analytic::Wave;

// S9. Warp instructions of a wave from which on one full wave fewer is simulated.
constexpr double long_wave = 100000;

struct Plan {
  SmWork work;  // of an SM with its even share of the tail
  Wave tail;
  int most_of_tail = 0;      // blocks of it that an SM can take
  TailOfDevice of_device;    // what other SMs take of it
  double skipped_waves = 0;  // full waves that are extrapolated
  double later_wave = 0;     // cycles of each of these; 0: like those that are simulated
  double blocks = 0;
  std::optional<Bandwidth> dram_read;  // of short pieces
  double dram_turns = 0;               // A5, seconds a byte
  analytic::WordStores words;
  std::optional<Wave> single;  // all blocks of the launch, where they are resident at once
};

// `once`: all blocks of the launch are resident at once.
MemoryShare share_of(const Wave& wave, const Traffic& traffic, double sms, bool once) {
  MemoryShare share;
  // The number of SMs as busy as the busiest that would make the wave: idle ones leave it their bandwidth.
  share.active_sms = std::max(1.0, wave.blocks / std::max(1.0, wave.blocks_per_sm));
  share.used_sms = once || wave.active_sms < sms ? wave.active_sms : 0;
  share.dram_read_share = traffic.dram_read_share;
  share.dram_write_share = traffic.dram_write_share;
  share.read_together = traffic.read_together;
  share.later_hits = traffic.later_hits.value();
  return share;
}

// S9. Start cycles of an SM's first blocks. Clusters are launched one by one on the whole device.
std::vector<Cycle> starts(int resident, const KernelDescription& kernel, const Machine& machine) {
  constexpr double between_blocks = 24, between_clusters = 3.2;
  const auto cluster = static_cast<double>(kernel.launch.cluster);
  const double each = cluster > 1 ? between_clusters * machine.sms / cluster : between_blocks;
  std::vector<Cycle> start;
  for (int b = 0; b < resident; ++b)
    start.push_back(static_cast<Cycle>(std::lround(b * each)));
  return start;
}

// S9. Cycles between two noticed ends on an SM. The GPU notices ends one by one, at A8's pace of blocks that
// exit at once.
Cycle completion(const KernelDescription& kernel, const Machine& machine) {
  constexpr double some = 8;
  const auto threads = static_cast<double>(kernel.launch.threads);
  const Seconds one =
      analytic::launch_time(some + 1, threads, machine) - analytic::launch_time(some, threads, machine);
  return static_cast<Cycle>(std::lround((one * machine.clock).value()));
}

// S9. Cycles from a block's noticed end to its successor's first instruction.
Cycle replacement(const KernelDescription& kernel) {
  const Cycles block = kernel.launch.cluster > 1 ? stand_in::next_of_cluster : stand_in::next_block;
  return static_cast<Cycle>(block.value() + kernel.launch.threads / stand_in::threads_a_cycle);
}

// S9. Cycles between two noticed ends of the tail's blocks, and of the places that they take: fewer than
// completion() where other SMs have fewer of them.
Cycle tail_completion(const SmWork& work, const Wave& tail, double sms) {
  const double of_busiest = std::min(1.0, tail.blocks / (sms * work.tail_blocks));
  return static_cast<Cycle>(std::lround(of_busiest * static_cast<double>(work.completion)));
}

// S9. The edge of each of the SM's blocks, in start order: 0 for none, else its index + 1. Of each `sms`
// blocks of the grid in a row, this SM has the one in the middle; in a single wave, the place with the fewest
// edges among the SMs with the most blocks, as they end last. Where an edge recurs within `sms` blocks of
// several waves: the edge's share of the blocks, as in waves that stand for others.
std::vector<int> kinds_of_blocks(const std::vector<EdgeBlocks>& edges, std::int64_t blocks, double sms,
                                 const SmWork& work, double skipped_waves) {
  std::vector<int> kind_of;
  if (edges.empty()) return kind_of;
  const int full = work.blocks - work.tail_blocks;
  const double skipped = skipped_waves * work.resident;
  const bool one_wave = work.blocks <= work.resident;
  kind_of.resize(static_cast<std::size_t>(work.blocks));
  const auto every = static_cast<std::int64_t>(sms);
  for (std::size_t e = edges.size(); e-- > 0;) {
    const auto& edge = edges[e];
    const double share = 1.0 / static_cast<double>(edge.rows);
    const bool again = edge.rows * edge.row_blocks <= every;
    auto place = std::min(every, blocks) / 2;  // within `sms` blocks
    if (one_wave) {
      // The first SMs have the most blocks.
      const auto busiest = std::clamp<std::int64_t>(blocks - (work.blocks - 1) * every, 1, every);
      const auto of_edge = [&](std::int64_t i) {
        int count = 0;
        for (int b = 0; b < work.blocks; ++b)
          count += edge.holds(i + b * every) ? 1 : 0;
        return count;
      };
      place = busiest / 2;
      for (std::int64_t i = 0; i < busiest; ++i) {
        if (of_edge(i) < of_edge(place)) place = i;
      }
    }
    for (int b = 0; b < work.blocks; ++b) {
      bool at_edge = false;
      if ((skipped > 0 && b < full) || (again && !one_wave)) {
        at_edge = std::floor((b + 1) * share) > std::floor(b * share);
      } else {
        const auto first = static_cast<std::int64_t>(skipped + b) * every;
        const auto count = std::min(blocks - first, every);
        at_edge = edge.holds(std::min(first + (count < every && !one_wave ? count / 2 : place), blocks - 1));
      }
      if (at_edge) kind_of[static_cast<std::size_t>(b)] = static_cast<int>(e) + 1;
    }
  }
  return kind_of;
}

// S9. Who takes a tail behind waves that are still in step, and how far places deviate. Clusters leave a part
// of the device at once and are replaced there as lone blocks are on an SM. Reads the plan's tail, and of its
// work the blocks at once, the tail's blocks and the cycles between ends.
void plan_tail(Plan& plan, const KernelDescription& kernel, const Wave& full, const DeviceProfile& device,
               const Machine& machine) {
  auto& work = plan.work;
  const auto& tail = plan.tail;
  const auto cluster = kernel.launch.cluster;
  const bool large = cluster > analytic::small_cluster, small = cluster > 1 && !large;
  work.deviation_walk = large ? std::numeric_limits<double>::max() : analytic::sm_walk;
  work.deviation_most = large ? analytic::part_deviation : analytic::most_sm_deviation;
  work.last_of_cluster =
      cluster > 1 && work.resident > 1 ? analytic::first_of(static_cast<double>(cluster)) : 0;
  // After many waves nothing is in step.
  if (tail.count <= 0 || full.count <= 0 || full.count > analytic::most_waves_in_step) return;
  const double parts = analytic::parts_of_device(cluster, device);
  const auto of_part = static_cast<double>(cluster);  // blocks that start there at once
  plan.of_device = {tail.blocks / (parts * of_part * work.resident), parts, full.count,
                    static_cast<double>(work.completion)};
  int most = work.resident;
  if (small) {
    // One block to each group of schedulers, two only where A9 has pairs; else at most one more than its
    // share.
    const auto one_each =
        threads_per_warp * device.schedulers_per_sm.get();  // threads with a warp on every scheduler
    const bool pairs =
        kernel.launch.threads <= one_each && work.resident * kernel.launch.threads == 2 * one_each;
    const bool two = analytic::two_on_a_scheduler(work.resident, tail.blocks, of_part, machine.sms);
    most = std::min(most, !pairs ? work.tail_blocks + 1 : two ? most : work.resident / 2);
  }
  plan.most_of_tail = static_cast<int>(std::min(tail.blocks / of_part, static_cast<double>(most)));
}

Plan plan_of(const KernelDescription& kernel, const InstructionStream& stream, const DeviceProfile& device,
             const Machine& machine, const Options& options) {
  const auto [full, tail] = analytic::waves_of(kernel, device);
  auto traffic = analytic::traffic_of(kernel, std::max(full.blocks, tail.blocks), machine, options.caches);
  const double more = reads_more(kernel);
  const double blocks = static_cast<double>(kernel.launch.blocks) / more;
  traffic.dram_read_share = dram_read_share(traffic, stream, blocks);
  Plan plan;
  plan.dram_read = traffic.dram_read;
  plan.dram_turns = traffic.dram_turns;
  plan.words = traffic.words;
  const bool is_long = options.extrapolate && full.blocks_per_sm * issued_instructions(stream) > long_wave;
  const int most_simulated = analytic::most_waves_in_step - (is_long ? 1 : 0);
  const double simulated = std::min<double>(most_simulated, full.count);
  plan.skipped_waves = full.count - simulated;
  plan.blocks = full.count * full.blocks_per_sm + tail.count * tail.blocks_per_sm;
  auto& work = plan.work;
  const bool once = full.count + tail.count <= 1;
  work.resident = static_cast<int>(full.count > 0 ? full.blocks_per_sm : tail.blocks_per_sm);
  work.tail_blocks = static_cast<int>(tail.count * tail.blocks_per_sm);
  work.blocks = static_cast<int>(simulated * full.blocks_per_sm) + work.tail_blocks;
  work.share = share_of(full.count > 0 ? full : tail, traffic, machine.sms, once);
  work.tail_share = share_of(tail, traffic, machine.sms, once);
  work.share.reads_more = work.tail_share.reads_more = more;
  work.share.shared = work.tail_share.shared = shared_reads(traffic, stream, blocks);
  if (once) plan.single = full.count > 0 ? full : tail;
  work.warps_a_scheduler = static_cast<int>(warps_a_scheduler(kernel.launch, device));
  work.start = starts(work.resident, kernel, machine);
  work.completion = completion(kernel, machine);
  work.tail_completion = tail.count > 0 ? tail_completion(work, tail, machine.sms) : work.completion;
  work.replacement = replacement(kernel);
  work.kind_of = kinds_of_blocks(stream.edges, kernel.launch.blocks, machine.sms, work, plan.skipped_waves);
  work.stays_in_step = plan.skipped_waves <= 0 && work.resident == 1;
  work.seed = options.seed;
  work.extrapolate = options.extrapolate;
  plan.tail = tail;
  plan_tail(plan, kernel, full, device, machine);
  return plan;
}

// S9. The work of an SM that takes so many blocks of the tail.
SmWork with_tail(const Plan& plan, int blocks, const KernelDescription& kernel,
                 const InstructionStream& stream, double sms) {
  SmWork work = plan.work;
  work.blocks += blocks - work.tail_blocks;
  work.tail_blocks = blocks;
  work.tail_completion = tail_completion(work, plan.tail, sms);
  work.tail_share.active_sms = std::max(1.0, plan.tail.blocks / blocks);
  work.kind_of = kinds_of_blocks(stream.edges, kernel.launch.blocks, sms, work, plan.skipped_waves);
  return work;
}

// Cycles from the first block's start until L2 has all stores, and until all ends have been noticed, too.
struct RunCycles {
  double run = 0, noticed = 0;
};

// S9. Warps do not wait for their stores, but the run takes at least as long as the stores' queue. `noticed`:
// when the place of the tail's last block has been noticed on the device, if that is known. The SM that takes
// most of the tail is so much sooner than the simulated one, and so are its last blocks.
RunCycles cycles_of(const SmResult& r, const SmWork& work, const Plan& plan, std::optional<double> noticed) {
  const double stores =
      std::max(r.store_cycles, r.dram_cycles) * plan.blocks / static_cast<double>(r.block_end.size());
  const double skipped =
      plan.skipped_waves * (plan.later_wave > 0 ? plan.later_wave : cycles_of_a_wave(r, work));
  const auto last = static_cast<std::size_t>(std::max(1, work.tail_blocks)) - 1;
  FreePlace of_full;
  double ahead = 0;
  if (noticed && last < r.places.size()) {
    of_full = r.places.back();
    ahead = static_cast<double>(r.places[last].noticed) - *noticed;
  }
  const auto with_stores = [&](Cycle run, Cycle least) {
    return std::max(std::max(static_cast<double>(run) - ahead, static_cast<double>(least)) + skipped, stores);
  };
  const Cycle run = std::max(r.cycles, r.stores_done);
  return {with_stores(run, of_full.free), with_stores(std::max(run, r.completed), of_full.noticed)};
}

struct Pieces {
  Seconds launch{}, run{}, drain{}, least{};
  Seconds total() const { return std::max(launch + run + drain, least); }
};

// S9. The stores drain while the last ends are being noticed.
Pieces pieces_of(const KernelDescription& kernel, const Machine& machine, const RunCycles& cycles,
                 const CoreParameters& core) {
  const auto threads = static_cast<double>(kernel.launch.threads);
  const double each = static_cast<double>(kernel.launch.blocks) / machine.sms;
  Pieces p;
  p.launch = analytic::launch_beside_work(std::min(1.0, each), threads, machine);
  p.run = Seconds{cycles.noticed / core.clock};
  const Seconds drain = analytic::drain_time(kernel, machine);
  p.drain = drain - std::min(drain, Seconds{(cycles.noticed - cycles.run) / core.clock});
  p.least = analytic::launch_time(each, threads, machine);
  return p;
}

Pieces mean_of(const Pieces& one, const Pieces& other, double share_of_other) {
  const auto mean = [&](Seconds a, Seconds b) { return a + share_of_other * (b - a); };
  return {mean(one.launch, other.launch), mean(one.run, other.run), mean(one.drain, other.drain),
          mean(one.least, other.least)};
}

// S6. Average bytes stored by a block of the grid, relative to this SM's blocks: others load L2 less.
double mean_block_stores(const KernelDescription& kernel, const InstructionStream& stream, const SmWork& work,
                         Bytes written) {
  double here = work.blocks * stream.stored_bytes;
  const auto kinds = std::min(work.kind_of.size(), static_cast<std::size_t>(work.blocks));
  for (std::size_t b = 0; b < kinds; ++b) {
    const auto kind = static_cast<std::size_t>(work.kind_of[b]);
    if (kind > 0 && kind <= stream.edges.size())
      here += stream.edges[kind - 1].stored_bytes - stream.stored_bytes;
  }
  const double of_block = written.value() / static_cast<double>(kernel.launch.blocks);
  return here > 0 && of_block > 0 ? std::min(1.0, of_block * work.blocks / here) : 1;
}

// S6. L2's time for a packet of this kernel, relative to a stream's: what sectors that are stored to again
// take is relative to that, too.
double packet_cost(const InstructionStream& stream, const Plan& plan, const CoreParameters& parameters) {
  return std::max(parameters.block_store_cost, analytic::packet_cost(stream.stored_again, plan.words));
}

// The core's parameters, with what L2 and DRAM do with this kernel's stores (S6) and reads (S13).
CoreParameters parameters_of(const KernelDescription& kernel, const InstructionStream& stream,
                             const DeviceProfile& device, const Machine& machine, const Plan& plan) {
  auto parameters = core_parameters(device, kernel.launch.cluster);
  parameters.copies_in_l1_half = in_l1_half(kernel.launch.shared, device).of(plan.work.resident);
  const double at_once = plan.work.share.active_sms * plan.work.resident;
  Bytes written;
  double split = 1, spread = 0;
  const auto blocks = static_cast<double>(kernel.launch.blocks);
  const double running = std::min(at_once, blocks);
  // S13. Halves that a tile's own stores write apart cost as those at the same time: as if no block stored.
  for (const auto& stream_of : kernel.streams) {
    if (!stream_of.written) continue;
    written += stream_of.requested;
    split = std::max(split, analytic::time_with_split_sectors(stream_of, running, 0));
    spread = std::max(spread, analytic::spread_of_writes(stream_of, running));
  }
  // S6, S13. Of blocks that store less on average than this SM's, L2 and DRAM get less.
  const double stored = mean_block_stores(kernel, stream, plan.work, written);
  parameters.dram_write =
      (dram_write_in_pieces(device, analytic::dram_write_in_places(running, spread, machine),
                            {written_piece(stream.stored_piece_bytes, stream.stored_run_bytes),
                             written.value() * running / blocks, spread}) /
       machine.clock)
          .value() /
      (split * stored);
  // S14.
  parameters.first_access =
      whole_cycles(std::max(first_access(plan.work.share.active_sms),
                            analytic::busiest_slice(kernel, at_once, machine) * machine.clock));
  // S13.
  if (plan.dram_read) parameters.dram_read = (*plan.dram_read / machine.clock).value();
  const double turns = plan.dram_turns * machine.clock.value();  // cycles a byte
  parameters.dram_read = 1 / (1 / parameters.dram_read + turns);
  parameters.dram_write = 1 / (1 / parameters.dram_write + turns);
  parameters.l2_write /= packet_cost(stream, plan, parameters) * stored;
  return parameters;
}

// S6. SMs with a block less than this one, of a launch whose blocks all run at once: until L2 has taken what
// one of them stores, which is simulated, all SMs share its bandwidth, then those with as many blocks as this
// one.
void plan_others(Plan& plan, const KernelDescription& kernel, const InstructionStream& stream,
                 const DeviceProfile& device, const Machine& machine) {
  const double most = plan.single ? analytic::sms_with_one_more(*plan.single) : 0;
  if (most <= 0 || std::ranges::any_of(kernel.phases, analytic::stores_in_passes)) return;
  auto& work = plan.work;
  const double all = analytic::written_share(work.share.used_sms, machine.sms);
  work.share.storing_sms = work.tail_share.storing_sms = plan.single->active_sms / all;
  Plan others = plan;
  others.work.blocks = --others.work.resident;
  others.work.tail_blocks = std::min(work.tail_blocks, others.work.blocks);
  const auto parameters = parameters_of(kernel, stream, device, machine, others);
  work.others_stored = simulate_sm(stream, parameters, others.work).stores_done;
  work.after_others = work.share;
  // The ways of the fullest GPC take sectors that are stored to again as any.
  work.after_others.storing_sms = std::max(
      most / all, most / analytic::written_share(most, machine.sms) / packet_cost(stream, plan, parameters));
}

// S9. The pieces of the SM that takes most of the tail, in `s` those of its even share. Adds the blocks that
// it has more.
Pieces pieces_with_tail(Simulation& s, const Plan& plan, const SmSimulator& simulator,
                        const KernelDescription& kernel, const InstructionStream& stream,
                        const Machine& machine, const CoreParameters& parameters) {
  std::optional<TailTaken> taken;
  if (plan.of_device.share > 0 && !s.sm.places.empty()) taken = tail_taken(s.sm.places, plan.of_device);
  const auto pieces_with = [&](const SmResult& sm, const SmWork& work) {
    const auto cycles = cycles_of(sm, work, plan, taken ? std::optional(taken->noticed) : std::nullopt);
    return pieces_of(kernel, machine, cycles, parameters);
  };
  const int share = plan.work.tail_blocks;
  const auto even = pieces_with(s.sm, plan.work);
  if (!taken || taken->most <= share || plan.most_of_tail <= share) return even;
  const auto with = [&](int blocks) {
    if (blocks == share) return even;
    const auto work = with_tail(plan, blocks, kernel, stream, machine.sms);
    const auto its = pieces_with(simulator.run_tail(work), work);
    return its.total() > even.total() ? its : even;
  };
  // Times between whole numbers of blocks go straight.
  constexpr double some = 0.02;
  const double most = std::min(taken->most, static_cast<double>(plan.most_of_tail));
  const int fewer = static_cast<int>(most);
  s.blocks += most - share;
  const auto pieces = with(fewer);
  return most - fewer > some ? mean_of(pieces, with(fewer + 1), most - fewer) : pieces;
}

analytic::Spread spread_of(analytic::BoundId id, const Machine& machine) {
  return analytic::bound_table()[static_cast<std::size_t>(id)].spread(machine);
}

// S11. Relative interval of the run: the intervals of the parameters behind each stall cause, weighted by its
// share of the warps' cycles, plus the spread of the trips that were extrapolated from (S8).
analytic::Spread run_spread(const SmResult& r, const Machine& machine) {
  using analytic::BoundId;
  const auto spread = [&](BoundId id) { return spread_of(id, machine); };
  const auto worst = [](analytic::Spread a, analytic::Spread b) {
    return analytic::Spread{std::min(a.low, b.low), std::max(a.high, b.high)};
  };
  const auto clock = spread(BoundId::issue);
  const auto memory = worst(spread(BoundId::l2), spread(BoundId::dram));
  const DeviceProfile& d = *machine.profile;
  const auto latency =
      analytic::apart({spread(BoundId::latency), analytic::spread_of_times(d.l2_latency_p10_over_load),
                       analytic::spread_of_times(d.dram_latency_p10_over_load)});
  const double total = r.stalls.total();
  analytic::Spread sum{0, 0};
  for (std::size_t i = 0; i < cause_count; ++i) {
    auto one = clock;
    switch (static_cast<Cause>(i)) {
      case Cause::short_scoreboard:
        one = spread(BoundId::shared);
        break;
      case Cause::memory_queue:
        one = worst(spread(BoundId::shared), memory);
        break;
      case Cause::barrier:
        one = machine.cluster > 1 ? worst(spread(BoundId::barrier), spread(BoundId::cluster))
                                  : spread(BoundId::barrier);
        break;
      case Cause::long_scoreboard:
        one = worst(latency, memory);
        break;
      case Cause::fetch:
        one = spread(BoundId::fetch);
        break;
      default:
        break;
    }
    const double share = total > 0 ? r.stalls.warp_cycles[i] / total : 0;
    sum.low += share * one.low;
    sum.high += share * one.high;
  }
  if (total <= 0) sum = clock;
  return {sum.low - r.steady_spread / 2, sum.high + r.steady_spread / 2};
}

constexpr std::array<std::string_view, cause_count> equations{"S1", "S1", "S4", "S6", "S5",
                                                              "S2", "S3", "S4", "S7", "S1"};

}  // namespace

Simulation simulate(const KernelDescription& kernel, const InstructionStream& stream,
                    const DeviceProfile& device, const Options& options) {
  auto machine = analytic::machine_of(device, kernel);
  // S16. As the launch's own code has it.
  machine.local_memory = std::ranges::any_of(stream.ops, &StreamOp::local);
  auto plan = plan_of(kernel, stream, device, machine, options);
  plan_others(plan, kernel, stream, device, machine);

  Simulation s;
  s.resident = plan.work.resident;
  s.blocks = plan.blocks;
  const auto parameters = parameters_of(kernel, stream, device, machine, plan);
  SmSimulator simulator(stream, parameters);
  s.sm = plan.most_of_tail > plan.work.tail_blocks ? simulator.run_keeping(plan.work, options.timeline)
                                                   : simulator.run(plan.work, options.timeline);
  const double together = in_step(s.sm, plan.work);
  if (plan.skipped_waves > 0 && together < 1 &&
      come_apart(s.sm, plan.work, issued_instructions(stream), stream.edges)) {
    const double wave = cycles_of_a_wave(s.sm, plan.work);
    auto later = later_blocks(plan.work, wave, stream.edges);
    later.kind_of =
        kinds_of_blocks(stream.edges, kernel.launch.blocks, machine.sms, later, plan.skipped_waves);
    plan.later_wave = std::lerp(cycles_of_a_wave(simulator.run(later), later), wave, together);
  }
  const auto pieces = pieces_with_tail(s, plan, simulator, kernel, stream, machine, parameters);
  auto& p = s.prediction;
  p.time = pieces.total();

  const auto run = run_spread(s.sm, machine), launch = spread_of(analytic::BoundId::launch, machine);
  const auto end = [&](double of_run, double of_launch, double of_store) {
    // Only what the probe's store takes varies with its interval.
    const Seconds drain =
        pieces.drain > Seconds{} ? pieces.drain + (of_store - 1) * *machine.store_drain : Seconds{};
    return std::max(of_launch * pieces.launch + of_run * pieces.run + drain, of_launch * pieces.least);
  };
  const auto store = analytic::spread_of_time(device.store_drain);
  p.low = end(run.low, launch.low, store.low);
  p.high = end(run.high, launch.high, store.high);

  // S10. The run by stall cause, in proportion to the warps' cycles. The limiter is the largest except
  // `not_selected`, which only says that another warp issued.
  p.bounds.push_back({"launch", "A8", pieces.launch});
  const double total = s.sm.stalls.total();
  double largest = pieces.launch.value();
  p.limiter = "launch";
  for (std::size_t i = 0; i < cause_count; ++i) {
    const Seconds time = (total > 0 ? s.sm.stalls.warp_cycles[i] / total : 0) * pieces.run;
    p.bounds.push_back({cause_names[i], equations[i], time});
    if (static_cast<Cause>(i) == Cause::not_selected || time.value() <= largest) continue;
    largest = time.value();
    p.limiter = cause_names[i];
  }
  p.bounds.push_back({"drain", "A6", pieces.drain});
  return s;
}

}  // namespace tilecast::sim
