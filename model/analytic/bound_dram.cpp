#include <algorithm>

#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {
namespace {

// DRAM read bandwidth that `in_flight` bytes sustain, from the profile's curve. Below the curve's first point
// it is proportional to the bytes in flight (Little's law).
Bandwidth read_bandwidth(Bytes in_flight, Bandwidth most, const Machine& machine) {
  const auto& curve = machine.profile->dram_read_over_bytes_in_flight;
  if (!curve.present()) return most;
  const double x = in_flight.value();
  const double y = x < curve.x.front() ? curve.y.front() * x / curve.x.front() : interpolate(curve, x);
  return std::min(most, Bandwidth{y});
}

// DRAM traffic of one trip of all the wave's blocks: the bytes read and the time of the writes.
struct Missed {
  Bytes read{};
  Seconds writing{};
};

Missed missed(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  const Bytes written = wave.blocks * traffic.l2_write_share * traffic.dram_write_share * phase.stored;
  const Bytes read = wave.blocks * traffic.l2_read_share * traffic.dram_read_share * phase.fetched;
  return {read, written / traffic.dram_write.value_or(machine.dram_write) +
                    Seconds{traffic.dram_turns * (read + written).value()}};
}

}  // namespace

// A5. DRAM time of one trip: L2's misses at the bandwidth that the bytes in flight sustain, which are those
// of `fetch_distance` trips of every running block. Reads and writes share the bus, so their times add.
Seconds dram_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  const auto [read, writing] = missed(phase, wave, traffic, machine);
  if (read <= Bytes{}) return writing;
  const Bandwidth most = traffic.dram_read.value_or(machine.dram_read);
  return writing + read / read_bandwidth(std::max(1, phase.fetch_distance) * read, most, machine);
}

DramTimes dram_busy(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine) {
  const auto [read, writing] = missed(phase, wave, traffic, machine);
  return {writing + read / traffic.dram_read.value_or(machine.dram_read), writing};
}

}  // namespace tilecast::analytic
