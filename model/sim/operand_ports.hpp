#pragma once
// S3. Register banks, their read ports and the reuse cache of one scheduler, after Huerta et al. (MICRO 2025,
// section 5.3): a bank (register number mod banks) delivers one register a cycle; a fixed-latency instruction
// is held, and all behind it, until it can read all its operands within a window of three cycles. The reuse
// cache keeps, for each bank and source slot, the operand that the compiler marked; any read of the same bank
// and slot replaces or frees it, of whatever warp.

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/sim/core_parameters.hpp"

namespace tilecast::sim {

constexpr int max_banks = 4;
constexpr std::uint8_t no_register = 255;

struct OperandPorts {
  std::array<Cycle, max_banks> free{};  // first cycle in which the bank's port is not yet taken
  std::array<std::array<std::int32_t, 3>, max_banks> kept{};  // warp * 256 + register + 1; 0: nothing
  Cycle held_until = 0;     // the instruction before has left the stage that reserves ports
  Cycle control_until = 0;  // the stage in front of it is free
};

// Reads that the instruction makes of each bank, after the reuse cache; updates the cache.
inline std::array<int, max_banks> operand_reads(OperandPorts& ports, int warp,
                                                const std::array<std::uint8_t, 3>& sources, unsigned reuse,
                                                int banks) {
  std::array<int, max_banks> reads{};
  for (std::size_t slot = 0; slot < 3; ++slot) {
    const auto reg = sources[slot];
    if (reg == no_register) continue;
    const auto bank = static_cast<std::size_t>(reg % banks);
    auto& kept = ports.kept[bank][slot];
    const std::int32_t tag = warp * 256 + reg + 1;
    if (kept != tag) ++reads[bank];
    kept = (reuse >> slot & 1U) != 0 ? tag : 0;
  }
  return reads;
}

// The cycle in which an instruction issued at `now` has its ports; later instructions of the scheduler wait
// behind it. Two stages lie between issue and reading; one of them is slack.
inline Cycle reserve_ports(OperandPorts& ports, Cycle now, const std::array<int, max_banks>& reads,
                           const CoreParameters& p) {
  Cycle at = std::max(now + 2, ports.held_until + 1);
  ports.control_until = at - 1;  // it enters the stage, and the one in front of it is free
  for (int b = 0; b < p.banks; ++b) {
    const auto i = static_cast<std::size_t>(b);
    if (reads[i] > 0) at = std::max(at, ports.free[i] + reads[i] - p.operand_window);
  }
  for (int b = 0; b < p.banks; ++b) {
    const auto i = static_cast<std::size_t>(b);
    if (reads[i] > 0) ports.free[i] = std::max(ports.free[i], at) + reads[i];
  }
  ports.held_until = at;
  return at;
}

}  // namespace tilecast::sim
