// Moves, special registers, the conversions of integer division, votes, local memory and convergence
// barriers.

#include <bit>
#include <cmath>
#include <limits>

#include "kernels/sass/fetch.hpp"

namespace tilecast::sass {
namespace {

using std::int32_t, std::uint32_t, std::uint64_t;

template <class Word, int lanes>
void mov(const MicroOp& op, WarpState& state, LaneMask where) {
  map_lanes<Word, Word, lanes, 1>(op, state, where, [](Word a) { return a; });
}

template <int lanes>
Operation make_mov(const Instruction& code, MicroOp&) {
  return code.has("64") ? mov<uint64_t, lanes> : mov<uint32_t, lanes>;
}

// The operand is a number by now, or unknown; up to four words.
template <int lanes>
void load_constant(const MicroOp& op, WarpState& state, LaneMask where) {
  for (int word = 0; word < op.destination_words && op.destination; ++word) {
    const auto& source = op.sources[static_cast<std::size_t>(word)];
    std::array<uint32_t, lanes> value;
    value.fill(static_cast<uint32_t>(source.number));
    const bool known = source.kind == SourceKind::number;
    store_word<lanes>(*op.destination + word, state, value, known ? all_lanes : 0, op.instruction, where);
  }
}

template <int lanes>
Operation make_load_constant(const Instruction& code, MicroOp&) {
  return code.width_bits < 32 ? nullptr : load_constant<lanes>;
}

enum SpecialRegister : uint32_t {
  zero,
  thread_x,
  thread_y,
  thread_z,
  block_x,
  block_y,
  block_z,
  lane,
  rank,
  shared_window
};

constexpr struct {
  std::string_view name;
  SpecialRegister which;
} special_registers[] = {
    {"SRZ", zero},           {"SR_TID.X", thread_x},      {"SR_TID.Y", thread_y},  {"SR_TID.Z", thread_z},
    {"SR_CTAID.X", block_x}, {"SR_CTAID.Y", block_y},     {"SR_CTAID.Z", block_z}, {"SR_LANEID", lane},
    {"SR_CgaCtaId", rank},   {"SR_SWINHI", shared_window}};

template <int lanes>
void special(const MicroOp& op, WarpState& state, LaneMask where) {
  std::array<uint32_t, lanes> value{};
  for (std::size_t i = 0; i < lanes; ++i) {
    switch (static_cast<SpecialRegister>(op.detail)) {
      case zero:
        break;
      case thread_x:
        value[i] = state.thread[0][i];
        break;
      case thread_y:
        value[i] = state.thread[1][i];
        break;
      case thread_z:
        value[i] = state.thread[2][i];
        break;
      case block_x:
        value[i] = state.block[0];
        break;
      case block_y:
        value[i] = state.block[1];
        break;
      case block_z:
        value[i] = state.block[2];
        break;
      case rank:
        value[i] = state.rank;
        break;
      case shared_window:
        value[i] = shared_window_high;
        break;
      case lane:
        value[i] = static_cast<uint32_t>(i);
        break;
    }
  }
  if (!op.destination) return;
  store_word<lanes>(*op.destination, state, value, all_lanes, op.instruction, where);
  value.fill(0);
  for (int word = 1; word < op.destination_words; ++word)
    store_word<lanes>(*op.destination + word, state, value, all_lanes, op.instruction, where);
}

template <int lanes>
Operation make_special(const Instruction& code, MicroOp& op) {
  for (const auto& [name, which] : special_registers) {
    if (code.sources.empty() || code.sources[0].name != name) continue;
    op.detail = which;
    return special<lanes>;
  }
  return nullptr;
}

// The first of the running lanes' values; where they differ, the hardware takes any of them.
void r2ur(const MicroOp& op, WarpState& state, LaneMask where) {
  const auto a = fetch<uint32_t, warp_lanes>(op, state, 0);
  if (!op.destination || where == 0) return;
  const auto first = static_cast<std::size_t>(std::countr_zero(where));
  bool same = (a.known & where) == where;
  for (std::size_t i = 0; i < warp_lanes; ++i)
    same = same && (!(where >> i & 1) || a.value[i] == a.value[first]);
  store_word<1>(*op.destination, state, {a.value[first]}, same ? 1 : 0,
                (a.known & where) == where ? op.instruction : a.unknown_since, 1);
}

Operation make_r2ur(const Instruction&, MicroOp& op) {
  return op.predicates[0] || op.source_count != 1 ? nullptr : r2ur;
}

float rounded_up(double value) {
  const auto near = static_cast<float>(value);
  return static_cast<double>(near) < value ? std::nextafter(near, std::numeric_limits<float>::infinity())
                                           : near;
}

// `detail`: bit 0 unsigned, bit 1 round up.
template <int lanes>
void i2f(const MicroOp& op, WarpState& state, LaneMask where) {
  const bool is_unsigned = op.detail & 1, up = op.detail & 2;
  map_lanes<uint32_t, uint32_t, lanes, 1>(op, state, where, [=](uint32_t a) {
    const double value = is_unsigned ? static_cast<double>(a) : static_cast<double>(static_cast<int32_t>(a));
    return std::bit_cast<uint32_t>(up ? rounded_up(value) : static_cast<float>(value));
  });
}

template <int lanes>
Operation make_i2f(const Instruction& code, MicroOp& op) {
  for (const auto& modifier : code.modifiers) {
    if (modifier == "U32") {
      op.detail |= 1;
    } else if (modifier == "RP") {
      op.detail |= 2;
    } else if (modifier != "F32" && modifier != "S32" && modifier != "RN") {
      return nullptr;
    }
  }
  return i2f<lanes>;
}

// 1/x, correctly rounded. The hardware's may differ in the last bit; integer division, for which it is
// calculated here, corrects such differences itself.
void reciprocal(const MicroOp& op, WarpState& state, LaneMask where) {
  map_lanes<uint32_t, uint32_t, warp_lanes, 1>(
      op, state, where, [](uint32_t a) { return std::bit_cast<uint32_t>(1.0f / std::bit_cast<float>(a)); });
}

Operation make_mufu(const Instruction& code, MicroOp&) {
  return code.modifiers == std::vector<std::string>{"RCP"} ? reciprocal : nullptr;
}

template <int lanes>
void f2i_u32(const MicroOp& op, WarpState& state, LaneMask where) {
  map_lanes<uint32_t, uint32_t, lanes, 1>(op, state, where, [](uint32_t a) {
    const auto value = std::bit_cast<float>(a);
    if (!(value > 0)) return uint32_t{0};
    return value >= 4294967296.0f ? ~uint32_t{0} : static_cast<uint32_t>(value);
  });
}

template <int lanes>
Operation make_f2i(const Instruction& code, MicroOp&) {
  return code.has("U32") && code.has("TRUNC") && !code.has("F64") && !code.has("F16") ? f2i_u32<lanes>
                                                                                      : nullptr;
}

// -RZ * RZ + a constant: how compilers load one without the integer units.
void half_constant(const MicroOp& op, WarpState& state, LaneMask where) {
  std::array<uint32_t, warp_lanes> value;
  value.fill(op.detail);
  store<uint32_t, warp_lanes>(op, state, value, all_lanes, op.instruction, where);
}

Operation make_hfma2(const Instruction& code, MicroOp& op) {
  if (code.sources.size() != 4) return nullptr;
  const auto is_zero = [](const Operand& o) {
    return o.kind == OperandKind::vector_register && o.index == zero_register;
  };
  const auto is_number = [](const Operand& o) { return o.kind == OperandKind::immediate; };
  if (!is_zero(code.sources[0]) || !is_zero(code.sources[1]) || !is_number(code.sources[2]) ||
      !is_number(code.sources[3]))
    return nullptr;
  op.detail = static_cast<uint32_t>(code.low >> 32);  // both halves, as they are used
  return half_constant;
}

// R, P = votes of the running lanes: R their mask, P whether any (`detail` 0) or all (1) vote so.
template <int lanes>
void vote(const MicroOp& op, WarpState& state, LaneMask where) {
  const auto flags = fetch_flags(op.sources[0], state, op.instruction);
  const bool known = (flags.known & where) == where;
  const LaneMask votes = flags.value & where;
  const bool result = op.detail ? votes == where : votes != 0;
  std::array<uint32_t, lanes> value;
  value.fill(votes);
  const LaneMask is_known = known ? all_lanes : 0;
  store<uint32_t, lanes>(op, state, value, is_known, flags.unknown_since, where);
  store_flags(op, state, 0, result ? all_lanes : 0, is_known, flags.unknown_since, where);
}

template <int lanes>
Operation make_vote(const Instruction& code, MicroOp& op) {
  op.detail = code.has("ALL");
  return (code.has("ANY") || code.has("ALL")) && op.source_count == 1 ? vote<lanes> : nullptr;
}

// Local memory at one offset for all lanes, as spilled registers have it.
std::optional<uint32_t> local_offset(const MicroOp& op, const WarpState& state, LaneMask where) {
  const auto address = fetch<uint32_t, warp_lanes>(op, state, 0);
  if (where == 0 || (address.known & where) != where) return std::nullopt;
  const auto first = static_cast<std::size_t>(std::countr_zero(where));
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if ((where >> i & 1) && address.value[i] != address.value[first]) return std::nullopt;
  }
  return address.value[first] + op.detail;
}

void load_local(const MicroOp& op, WarpState& state, LaneMask where) {
  const auto offset = local_offset(op, state, where);
  for (int word = 0; word < op.destination_words && op.destination; ++word) {
    const auto found =
        offset ? state.local.find(*offset + 4 * static_cast<uint32_t>(word)) : state.local.end();
    const Numbers<warp_lanes> unknown{.known = 0, .unknown_since = op.instruction};
    const auto& from = found == state.local.end() ? unknown : found->second;
    auto& to = state.vector[static_cast<std::size_t>(*op.destination + word)];
    const auto bits = bits_known(from) & bits_outside(to, where);
    store_word<warp_lanes>(*op.destination + word, state, from.value, from.known, from.unknown_since, where);
    to.bits = bits;
  }
}

void store_local(const MicroOp& op, WarpState& state, LaneMask where) {
  if (where == 0) return;
  const auto offset = local_offset(op, state, where);
  if (!offset) {  // it may have changed any of them
    state.local.clear();
    return;
  }
  for (int word = 0; word < op.destination_words; ++word) {
    std::array<uint32_t, warp_lanes> value;
    LaneMask known = all_lanes;
    int since = 0;
    fetch_word<warp_lanes>(op.sources[1], state, op.instruction, word, value, known, since);
    const Numbers<warp_lanes> never_written{.known = 0, .unknown_since = op.instruction};
    auto& to =
        state.local.try_emplace(*offset + 4 * static_cast<uint32_t>(word), never_written).first->second;
    to.bits = bits_of_source(op.sources[1], state, word) & bits_outside(to, where);
    for (std::size_t i = 0; i < warp_lanes; ++i)
      to.value[i] = where >> i & 1 ? value[i] : to.value[i];
    to.known = (to.known & ~where) | (known & where);
    to.unknown_since = since;
  }
}

Operation make_load_local(const Instruction& code, MicroOp& op) {
  op.detail = static_cast<uint32_t>(code.sources[0].value);
  return code.width_bits < 32 || code.sources[0].scale != 1 ? nullptr : load_local;
}

Operation make_store_local(const Instruction& code, MicroOp& op) {
  op.detail = static_cast<uint32_t>(code.sources[0].value);
  op.destination_words = code.width_bits / 32;
  return store_local;
}

// BMOV between a register and a convergence barrier. `detail`: bit 0 from the barrier, bit 1 clears it, from
// bit 8 its number.
void bmov(const MicroOp& op, WarpState& state, LaneMask where) {
  auto& barrier = state.barriers[op.detail >> 8];
  if (op.detail & 1) {
    store<uint32_t, warp_lanes>(op, state, barrier, all_lanes, op.instruction, where);
  } else {
    const auto a = fetch<uint32_t, warp_lanes>(op, state, 0);
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if (where >> i & 1) barrier[i] = a.value[i];
    }
    return;
  }
  if (!(op.detail & 2)) return;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (where >> i & 1) barrier[i] = 0;
  }
}

