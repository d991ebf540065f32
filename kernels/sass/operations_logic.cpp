// Logic, comparisons and selections of the vector and the uniform datapath.

#include <algorithm>
#include <bit>

#include "kernels/sass/fetch.hpp"

namespace tilecast::sass {
namespace {

using std::int32_t, std::int64_t, std::uint32_t, std::uint64_t;

// A function of three bits as its table of 8 (PTX ISA, lop3): bit 4a + 2b + c.
constexpr uint32_t look_up(uint32_t table, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t result = 0;
  if (table & 1) result |= ~a & ~b & ~c;
  if (table & 2) result |= ~a & ~b & c;
  if (table & 4) result |= ~a & b & ~c;
  if (table & 8) result |= ~a & b & c;
  if (table & 16) result |= a & ~b & ~c;
  if (table & 32) result |= a & ~b & c;
  if (table & 64) result |= a & b & ~c;
  if (table & 128) result |= a & b & c;
  return result;
}

// Bits of look_up(table, a, b, c) that stay as they are whatever the unknown bits of a, b and c are.
uint32_t bits_decided(uint32_t table, const std::array<uint32_t, 3>& abc,
                      const std::array<uint32_t, 3>& bits) {
  std::array<uint32_t, 2> can_be{};  // bits of the result that can be 0, and 1
  for (uint32_t row = 0; row < 8; ++row) {
    uint32_t possible = ~0u;  // where a, b and c can be this row of the table
    for (uint32_t i = 0; i < 3; ++i)
      possible &= (row >> (2 - i) & 1 ? abc[i] : ~abc[i]) | ~bits[i];
    can_be[table >> row & 1] |= possible;
  }
  return ~(can_be[0] & can_be[1]);
}

// Bits of a LOP3's result that are decided in all of `where`; lanes join `known` where all of them are, and
// `nonzero_known` where one is set.
uint32_t decide_bits(const MicroOp& op, const WarpState& state, LaneMask where,
                     const uint32_t* const (&abc)[3], LaneMask& known, LaneMask& nonzero_known) {
  const auto table = static_cast<uint32_t>(op.sources[3].number);
  const std::array bits{bits_of_source(op.sources[0], state), bits_of_source(op.sources[1], state),
                        bits_of_source(op.sources[2], state)};
  uint32_t everywhere = ~0u;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (!(where >> i & 1) || known >> i & 1) continue;
    const std::array words{abc[0][i], abc[1][i], abc[2][i]};
    const auto decided = bits_decided(table, words, bits);
    if (decided == ~0u) known |= 1u << i;
    if (decided & look_up(table, words[0], words[1], words[2])) nonzero_known |= 1u << i;
    everywhere &= decided;
  }
  nonzero_known |= known;
  return everywhere;
}

// LOP3 [P,] R, a, b, c, table, Pin: P = (result is not zero) or Pin; with .PAND, and.
template <int lanes>
void lop3(const MicroOp& op, WarpState& state, LaneMask where) {
  int since = 0;
  const auto a = fetch<uint32_t, lanes>(op, state, 0);
  const auto b = fetch<uint32_t, lanes>(op, state, 1);
  const auto c = fetch<uint32_t, lanes>(op, state, 2);
  LaneMask known = all_known<lanes>(since, a, b, c);
  const auto table = static_cast<uint32_t>(op.sources[3].number);
  std::array<uint32_t, lanes> result;
  const auto apply = [&](auto f) {
    for (std::size_t i = 0; i < lanes; ++i)
      result[i] = f(a.value[i], b.value[i], c.value[i]);
  };
  switch (table) {  // the ones that compilers use most
    case 0xc0:
      apply([](uint32_t x, uint32_t y, uint32_t) { return x & y; });
      break;
    case 0xfc:
      apply([](uint32_t x, uint32_t y, uint32_t) { return x | y; });
      break;
    case 0x3c:
      apply([](uint32_t x, uint32_t y, uint32_t) { return x ^ y; });
      break;
    default:
      apply([table](uint32_t x, uint32_t y, uint32_t z) { return look_up(table, x, y, z); });
  }
  LaneMask nonzero_known = known;
  if (lanes == warp_lanes && (known & where) != where) {
    const auto bits = decide_bits(op, state, where, {a.value, b.value, c.value}, known, nonzero_known);
    if (op.destination) {
      auto& to = state.vector[static_cast<std::size_t>(*op.destination)];
      const auto kept = bits & bits_outside(to, where);
      store<uint32_t, lanes>(op, state, result, known, since, where);
      to.bits = kept;
    }
  } else {
    store<uint32_t, lanes>(op, state, result, known, since, where);
  }
  if (!op.predicates[0]) return;
  const auto nonzero = lanes_where<lanes>([&](std::size_t i) { return result[i] != 0; });
  const auto in = fetch_flags(op.sources[4], state, op.instruction);
  known = nonzero_known & in.known;
  store_flags(op, state, 0, op.detail ? nonzero & in.value : nonzero | in.value, known, since, where);
}

template <int lanes>
Operation make_lop3(const Instruction& code, MicroOp& op) {
  if (!code.has("LUT") || op.source_count < 4) return nullptr;
  op.detail = code.has("PAND");
  return lop3<lanes>;
}

// PLOP3 P, Q, a, b, c, tables for P and for Q.
void plop3(const MicroOp& op, WarpState& state, LaneMask where) {
  std::array<Flags, 3> in;
  LaneMask known = all_lanes;
  int since = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    in[i] = fetch_flags(op.sources[i], state, op.instruction);
    if (in[i].known != all_lanes) since = in[i].unknown_since;
    known &= in[i].known;
  }
  for (std::size_t out = 0; out < 2; ++out) {
    const auto table = static_cast<uint32_t>(op.sources[3 + out].number);
    store_flags(op, state, out, look_up(table, in[0].value, in[1].value, in[2].value), known, since, where);
  }
}

