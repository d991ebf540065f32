// Integer arithmetic of the vector and the uniform datapath. Meanings were read from code compiled from known
// sources and are checked against the counters of real runs (validation/recorded/*/counters.csv).

#include <algorithm>

#include "kernels/sass/fetch.hpp"

namespace tilecast::sass {
namespace {

using std::int32_t, std::int64_t, std::uint32_t, std::uint64_t;

// Sources from `first` on that are predicates: carries in, each worth 1.
template <int lanes>
LaneMask add_carries(const MicroOp& op, const WarpState& state, int first, std::array<uint32_t, lanes>& carry,
                     int& since) {
  LaneMask known = all_lanes;
  carry.fill(0);
  for (int i = first; i < op.source_count; ++i) {
    const auto flags = fetch_flags(op.sources[static_cast<std::size_t>(i)], state, op.instruction);
    if (flags.known != all_lanes) since = flags.unknown_since;
    known &= flags.known;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      carry[lane] += flags.value >> lane & 1;
  }
  return known;
}

// a + b + c (+ carries with .X): a subtracted operand is its complement plus 1, so that its carry is that of
// a subtraction in two's complement. Carries out: the first predicate is at least one, the second is two.
template <int lanes>
void iadd3(const MicroOp& op, WarpState& state, LaneMask where) {
  int since = 0;
  LaneMask known = all_lanes;
  std::array<uint64_t, lanes> sum{};
  const bool extended = op.detail & 1;
  for (int at = 0; at < 3; ++at) {
    auto source = op.sources[static_cast<std::size_t>(at)];
    const bool negated = source.negated, inverted = source.inverted || (extended && negated);
    source.negated = source.inverted = false;
    const Fetched<uint32_t, lanes> x(source, op.instruction, state);
    if (x.known != all_lanes) since = x.unknown_since;
    known &= x.known;
    const uint32_t flipped = inverted || negated ? ~uint32_t{0} : 0;
    const uint64_t more = !inverted && negated ? 1 : 0;
    for (std::size_t i = 0; i < lanes; ++i)
      sum[i] += uint64_t{x.value[i] ^ flipped} + more;
  }
  if (extended) {
    std::array<uint32_t, lanes> carry;
    known &= add_carries<lanes>(op, state, 3, carry, since);
    for (std::size_t i = 0; i < lanes; ++i)
      sum[i] += carry[i];
  }
  std::array<uint32_t, lanes> result;
  for (std::size_t i = 0; i < lanes; ++i)
    result[i] = static_cast<uint32_t>(sum[i]);
  store<uint32_t, lanes>(op, state, result, known, since, where);
  for (std::size_t p = 0; p < 2; ++p) {
    if (!op.predicates[p]) continue;
    const auto carried = lanes_where<lanes>([&](std::size_t i) { return (sum[i] >> 32) > p; });
    store_flags(op, state, p, carried, known, since, where);
  }
}

// IADD3 without carries, VIADD: the common case.
template <int lanes, int count>
void add(const MicroOp& op, WarpState& state, LaneMask where) {
  if constexpr (count == 2) {
    map_lanes<uint32_t, uint32_t, lanes, 2>(op, state, where, [](uint32_t a, uint32_t b) { return a + b; });
  } else {
    map_lanes<uint32_t, uint32_t, lanes, 3>(op, state, where,
                                            [](uint32_t a, uint32_t b, uint32_t c) { return a + b + c; });
  }
}

template <int lanes, int count>
void add64(const MicroOp& op, WarpState& state, LaneMask where) {
  if constexpr (count == 2) {
    map_lanes<uint64_t, uint64_t, lanes, 2>(op, state, where, [](uint64_t a, uint64_t b) { return a + b; });
  } else {
    map_lanes<uint64_t, uint64_t, lanes, 3>(op, state, where,
                                            [](uint64_t a, uint64_t b, uint64_t c) { return a + b + c; });
  }
}

template <int lanes>
Operation make_iadd(const Instruction& code, MicroOp& op) {
  op.detail = code.has("X");
  if (code.has("64")) return op.source_count == 2 ? add64<lanes, 2> : add64<lanes, 3>;
  if (op.source_count == 2) return add<lanes, 2>;
  return op.detail || op.predicates[0] || op.predicates[1] ? iadd3<lanes> : add<lanes, 3>;
}

template <int lanes>
void imad(const MicroOp& op, WarpState& state, LaneMask where) {
  map_lanes<uint32_t, uint32_t, lanes, 3>(op, state, where,
                                          [](uint32_t a, uint32_t b, uint32_t c) { return a * b + c; });
}

// a x b + c + carry in.
template <int lanes>
void imad_x(const MicroOp& op, WarpState& state, LaneMask where) {
  int since = 0;
  const auto a = fetch<uint32_t, lanes>(op, state, 0);
  const auto b = fetch<uint32_t, lanes>(op, state, 1);
  const auto c = fetch<uint32_t, lanes>(op, state, 2);
  LaneMask known = all_known<lanes>(since, a, b, c);
  std::array<uint32_t, lanes> carry, result;
  known &= add_carries<lanes>(op, state, 3, carry, since);
  for (std::size_t i = 0; i < lanes; ++i)
    result[i] = a.value[i] * b.value[i] + c.value[i] + carry[i];
  store<uint32_t, lanes>(op, state, result, known, since, where);
}

// a x b in full, plus a 64-bit c (plus a carry with .X); WIDE keeps 64 bits, HI the upper 32; carry out of
// bit 63.
template <int lanes, bool high, bool is_signed>
void imad_wide(const MicroOp& op, WarpState& state, LaneMask where) {
  int since = 0;
  const auto a = fetch<uint32_t, lanes>(op, state, 0);
  const auto b = fetch<uint32_t, lanes>(op, state, 1);
  const auto c = fetch<uint64_t, lanes>(op, state, 2);
  LaneMask known = all_known<lanes>(since, a, b, c);
  std::array<uint32_t, lanes> carry_in{};
  if (op.detail & 1) known &= add_carries<lanes>(op, state, 3, carry_in, since);
  std::array<uint64_t, lanes> sum;
  std::array<uint64_t, lanes> products;
  for (std::size_t i = 0; i < lanes; ++i) {
    const uint64_t product = is_signed ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(a.value[i])} *
                                                               int64_t{static_cast<int32_t>(b.value[i])})
                                       : uint64_t{a.value[i]} * b.value[i];
    products[i] = product;
    sum[i] = product + c.value[i] + carry_in[i];
  }
  if constexpr (high) {
    std::array<uint32_t, lanes> result;
    for (std::size_t i = 0; i < lanes; ++i)
      result[i] = static_cast<uint32_t>(sum[i] >> 32);
    store<uint32_t, lanes>(op, state, result, known, since, where);
  } else {
    store<uint64_t, lanes>(op, state, sum, known, since, where);
  }
  if (!op.predicates[0]) return;
  const auto carry = lanes_where<lanes>([&](std::size_t i) {
    const uint64_t partial = sum[i] - carry_in[i];
    return partial < products[i] || sum[i] < partial;
  });
  store_flags(op, state, 0, carry, known, since, where);
}

