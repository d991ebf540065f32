#include "model/sim/memory_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/analytic/machine.hpp"
#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::sim {
namespace {

// The load for the latency curves is averaged over about three round trips to DRAM: with less, one burst
// would count as saturation; with more, a short kernel would never see its own load.
constexpr double averaging_cycles = 2048;

// Latency that DRAM reads have beside writes in addition to that beside as many reads, in cycles, over the
// share of time in which DRAM writes. H200, experiments/reads_beside_writes.csv.
struct BesideWrites {
  double share, low, middle, high;  // p10, median, p90
};
constexpr std::array<BesideWrites, 7> longer_beside_writes{{{0, 0, 0, 0},
                                                            {0.11, 7, 7, 4},
                                                            {0.22, 20, 31, 71},
                                                            {0.45, 66, 93, 272},
                                                            {0.67, 144, 390, 398},
                                                            {0.9, 541, 502, 321},
                                                            {1.04, 685, 668, 490}}};

// SplitMix64 (Steele, Lea, Flood 2014): one number a draw, the same on every machine.
double uniform_draw(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

}  // namespace

MemorySystem::MemorySystem(const CoreParameters& parameters, const MemoryShare& share, std::uint64_t seed)
    : p_(parameters), rank_free_(static_cast<std::size_t>(parameters.cluster_blocks)), random_(seed) {
  set_share(share);
}

void MemorySystem::set_share(const MemoryShare& share) {
  share_ = share;
  reading_sms_ = share.active_sms / share.reads_more;
  l2_read_ = std::min(p_.port_bytes_per_cycle, share.read_together * p_.l2_read / reading_sms_);
  l2_write_ = share.storing_sms > 0
                  ? p_.l2_write / share.storing_sms
                  : p_.l2_write * analytic::written_share(share.used_sms, p_.sms) / share.active_sms;
  dram_read_ = std::min(p_.port_bytes_per_cycle, p_.dram_read / reading_sms_);
  dram_write_ = std::min(p_.port_bytes_per_cycle, p_.dram_write / share.active_sms);
}

double MemorySystem::serve(double& free, Cycle now, double bytes, double bytes_per_cycle) const {
  free = std::max(free, static_cast<double>(now)) + bytes / bytes_per_cycle;
  return free;
}

// The device's exponentially smoothed load before this request, in bytes/s; then adds `bytes` to it.
double MemorySystem::load_of(double& average, Cycle& since, Cycle now, double bytes) const {
  average *= std::exp(-static_cast<double>(now - since) / averaging_cycles);
  since = now;
  const double load = average * reading_sms_ * p_.clock;
  average += bytes / averaging_cycles;
  return load;
}

// Of `lines` independent lines plus queueing. Under load by the curves. The median's growth under load is
// queueing, too, so only what this SM's queue adds to that counts.
MemorySystem::Latencies MemorySystem::latencies(const LevelLatency& level, double bytes_per_second,
                                                double queued, int lines, const Later& later) {
  const bool curves = level.over_load && level.over_load->present();
  Latencies l{level.near, level.near, std::max(level.near, level.far), queued, !curves};
  if (curves || level.far > level.near)  // the maximum of n uniform draws is one draw to the power 1/n
    l.slowest = std::pow(uniform_draw(random_), 1.0 / std::max(1, lines));
  if (!curves) return l;
  const double middle = interpolate(*level.over_load, bytes_per_second);
  l.queued = std::max(0.0, queued - std::max(0.0, middle - level.over_load->y.front()));
  l.middle = middle + later.middle;
  const auto outer = [&](const Curve* side, double more) {
    return side && side->present() ? interpolate(*side, bytes_per_second) + more : l.middle;
  };
  l.low = outer(level.low_over_load, later.low);
  l.high = outer(level.high_over_load, later.high);
  return l;
}

// Linear between p10, median and p90, and beyond.
double MemorySystem::Latencies::at(double quantile) const {
  const double outer = quantile < 0.5 ? low : high;
  if (two) return queued + outer;
  return std::max(0.0, middle + (outer - middle) * std::abs(quantile - 0.5) / 0.4) + queued;
}

// By the writes of the whole run so far: other SMs are not in step, and L2 keeps their stores for a while.
MemorySystem::Later MemorySystem::beside_writes(Cycle now) const {
  const double share = dram_written_ / std::max(1.0, static_cast<double>(now + skipped_));
  const auto above =
      std::ranges::find_if(longer_beside_writes, [&](const auto& w) { return w.share > share; });
  if (above == longer_beside_writes.end()) {
    const auto& most = longer_beside_writes.back();
    return {most.low, most.middle, most.high};
  }
  const auto& below = *(above - 1);
  const double part = (share - below.share) / (above->share - below.share);
  return {std::lerp(below.low, above->low, part), std::lerp(below.middle, above->middle, part),
          std::lerp(below.high, above->high, part)};
}

Cycle MemorySystem::load(Cycle now, int spent, const MemoryRequest& request) {
  if (request.sectors <= 0) return now + p_.l1_latency - spent;
  // S14. The launch's first access takes longer, and so do those that come meanwhile.
  if (first_until_ < 0) first_until_ = now + p_.first_access;
  if (now < first_until_) spent -= static_cast<int>(first_until_ - now);  // the latency begins then
  const double bytes = sector_bytes * request.sectors;
  const double lines = std::ceil(std::max(request.sectors / sectors_per_line, request.lines));
  l2_bytes_ += bytes;
  const double l2_load = load_of(l2_average_, l2_since_, now, bytes / share_.read_together);
  const double l2_queue =
      serve(l2_free_, now, std::max(bytes / l2_read_, request.lines * request.line_cycles), 1) -
      static_cast<double>(now);
  if (store_free_ > static_cast<double>(now))
    store_free_ +=
        (stand_in::read_among_stores + stand_in::read_among_parts * partly_stored_) * bytes / l2_read_;
  const Later farther{share_.later_hits, share_.later_hits, share_.later_hits};
  last_ = {now, spent, latencies(p_.l2, l2_load, l2_queue, static_cast<int>(lines), farther), {}};
  if (share_.shared && request.tensor) {
    const auto tensor = static_cast<std::size_t>(*request.tensor);
    const auto& reads = share_.shared->at(tensor);
    const auto queue = ask_dram(now, reads.dram_share * bytes);
    const double late = late_lines(reads, first_debt_.at(tensor), lines);
    if (late > 0) {
      last_.late = late / lines;
      wait_for_dram(now, static_cast<int>(late), l2_queue, queue);
      last_.waited = time_left(reads.sharers, late, request.asking_for);
    }
    return lines_come(1);
  }
  miss_debt_ += request.sectors * request.dram_share;
  // Shares of misses add up until a whole request misses.
  if (miss_debt_ + 1e-9 >= request.sectors) {
    miss_debt_ -= request.sectors;
    last_.late = 1;
    wait_for_dram(now, static_cast<int>(lines), l2_queue, ask_dram(now, bytes));
  }
  return lines_come(1);
}

MemorySystem::DramQueue MemorySystem::ask_dram(Cycle now, double bytes) {
  dram_bytes_ += bytes;
  dram_cycles_ += bytes / dram_read_;
  const double load = load_of(dram_average_, dram_since_, now, bytes);
  return {load, serve(dram_free_, now, bytes, dram_read_) - static_cast<double>(now)};
}

void MemorySystem::wait_for_dram(Cycle now, int lines, double l2_queue, const DramQueue& queue) {
  const Later later = beside_writes(now);
  // What SMs in step have stored goes to DRAM first; `later` has some of that already.
  const double writes = share_.in_step ? dram_store_free_ - static_cast<double>(now) - later.middle : 0;
  dram_reads_ += 1;
  behind_writes_ += std::max(0.0, writes - queue.cycles);
  last_.dram = latencies(p_.dram, queue.load, std::max({l2_queue, queue.cycles, writes}), lines, later);
}

// S6. Of a request's lines those that L2 has lost, where it is one of those that ask for them first: the
// shares of these add up to whole requests.
double MemorySystem::late_lines(const SharedReads& reads, double& debt, double lines) {
  if (reads.missed <= 0) return 0;
  debt += reads.first_share;
  if (debt + 1e-9 < 1) return 0;
  debt -= 1;
  const double any = reads.missed >= 1 ? 1 : 1 - std::pow(1 - reads.missed, lines);
  if (any < 1 && uniform_draw(random_) >= any) return 0;
  return std::clamp(std::round(reads.missed * lines / any), 1.0, lines);
}

// S6. What other SMs have asked for before comes sooner by the time since: by any time where all go through
// their reads in the same order, else by that since this block has begun with them.
double MemorySystem::time_left(double sharers, double lines, std::optional<double> asking_for) {
  const double sole = 1 / sharers;
  if (sole >= 1 || uniform_draw(random_) < 1 - std::pow(1 - sole, lines)) return 1;
  if (!asking_for) return std::pow(uniform_draw(random_), 1 / lines);
  const double dram = last_.dram.at(last_.dram.slowest), l2 = last_.l2.at(last_.l2.slowest);
  return dram > l2 ? std::clamp((dram - *asking_for - l2) / (dram - l2), 0.0, 1.0) : 0;
}

// Below the slowest line the others lie evenly; what comes from DRAM is last.
Cycle MemorySystem::lines_come(double share) const {
  constexpr double rounding = 1e-9;
  double longest = last_.l2.at(share * last_.l2.slowest);
  if (last_.late > 0 && share > 1 - last_.late + rounding) {
    const double of_late = (share - (1 - last_.late)) / last_.late;
    const double dram = std::max(longest, last_.dram.at(of_late * last_.dram.slowest));
    longest = std::lerp(longest, dram, last_.waited);
  }
  return last_.now + static_cast<Cycle>(std::ceil(std::max(longest - last_.spent, 1.0)));
}

// S12. A read takes the port of its own SM and that of the other one, which is twice as wide and which all
// blocks read at the same time. A lone warp reaches the next port as much behind the other blocks' warps as
// it waited here, and finds these served.
Cycle MemorySystem::cluster_load(Cycle now, int spent, double bytes, int rank, int warp) {
  if (bytes <= 0) return now + p_.shared_latency;
  if (lag_.warp != warp) lag_ = {.warp = warp, .alone = lag_.warp < 0};
  if (lag_.alone && now >= lag_.come) lag_.cycles = lag_.next;
  const double here = serve(cluster_free_, now, bytes, p_.cluster_bytes_per_cycle);
  auto& there = rank_free_[static_cast<std::size_t>(rank)];
  there = std::max(there, static_cast<double>(now) - lag_.cycles) +
          p_.cluster_blocks * bytes / (2 * p_.cluster_bytes_per_cycle);
  lag_.next = std::max(lag_.next, lag_.cycles + there - static_cast<double>(now));
  const auto come = static_cast<Cycle>(std::ceil(std::max(here, there) + p_.cluster_latency)) - spent;
  lag_.come = std::max(lag_.come, come);
  return come;
}

Cycle MemorySystem::store(Cycle now, const MemoryRequest& request) {
  const double bytes = sector_bytes * request.sectors;
  const double packets = sector_bytes * request.packets.value_or(request.sectors);
  const double lone = sector_bytes * request.lone;
  l2_bytes_ += bytes;
  // S6. Cycles of the SM's port and of L2, for packets of a sector's size.
  const double port = (packets + (p_.lone_port_cost - 1) * lone) / p_.store_port_bytes_per_cycle;
  const double l2 = (packets + (p_.lone_l2_cost - 1) * lone) / l2_write_;
  const double shared = std::max(port, l2);
  // Out of step, a burst shares L2 with the SMs that happen to store.
  const double busy =
      request.in_step >= 1
          ? 1
          : std::max(request.in_step, std::min(1.0, store_cycles_ / static_cast<double>(now + skipped_)));
  if (request.in_step >= 1) in_step_ += l2;
  const double taken = std::max(port, l2 * busy);
  if (request.in_step >= 1 && request.waited && l2 > port) contended_ += l2;
  // S12. Loads from other blocks' shared memory use the same port.
  serve(cluster_free_, now, port, 1);
  serve(sent_free_, now, port, 1);
  // Nor does L2 take more of all SMs than it can: out of step, they have stored as much as this one.
  if (all_taken_ < 0 && shared > 0) all_taken_ = static_cast<double>(now + skipped_);
  all_taken_ += shared;
  serve(store_free_, now, taken, 1);
  const double done = store_free_ = std::max(store_free_, all_taken_ - static_cast<double>(skipped_));
  if (bytes > 0) partly_stored_ = 1 - std::min(1.0, request.bytes.value_or(bytes) / bytes);
  // DRAM writes each byte once.
  const double written = request.bytes.value_or(bytes) * request.dram_share;
  store_cycles_ += std::max(shared, written / dram_write_);
  if (request.dram_share > 0) {
    dram_bytes_ += written;
    dram_cycles_ += written / dram_write_;
    dram_written_ += written / dram_write_;
    // No store waits for DRAM: L2 takes them regardless.
    serve(dram_store_free_, now, written, dram_write_);
    load_of(dram_average_, dram_since_, now, written);  // reads share its bus
  }
  return static_cast<Cycle>(std::ceil(done));
}

double MemorySystem::backlog(Cycle now) const {
  return std::max({0.0, l2_free_ - static_cast<double>(now), dram_free_ - static_cast<double>(now),
                   store_free_ - static_cast<double>(now)});
}

void MemorySystem::add_skipped(Cycle cycles, double l2_bytes, double dram_bytes, double store_cycles,
                               double dram_cycles, double dram_written) {
  skipped_ += cycles;
  dram_written_ += dram_written;
  dram_cycles_ += dram_cycles;
  l2_bytes_ += l2_bytes;
  dram_bytes_ += dram_bytes;
  store_cycles_ += store_cycles;
  if (all_taken_ >= 0) all_taken_ += std::min(store_cycles, static_cast<double>(cycles));
}

}  // namespace tilecast::sim
