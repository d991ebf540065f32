#pragma once
// S10. Where the warps' cycles go: one cause for each cycle of each warp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilecast::sim {

enum class Cause : std::uint8_t {
  issued,
  stall_count,       // the compiler's wait for a fixed latency; a taken branch
  short_scoreboard,  // results of shared memory and others within the SM
  long_scoreboard,   // results of global memory
  barrier,
  pipe_busy,
  operand_ports,
  memory_queue,  // the queue is full
  fetch,         // the next instructions are not there
  not_selected,  // another warp of the scheduler issued
};
constexpr std::size_t cause_count = 10;

constexpr std::array<std::string_view, cause_count> cause_names{
    "issued",    "stall_count",   "short_scoreboard", "long_scoreboard", "barrier",
    "pipe_busy", "operand_ports", "memory_queue",     "fetch",           "not_selected"};

struct StallTable {
  std::array<double, cause_count> warp_cycles{};

  double& operator[](Cause cause) { return warp_cycles[static_cast<std::size_t>(cause)]; }
  double operator[](Cause cause) const { return warp_cycles[static_cast<std::size_t>(cause)]; }
  double total() const {
    double sum = 0;
    for (const double v : warp_cycles)
      sum += v;
    return sum;
  }
  // Adds times * (later - earlier).
  void add_difference(const StallTable& later, const StallTable& earlier, double times) {
    for (std::size_t i = 0; i < cause_count; ++i)
      warp_cycles[i] += times * (later.warp_cycles[i] - earlier.warp_cycles[i]);
  }
};

}  // namespace tilecast::sim