Operation make_plop3(const Instruction& code, MicroOp& op) {
  return code.has("LUT") && op.source_count == 5 ? plop3 : nullptr;
}

enum Comparison : uint32_t { less = 1, equal = 2, greater = 4 };

constexpr struct {
  std::string_view modifier;
  uint32_t truth;
} comparisons[] = {
    {"LT", less},           {"EQ", equal},           {"LE", less | equal},          {"GT", greater},
    {"NE", less | greater}, {"GE", greater | equal}, {"T", less | equal | greater}, {"F", 0}};

constexpr uint32_t join_or = 8, join_xor = 16, extended = 32;

// ISETP P, Q, a, b, Pin [, lower]: P = (a compared with b) joined with Pin, Q the same of the opposite. With
// .EX the words are the upper ones of a longer number, and where they are equal the result of the lower ones
// counts.
template <class Signed, class Word, int lanes>
void isetp(const MicroOp& op, WarpState& state, LaneMask where) {
  int since = 0;
  const auto a = fetch<Word, lanes>(op, state, 0);
  const auto b = fetch<Word, lanes>(op, state, 1);
  LaneMask known = all_known<lanes>(since, a, b);
  const uint32_t truth = op.detail & 7;
  const auto below = lanes_where<lanes>(
      [&](std::size_t i) { return static_cast<Signed>(a.value[i]) < static_cast<Signed>(b.value[i]); });
  // Neither "less" nor "greater or equal" asks which are equal.
  const bool by_equality = op.detail & extended || ((truth & greater) != 0) != ((truth & equal) != 0);
  const auto same =
      by_equality ? lanes_where<lanes>([&](std::size_t i) { return a.value[i] == b.value[i]; }) : 0;
  LaneMask result = (truth & less ? below : 0) | (truth & greater ? ~below & ~same : 0);
  if (op.detail & extended) {
    const auto lower = fetch_flags(op.sources[3], state, op.instruction);
    known &= lower.known;
    result |= same & lower.value;
  } else if (truth & equal) {
    result |= same;
  }
  const auto in = fetch_flags(op.sources[2], state, op.instruction);
  known &= in.known;
  const auto join = [&](LaneMask r) {
    if (op.detail & join_or) return r | in.value;
    if (op.detail & join_xor) return r ^ in.value;
    return r & in.value;
  };
  store_flags(op, state, 0, join(result), known, since, where);
  store_flags(op, state, 1, join(~result), known, since, where);
}

template <int lanes>
Operation make_isetp(const Instruction& code, MicroOp& op) {
  bool found = false;
  for (const auto& [modifier, truth] : comparisons) {
    if (code.has(modifier)) {
      op.detail = truth;
      found = true;
    }
  }
  if (!found || op.source_count < 3) return nullptr;
  if (code.has("OR")) op.detail |= join_or;
  if (code.has("XOR")) op.detail |= join_xor;
  if (code.has("EX")) op.detail |= extended;
  if (code.has("EX") && op.source_count < 4) return nullptr;
  if (code.has("U64")) return isetp<uint64_t, uint64_t, lanes>;
  if (code.has("S64") || code.has("64")) return isetp<int64_t, uint64_t, lanes>;
  return code.has("U32") ? isetp<uint32_t, uint32_t, lanes> : isetp<int32_t, uint32_t, lanes>;
}

template <class Word, int lanes>
void sel(const MicroOp& op, WarpState& state, LaneMask where) {
  const auto a = fetch<Word, lanes>(op, state, 0);
  const auto b = fetch<Word, lanes>(op, state, 1);
  const auto choice = fetch_flags(op.sources[2], state, op.instruction);
  std::array<Word, lanes> result;
  for (std::size_t i = 0; i < lanes; ++i)
    result[i] = choice.value >> i & 1 ? a.value[i] : b.value[i];
  const LaneMask known = choice.known & ((a.known & choice.value) | (b.known & ~choice.value));
  int since = choice.unknown_since;
  if (choice.known == all_lanes) all_known<lanes>(since, a, b);
  store<Word, lanes>(op, state, result, known, since, where);
}

