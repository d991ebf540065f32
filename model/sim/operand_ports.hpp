#pragma once
// S3. Register banks, their read ports and the reuse cache of one scheduler. Each bank (register number
// modulo `banks`) delivers one register a cycle. An instruction is held until its reads find free cycles of
// their banks among the next two, or as many as it reads from one bank; while it is held, nothing of the
// scheduler goes on, the warps' stall counts included. A register in two slots is read once. The reuse cache
// keeps, for each bank and slot, the operand that the compiler marked, until any instruction reads that bank
// in that slot (Huerta et al., MICRO 2025, section 5.3; the rest from loops of chosen registers on the H200,
// see EQUATIONS.md).

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/sim/core_parameters.hpp"

namespace tilecast::sim {

constexpr int max_banks = 2;  // a power of two: the register number's lowest bits
constexpr std::uint8_t no_register = 255;
using BankReads = std::array<int, max_banks>;

struct OperandPorts {
  Cycle base = 0;                                             // bit i of `taken`: cycle base + i
  std::array<std::uint32_t, max_banks> taken{};               // cycles in which the bank's port is not free
  std::array<std::array<std::int32_t, 3>, max_banks> kept{};  // warp * 256 + register + 1; 0: nothing
};

// Reads that the instruction makes of each bank, after the reuse cache; updates the cache.
inline BankReads operand_reads(OperandPorts& ports, int warp, const std::array<std::uint8_t, 3>& sources,
                               unsigned reuse, int banks) {
  BankReads reads{};
  unsigned read = 0;  // bit i: slot i
  for (std::size_t slot = 0; slot < 3; ++slot) {
    const auto reg = sources[slot];
    if (reg == no_register) continue;
    const auto bank = static_cast<std::size_t>(reg & (banks - 1));
    auto& kept = ports.kept[bank][slot];
    const std::int32_t tag = warp * 256 + reg + 1;
    const bool miss = kept != tag;
    kept = (reuse >> slot & 1U) != 0 ? tag : 0;
    const bool twice =
        ((read & 1U) != 0 && sources[0] == reg) || (slot == 2 && (read & 2U) != 0 && sources[1] == reg);
    read |= static_cast<unsigned>(miss) << slot;
    reads[bank] += miss && !twice ? 1 : 0;
  }
  return reads;
}

inline void pass_cycles(OperandPorts& ports, Cycle now) {
  const auto passed = now - ports.base;
  ports.base = now;
  for (auto& taken : ports.taken)
    taken = passed >= 32 ? 0 : taken >> passed;
}

// Set bits of a window: an instruction reads three registers at most. A call of std::popcount would cost more
// than all else here where the target has no instruction for it.
constexpr std::array<int, 8> bits_of_three{0, 1, 1, 2, 1, 2, 2, 3};

// Cycles for which an instruction issued at `now` is held; takes its ports. At most as many as the ports that
// the instructions before it have taken.
inline int hold_for_ports(OperandPorts& ports, Cycle now, const BankReads& reads, int banks) {
  pass_cycles(ports, now);
  int window = 2;
  for (const int r : reads)
    window = std::max(window, r);
  const std::uint32_t ahead = (1U << window) - 1;
  int held = 0;
  for (int b = 0; b < banks;) {
    const auto i = static_cast<std::size_t>(b);
    const std::uint32_t free = ~(ports.taken[i] >> held) & ahead;
    if (reads[i] <= bits_of_three[free]) {
      ++b;
    } else {
      ++held;
      b = 0;
    }
  }
  for (int b = 0; b < banks; ++b) {
    const auto i = static_cast<std::size_t>(b);
    const std::uint32_t before = (1U << held) - 1;
    for (int left = reads[i]; left > 0; --left) {
      const std::uint32_t free = ~(ports.taken[i] | before);
      ports.taken[i] |= free & (~free + 1);  // the lowest
    }
  }
  return held;
}

// A memory instruction's registers, each a read of its bank's port at the first free cycle from its turn on;
// later instructions of fixed latency wait for what they find taken. `first` is the address's first register,
// `data` a store's.
inline void take_memory_ports(OperandPorts& ports, Cycle now, std::uint8_t first, std::uint8_t data,
                              int registers, int data_registers, const CoreParameters& p) {
  pass_cycles(ports, now);
  constexpr int latest = 24;  // cycles ahead; beyond, the queue has not read them yet either
  for (int i = 0; i < registers; ++i) {
    const int own = registers - data_registers;
    const auto base = i < own ? first : data;
    if (base == no_register) continue;
    const auto bank = static_cast<std::size_t>((base + (i < own ? i : i - own)) & (p.banks - 1));
    int at = 1 + i * p.cycles_per_register;
    while (at < latest && (ports.taken[bank] >> at & 1U) != 0)
      ++at;
    ports.taken[bank] |= 1U << at;
  }
}

}  // namespace tilecast::sim