template <int lanes>
Operation make_imad(const Instruction& code, MicroOp& op) {
  op.detail = code.has("X");
  const bool is_unsigned = code.has("U32");
  if (code.has("WIDE")) return is_unsigned ? imad_wide<lanes, false, false> : imad_wide<lanes, false, true>;
  if (code.has("HI")) return is_unsigned ? imad_wide<lanes, true, false> : imad_wide<lanes, true, true>;
  if (op.predicates[0]) return nullptr;
  return op.detail ? imad_x<lanes> : imad<lanes>;
}

// (a << shift) + b with the carry of the addition; the operand before `shift` is b.
template <int lanes>
void lea(const MicroOp& op, WarpState& state, LaneMask where) {
  int since = 0;
  const auto a = fetch<uint32_t, lanes>(op, state, 0);
  const auto b = fetch<uint32_t, lanes>(op, state, 1);
  const auto shift = op.sources[2].number & 31;
  const LaneMask known = all_known<lanes>(since, a, b);
  std::array<uint32_t, lanes> result;
  for (std::size_t i = 0; i < lanes; ++i)
    result[i] = (a.value[i] << shift) + b.value[i];
  LaneMask carry = 0;  // before the sources may be written over
  if (op.predicates[0])
    carry = lanes_where<lanes>(
        [&](std::size_t i) { return result[i] < static_cast<uint32_t>(a.value[i] << shift); });
  store<uint32_t, lanes>(op, state, result, known, since, where);
  store_flags(op, state, 0, carry, known, since, where);
}

