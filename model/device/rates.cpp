#include "model/device/rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast {

// Without either it is the measurement that is missing, not the label.
Frequency sm_clock_of(const DeviceProfile& d) {
  return d.sm_clock.present() || !d.boost_clock.present() ? d.sm_clock.get() : d.boost_clock.get();
}

Bandwidth dram_read_of(const DeviceProfile& d) {
  return d.dram_read.present() ? d.dram_read.get() : d.dram_peak.get();
}

Bandwidth dram_write_of(const DeviceProfile& d) {
  return d.dram_write.present() ? d.dram_write.get() : d.dram_peak.get();
}

// A5, S13. By the next smaller piece: less than a sector and whole sectors are different things.
Bandwidth dram_write_in_pieces(const DeviceProfile& d, Bandwidth streaming, const WrittenPieces& written) {
  const Table2D& table = d.dram_write_over_piece_and_distance;
  if (!written.piece || !table.present() || *written.piece >= stand_in::stream_piece.value())
    return streaming;
  const auto above = std::ranges::upper_bound(table.rows, *written.piece);
  const double row = above == table.rows.begin() ? *above : *(above - 1);
  const auto far = std::min(streaming, Bandwidth{interpolate(table, row, written.between)});
  if (row < line_bytes) return far;
  return 1 / std::lerp(1 / streaming.value(), 1 / far.value(), written.spread) * Bandwidth{1};
}

// A5. Below the curve's first point in proportion: nothing where DRAM only writes.
double dram_turns_per_byte(const DeviceProfile& d, double read_share) {
  const auto& mixed = d.dram_mixed_over_read_share;
  if (!mixed.present() || read_share <= 0) return 0;
  const double least = mixed.x.front() / 100, share = std::max(read_share, least);
  const double apart = share / dram_read_of(d).value() + (1 - share) / dram_write_of(d).value();
  const double longer = std::max(0.0, 1 / interpolate(mixed, 100 * share) - apart);
  return std::min(1.0, read_share / least) * longer;
}

Cycles first_access(double sms) {
  // H200, medians of 1, 4 and 16 warps an SM (experiments/first_loads.csv).
  struct Point {
    double sms;
    Cycles longer;
  };
  constexpr std::array table{Point{1, Cycles{28}}, Point{12, Cycles{42}}, Point{28, Cycles{70}}};
  for (std::size_t i = 1; i < table.size(); ++i) {
    const auto &before = table[i - 1], &next = table[i];
    if (sms >= next.sms) continue;
    const double along = std::max(0.0, (sms - before.sms) / (next.sms - before.sms));
    return before.longer + along * (next.longer - before.longer);
  }
  return table.back().longer;
}

}  // namespace tilecast
