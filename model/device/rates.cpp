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

// A5. Up to a fifth of reads, of all bytes, by H200: means over 16 and 32 warps an SM that do not wait for
// their loads of 128 bytes to 2 KiB, as shares of the time that a byte written takes
// (experiments/reads_among_writes.csv, spread). From there on a straight line to the profile's curve.
double dram_turns_per_byte(const DeviceProfile& d, double read_share) {
  static const Curve of_few{.x = {0.2, 0.4, 0.8, 1.5, 3, 6, 11, 20},
                            .y = {0.041, 0.071, 0.099, 0.147, 0.184, 0.197, 0.190, 0.167}};
  const auto& mixed = d.dram_mixed_over_read_share;
  if (!mixed.present() || read_share <= 0) return 0;
  const auto of_curve = [&](double share) {
    const double apart = share / dram_read_of(d).value() + (1 - share) / dram_write_of(d).value();
    return std::max(0.0, 1 / interpolate(mixed, 100 * share) - apart);
  };
  const double percent = 100 * read_share, least = mixed.x.front(), most = std::min(of_few.x.back(), least);
  if (percent >= least) return of_curve(read_share);
  const double few = std::min(1.0, percent / of_few.x.front()) *
                     interpolate(of_few, std::min(percent, most)) / dram_write_of(d).value();
  if (percent <= most) return few;
  return std::lerp(few, of_curve(least / 100), (percent - most) / (least - most));
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
