#include "model/analytic/code_cost.hpp"

#include <algorithm>

#include "model/analytic/overlap.hpp"
#include "model/device/stand_ins.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::analytic {
namespace {

constexpr double half_width = stand_in::half_width.value();

bool on(const Enabled& enabled, BoundId id) {
  return enabled[index(id)];
}

}  // namespace

double CodeCost::service() const {
  return std::max({fma, issue + ports + turns, alu, queue});
}

CodeCost code_cost(const CodeCounts& c, const Machine& machine, const Enabled& enabled) {
  CodeCost cost;
  if (on(enabled, BoundId::fma))
    cost.fma = c.ffma * threads_per_warp * machine.schedulers / machine.fma_per_cycle;
  if (on(enabled, BoundId::issue)) cost.issue = c.issued;
  if (on(enabled, BoundId::ports)) cost.ports = c.port_cycles + c.return_cycles;
  if (on(enabled, BoundId::alu)) {
    cost.alu = half_width * std::max({c.integer, c.integer_mad, c.uniform});
    // An instruction waits a cycle if the one before it took the same half-wide pipe, which happens as often
    // as that pipe's share of the instructions.
    if (c.issued > 0) {
      cost.turns = (half_width - 1) *
                   (c.integer * c.integer + c.integer_mad * c.integer_mad + c.uniform * c.uniform) / c.issued;
    }
  }
  if (on(enabled, BoundId::shared)) {
    cost.queue = c.queue_cycles;
    cost.turns += c.queue_waits;
    cost.pipe = c.pipe_cycles / machine.wavefronts_per_cycle;
  }
  cost.chain = on(enabled, BoundId::chain) ? c.chain_cycles : cost.service();
  return cost;
}

double cycles_of_warps(const CodeCost& cost, double warps, double busiest, const Enabled& enabled) {
  if (!on(enabled, BoundId::overlap))
    return std::max({busiest * cost.service(), warps * cost.pipe, cost.chain});
  // The scheduler serves its own warps, the SM's memory pipe all of the block's.
  return queued_at_two(busiest, cost.service(), warps, cost.pipe, cost.chain);
}

double segment_cycles(const CodeCost& cost, double warps, const Machine& machine, const Enabled& enabled) {
  if (warps <= 0) return 0;
  return cycles_of_warps(cost, warps, warps_on_busiest_scheduler(warps, machine), enabled);
}

}  // namespace tilecast::analytic