// Upper word of ({c, a} << shift), plus b, plus a carry with .X; .SX32 takes a's sign for c. `detail`: bit 0
// .X, bit 1 .SX32.
template <int lanes>
void lea_hi(const MicroOp& op, WarpState& state, LaneMask where) {
  int since = 0;
  const bool extended = op.detail & 1, sign = op.detail & 2;
  const auto a = fetch<uint32_t, lanes>(op, state, 0);
  const auto b = fetch<uint32_t, lanes>(op, state, 1);
  LaneMask known = all_known<lanes>(since, a, b);
  std::array<uint32_t, lanes> upper;
  if (sign) {
    for (std::size_t i = 0; i < lanes; ++i)
      upper[i] = a.value[i] >> 31 ? ~uint32_t{0} : 0;
  } else {
    const auto c = fetch<uint32_t, lanes>(op, state, 2);
    known &= all_known<lanes>(since, c);
    std::copy_n(c.value, lanes, upper.begin());
  }
  const int shift_at = sign ? 2 : 3;
  const auto shift = op.sources[static_cast<std::size_t>(shift_at)].number & 31;
  std::array<uint32_t, lanes> carry{}, result;
  if (extended) known &= add_carries<lanes>(op, state, shift_at + 1, carry, since);
  for (std::size_t i = 0; i < lanes; ++i)
    result[i] =
        static_cast<uint32_t>((uint64_t{upper[i]} << 32 | a.value[i]) << shift >> 32) + b.value[i] + carry[i];
  store<uint32_t, lanes>(op, state, result, known, since, where);
}

template <int lanes>
Operation make_lea(const Instruction& code, MicroOp& op) {
  if (!code.has("HI")) return code.has("X") || op.source_count != 3 ? nullptr : lea<lanes>;
  op.detail = (code.has("X") ? 1u : 0u) | (code.has("SX32") ? 2u : 0u);
  if (op.predicates[0] || op.sources[0].negated || op.sources[0].inverted) return nullptr;
  return lea_hi<lanes>;
}

// {c, a} shifted by b; .HI keeps the upper word. `detail`: bit 0 right, 1 upper, 2 signed, 3 64-bit amounts,
// 4 wrap.
template <int lanes>
void shf(const MicroOp& op, WarpState& state, LaneMask where) {
  const uint32_t d = op.detail;
  const uint32_t most = d & 8 ? 63 : 32;
  map_lanes<uint32_t, uint32_t, lanes, 3>(op, state, where, [=](uint32_t low, uint32_t by, uint32_t high) {
    const uint32_t amount = d & 16 ? by & (d & 8 ? 63 : 31) : std::min(by, most);
    const uint64_t pair = uint64_t{high} << 32 | low;
    uint64_t result = 0;
    if (d & 1) {
      result = d & 4 ? static_cast<uint64_t>(static_cast<int64_t>(pair) >> amount) : pair >> amount;
    } else {
      result = pair << amount;
    }
    return static_cast<uint32_t>(d & 2 ? result >> 32 : result);
  });
}

template <int lanes>
Operation make_shf(const Instruction& code, MicroOp& op) {
  op.detail = (code.has("R") ? 1u : 0u) | (code.has("HI") ? 2u : 0u) |
              (code.has("S32") || code.has("S64") ? 4u : 0u) |
              (code.has("U64") || code.has("S64") ? 8u : 0u) | (code.has("W") ? 16u : 0u);
  return shf<lanes>;
}

// With .RELU the result is at least 0. Bits of `detail`.
constexpr uint32_t not_negative = 1;

// min where `least` holds, else max.
template <class Word>
std::uint32_t pick(Word x, Word y, bool least, bool relu) {
  const Word result = least ? std::min(x, y) : std::max(x, y);
  return static_cast<uint32_t>(relu ? std::max(result, Word{0}) : result);
}

template <class Word, int lanes>
void minimum_maximum(const MicroOp& op, WarpState& state, LaneMask where) {
  int since = 0;
  const auto a = fetch<uint32_t, lanes>(op, state, 0);
  const auto b = fetch<uint32_t, lanes>(op, state, 1);
  LaneMask known = all_known<lanes>(since, a, b);
  const auto least = fetch_flags(op.sources[2], state, op.instruction);
  known &= least.known;
  std::array<uint32_t, lanes> result;
  for (std::size_t i = 0; i < lanes; ++i)
    result[i] = pick(static_cast<Word>(a.value[i]), static_cast<Word>(b.value[i]), least.value >> i & 1,
                     op.detail & not_negative);
  store<uint32_t, lanes>(op, state, result, known, since, where);
}

// The same of 64-bit numbers; the predicate after the choice joins a longer number's lower part and is none
// here.
template <class Word, int lanes>
void minimum_maximum64(const MicroOp& op, WarpState& state, LaneMask where) {
  const bool least = op.sources[2].number != 0 && !op.sources[2].negated;
  map_lanes<uint64_t, uint64_t, lanes, 2>(op, state, where, [=](uint64_t a, uint64_t b) {
    const auto x = static_cast<Word>(a), y = static_cast<Word>(b);
    return static_cast<uint64_t>(least ? std::min(x, y) : std::max(x, y));
  });
}

