#include "model/sim/dram_share.hpp"

#include <algorithm>

namespace tilecast::sim {
namespace {

// Pieces from this length on are taken for a stream. No probe writes pieces between 128 bytes and a stream.
constexpr double stream_piece = 4096;

double at(const Table2D& table, std::size_t row, double column) {
  // interpolate() would mix the rows: pieces of less than a sector and whole sectors are different things.
  return interpolate(table, table.rows[row], column);
}

}  // namespace

// S13. The curve is of lines that one SM each reads, in the same order in every pass: as in replays of a
// kernel, the least recently used lines go first, so that a set beyond the capacity hardly hits. Near the
// capacity the bandwidth does not show misses yet, as DRAM delivers them beside the hits: there, what is not
// resident.
double cyclic_miss(Bytes footprint, const analytic::Machine& machine, analytic::Caches caches) {
  const auto& curve = machine.profile->l2_read_private_over_footprint;
  if (caches == analytic::Caches::cold || !curve.present())
    return analytic::miss_fraction(footprint, machine, caches);
  const double F = footprint.value();
  const double fastest = *std::max_element(curve.y.begin(), curve.y.end());
  const double l2 = 1 / fastest, dram = 1 / std::min(machine.dram_read.value(), curve.y.back());
  double miss = 0;
  if (F > curve.x.front() && dram > l2)
    miss = std::clamp((1 / interpolate(curve, F) - l2) / (dram - l2), 0.0, 1.0);
  const auto& resident = machine.profile->l2_hit_rate_over_footprint;
  if (resident.present() && F >= resident.x.front()) miss = std::max(miss, 1 - interpolate(resident, F));
  return miss < 0.02 ? 0 : miss;  // the curves' own scatter
}

analytic::Traffic dram_traffic(const KernelDescription& kernel, const analytic::Machine& machine,
                               analytic::Caches caches) {
  auto traffic = analytic::traffic_of(kernel, machine, caches);
  Bytes unique_read, unique_written, asked_read, asked_written;
  for (const auto& s : kernel.streams) {
    (s.written ? unique_written : unique_read) += s.unique;
    (s.written ? asked_written : asked_read) += s.requested;
  }
  const double miss = cyclic_miss(unique_read + unique_written, machine, caches);
  if (asked_read > Bytes{}) traffic.dram_read_share = miss * std::min(1.0, unique_read / asked_read);
  if (asked_written > Bytes{})
    traffic.dram_write_share = miss * std::min(1.0, unique_written / asked_written);
  return traffic;
}

Bandwidth dram_write_rate(const DeviceProfile& device, Bandwidth streaming, std::optional<double> piece,
                          double between) {
  const auto& table = device.dram_write_over_piece_and_distance;
  if (!piece || !table.present() || *piece >= stream_piece) return streaming;
  std::size_t row = 0;
  while (row + 1 < table.rows.size() && table.rows[row + 1] <= *piece)
    ++row;
  return std::min(streaming, Bandwidth{at(table, row, between)});
}

}  // namespace tilecast::sim
