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

// A12, upper end of A1: an FMA reads three registers, a register file of two banks delivers one each a cycle
// (compute capability 7.0 and later; Jia et al. 2018, Huerta et al. 2025). Without the machine code it is not
// known how many operands its reuse cache saves: from none to enough. The rate of the kernel's register tile,
// where measured, knows.
Spread fma_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  constexpr double operands_over_banks = 3.0 / 2.0;
  if (m.tile_measured || m.code_known) return clock(m);
  const Spread reuse{1, d.compute_capability_major >= 7 ? operands_over_banks : 1};
  return clock(m) * spread_of_rate(d.fma_rate) * reuse;
}
Spread shared_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return clock(m) * spread_of_rate(d.shared_read);
}
Spread l2_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return spread_of_rate(d.l2_read);
}
Spread dram_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return spread_of_rate(d.dram_read);
}
Spread latency_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return clock(m) * spread_of_time(d.l2_latency);
}
Spread barrier_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  return clock(m) * spread_of_time(d.barrier);
}
Spread launch_spread(const Machine& m) {
  const DeviceProfile& d = *m.profile;
  if (d.launch_over_blocks_and_threads.present()) return {};  // tables have no intervals
  return spread_of_time(d.launch_grid.present() ? d.launch_grid : d.launch_graph);
}

}  // namespace

const std::array<BoundInfo, bound_count>& bound_table() {
  static const std::array<BoundInfo, bound_count> table{{
      {BoundId::fma, "fma", "A1", always, fma_spread},
      {BoundId::issue, "issue", "A2", always, clock},
      {BoundId::ports, "ports", "A14", always, clock},
      {BoundId::alu, "alu", "A14", always, clock},
      {BoundId::shared, "shared", "A3", always, shared_spread},
      {BoundId::chain, "chain", "A14", always, clock},
      {BoundId::overlap, "overlap", "A13", always, [](const Machine&) { return Spread{}; }},
      {BoundId::l2, "l2", "A4", [](const Machine& m) { return m.l2_read.has_value(); }, l2_spread},
      {BoundId::dram, "dram", "A5", always, dram_spread},
      {BoundId::latency, "latency", "A6", [](const Machine& m) { return m.l2_latency || m.dram_latency; },
       latency_spread},
      {BoundId::barrier, "barrier", "A7", [](const Machine& m) { return m.barrier.has_value(); },
       barrier_spread},
      {BoundId::cluster, "cluster", "A17", always, clock},
      {BoundId::fetch, "fetch", "A16", always, clock},
      {BoundId::launch, "launch", "A8", [](const Machine& m) { return launch_known(*m.profile); },
       launch_spread},
      {BoundId::together, "together", "A18", always, [](const Machine&) { return Spread{}; }},
      {BoundId::pace, "pace", "A20", always, [](const Machine&) { return Spread{}; }},
  }};
  return table;
}

}  // namespace tilecast::analytic