// min or max of a + b and c.
template <class Word, int lanes>
void add_minimum_maximum(const MicroOp& op, WarpState& state, LaneMask where) {
  int since = 0;
  const auto a = fetch<uint32_t, lanes>(op, state, 0);
  const auto b = fetch<uint32_t, lanes>(op, state, 1);
  const auto c = fetch<uint32_t, lanes>(op, state, 2);
  LaneMask known = all_known<lanes>(since, a, b, c);
  const auto least = fetch_flags(op.sources[3], state, op.instruction);
  known &= least.known;
  std::array<uint32_t, lanes> result;
  for (std::size_t i = 0; i < lanes; ++i)
    result[i] = pick(static_cast<Word>(a.value[i] + b.value[i]), static_cast<Word>(c.value[i]),
                     least.value >> i & 1, op.detail & not_negative);
  store<uint32_t, lanes>(op, state, result, known, since, where);
}

template <int lanes>
Operation make_minimum(const Instruction& code, MicroOp& op) {
  if (code.has("S64") || code.has("U64")) {
    const auto is_never = [](const Source& s) {
      return s.kind == SourceKind::number && (s.number != 0) == s.negated;
    };
    const bool plain = op.source_count == 3 || (op.source_count == 4 && is_never(op.sources[3]));
    if (!plain || op.sources[2].kind != SourceKind::number || op.predicates[0] || op.predicates[1])
      return nullptr;
    return code.has("S64") ? minimum_maximum64<int64_t, lanes> : minimum_maximum64<uint64_t, lanes>;
  }
  if (op.source_count != 3 || op.predicates[0] || op.predicates[1]) return nullptr;
  if (code.has("RELU")) op.detail = not_negative;
  return code.has("U32") ? minimum_maximum<uint32_t, lanes> : minimum_maximum<int32_t, lanes>;
}

Operation make_add_minimum(const Instruction& code, MicroOp& op) {
  if (op.source_count != 4 || op.predicates[0] || op.predicates[1]) return nullptr;
  if (code.has("RELU")) op.detail = not_negative;
  return code.has("U32") ? add_minimum_maximum<uint32_t, warp_lanes>
                         : add_minimum_maximum<int32_t, warp_lanes>;
}

// min or max of three.
template <class Word>
void minimum_maximum3(const MicroOp& op, WarpState& state, LaneMask where) {
  const bool least = op.sources[3].number != 0 && !op.sources[3].negated;
  map_lanes<uint32_t, uint32_t, warp_lanes, 3>(op, state, where, [=](uint32_t a, uint32_t b, uint32_t c) {
    const auto x = static_cast<Word>(a), y = static_cast<Word>(b), z = static_cast<Word>(c);
    return static_cast<uint32_t>(least ? std::min({x, y, z}) : std::max({x, y, z}));
  });
}

Operation make_minimum3(const Instruction& code, MicroOp& op) {
  const bool fixed = op.source_count == 4 && op.sources[3].kind == SourceKind::number;
  if (!fixed || code.has("RELU")) return nullptr;
  return code.has("U32") ? minimum_maximum3<uint32_t> : minimum_maximum3<int32_t>;
}

template <int lanes>
void iabs(const MicroOp& op, WarpState& state, LaneMask where) {
  map_lanes<uint32_t, uint32_t, lanes, 1>(op, state, where, [](uint32_t a) { return a >> 31 ? 0u - a : a; });
}

constexpr OperationInfo table[] = {
    {"IABS", [](const Instruction&, MicroOp&) -> Operation { return iabs<warp_lanes>; }},
    {"IADD", make_iadd<warp_lanes>},
    {"IADD3", make_iadd<warp_lanes>},
    {"IMAD", make_imad<warp_lanes>},
    {"IMNMX", make_minimum<warp_lanes>},
    {"LEA", make_lea<warp_lanes>},
    {"SHF", make_shf<warp_lanes>},
    {"UIADD3", make_iadd<1>},
    {"UIMAD", make_imad<1>},
    {"UIMNMX", make_minimum<1>},
    {"ULEA", make_lea<1>},
    {"USHF", make_shf<1>},
    {"UVIADD", make_iadd<1>},
    {"UVIMNMX", make_minimum<1>},
    {"VIADD", make_iadd<warp_lanes>},
    {"VIADDMNMX", make_add_minimum},
    {"VIMNMX", make_minimum<warp_lanes>},
    {"VIMNMX3", make_minimum3},
};

}  // namespace

std::span<const OperationInfo> integer_operations() {
  return table;
}

}  // namespace tilecast::sass
