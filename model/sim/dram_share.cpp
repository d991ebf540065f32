#include "model/sim/dram_share.hpp"

#include <algorithm>

#include "model/units/hardware_sizes.hpp"

namespace tilecast::sim {
double dram_read_share(const analytic::Traffic& traffic, const InstructionStream& stream,
                       std::int64_t blocks) {
  const Bytes asked{static_cast<double>(blocks) * sector_bytes * global_sectors_read(stream)};
  return asked > Bytes{} ? std::min(1.0, traffic.dram_read_share * (traffic.asked_read / asked)) : 0;
}

std::optional<double> written_piece(std::optional<double> piece, std::optional<double> run) {
  if (!piece || !run) return piece;
  return std::min(*piece, std::max<double>(line_bytes, *run));
}

}  // namespace tilecast::sim
