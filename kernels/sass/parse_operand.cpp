#include "kernels/sass/parse_operand.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace tilecast::sass {
namespace {

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

std::optional<int> take_digits(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data() || text.front() == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// "0x10", "-0x10".
std::optional<std::int64_t> take_hex(std::string_view& text) {
  auto rest = text;
  const bool negative = take(rest, "-");
  if (!take(rest, "0x")) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, 16);
  if (error != std::errc{} || end == rest.data()) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  text = rest;
  return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

// "R12", "RZ" and, with prefix "UR", their uniform kin.
std::optional<int> take_register(std::string_view& text, std::string_view prefix) {
  auto rest = text;
  if (!take(rest, prefix)) return std::nullopt;
  std::optional<int> index;
  if (take(rest, "Z")) {
    index = zero_register;
  } else {
    index = take_digits(rest);
  }
  if (!index || *index > zero_register) return std::nullopt;
  text = rest;
  return index;
}

std::optional<int> take_predicate(std::string_view& text, std::string_view prefix) {
  auto rest = text;
  if (!take(rest, prefix)) return std::nullopt;
  std::optional<int> index;
  if (take(rest, "T")) {
    index = true_predicate;
  } else {
    index = take_digits(rest);
  }
  if (!index || *index > true_predicate) return std::nullopt;
  text = rest;
  return index;
}

// The terms between brackets: "R2.64+UR4+-0x8", "R9.X4+0x10", "UR6", "0x160".
bool parse_address(std::string_view text, Operand& operand) {
  while (!text.empty()) {
    if (const auto uniform = take_register(text, "UR")) {
      operand.uniform_base = *uniform;
      if (take(text, ".64")) operand.uniform_bits = 64;
    } else if (const auto base = take_register(text, "R")) {
      operand.base = *base;
      for (bool more = true; more;) {
        if (take(text, ".64")) {
          operand.base_bits = 64;
        } else if (take(text, ".X16")) {
          operand.scale = 16;
        } else if (take(text, ".X4")) {
          operand.scale = 4;
        } else if (take(text, ".X8")) {
          operand.scale = 8;
        } else {
          more = take(text, ".U32") || take(text, ".reuse");
        }
      }
    } else if (const auto displacement = take_hex(text)) {
      operand.value += *displacement;
    } else {
      return false;
    }
    if (!text.empty() && !take(text, "+")) return false;
  }
  return true;
}

std::optional<std::string_view> take_bracket(std::string_view& text) {
  if (!text.starts_with('[')) return std::nullopt;
  const auto end = text.find(']');
  if (end == std::string_view::npos) return std::nullopt;
  const auto inside = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  return inside;
}

bool parse_constant(std::string_view& text, Operand& operand) {
  auto bank = take_bracket(text);
  const auto address = take_bracket(text);
  if (!bank || !address) return false;
  operand.kind = OperandKind::constant;
  if (const auto number = take_hex(*bank)) {
    operand.bank = static_cast<int>(*number);
  } else if (const auto uniform = take_register(*bank, "UR")) {  // cx[UR4][...]: a bindless bank
    operand.descriptor = *uniform;
  } else {
    return false;
  }
  return bank->empty() && parse_address(*address, operand);
}

// Selectors of part of a register; what uses them can be counted but not calculated.
constexpr std::array<std::string_view, 12> selectors = {"H0_H0", "H1_H1", "H0_H1", "H1_H0", "H0",  "H1",
                                                        "B0",    "B1",    "B2",    "B3",    "F32", "COL"};

bool parse_suffixes(std::string_view text, Operand& operand) {
  while (!text.empty()) {
    if (take(text, ".reuse")) {
      operand.reuse = true;
    } else if (take(text, ".64")) {
      operand.bits = 64;
    } else if (take(text, "|")) {
      // the end of |x|
    } else {
      const auto* found = std::ranges::find_if(selectors, [&](std::string_view s) {
        return text.starts_with('.') && text.substr(1).starts_with(s);
      });
      if (found == selectors.end()) return false;
      operand.name = *found;
      text.remove_prefix(1 + found->size());
    }
  }
  return true;
}

bool parse_atom(std::string_view& text, Operand& operand, const LabelLookup& label) {
  if (take(text, "c") || take(text, "cx")) {
    take(text, "x");
    return parse_constant(text, operand);
  }
  if (take(text, "desc")) {
    auto descriptor = take_bracket(text);
    if (!descriptor) return false;
    operand.descriptor = take_register(*descriptor, "UR");
    if (!operand.descriptor) return false;
  }
  if (text.starts_with('[')) {
    operand.kind = OperandKind::memory;
    const auto address = take_bracket(text);
    return address && parse_address(*address, operand);
  }
  if (take(text, "`(")) {
    const auto end = text.find(')');
    if (end == std::string_view::npos) return false;
    const auto offset = label(text.substr(0, end));
    if (!offset) return false;
    operand.kind = OperandKind::target;
    operand.value = *offset;
    text.remove_prefix(end + 1);
    return true;
  }
  if (text.starts_with("SR")) {
    operand.kind = OperandKind::special_register;
    operand.name = text;
    text = {};
    return true;
  }
  const auto named = [&](OperandKind kind, std::optional<int> index) {
    if (!index) return false;
    operand.kind = kind;
    operand.index = *index;
    return true;
  };
  if (named(OperandKind::uniform_register, take_register(text, "UR")) ||
      named(OperandKind::vector_register, take_register(text, "R")) ||
      named(OperandKind::uniform_predicate, take_predicate(text, "UP")))
    return true;
  if (take(text, "UPR") || take(text, "PR")) {
    operand.kind = OperandKind::all_predicates;
    return true;
  }
  if (named(OperandKind::predicate, take_predicate(text, "P"))) return true;
  auto rest = text;
  if (take(rest, "SB")) {
    text = rest;
    return named(OperandKind::scoreboard, take_digits(text));
  }
  if (take(rest, "B")) {
    text = rest;
    return named(OperandKind::barrier_register, take_digits(text));
  }
  if (const auto value = take_hex(text)) {
    operand.kind = OperandKind::immediate;
    operand.value = *value;
    return true;
  }
  // A number printed as a decimal fraction, an infinity or a NaN: its bits are in the encoding.
  operand.kind = OperandKind::immediate;
  operand.is_float = true;
  const auto decimal = [](char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == '-' || c == '+';
  };
  const bool known = std::ranges::all_of(text, decimal) || text.ends_with("INF") || text.ends_with("NAN");
  if (text.empty() || !known) return false;
  // "0" to "63" of BAR, DEPBAR and the like are whole numbers, and are printed so
  text = {};
  return true;
}

}  // namespace

std::optional<Operand> parse_operand(std::string_view text, const LabelLookup& label) {
  Operand operand;
  for (bool more = true; more;) {
    if (text.starts_with('-') && !text.starts_with("-0x") && text.find_first_of("0123456789.Q") != 1 &&
        !text.starts_with("-INF") && !text.starts_with("-QNAN")) {
      text.remove_prefix(1);
      operand.negated = true;
    } else if (take(text, "!")) {
      operand.negated = true;
    } else if (take(text, "~")) {
      operand.inverted = true;
    } else if (take(text, "|")) {
      operand.absolute = true;
    } else {
      more = false;
    }
  }
  if (!parse_atom(text, operand, label) || !parse_suffixes(text, operand)) return std::nullopt;
  return operand;
}

}  // namespace tilecast::sass
