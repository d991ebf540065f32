#include "model/analytic/traffic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/analytic/dram_writes.hpp"
#include "model/analytic/hot_lines.hpp"
#include "model/analytic/l1_sharing.hpp"
#include "model/analytic/paces.hpp"
#include "model/analytic/waves.hpp"
#include "model/device/rates.hpp"
#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {
namespace {

// The blocks of one walk that ask for the same piece of it, on average: windows of neighbours overlap.
double overlapping(const Stream& s) {
  return s.unique > Bytes{} ? s.requested / (std::max(1.0, s.walks) * s.unique) : 1;
}

// The times that a tensor comes from DRAM if no walk finds what the one before it left. Blocks that run at
// the same time and belong to several walks share what they read; the last wave has what is left.
double separate_walks(const Stream& s, double at_once) {
  if (s.walks <= 1) return 1;
  if (at_once <= s.blocks_of_walk) return s.walks;
  const double blocks = s.walks * s.blocks_of_walk, waves = std::floor(blocks / at_once);
  return std::clamp(waves + std::min(1.0, (blocks - waves * at_once) / s.blocks_of_walk), 1.0, s.walks);
}

// What is touched before it is read again: a walk's bytes, of several that run at once all that they do not
// share.
Bytes touched_between(const Stream& s, double at_once) {
  const double walks = std::max(1.0, at_once / s.blocks_of_walk);
  const Bytes shared = std::min(s.unique, s.touched_in_walk);
  return shared + walks * (s.touched_in_walk - shared);
}

// A5. The share of the running blocks that end together and store at the same time, a mean over the waves:
// S18's ends, against ends evenly apart, and A18's 1 / sqrt(k) of wave k. 0 where the paces are not known.
double ending_together(const KernelDescription& kernel, double running, const Machine& machine) {
  if (kernel.core_paces.empty()) return 0;
  const double b = std::max(1.0, running / machine.sms);
  const double waves = std::max(1.0, static_cast<double>(kernel.launch.blocks) / running);
  const auto pace = wave_pace(kernel, b, machine);
  return share_in_step(pace.ends_apart, b, pace.later) * waves_in_step(0, waves) / waves;
}

// A5. Of the running blocks those that come in any order, in each launch in another one: that end together,
// but at least as far as the order of ends differs from launch to launch (end_orders.csv).
double in_any_order(const KernelDescription& kernel, double running, const Machine& machine) {
  constexpr double of_running = 0.6;
  const double of_ends = of_running / std::sqrt(std::max(1.0, running / machine.sms));
  return std::max(of_ends, ending_together(kernel, running, machine));
}

// A5. What of a launch decides how much L2 keeps of its tensors: the blocks that run at once, whether each is
// on the same SM in each launch, and these are all SMs, the share of all blocks that come each time in
// another order, and the lines of local memory that blocks spill registers to.
struct Running {
  double at_once;
  bool on_same_sms, on_all_sms;
  double in_any_order;
  Bytes spilled;
};

Running running_of(const KernelDescription& kernel, double at_once, const Machine& machine) {
  constexpr double all_sms = 0.9;  // nearly: clusters leave some
  const auto blocks = static_cast<double>(kernel.launch.blocks);
  // Blocks take places of warps in turn, so that in time as many are used as the fullest scheduler needs.
  const double warps = std::ceil(static_cast<double>(kernel.launch.threads) / threads_per_warp);
  const double places = machine.schedulers * std::ceil(warps / machine.schedulers);
  const double running = std::min(at_once, blocks);
  const bool once = blocks <= at_once, on_all_sms = once && blocks >= all_sms * machine.sms;
  const bool lone_tiles = once && kernel.stored_strip && kernel.launch.cluster <= 1;
  return {at_once, on_all_sms || lone_tiles, on_all_sms,
          in_any_order(kernel, running, machine) * running / blocks,
          running * places * threads_per_warp * kernel.local_memory};
}

// A5. Neighbours in the grid run on SMs of the same partition of L2, two by two; readers that are apart in it
// do not, and are as many again. Those of the next tile are where clusters lie between. Windows of a map
// overlap; of filters a sector is asked for again by the same block.
double readers_at_once(const Stream& s, const KernelDescription& kernel, const Running& running) {
  const double walks = s.walks > 1 ? s.walks / separate_walks(s, running.at_once) : 1;
  const auto as_neighbours = [](double apart) { return apart * std::min(2.0, apart); };
  if (running.on_same_sms) return as_neighbours(walks);
  const double overlap = s.tensor == "input" ? overlapping(s) : 1;
  const double beside = std::min(std::max(s.readers, overlap), running.at_once);
  return as_neighbours(walks) * (kernel.launch.cluster > 1 ? as_neighbours(beside) : beside);
}

// A5. Copies that L2 keeps of a line: one in its own partition, one where SMs of the other one use it.
double copies(double readers) {
  return 2 - std::exp2(-std::max(1.0, readers / 2));
}

// A5. What takes as much room as all that is touched, if so many read each line of it.
Bytes as_if_read_by(double readers, const KernelDescription& kernel, const Running& running) {
  const double of_readers = copies(readers);
  Bytes room = copies(1) / of_readers * running.spilled;
  for (const auto& s : kernel.streams) {
    const double own = s.written ? 1 : readers_at_once(s, kernel, running);
    if (!s.evicted_first) room += copies(own) / of_readers * s.unique;
  }
  return room;
}

// S6. A partition of L2 answers with what its SMs have read before, as long as it has room for that; else the
// first one of them that reads a line in a launch waits for the other partition. How much longer, on average
// of all that is asked for (latency_over_footprint, whose one SM fills its own partition alone).
Cycles later_of_hits(const KernelDescription& kernel, const Running& running, const Machine& machine) {
  const DeviceProfile& d = *machine.profile;
  if (!d.latency_over_footprint.present() || !d.l2_effective.present()) return {};
  Bytes kept{}, first{}, asked{};
  for (const auto& s : kernel.streams) {
    if (s.written) continue;
    const double of_both = copies(readers_at_once(s, kernel, running));
    kept += of_both / 2 * s.unique;
    first += (2 * of_both - 2) * s.unique;
    asked += s.requested;
  }
  if (asked <= Bytes{}) return {};
  const auto latency = [&](Bytes footprint) {
    return Cycles{interpolate(d.latency_over_footprint, footprint.value())};
  };
  // One of the two partitions holds half of what L2 has room for; beyond all of it the curve shows DRAM.
  const Bytes all = d.l2_effective.get(), one_partition = all / 2;
  const Cycles later = latency(std::clamp(kept, one_partition, all)) - latency(one_partition);
  return std::min(1.0, first / asked) * std::max(Cycles{}, later);
}

// A5. Bytes that take of written ones' room as much as what is read beside them (mixed_sets.csv), and what
// blocks spill registers to, which L2 keeps: it is stored and read all the time.
Bytes beside_written(const KernelDescription& kernel, const Running& running, double written_share) {
  constexpr double of_copies = 0.6, of_written = 0.9, least = 0.17, on_same_sms = 1.25, of_spilled = 1.75;
  Bytes beside = of_spilled * running.spilled;
  for (const auto& s : kernel.streams) {
    if (s.written) continue;
    const double readers = readers_at_once(s, kernel, running);
    const double kept = running.on_same_sms && readers <= 1 ? on_same_sms : copies(readers);
    beside += std::max(least, of_copies * kept - of_written * written_share) * s.unique;
  }
  return beside;
}

// A5. What DRAM takes longer for a byte of a piece that is read alone, in those of a stream. H200,
// far_pieces.csv: rows 4 to 64 KB apart.
struct PieceCost {
  double bytes, cost;
};
constexpr std::array piece_costs{PieceCost{32, 2.35}, PieceCost{64, 1.95}, PieceCost{128, 1.08},
                                 PieceCost{256, 1}};

double cost_of_piece(Bytes piece) {
  if (piece <= Bytes{}) return 1;
  std::size_t i = piece_costs.size() - 1;
  while (i > 0 && piece_costs[i].bytes > piece.value())
    --i;
  return piece_costs[i].cost;
}

// A5. Whether the blocks of a wave remain in step: one of an SM, or as many of each scheduler's warps, two at
// most (phase_overlap.csv), outside clusters.
bool stay_in_step(const KernelDescription& kernel, double at_once, const Machine& machine) {
  const double blocks = std::ceil(at_once / machine.sms);
  const double warps = blocks * std::ceil(static_cast<double>(kernel.launch.threads) / threads_per_warp);
  if (blocks <= 1) return true;
  return kernel.launch.cluster <= 1 && warps <= 2 * machine.schedulers &&
         std::fmod(warps, machine.schedulers) == 0;
}

// A5. Of a piece that blocks of the same wave read, each in a walk of its own, what those behind the first
// miss: with each wave they are farther apart, at most as far as the walks would be one after the other.
double missed_by_the_others(const Stream& s, double waves, bool in_step, const Machine& machine) {
  const double last = missed(s.touched_in_walk, 1, machine, Again::in_same_launch);
  if (in_step || last <= 0) return 0;
  constexpr double apart_after_a_wave = 0.25;  // in a wave's time
  constexpr double longest = 16;               // until they are as far apart as that
  const double counted = std::min(std::ceil(waves), longest);
  double sum = 0;
  for (double wave = 0; wave < counted; ++wave)
    sum += missed(std::min(1.0, apart_after_a_wave * std::sqrt(wave)) * s.touched_in_walk, 1, machine,
                  Again::in_same_launch);
  return (sum + std::max(0.0, waves - counted) * last) / std::max(counted, waves);
}

// How much longer one request in ten takes at least, where nobody else asks.
Cycles above_median(const Curve& p90, const Curve& median) {
  if (!p90.present() || !median.present()) return Cycles{};
  return std::max(Cycles{}, Cycles{p90.y.front() - median.y.front()});
}

// A4. Beyond half of L2 what the curve of writes shows is DRAM's rate.
Bytes l2_own(const DeviceProfile& device) {
  return device.l2_size.present() ? device.l2_size.get() / 2 : Bytes{std::numeric_limits<double>::max()};
}

// A4. Of requests for the same lines by SMs that are next to each other in the grid L2 serves so many as one.
double served_together(double neighbours) {
  constexpr double each_further = 0.7;
  return 1 + each_further * (std::max(1.0, neighbours) - 1);
}

// A5. Of what is written, so much in a row comes each time in another order: what running blocks store
// between two barriers, or at their end, those that come in any order. Of what they store on their way at
// most as far as SMs are apart that have to share L2's rate: these end with a deviation of 0.12 of their
// time, of 0.01 where they are too few to ask for 0.9 of it (store_fairness.csv; A4's SMs), which is as wide
// as a window from nothing at the begin to all of it at the end.
Bytes reordered_bytes(const KernelDescription& kernel, const Running& running, Bytes written,
                      const Machine& machine) {
  constexpr double deviation_alone = 0.01, enough_of_sms = 0.85;
  const double blocks = std::min(static_cast<double>(kernel.launch.blocks), running.at_once);
  const bool share_rate = blocks > enough_of_sms * machine.sms;
  const Bytes drift =
      std::sqrt(12.0) / 2 * (share_rate ? stand_in::store_deviation : deviation_alone) * written;
  Bytes stored, sum;
  for (const auto& p : kernel.phases)
    stored += p.trips * p.stored;
  for (const auto& p : kernel.phases) {
    if (p.stored <= Bytes{}) continue;
    const Bytes between = running.in_any_order * (p.stored / stored) * written;
    sum += p.trips * p.stored / stored * (p.role == PhaseRole::epilogue ? between : std::min(between, drift));
  }
  return stored > Bytes{} ? sum : written;
}

}  // namespace

