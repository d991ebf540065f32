#pragma once
// S3. Register banks, their read ports and the operand latches of one scheduler. Each bank (register number
// modulo `register_banks`) delivers one register a cycle, and has a latch for each operand slot, which holds
// the slot's operand of that bank until its instruction goes on, `operand_cycles` after issue. An instruction
// reads as soon as ports and latches are free; what is not there in time holds it, and the whole scheduler
// with it, stall counts included. A register in two slots is read once. What the compiler marked stays in its
// latch (the reuse cache) until any instruction reads that bank in that slot. From loops of chosen registers
// on the H200 (EQUATIONS.md S3).

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "model/sim/core_parameters.hpp"

namespace tilecast::sim {

constexpr int register_banks = 2;  // by the register number's lowest bit
constexpr std::uint8_t no_register = 255;
constexpr std::size_t port_slots = 3;
constexpr int operand_cycles = 3;  // from issue until an instruction goes on with its operands

struct OperandPorts {
  Cycle base = 0;                                     // bit i of `taken`: cycle base + i
  std::array<std::uint32_t, register_banks> taken{};  // cycles in which a bank's port is not free
  struct Latch {
    Cycle free = 0;         // from when on another instruction's operand may be read
    std::int32_t kept = 0;  // the reuse cache: warp * 256 + register + 1; 0: empty
  };
  std::array<Latch, register_banks * port_slots + 1> latches;  // by bank and slot; empty slots use the last
};

// An instruction's vector registers by slot, as hold_for_ports() needs them. Slots without a register are
// processed, too: the host would mispredict a branch on them.
struct PortOperands {
  struct Operand {
    std::uint8_t tag = 0;     // register + 1
    std::int8_t keep = 0;     // all ones: the compiler marked it
    std::int8_t present = 0;  // all ones, or 0
    std::uint8_t bank = 0;
    std::uint8_t place = register_banks * port_slots;  // in `latches`
  };
  std::array<Operand, port_slots> operand;
  // Pairs of slots with the same register: bits for slots 0 and 1, 0 and 2, 1 and 2.
  std::uint8_t equal = 0;
};

constexpr PortOperands port_operands(const std::array<std::uint8_t, port_slots>& sources, unsigned reuse) {
  PortOperands o;
  for (std::size_t slot = 0; slot < port_slots; ++slot) {
    if (sources[slot] == no_register) continue;
    auto& operand = o.operand[slot];
    operand.tag = static_cast<std::uint8_t>(sources[slot] + 1);
    operand.keep = (reuse >> slot & 1U) != 0 ? -1 : 0;
    operand.present = -1;
    operand.bank = sources[slot] % register_banks;
    operand.place = static_cast<std::uint8_t>(operand.bank * port_slots + slot);
  }
  const auto equal = [&](std::size_t a, std::size_t b) {
    return sources[a] != no_register && sources[a] == sources[b];
  };
  o.equal =
      static_cast<std::uint8_t>((equal(0, 1) ? 1U : 0U) | (equal(0, 2) ? 2U : 0U) | (equal(1, 2) ? 4U : 0U));
  return o;
}

// Of each slot all ones if its register has to be read, as its latch does not hold it; notes what the latches
// keep from now on. Without branches, as hits are hard to predict.
inline std::array<std::uint32_t, port_slots> operand_reads(OperandPorts& ports, int warp,
                                                           const PortOperands& o) {
  std::array<std::uint32_t, port_slots> reads;
  for (std::size_t slot = 0; slot < port_slots; ++slot) {
    const auto& operand = o.operand[slot];
    auto& kept = ports.latches[operand.place].kept;
    const std::int32_t tag = warp * 256 + operand.tag;
    reads[slot] = static_cast<std::uint32_t>(operand.present & -static_cast<std::int32_t>(kept != tag));
    kept = tag & operand.keep;
  }
  if (o.equal != 0) {  // read once
    if ((o.equal & 1) != 0 && reads[0] != 0) reads[1] = 0;
    if (((o.equal & 2) != 0 && reads[0] != 0) || ((o.equal & 4) != 0 && reads[1] != 0)) reads[2] = 0;
  }
  return reads;
}

inline void pass_cycles(OperandPorts& ports, Cycle now) {
  const auto passed = static_cast<unsigned>(std::min<Cycle>(now - ports.base, 31));  // none is as far ahead
  ports.base = now;
  for (auto& taken : ports.taken)
    taken >>= passed;
}

// Takes the ports and latches of a warp's instruction issued at `now`; returns the cycles for which it is
// held.
inline int hold_for_ports(OperandPorts& ports, Cycle now, int warp, const PortOperands& o) {
  pass_cycles(ports, now);
  const auto reads = operand_reads(ports, warp, o);
  std::uint32_t read = 0;
  for (std::size_t slot = 0; slot < port_slots; ++slot) {
    const auto& operand = o.operand[slot];
    auto& taken = ports.taken[operand.bank];
    // At most operand_cycles - 1, as the instruction before was issued a cycle ago or more, its hold
    // included.
    const auto wait = static_cast<unsigned>(std::max<Cycle>(0, ports.latches[operand.place].free - now));
    const std::uint32_t free = ~taken & ~0U << wait;
    const std::uint32_t first = free & (0U - free) & reads[slot];
    taken |= first;
    read |= first;
  }
  const int held = std::max(0, static_cast<int>(std::bit_width(read)) - operand_cycles);
  for (const auto& operand : o.operand)
    ports.latches[operand.place].free = now + held + operand_cycles;
  return held;
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
