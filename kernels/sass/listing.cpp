#include "kernels/sass/listing.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "kernels/sass/control_field.hpp"
#include "kernels/sass/parse_operand.hpp"
#include "kernels/sass/register_widths.hpp"
#include "model/support/errors.hpp"

namespace tilecast::sass {
namespace {

constexpr std::int64_t instruction_bytes = 16;

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<std::uint64_t> hex_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// What stands between "/*" and "*/" at the start of `line`, taken from it.
std::optional<std::string_view> take_comment(std::string_view& line) {
  if (!line.starts_with("/*")) return std::nullopt;
  const auto end = line.find("*/");
  if (end == std::string_view::npos) return std::nullopt;
  const auto inside = trim(line.substr(2, end - 2));
  line = trim(line.substr(end + 2));
  return inside;
}

std::optional<std::uint64_t> encoding_word(std::string_view comment) {
  if (!comment.starts_with("0x")) return std::nullopt;
  return hex_number(comment.substr(2));
}

// One instruction as text, before its operands' labels are known.
struct RawInstruction {
  std::int64_t offset = 0;
  std::string_view text;  // "@P0 LDS.128 R4, [R2+0x10]"
  std::uint64_t low = 0, high = 0;
  bool has_high = false;
};

struct RawFunction {
  std::vector<RawInstruction> instructions;
  std::map<std::string_view, std::int64_t> labels;
};

[[noreturn]] void refuse(std::string_view name, long line, std::string_view what) {
  throw InputError(fmt::format("{}:{}: {}", name, line, what));
}

class ListingReader {
 public:
  ListingReader(std::string_view entry, std::string_view name)
      : section_(fmt::format(".text.{}", entry)), name_(name) {}

  void read_line(std::string_view whole, long number) {
    auto line = trim(whole);
    if (line.starts_with(".section\t") || line.starts_with(".section ")) {
      auto rest = trim(line.substr(8));
      inside_ = rest.substr(0, rest.find(',')) == section_;
      found_ = found_ || inside_;
    } else if (inside_ && line.ends_with(':') && !line.starts_with("/*")) {
      function_.labels.emplace(line.substr(0, line.size() - 1), next_offset_);
    } else if (inside_ && line.starts_with("/*")) {
      read_code(line, number);
    }
  }

  RawFunction finish() {
    if (!found_)
      throw InputError(
          fmt::format("{}: no section {}, expected the listing of that kernel", name_, section_));
    if (function_.instructions.empty() || !function_.instructions.back().has_high)
      throw InputError(fmt::format("{}: {} ends without an encoding, expected the output of nvdisasm -c -hex",
                                   name_, section_));
    return std::move(function_);
  }

 private:
  void read_code(std::string_view line, long number) {
    const auto first = take_comment(line);
    if (!first) return;
    auto& all = function_.instructions;
    if (const auto word = encoding_word(*first)) {  // the upper word stands alone on its line
      if (all.empty() || all.back().has_high) refuse(name_, number, "an encoding without its instruction");
      all.back().high = *word;
      all.back().has_high = true;
      return;
    }
    const auto offset = hex_number(*first);
    if (!offset) return;
    if (!all.empty() && !all.back().has_high)
      refuse(name_, number,
             "the instruction before has no encoding, expected the output of nvdisasm -c -hex");
    const auto end = line.find(';');
    if (end == std::string_view::npos) refuse(name_, number, "an instruction without its end ';'");
    RawInstruction raw;
    raw.offset = static_cast<std::int64_t>(*offset);
    // Remarks in the form (*"..."*) follow the operands of some instructions.
    raw.text = trim(line.substr(0, std::min(end, line.find("(*"))));
    line = trim(line.substr(end + 1));
    const auto comment = take_comment(line);
    const auto word = comment ? encoding_word(*comment) : std::nullopt;
    if (!word)
      refuse(name_, number, "an instruction without its encoding, expected the output of nvdisasm -c -hex");
    raw.low = *word;
    if (raw.offset != next_offset_)
      refuse(name_, number, fmt::format("offset {:#x}, expected {:#x}", raw.offset, next_offset_));
    next_offset_ += instruction_bytes;
    all.push_back(raw);
  }