Operation make_bmov(const Instruction& code, MicroOp& op) {
  if (code.destinations.empty() || code.sources.empty()) return nullptr;
  const auto& to = code.destinations[0];
  const auto& from = code.sources[0];
  const bool reads = from.kind == OperandKind::barrier_register;
  if (!reads && to.kind != OperandKind::barrier_register) return nullptr;
  const int number = reads ? from.index : to.index;
  op.detail = (reads ? 1u : 0u) | (code.has("CLEAR") ? 2u : 0u) | static_cast<uint32_t>(number) << 8;
  return bmov;
}

constexpr OperationInfo table[] = {
    {"BMOV", make_bmov},
    {"CS2R", make_special<warp_lanes>},
    {"CS2UR", make_special<1>},
    {"F2I", make_f2i<warp_lanes>},
    {"HFMA2", make_hfma2},
    {"I2F", make_i2f<warp_lanes>},
    {"I2FP", make_i2f<warp_lanes>},
    {"LDC", make_load_constant<warp_lanes>},
    {"LDCU", make_load_constant<1>},
    {"LDL", make_load_local},
    {"MOV", make_mov<warp_lanes>},
    {"MUFU", make_mufu},
    {"R2UR", make_r2ur},
    {"S2R", make_special<warp_lanes>},
    {"S2UR", make_special<1>},
    {"STL", make_store_local},
    {"UI2F", make_i2f<1>},
    {"UI2FP", make_i2f<1>},
    {"UF2I", make_f2i<1>},
    {"ULDC", make_load_constant<1>},
    {"UMOV", make_mov<1>},
    {"VOTE", make_vote<warp_lanes>},
    {"VOTEU", make_vote<1>},
};

}  // namespace

std::span<const OperationInfo> other_operations() {
  return table;
}

}  // namespace tilecast::sass
