#pragma once
// S3. Register banks, their read ports and the reuse cache of one scheduler. Each bank (register number
// modulo `register_banks`) delivers one register a cycle. An instruction reads within three cycles: slot c
// in the last, what else it reads of that bank right before, all else in any. Until its reads find such
// cycles free it is held; meanwhile the whole scheduler stands still, stall counts included. A register in
// two slots is read once. The reuse cache keeps, for each bank and slot, the operand that the compiler marked
// until any instruction reads that bank in that slot (Huerta et al., MICRO 2025, section 5.3; the rest from
// loops of chosen registers, and of gemms' tiles, on the H200, see EQUATIONS.md).

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/sim/core_parameters.hpp"

namespace tilecast::sim {

constexpr int register_banks = 2;  // by the register number's lowest bit
constexpr std::uint8_t no_register = 255;
// Of each bank: how many registers, and `reads_c` if slot c is among them.
using BankReads = std::array<int, register_banks>;
constexpr unsigned reads_c = 4;

constexpr std::size_t port_slots = 3;

struct OperandPorts {
  Cycle base = 0;                                     // bit i of `taken`: cycle base + i
  std::array<std::uint32_t, register_banks> taken{};  // cycles in which a bank's port is not free
  // The reuse cache by bank and slot: warp * 256 + register + 1; 0: empty. Empty slots use the last place.
  std::array<std::int32_t, register_banks * port_slots + 1> kept{};
};

// An instruction's vector registers by slot, as operand_reads() needs them. Slots without a register are
// processed, too: the host would mispredict a branch on them.
struct PortOperands {
  struct Operand {
    std::int32_t tag = 0;                              // register + 1
    std::int32_t keep = 0;                             // all ones: the reuse cache keeps it
    std::uint16_t read = 0;                            // a byte a bank, as BankReads has it
    std::uint8_t place = register_banks * port_slots;  // in `kept`
  };
  std::array<Operand, port_slots> operand;
  // Pairs of slots with the same register: bits for slots 0 and 1, 0 and 2, 1 and 2.
  std::uint8_t equal = 0;
};

constexpr PortOperands port_operands(const std::array<std::uint8_t, port_slots>& sources, unsigned reuse) {
  PortOperands o;
  for (std::size_t slot = 0; slot < port_slots; ++slot) {
    if (sources[slot] == no_register) continue;
    const std::size_t bank = sources[slot] % register_banks;
    auto& operand = o.operand[slot];
    operand.tag = sources[slot] + 1;
    operand.keep = -static_cast<std::int32_t>(reuse >> slot & 1U);
    operand.read = static_cast<std::uint16_t>((slot == 2 ? 1U + reads_c : 1U) << 8 * bank);
    operand.place = static_cast<std::uint8_t>(bank * port_slots + slot);
  }
  const auto equal = [&](std::size_t a, std::size_t b) {
    return sources[a] != no_register && sources[a] == sources[b];
  };
  o.equal =
      static_cast<std::uint8_t>((equal(0, 1) ? 1U : 0U) | (equal(0, 2) ? 2U : 0U) | (equal(1, 2) ? 4U : 0U));
  return o;
}

// The instruction's reads of each bank that miss the reuse cache; updates the cache. Without branches, as
// hits are hard to predict.
inline BankReads operand_reads(OperandPorts& ports, int warp, const PortOperands& o) {
  const std::int32_t own = warp * 256;
  const auto misses = [&](std::size_t slot) -> unsigned {
    const auto& operand = o.operand[slot];
    auto& kept = ports.kept[operand.place];
    const std::int32_t tag = own + operand.tag;
    const auto miss = static_cast<unsigned>(kept != tag);
    kept = tag & operand.keep;
    return operand.read & (0U - miss);
  };
  const unsigned first = misses(0), second = misses(1), third = misses(2);
  unsigned reads = first + second + third;  // a byte a bank
  if (o.equal != 0) {                       // read once
    if (first != 0 && second != 0 && (o.equal & 1) != 0) reads -= second;
    if (third != 0 && ((first != 0 && (o.equal & 2) != 0) || (second != 0 && (o.equal & 4) != 0)))
      reads -= third;
  }
  return {static_cast<int>(reads & 255U), static_cast<int>(reads >> 8)};
}

inline void pass_cycles(OperandPorts& ports, Cycle now) {
  const auto passed = static_cast<unsigned>(std::min<Cycle>(now - ports.base, 31));  // none is as far ahead
  ports.base = now;
  for (auto& taken : ports.taken)
    taken >>= passed;
}

// A port's next three cycles (bit i: cycle i is taken) after an instruction has read what BankReads has of
// the bank.
struct PortTable {
  static constexpr std::uint8_t full = 8;
  std::array<std::array<std::uint8_t, 8>, 8> after{};  // [taken][reads], `full` where it must wait

  constexpr PortTable() {
    for (unsigned taken = 0; taken < 8; ++taken) {
      for (unsigned reads = 0; reads < 8; ++reads)
        after[taken][reads] = take(taken, reads % reads_c, reads >= reads_c);
    }
  }
  static constexpr std::uint8_t take(unsigned taken, unsigned registers, bool c) {
    constexpr unsigned window = 3;
    for (unsigned cycle = c ? window - registers : 0; registers > 0; ++cycle) {
      const bool free = cycle < window && (taken >> cycle & 1U) == 0;
      if (!free && (c || cycle >= window)) return full;
      if (!free) continue;
      taken |= 1U << cycle;
      --registers;
    }
    return static_cast<std::uint8_t>(taken);
  }
};
inline constexpr PortTable port_table;

// Takes the ports of an instruction issued at `now`; returns the cycles for which it is held, no more than
// the instructions before it have taken.
inline int hold_for_ports(OperandPorts& ports, Cycle now, const BankReads& reads) {
  pass_cycles(ports, now);
  for (int held = 0;; ++held) {
    const auto after = [&](std::size_t bank) {
      return port_table.after[ports.taken[bank] >> held & 7U][static_cast<std::size_t>(reads[bank])];
    };
    const std::uint32_t first = after(0), second = after(1);
    if ((first | second) >= PortTable::full) continue;
    ports.taken[0] |= first << held;
    ports.taken[1] |= second << held;
    return held;
  }
}

// Takes ports for a memory instruction's registers, each at the bank's first free cycle from its turn on;
// later instructions of fixed latency wait for these. `first` is the address's first register, `data` that of
// a store's data.
inline void take_memory_ports(OperandPorts& ports, Cycle now, std::uint8_t first, std::uint8_t data,
                              int registers, int data_registers, const CoreParameters& p) {
  pass_cycles(ports, now);
  constexpr int latest = 24;  // cycles ahead; beyond, the queue has not read them yet either
  for (int i = 0; i < registers; ++i) {
    const int own = registers - data_registers;
    const auto base = i < own ? first : data;
    if (base == no_register) continue;
    const auto bank = static_cast<std::size_t>((base + (i < own ? i : i - own)) % register_banks);
    int at = 1 + i * p.cycles_per_register;
    while (at < latest && (ports.taken[bank] >> at & 1U) != 0)
      ++at;
    ports.taken[bank] |= 1U << at;
  }
}

}  // namespace tilecast::sim
