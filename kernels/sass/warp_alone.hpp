#pragma once
// One warp that has a scheduler to itself, instruction by instruction, by the simulator's rules S1 to S4 and
// S7 (EQUATIONS.md): how long its own chain takes, and what register ports would cost a scheduler that never
// has to wait. Global memory and barriers take no time here; they are counted.

#include <deque>

#include "model/sim/decode.hpp"
#include "model/sim/operand_ports.hpp"

namespace tilecast::sass {

class WarpAlone {
 public:
  explicit WarpAlone(const sim::CoreParameters& parameters) : p_(parameters) {}

  struct Step {
    double cycles = 0;       // since the instruction before was issued
    double short_waits = 0;  // of these, for scoreboards of shared memory and the like
    double port_cycles = 0;  // that the ports hold a scheduler which issues in every other cycle
    bool long_wait = false;  // waited for global memory
  };
  Step issue(const sim::DecodedOp& op, bool taken_branch);

 private:
  using Cycle = sim::Cycle;
  int hold(sim::OperandPorts& ports, Cycle now, const sim::DecodedOp& op);
  Cycle& free_from(const sim::DecodedOp& op, Cycle now);
  void send(const sim::DecodedOp& op, Cycle now);  // to the memory pipeline

  sim::CoreParameters p_;
  Cycle last_ = 0, ready_ = 0;
  std::array<Cycle, sim::scoreboard_count> released_{};
  std::array<bool, sim::scoreboard_count> long_{};
  bool groups_pending_ = false;
  std::array<std::array<Cycle, 2>, sim::unit_count> unit_free_{};
  std::deque<Cycle> queue_;  // when the pipe takes what waits in the queue
  Cycle address_free_ = 0;
  double pipe_free_ = 0;
  sim::OperandPorts ports_, saturated_;
  Cycle saturated_now_ = 0;
};

}  // namespace tilecast::sass
