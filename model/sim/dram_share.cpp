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

std::optional<std::array<SharedReads, 2>> shared_reads(const analytic::Traffic& traffic,
                                                       const InstructionStream& stream, double blocks) {
  const auto comes_to_several = [](const auto& t) { return t.sharers > 1 && t.missed > 0; };
  if (std::ranges::none_of(traffic.first_reads, comes_to_several)) return std::nullopt;
  std::array<SharedReads, 2> shared;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const auto& first = traffic.first_reads.at(i);
    const Bytes asked{blocks * sector_bytes * global_sectors_read(stream, static_cast<int>(i))};
    if (asked <= Bytes{}) continue;
    shared.at(i) = {std::min(1.0, first.from_dram / asked), std::min(1.0, first.asked / asked), first.missed,
                    first.sharers};
  }
  return shared;
}

std::optional<double> written_piece(std::optional<double> piece, std::optional<double> run) {
  if (!piece || !run) return piece;
  return std::min(*piece, std::max<double>(line_bytes, *run));
}

}  // namespace tilecast::sim
