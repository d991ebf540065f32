#include "model/analytic/bounds.hpp"

namespace tilecast::analytic {
namespace {

bool launch_known(const DeviceProfile& d) {
  return d.launch_over_blocks_and_threads.present() || d.launch_grid.present() || d.launch_graph.present();
}
bool always(const Machine&) {
  return true;
}
Spread clock(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return spread_of_rate(d.sm_clock);
}

// A12, upper end of A1: an FMA reads three registers, and the two banks of the register file deliver one each
// a cycle (compute capability 7.0 and later; Jia et al. 2018, Huerta et al. 2025). How many operands the
// reuse cache saves is in the machine code or in the measured rate of the kernel's register tile; without
// either, anything from none to enough.
Spread fma_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  constexpr double operands_over_banks = 3.0 / 2.0;
  if (m.code_known) return clock(m);
  if (m.tile_measured) return apart({clock(m), spread_of_rates(d.fma_rate_over_register_tile)});
  const Spread reuse{1, d.compute_capability_major >= 7 ? operands_over_banks : 1};
  return apart({clock(m), spread_of_rate(d.fma_rate)}) * reuse;
}
// A2. With a measured register tile, the slots that an FFMA loses to register ports depend on that rate.
Spread issue_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return m.tile_measured ? apart({clock(m), spread_of_rates(d.fma_rate_over_register_tile)}) : clock(m);
}
// For `chain`, too: the warps of a block alone wait for each other at the SM's pipe.
Spread shared_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return apart({clock(m), spread_of_rate(d.shared_read), spread_of_times(d.async_copy_cycles_over_width)});
}
Spread l2_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  // The shared latency is in the pauses between stores in passes (A15).
  return apart({spread_of_rate(d.l2_read), spread_of_rate(d.l2_write), spread_of_time(d.shared_latency),
                spread_of_rates(d.l2_read_over_active_sms), spread_of_rates(d.l2_write_over_footprint),
                spread_of_rates(d.store_rate_filled_by_warp_over_piece_and_sms)});
}
Spread dram_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return apart({spread_of_rate(d.dram_read), spread_of_rate(d.dram_write),
                spread_of_rates(d.dram_read_over_bytes_in_flight),
                spread_of_rates(d.dram_mixed_over_read_share),
                spread_of_rates(d.dram_write_over_piece_and_distance)});
}
Spread latency_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return apart({clock(m), spread_of_time(d.l2_latency), spread_of_time(d.l2_far_latency),
                spread_of_time(d.dram_latency), spread_of_times(d.latency_over_footprint),
                spread_of_times(d.l2_latency_over_load), spread_of_times(d.l2_latency_p90_over_load),
                spread_of_times(d.dram_latency_over_load), spread_of_times(d.dram_latency_p90_over_load),
                spread_of_time(d.store_drain)});
}
Spread barrier_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return apart({clock(m), spread_of_time(d.barrier), spread_of_times(d.barrier_over_warps)});
}
Spread cluster_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return apart({clock(m), spread_of_time(d.cluster_shared_latency),
                spread_of_rates(d.cluster_shared_read_over_blocks),
                spread_of_times(d.cluster_barrier_over_blocks)});
}
Spread fetch_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return apart({clock(m), spread_of_rates(d.fma_rate_over_loop_length)});
}
Spread launch_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return apart({spread_of_time(d.launch_graph), spread_of_time(d.launch_grid),
                spread_of_time(d.block_dispatch), spread_of_times(d.launch_over_blocks_and_threads),
                spread_of_times(d.launch_cluster_over_blocks),
                spread_of_times(d.block_launch_over_cluster_and_threads)});
}

}  // namespace

const std::array<BoundInfo, bound_count>& bound_table() {
  static const std::array<BoundInfo, bound_count> table{{
      {BoundId::fma, "fma", "A1", always, fma_spread},
      {BoundId::issue, "issue", "A2", always, issue_spread},
      {BoundId::ports, "ports", "A14", always, clock},
      {BoundId::alu, "alu", "A14", always, clock},
      {BoundId::shared, "shared", "A3", always, shared_spread},
      {BoundId::chain, "chain", "A14", always, shared_spread},
      {BoundId::overlap, "overlap", "A13", always, [](const Machine&) { return Spread{}; }},
      {BoundId::l2, "l2", "A4", [](const Machine& m) { return m.l2_read.has_value(); }, l2_spread},
      {BoundId::dram, "dram", "A5", always, dram_spread},
      {BoundId::latency, "latency", "A6", [](const Machine& m) { return m.l2_latency || m.dram_latency; },
       latency_spread},
      {BoundId::barrier, "barrier", "A7", [](const Machine& m) { return m.barrier.has_value(); },
       barrier_spread},
      {BoundId::cluster, "cluster", "A17", always, cluster_spread},
      {BoundId::fetch, "fetch", "A16", always, fetch_spread},
      {BoundId::launch, "launch", "A8", [](const Machine& m) { return launch_known(*m.profile); },
       launch_spread},
      {BoundId::together, "together", "A18", always, dram_spread},
      {BoundId::pace, "pace", "A20", always, [](const Machine&) { return Spread{}; }},
  }};
  return table;
}

}  // namespace tilecast::analytic
