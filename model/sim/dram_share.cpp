#include "model/sim/dram_share.hpp"

#include <algorithm>

#include "model/units/hardware_sizes.hpp"

namespace tilecast::sim {

double reads_more(const KernelDescription& kernel) {
  if (kernel.launch.cluster <= 1 || kernel.fma_executed <= 0) return 1;
  double ffma = 0;
  for (const auto& phase : kernel.phases)
    ffma += phase.trips * phase.active_warps * phase.warp.ffma;
  const double mean = kernel.fma_executed / threads_per_warp / static_cast<double>(kernel.launch.blocks);
  return std::max(1.0, ffma / mean);
}

double dram_read_share(const analytic::Traffic& traffic, const InstructionStream& stream, double blocks) {
  const Bytes asked{blocks * sector_bytes * global_sectors_read(stream)};
  return asked > Bytes{} ? std::min(1.0, traffic.dram_read_share * (traffic.asked_read / asked)) : 0;
}

std::optional<double> written_piece(std::optional<double> piece, std::optional<double> run) {
  if (!piece || !run) return piece;
  return std::min(*piece, std::max<double>(line_bytes, *run));
}

}  // namespace tilecast::sim