  std::string section_;
  std::string_view name_;
  bool inside_ = false, found_ = false;
  std::int64_t next_offset_ = 0;
  RawFunction function_;
};

// The next operand of `text`, which ends at a comma or, before a branch's target, at a blank.
std::string_view take_operand(std::string_view& text) {
  auto end = text.find(',');
  if (const auto target = text.find(" `"); target < end && target != 0) end = target;
  const auto operand = trim(text.substr(0, end));
  text = end == std::string_view::npos ? std::string_view{} : trim(text.substr(end + 1));
  return operand;
}

void split_mnemonic(std::string_view mnemonic, Instruction& instruction) {
  const auto dot = mnemonic.find('.');
  instruction.opcode = mnemonic.substr(0, dot);
  while (!mnemonic.empty() && mnemonic.find('.') != std::string_view::npos) {
    mnemonic.remove_prefix(mnemonic.find('.') + 1);
    instruction.modifiers.emplace_back(mnemonic.substr(0, mnemonic.find('.')));
  }
}

bool is_predicate(const Operand& operand) {
  return operand.kind == OperandKind::predicate || operand.kind == OperandKind::uniform_predicate ||
         operand.kind == OperandKind::all_predicates;
}

bool is_destination_register(const Operand& operand) {
  return operand.kind == OperandKind::vector_register || operand.kind == OperandKind::uniform_register ||
         operand.kind == OperandKind::barrier_register;
}

void sort_operands(std::vector<Operand> operands, const OpcodeInfo& info, Instruction& instruction) {
  std::size_t next = 0;
  const auto take_predicates = [&](int most) {
    for (int i = 0; i < most && next < operands.size() && is_predicate(operands[next]); ++i)
      instruction.destinations.push_back(std::move(operands[next++]));
  };
  take_predicates(info.leading_predicates);
  if (info.registers > 0 && next < operands.size() && is_destination_register(operands[next])) {
    instruction.destinations.push_back(std::move(operands[next++]));
    take_predicates(info.trailing_predicates);
  }
  for (; next < operands.size(); ++next)
    instruction.sources.push_back(std::move(operands[next]));
}

Instruction parse_instruction(const RawInstruction& raw, const LabelLookup& label, std::string_view name) {
  Instruction instruction;
  instruction.offset = raw.offset;
  instruction.low = raw.low;
  instruction.high = raw.high;
  instruction.control = control_field(raw.high);
  auto text = raw.text;
  const auto bad = [&](std::string_view what) {
    throw InputError(fmt::format("{}: '{}' at {:#x}: {}", name, raw.text, raw.offset, what));
  };
  if (text.starts_with('@')) {
    const auto end = text.find(' ');
    instruction.guard = parse_operand(text.substr(1, end - 1), label);
    if (!instruction.guard || !is_predicate(*instruction.guard)) bad("expected a predicate after '@'");
    text = trim(text.substr(end + 1));
  }
  const auto end = text.find(' ');
  split_mnemonic(text.substr(0, end), instruction);
  text = end == std::string_view::npos ? std::string_view{} : trim(text.substr(end + 1));
  const auto* info = find_opcode(instruction.opcode);
  if (!info) bad(fmt::format("unknown opcode {}", instruction.opcode));
  instruction.op_class = info->op_class;
  std::vector<Operand> operands;
  while (!text.empty()) {
    const auto word = take_operand(text);
    auto operand = parse_operand(word, label);
    if (!operand) bad(fmt::format("operand '{}' is of no known form", word));
    // An immediate printed as a fraction stands in the encoding's bits 32 to 63 as it is used.
    if (operand->is_float) operand->value = static_cast<std::int64_t>(raw.low >> 32);
    operands.push_back(std::move(*operand));
  }
  sort_operands(std::move(operands), *info, instruction);
  set_register_widths(instruction);
  return instruction;
}

}  // namespace

std::vector<Instruction> parse_listing(std::string_view text, std::string_view entry, std::string_view name) {
  ListingReader reader(entry, name);
  long number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    reader.read_line(text.substr(0, end), ++number);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  const auto function = reader.finish();
  const LabelLookup label = [&](std::string_view wanted) -> std::optional<std::int64_t> {
    const auto found = function.labels.find(wanted);
    return found == function.labels.end() ? std::nullopt : std::optional(found->second);
  };
  std::vector<Instruction> instructions;
  instructions.reserve(function.instructions.size());
  for (const auto& raw : function.instructions)
    instructions.push_back(parse_instruction(raw, label, name));
  return instructions;
}

std::string listing_target(std::string_view text, std::string_view name) {
  const auto at = text.find(".target");
  if (at == std::string_view::npos)
    throw InputError(fmt::format("{}: no '.target', expected a listing of nvdisasm", name));
  const auto rest = text.substr(at + 7);
  return std::string(trim(rest.substr(0, rest.find('\n'))));
}

}  // namespace tilecast::sass
