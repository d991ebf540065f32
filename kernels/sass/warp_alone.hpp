#pragma once
// One warp that has a scheduler to itself, instruction by instruction, by the simulator's rules S1 to S4 and
// S7 (EQUATIONS.md): how long its own chain takes, and what register ports would cost a scheduler that never
// has to wait. Global memory and barriers take no time here; they are counted.

#include <deque>
#include <optional>

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
    double queue_waits = 0;  // that a scheduler which never waits otherwise has no room in the memory queue
    bool long_wait = false;  // waited for global memory
    // Waited for loads into registers; how long before these were issued, barriers between included. Waits
    // for loads that were under way at the one before count with that: as a change of its distance.
    bool load_wait = false;
    double load_distance = 0;
  };
  Step issue(const sim::DecodedOp& op, bool taken_branch);

 private:
  using Cycle = sim::Cycle;
  int hold(sim::OperandPorts& ports, Cycle now, const sim::DecodedOp& op);
  Cycle& free_from(const sim::DecodedOp& op, Cycle now);
  void send(const sim::DecodedOp& op, Cycle now);  // to the memory pipeline
  Cycle wait_for_room(const sim::DecodedOp& op);
  void wait_for_loads(Cycle issued, Cycle now, Step& step);

  sim::CoreParameters p_;
  Cycle last_ = 0, ready_ = 0;
  std::array<Cycle, sim::scoreboard_count> released_{};
  std::array<bool, sim::scoreboard_count> long_{};
  bool groups_pending_ = false;
  // Loads into registers: when each scoreboard's last one was issued, the first of the waits that count as
  // one, and the shortest distance of these. By a clock that barriers stop for as long as they take.
  std::array<std::optional<Cycle>, sim::scoreboard_count> loaded_{};
  std::optional<Cycle> first_wait_;
  Cycle distance_ = 0, in_barriers_ = 0;
  std::array<std::array<Cycle, 2>, sim::unit_count> unit_free_{};
  std::deque<Cycle> queue_;  // when the pipe takes what waits in the queue
  Cycle address_free_ = 0;
  double pipe_free_ = 0;
  sim::OperandPorts ports_, saturated_;
  Cycle saturated_now_ = 0, saturated_address_free_ = 0;
  std::deque<Cycle> saturated_queue_;
};

}  // namespace tilecast::sass
