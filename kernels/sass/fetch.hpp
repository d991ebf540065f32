#pragma once
// Operands to arrays of lanes and back. `lanes` is 32 for a warp's registers and 1 for the uniform ones.

#include <bit>

#include "kernels/sass/micro_op.hpp"

namespace tilecast::sass {

inline Flags fetch_flags(const Source& source, const WarpState& state, int instruction) {
  Flags flags;
  switch (source.kind) {
    case SourceKind::predicate:
      flags = state.predicates[source.index];
      break;
    case SourceKind::uniform_predicate: {
      const auto& one = state.uniform_predicates[source.index];
      flags = {.value = one.value & 1 ? all_lanes : 0,
               .known = one.known & 1 ? all_lanes : 0,
               .unknown_since = one.unknown_since};
      break;
    }
    case SourceKind::number:
      flags = {.value = source.number ? all_lanes : 0};
      break;
    default:
      flags = {.known = 0, .unknown_since = instruction};
  }
  if (source.negated) flags.value = ~flags.value;
  return flags;
}

// Bits that are known in all lanes.
inline std::uint32_t bits_known(const Numbers<warp_lanes>& numbers) {
  return numbers.known == all_lanes ? ~0u : numbers.bits;
}

// Bits that are known in the lanes that a write to `where` leaves as they are.
inline std::uint32_t bits_outside(const Numbers<warp_lanes>& before, LaneMask where) {
  return (before.known | where) == all_lanes ? ~0u : before.bits;
}

inline std::uint32_t bits_of_source(const Source& source, const WarpState& state, int part = 0) {
  if (source.kind == SourceKind::number) return ~0u;
  if (source.kind != SourceKind::vector) return 0;
  return bits_known(state.vector[static_cast<std::size_t>(source.index + part)]);
}

// One word of the operand: `part` 0 is the low one.
template <int lanes>
inline void fetch_word(const Source& source, const WarpState& state, int instruction, int part,
                       std::array<std::uint32_t, lanes>& value, LaneMask& known, int& since) {
  const auto not_known = [&](LaneMask now, int from) {
    if (now != all_lanes && known == all_lanes) since = from;
    known &= now;
  };
  switch (source.kind) {
    case SourceKind::number:
      value.fill(static_cast<std::uint32_t>(source.number >> (32 * part)));
      return;
    case SourceKind::vector:
      if constexpr (lanes == warp_lanes) {
        const auto& from = state.vector[static_cast<std::size_t>(source.index + part)];
        value = from.value;
        not_known(from.known, from.unknown_since);
      } else {
        const auto& from = state.vector[static_cast<std::size_t>(source.index + part)];
        value.fill(from.value[0]);
        not_known(from.equal ? all_lanes : 0, from.equal ? from.unknown_since : instruction);
      }
      return;
    case SourceKind::uniform: {
      const auto& from = state.uniform[static_cast<std::size_t>(source.index + part)];
      value.fill(from.value[0]);
      not_known(from.known & 1 ? all_lanes : 0, from.unknown_since);
      return;
    }
    default:
      value.fill(0);
      not_known(0, instruction);
  }
}

// An operand's lanes; refers to the register itself where nothing modifies it.
template <class Word, int lanes>
class Fetched {
  alignas(32) std::array<Word, lanes> own_;

 public:
  Fetched(const Source& source, int instruction, const WarpState& state) {
    value = own_.data();
    if constexpr (sizeof(Word) == 4) {
      if (lanes == warp_lanes && source.kind == SourceKind::vector && !source.absolute && !source.negated &&
          !source.inverted) {
        const auto& from = state.vector[source.index];
        value = from.value.data();
        known = from.known;
        unknown_since = from.unknown_since;
        return;
      }
      fetch_word<lanes>(source, state, instruction, 0, own_, known, unknown_since);
    } else {
      std::array<std::uint32_t, lanes> low, high;
      fetch_word<lanes>(source, state, instruction, 0, low, known, unknown_since);
      fetch_word<lanes>(source, state, instruction, 1, high, known, unknown_since);
      for (std::size_t i = 0; i < lanes; ++i)
        own_[i] = std::uint64_t{high[i]} << 32 | low[i];
    }
    if (source.absolute) {
      for (auto& v : own_)
        v = v >> (8 * sizeof(Word) - 1) ? Word{0} - v : v;
    }
    if (source.negated) {
      for (auto& v : own_)
        v = Word{0} - v;
    }
    if (source.inverted) {
      for (auto& v : own_)
        v = ~v;
    }
  }
  Fetched(const Fetched&) = delete;