template <int lanes>
Operation make_sel(const Instruction& code, MicroOp& op) {
  if (op.source_count != 3) return nullptr;
  return code.has("64") ? sel<uint64_t, lanes> : sel<uint32_t, lanes>;
}

// Bytes of {c, a} picked by the nibbles of b; a nibble's upper bit spreads the byte's sign.
template <int lanes>
void prmt(const MicroOp& op, WarpState& state, LaneMask where) {
  map_lanes<uint32_t, uint32_t, lanes, 3>(op, state, where, [](uint32_t a, uint32_t picks, uint32_t c) {
    const uint64_t bytes = uint64_t{c} << 32 | a;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t pick = picks >> (4 * i);
      uint32_t byte = static_cast<uint32_t>(bytes >> (8 * (pick & 7))) & 255;
      if (pick & 8) byte = byte & 128 ? 255 : 0;
      result |= byte << (8 * i);
    }
    return result;
  });
}

template <int lanes>
Operation make_prmt(const Instruction& code, MicroOp& op) {
  return code.modifiers.empty() && op.source_count == 3 ? prmt<lanes> : nullptr;
}

// R = PR under a mask, other bits from b.
void p2r(const MicroOp& op, WarpState& state, LaneMask where) {
  const auto b = fetch<uint32_t, warp_lanes>(op, state, 1);
  const auto mask = static_cast<uint32_t>(op.sources[2].number);
  LaneMask known = b.known;
  int since = b.unknown_since;
  std::array<uint32_t, warp_lanes> result;
  std::copy_n(b.value, warp_lanes, result.begin());
  for (uint32_t p = 0; p < 7; ++p) {
    if (!(mask >> p & 1)) continue;
    const auto& flags = state.predicates[p];
    if (flags.known != all_lanes) since = flags.unknown_since;
    known &= flags.known;
    for (std::size_t i = 0; i < warp_lanes; ++i)
      result[i] = (result[i] & ~(1u << p)) | (flags.value >> i & 1) << p;
  }
  store<uint32_t, warp_lanes>(op, state, result, known, since, where);
}

void r2p(const MicroOp& op, WarpState& state, LaneMask where) {
  const auto a = fetch<uint32_t, warp_lanes>(op, state, 0);
  const auto mask = static_cast<uint32_t>(op.sources[1].number);
  for (uint32_t p = 0; p < 7; ++p) {
    if (!(mask >> p & 1)) continue;
    LaneMask bits = 0;
    for (std::size_t i = 0; i < warp_lanes; ++i)
      bits |= (a.value[i] >> p & 1) << i;
    auto& to = state.predicates[p];
    to.value = (to.value & ~where) | (bits & where);
    to.known = (to.known & ~where) | (a.known & where);
    to.unknown_since = a.unknown_since;
  }
}

Operation make_p2r(const Instruction& code, MicroOp& op) {
  return code.modifiers.empty() && op.source_count == 3 ? p2r : nullptr;
}

Operation make_r2p(const Instruction& code, MicroOp& op) {
  return code.modifiers.empty() && op.source_count == 2 ? r2p : nullptr;
}

template <int lanes>
void popc(const MicroOp& op, WarpState& state, LaneMask where) {
  map_lanes<uint32_t, uint32_t, lanes, 1>(op, state, where,
                                          [](uint32_t a) { return static_cast<uint32_t>(std::popcount(a)); });
}

// Position of the highest bit that is set; all ones where none is.
template <int lanes>
void flo(const MicroOp& op, WarpState& state, LaneMask where) {
  map_lanes<uint32_t, uint32_t, lanes, 1>(
      op, state, where, [](uint32_t a) { return static_cast<uint32_t>(std::bit_width(a)) - 1u; });
}

template <int lanes>
Operation make_flo(const Instruction& code, MicroOp& op) {
  return code.modifiers == std::vector<std::string>{"U32"} && !op.predicates[0] ? flo<lanes> : nullptr;
}

constexpr OperationInfo table[] = {
    {"FLO", make_flo<warp_lanes>},
    {"ISETP", make_isetp<warp_lanes>},
    {"LOP3", make_lop3<warp_lanes>},
    {"P2R", make_p2r},
    {"PLOP3", make_plop3},
    {"POPC", [](const Instruction&, MicroOp&) -> Operation { return popc<warp_lanes>; }},
    {"PRMT", make_prmt<warp_lanes>},
    {"R2P", make_r2p},
    {"SEL", make_sel<warp_lanes>},
    {"UFLO", make_flo<1>},
    {"UISETP", make_isetp<1>},
    {"ULOP3", make_lop3<1>},
    {"UPLOP3", make_plop3},
    {"UPOPC", [](const Instruction&, MicroOp&) -> Operation { return popc<1>; }},
    {"UPRMT", make_prmt<1>},
    {"USEL", make_sel<1>},
};

}  // namespace

std::span<const OperationInfo> logic_operations() {
  return table;
}

}  // namespace tilecast::sass