// A15. An SM finds what it has read before in its own partition, as long as L2 has room for both partitions'
// copies (latency_over_footprint).
std::optional<Cycles> slow_hit_of(Bytes touched, const Machine& machine) {
  if (!machine.l2_latency) return std::nullopt;
  const DeviceProfile& d = *machine.profile;
  Cycles mean = *machine.l2_latency;
  const Cycles far = std::max(mean, machine.l2_far_latency.value_or(mean));
  if (d.latency_over_footprint.present())
    mean = std::clamp(Cycles{interpolate(d.latency_over_footprint, touched.value())}, mean, far);
  else
    mean = far;
  return mean + above_median(d.l2_latency_p90_over_load, d.l2_latency_over_load);
}

namespace {

// What the grid's streams touch and ask for, as they are described.
struct Asked {
  Bytes read, written;              // of DRAM's bytes, each once
  Bytes touched;                    // less what is written to be evicted first
  Bytes of_l2_read, of_l2_written;  // requested
  Bytes served;                     // of these reads, with those that L2 takes together as one
  double lines_apart = 0;           // share of the written
};

Asked asked_of(const KernelDescription& kernel, double at_once, const Machine& machine) {
  Asked a;
  const auto found = found_of_others(kernel, at_once, machine);
  for (std::size_t i = 0; i < kernel.streams.size(); ++i) {
    const auto& s = kernel.streams[i];
    const Bytes requested = found.empty() ? s.requested : (1 - found[i]) * s.requested;
    if (!s.evicted_first) a.touched += s.unique;
    (s.written ? a.written : a.read) += s.unique;
    (s.written ? a.of_l2_written : a.of_l2_read) += requested;
    if (s.written)
      a.lines_apart += s.lines_apart * s.unique.value();
    else
      a.served += requested / served_together(std::min(s.neighbours, at_once));
  }
  if (a.written > Bytes{}) a.lines_apart /= a.written.value();
  return a;
}

// What the phases of all blocks move, each block taken as the one with the most work.
struct Moved {
  Bytes fetched, stored;
};

Moved moved_by(const KernelDescription& kernel) {
  Moved m;
  const auto blocks = static_cast<double>(kernel.launch.blocks);
  for (const auto& p : kernel.phases) {
    m.fetched += blocks * p.trips * p.fetched;
    m.stored += blocks * p.trips * p.stored;
  }
  return m;
}

struct FromDram {
  Bytes bytes, as_stream;  // as_stream: of a stream that takes DRAM as long
  std::array<FirstReads, 2> first;
};

// S6. The blocks that read a line at the same time: of tiled products whose blocks all run at once, each
// alone on its SM or in step with the SM's others; else as many as if each read by itself.
double sharers(const Stream& s, const KernelDescription& kernel, double at_once, bool in_step,
               const Machine& machine) {
  const auto blocks = static_cast<double>(kernel.launch.blocks);
  if (!kernel.stored_strip || blocks > at_once || (!in_step && blocks > machine.sms)) return 1;
  return std::max(1.0, s.walks / separate_walks(s, at_once)) * std::max(1.0, s.readers);
}

// A5. Of what a launch walks first the share that the launch before walked again: since then only a walk's
// bytes have passed. Tensors of which each image's part is walked by itself are as old as the launch.
double walked_lately(const Stream& s, const KernelDescription& kernel, double again, Caches caches) {
  const bool whole = s.walks * s.blocks_of_walk >= static_cast<double>(kernel.launch.blocks);
  return caches == Caches::warm && whole ? std::min(1.0, again) : 0;
}

// A5. A first touch that misses is read once, further requests hit unless a whole walk lies between them.
FromDram read_from_dram(const KernelDescription& kernel, const Running& running, const Machine& machine,
                        Caches caches) {
  FromDram sum;
  const double at_once = running.at_once, waves = static_cast<double>(kernel.launch.blocks) / at_once;
  const bool in_step = stay_in_step(kernel, at_once, machine);
  const Again next = running.on_same_sms && kernel.stored_strip ? Again::by_same_tiles
                     : running.on_all_sms                       ? Again::by_same_sms
                                                                : Again::in_next_launch;
  for (const auto& s : kernel.streams) {
    if (s.written) continue;
    const double apart = separate_walks(s, at_once), again = apart - 1;
    const double readers = readers_at_once(s, kernel, running);
    const double of_walk =
        again > 0 ? missed(touched_between(s, at_once), readers, machine, Again::in_same_launch) : 0;
    const double lately = walked_lately(s, kernel, again, caches);
    const Bytes room = as_if_read_by(readers, kernel, running);
    const double order = waves > 1 ? running.in_any_order : 0;
    const double of_launch =
        caches == Caches::cold ? 1 : missed_in_another_order(room, order, readers, machine, next);
    double times = std::lerp(of_launch, of_walk, lately) + again * of_walk;
    auto& first = sum.first.at(s.tensor == "filters" ? 1 : 0);
    first.sharers = sharers(s, kernel, at_once, in_step, machine);
    first.asked = std::min(apart * first.sharers * s.unique, s.requested);
    first.missed = std::min(1.0, times / apart);
    if (s.walks > apart) times += (s.walks - apart) * missed_by_the_others(s, waves, in_step, machine);
    first.from_dram = times * s.unique;
    sum.bytes += times * s.unique;
    sum.as_stream += times * cost_of_piece(s.read_piece) * s.unique;
  }
  return sum;
}

// A15. What waits for DRAM of reads that several blocks make at the same time: of a request of four lines, a
// quarter of a warp's lanes each, the slowest; the first block all of DRAM's latency, the others half of it.
Bytes waiting_for_dram(const std::array<FirstReads, 2>& first) {
  constexpr double lines = 4, of_others = 0.5;
  Bytes waiting{};
  for (const auto& f : first) {
    const double late = f.sharers > 1 ? 1 - std::pow(1 - f.missed, lines) : f.missed;
    waiting += late * std::lerp(of_others, 1.0, 1 / f.sharers) * f.asked;
  }
  return waiting;
}

void add_latencies(Traffic& t, Bytes touched, const Machine& machine) {
  const DeviceProfile& d = *machine.profile;
  t.slow_hit = slow_hit_of(touched, machine);
  if (machine.dram_latency)
    t.slow_miss =
        *machine.dram_latency + above_median(d.dram_latency_p90_over_load, d.dram_latency_over_load);
}

void add_reads(Traffic& t, const KernelDescription& kernel, const Asked& asked, const FromDram& from,
               const Machine& machine) {
  t.asked_read = asked.of_l2_read;
  if (asked.of_l2_read > Bytes{})
    t.slice_time = slice_load(kernel, machine).longest().value() / asked.of_l2_read.value();
  if (asked.served > Bytes{}) t.read_together = asked.of_l2_read / asked.served;
  if (asked.of_l2_read <= Bytes{}) return;
  t.dram_read_share = std::min(1.0, from.bytes / asked.of_l2_read);
  t.first_reads = from.first;
  t.shared_waits = std::min(1.0, waiting_for_dram(from.first) / asked.of_l2_read);
  if (from.as_stream > from.bytes) t.dram_read = from.bytes / from.as_stream * machine.dram_read;
}

void add_writes(Traffic& t, const KernelDescription& kernel, const Running& running, const Asked& asked,
                const Machine& machine, Caches caches) {
  const DeviceProfile& d = *machine.profile;
  if (const auto& curve = d.l2_write_over_footprint; curve.present())
    t.l2_write = Bandwidth{interpolate(curve, std::min(asked.read + asked.written, l2_own(d)).value())};
  const double share = asked.written > Bytes{} ? asked.written / (asked.written + asked.read) : 0;
  const Bytes beside = beside_written(kernel, running, share);
  t.words = word_stores(kernel, running.at_once, asked.written + beside, machine);
  for (const auto& s : kernel.streams)
    if (s.written) t.dram_write = written_rate(s, kernel, running.at_once, machine);
  if (asked.of_l2_written <= Bytes{}) return;
  const WrittenSet set{asked.written, beside, asked.lines_apart,
                       reordered_bytes(kernel, running, asked.written, machine), running.on_same_sms};
  t.dram_write_share = written_back(set, as_if_read_by(1, kernel, running), machine, caches) *
                       std::min(1.0, asked.written / asked.of_l2_written);
}

}  // namespace

