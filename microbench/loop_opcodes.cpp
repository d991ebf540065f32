#include "microbench/loop_opcodes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tilecast {

namespace {

struct Instruction {
  std::string opcode;
  std::string target;  // of a branch to a label; else empty
};

struct Listing {
  std::vector<Instruction> instructions;
  std::map<std::string, std::size_t, std::less<>> labels;  // index of the instruction that follows
};

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// "/*0150*/  @!P0 BRA `(.L_x_0) ;" or "{ ... }" of dual issue; nullopt for any other line.
std::optional<Instruction> instruction_of(std::string_view line) {
  if (!line.starts_with("/*")) return std::nullopt;
  const auto end = line.find("*/");
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view rest = trimmed(line.substr(end + 2));
  if (rest.starts_with('{')) rest = trimmed(rest.substr(1));
  if (rest.starts_with('@')) {
    const auto space = rest.find_first_of(" \t");
    if (space == std::string_view::npos) return std::nullopt;
    rest = trimmed(rest.substr(space));
  }
  const auto stop = rest.find_first_of(" \t;");
  const std::string_view opcode = rest.substr(0, stop);
  // The encoding alone, "/*0000*/ /* 0x... */", is not an instruction.
  if (opcode.empty() || opcode.front() < 'A' || opcode.front() > 'Z') return std::nullopt;
  Instruction instruction{std::string(opcode), {}};
  if (opcode == "BRA" || opcode.starts_with("BRA.")) {
    const auto open = rest.find("(."), close = rest.rfind(')');
    if (open != std::string_view::npos && close > open)
      instruction.target = rest.substr(open + 1, close - open - 1);
  }
  return instruction;
}

Listing kernel_of(std::string_view text, std::string_view entry) {
  Listing listing;
  bool inside = false;
  const std::string start = ".text." + std::string(entry) + ":";
  while (!text.empty()) {
    const auto newline = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, newline));
    text.remove_prefix(std::min(newline + 1, text.size()));
    if (line.starts_with(".text.") && line.ends_with(':')) {
      inside = line == start;
    } else if (line.starts_with(".section")) {
      inside = false;
    } else if (inside && line.starts_with(".L") && line.ends_with(':')) {
      listing.labels.emplace(line.substr(0, line.size() - 1), listing.instructions.size());
    } else if (inside) {
      if (auto instruction = instruction_of(line)) listing.instructions.push_back(std::move(*instruction));
    }
  }
  return listing;
}

CodeLoop counted(const Listing& listing, std::size_t first, std::size_t last) {
  CodeLoop loop;
  for (std::size_t i = first; i < last; ++i) {
    ++loop.opcodes[listing.instructions[i].opcode];
    ++loop.instructions;
  }
  return loop;
}

}  // namespace

int CodeLoop::count(std::string_view opcode, std::string_view modifier) const {
  int total = 0;
  for (const auto& [name, times] : opcodes) {
    const std::string_view base = std::string_view(name).substr(0, name.find('.'));
    if (base != opcode) continue;
    if (!modifier.empty() && (name + ".").find("." + std::string(modifier) + ".") == std::string::npos)
      continue;
    total += times;
  }
  return total;
}

std::vector<CodeLoop> innermost_loops(std::string_view text, std::string_view entry) {
  const Listing listing = kernel_of(text, entry);
  std::vector<std::pair<std::size_t, std::size_t>> loops;  // first and last instruction
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const auto label = listing.labels.find(listing.instructions[i].target);
    if (label != listing.labels.end() && label->second < i) loops.emplace_back(label->second, i);
  }
  std::vector<CodeLoop> innermost;
  for (const auto& loop : loops) {
    const bool holds_another = std::ranges::any_of(loops, [&](const auto& other) {
      return other != loop && loop.first <= other.first && other.second <= loop.second;
    });
    if (!holds_another) innermost.push_back(counted(listing, loop.first, loop.second + 1));
  }
  return innermost;
}

CodeLoop whole_kernel(std::string_view text, std::string_view entry) {
  const Listing listing = kernel_of(text, entry);
  return counted(listing, 0, listing.instructions.size());
}

}  // namespace tilecast