  const Word* value;
  LaneMask known = all_lanes;
  int unknown_since = 0;
};

template <class Word, int lanes>
Fetched<Word, lanes> fetch(const MicroOp& op, const WarpState& state, int at) {
  return {op.sources[static_cast<std::size_t>(at)], op.instruction, state};
}

// Mask of lanes where f(i) holds. Stored as bytes first, eight of which one multiplication packs into bits.
template <int lanes, class Function>
LaneMask lanes_where(Function f) {
  if constexpr (lanes == 1) {
    return f(std::size_t{0}) ? 1 : 0;
  } else {
    alignas(32) std::array<std::uint8_t, warp_lanes> bytes;
    for (std::size_t i = 0; i < warp_lanes; ++i)
      bytes[i] = f(i) ? 1 : 0;
    static_assert(std::endian::native == std::endian::little);
    const auto eights = std::bit_cast<std::array<std::uint64_t, 4>>(bytes);
    LaneMask mask = 0;
    for (std::size_t part = 0; part < 4; ++part)
      mask |= static_cast<LaneMask>(eights[part] * 0x0102040810204080ULL >> 56) << (8 * part);
    return mask;
  }
}

// Whether all lanes hold one number; compares the first lanes first, as most differ there.
inline bool all_equal(const Numbers<warp_lanes>& numbers) {
  const auto first = numbers.value[0];
  if (numbers.known != all_lanes || numbers.value[1] != first || numbers.value[warp_lanes - 1] != first)
    return false;
  std::uint32_t differ = 0;
  for (const auto v : numbers.value)
    differ |= v ^ first;
  return differ == 0;
}

template <int lanes>
void store_word(int index, WarpState& state, const std::array<std::uint32_t, lanes>& value, LaneMask known,
                int since, LaneMask where) {
  if constexpr (lanes == warp_lanes) {
    auto& to = state.vector[static_cast<std::size_t>(index)];
    if (where == all_lanes) {
      to.value = value;
      to.known = known;
    } else {
      for (std::size_t i = 0; i < lanes; ++i)
        to.value[i] = where >> i & 1 ? value[i] : to.value[i];
      to.known = (to.known & ~where) | (known & where);
    }
    if ((known & where) != where) to.unknown_since = since;
    to.equal = all_equal(to);
    to.bits = 0;
  } else if (state.one_for_all) {
    auto& to = state.vector[static_cast<std::size_t>(index)];
    to.value.fill(value[0]);
    to.equal = known & 1;
    to.known = to.equal ? all_lanes : 0;
    to.unknown_since = since;
    to.bits = 0;
  } else {
    auto& to = state.uniform[static_cast<std::size_t>(index)];
    to.value = value;
    to.known = known & 1;
    to.unknown_since = since;
  }
}

template <class Word, int lanes>
void store(const MicroOp& op, WarpState& state, const std::array<Word, lanes>& value, LaneMask known,
           int since, LaneMask where) {
  if (!op.destination) return;
  if constexpr (sizeof(Word) == 4) {
    store_word<lanes>(*op.destination, state, value, known, since, where);
  } else {
    std::array<std::uint32_t, lanes> low, high;
    for (std::size_t i = 0; i < lanes; ++i) {
      low[i] = static_cast<std::uint32_t>(value[i]);
      high[i] = static_cast<std::uint32_t>(value[i] >> 32);
    }
    store_word<lanes>(*op.destination, state, low, known, since, where);
    store_word<lanes>(*op.destination + 1, state, high, known, since, where);
  }
}

// Predicate `at` of the destinations.
inline void store_flags(const MicroOp& op, WarpState& state, std::size_t at, LaneMask value, LaneMask known,
                        int since, LaneMask where) {
  if (!op.predicates[at]) return;
  if (op.uniform) where = all_lanes;  // the warp has one of it
  if (state.one_for_all) value = value & 1 ? all_lanes : 0;
  auto& to = op.uniform ? state.uniform_predicates[*op.predicates[at]] : state.predicates[*op.predicates[at]];
  to.value = (to.value & ~where) | (value & where);
  to.known = (to.known & ~where) | (known & where);
  if ((known & where) != where) to.unknown_since = since;
}

template <int lanes, class A, class... Rest>
LaneMask all_known(int& since, const A& first, const Rest&... rest) {
  LaneMask known = first.known;
  if (first.known != all_lanes) since = first.unknown_since;
  if constexpr (sizeof...(rest) > 0) known &= all_known<lanes>(since, rest...);
  return known;
}

// Whether no source differs between lanes, so that all lanes get the same result.
inline bool same_in_all_lanes(const MicroOp& op, const WarpState& state) {
  for (int i = 0; i < op.source_count; ++i) {
    const auto& source = op.sources[static_cast<std::size_t>(i)];
    switch (source.kind) {
      case SourceKind::number:
        break;
      case SourceKind::vector:
        if (!state.vector[source.index].equal) return false;
        break;
      case SourceKind::uniform:
        if (!(state.uniform[source.index].known & 1)) return false;
        break;
      case SourceKind::predicate: {
        const auto& flags = state.predicates[source.index];
        if (flags.known != all_lanes || (flags.value != 0 && flags.value != all_lanes)) return false;
        break;
      }
      case SourceKind::uniform_predicate:
        if (!(state.uniform_predicates[source.index].known & 1)) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

// destination = f(sources 0, 1, ...) lane by lane.
template <class Result, class Word, int lanes, int count, class Function>
void map_lanes(const MicroOp& op, WarpState& state, LaneMask where, Function f) {
  std::array<Result, lanes> result;
  int since = 0;
  LaneMask known = all_lanes;
  if constexpr (count == 1) {
    const auto a = fetch<Word, lanes>(op, state, 0);
    known = all_known<lanes>(since, a);
    for (std::size_t i = 0; i < lanes; ++i)
      result[i] = f(a.value[i]);
  } else if constexpr (count == 2) {
    const auto a = fetch<Word, lanes>(op, state, 0);
    const auto b = fetch<Word, lanes>(op, state, 1);
    known = all_known<lanes>(since, a, b);
    for (std::size_t i = 0; i < lanes; ++i)
      result[i] = f(a.value[i], b.value[i]);
  } else {
    const auto a = fetch<Word, lanes>(op, state, 0);
    const auto b = fetch<Word, lanes>(op, state, 1);
    const auto c = fetch<Word, lanes>(op, state, 2);
    known = all_known<lanes>(since, a, b, c);
    for (std::size_t i = 0; i < lanes; ++i)
      result[i] = f(a.value[i], b.value[i], c.value[i]);
  }
  store<Result, lanes>(op, state, result, known, since, where);
}

}  // namespace tilecast::sass