double waiting_share(const Traffic& traffic) {
  return std::max(std::min(1.0, traffic.dram_read_share), traffic.shared_waits);
}

Traffic traffic_of(const KernelDescription& kernel, double at_once, const Machine& machine, Caches caches) {
  const Asked asked = asked_of(kernel, at_once, machine);
  const Moved moved = moved_by(kernel);
  Traffic t;
  t.single_wave = static_cast<double>(kernel.launch.blocks) <= at_once;
  if (t.single_wave) {
    t.edge_blocks = kernel.edge_blocks;
    t.edge_stored = kernel.edge_stored;
  }
  if (moved.fetched > Bytes{} && asked.of_l2_read > Bytes{})
    t.l2_read_share = asked.of_l2_read / moved.fetched;
  if (moved.stored > Bytes{} && asked.of_l2_written > Bytes{})
    t.l2_write_share = asked.of_l2_written / moved.stored;
  add_latencies(t, asked.touched, machine);
  const Running running = running_of(kernel, at_once, machine);
  t.later_hits = later_of_hits(kernel, running, machine);
  add_reads(t, kernel, asked, read_from_dram(kernel, running, machine, caches), machine);
  add_writes(t, kernel, running, asked, machine, caches);
  const Bytes read = t.dram_read_share * asked.of_l2_read, written = t.dram_write_share * asked.of_l2_written;
  if (read > Bytes{}) t.dram_turns = dram_turns_per_byte(*machine.profile, read / (read + written));
  return t;
}

}  // namespace tilecast::analytic
