#include "model/sim/dram_share.hpp"

#include <algorithm>

#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::sim {
namespace {

double at(const Table2D& table, std::size_t row, double column) {
  // interpolate() would mix the rows: pieces of less than a sector and whole sectors are different things.
  return interpolate(table, table.rows[row], column);
}

}  // namespace

double dram_read_share(const analytic::Traffic& traffic, const InstructionStream& stream,
                       std::int64_t blocks) {
  const Bytes asked{static_cast<double>(blocks) * sector_bytes * global_sectors_read(stream)};
  return asked > Bytes{} ? std::min(1.0, traffic.dram_read_share * (traffic.asked_read / asked)) : 0;
}

std::optional<double> written_piece(std::optional<double> piece, std::optional<double> run) {
  if (!piece || !run) return piece;
  return std::min(*piece, std::max<double>(line_bytes, *run));
}

Bandwidth dram_write_rate(const DeviceProfile& device, Bandwidth streaming, std::optional<double> piece,
                          double between) {
  const auto& table = device.dram_write_over_piece_and_distance;
  if (!piece || !table.present() || *piece >= stand_in::stream_piece.value()) return streaming;
  std::size_t row = 0;
  while (row + 1 < table.rows.size() && table.rows[row + 1] <= *piece)
    ++row;
  return std::min(streaming, Bandwidth{at(table, row, between)});
}

}  // namespace tilecast::sim
