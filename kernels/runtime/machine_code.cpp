#include "kernels/runtime/machine_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "kernels/runtime/hash.hpp"
#include "kernels/sass/cubin.hpp"
#include "model/support/errors.hpp"

namespace tilecast {

std::string Fnv1a::hex() const {
  return fmt::format("{:016x}", state_);
}

namespace {

// The integer directly before `words` in `line`, e.g. 80 in "80 bytes stack frame, ..."; `words` with its
// leading space.
std::optional<std::int64_t> number_before(std::string_view line, std::string_view words) {
  const auto end = line.find(words);
  if (end == std::string_view::npos) return std::nullopt;
  auto begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9')
    --begin;
  std::int64_t value = 0;
  const auto [last, error] = std::from_chars(line.data() + begin, line.data() + end, value);
  if (error != std::errc{} || last != line.data() + end) return std::nullopt;
  return value;
}

// Executable sections in order of their names; Error where there is none.
auto text_sections(std::span<const char> cubin) {
  auto sections = sass::cubin_sections(cubin);
  std::erase_if(sections, [](const auto& s) { return !s.name.starts_with(".text."); });
  if (sections.empty())
    throw Error(ExitCode::failure, "cubin: no .text section, expected a 64-bit ELF file with machine code");
  std::ranges::sort(sections, {}, &sass::CubinSection::name);
  return sections;
}

}  // namespace

CodeRecord parse_ptxas_log(std::string_view log, std::string_view entry) {
  const std::string start = fmt::format("Compiling entry function '{}'", entry);
  const std::string_view any_start = "Compiling entry function '";
  auto at = log.find(start);
  if (at == std::string_view::npos)
    throw Error(ExitCode::failure, fmt::format("the compiler's log has no '{}':\n{}", start, log));
  auto text = log.substr(at + start.size());
  text = text.substr(0, text.find(any_start));

  CodeRecord record;
  std::optional<std::int64_t> registers;
  const std::string properties = fmt::format("Function properties for {}", entry);
  bool of_entry = false;  // functions that were not inlined have properties of their own
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find("Function properties for ") != std::string_view::npos)
      of_entry = line.ends_with(properties);
    if (const auto stack = number_before(line, " bytes stack frame"); stack && of_entry)
      record.spill_bytes = *stack;
    if (const auto used = number_before(line, " registers")) registers = used;
    if (const auto shared = number_before(line, " bytes smem")) record.static_shared_bytes = *shared;
  }
  if (!registers)
    throw Error(ExitCode::failure,
                fmt::format("the compiler's log gives no registers for '{}':\n{}", entry, log));
  record.registers = *registers;
  return record;
}

std::string code_hash(std::span<const char> cubin) {
  Fnv1a hash;
  for (const auto& section : text_sections(cubin))
    hash.add_field(section.name).add_field(section.bytes);
  return hash.hex();
}

std::vector<MachineWord> machine_words(std::span<const char> cubin) {
  std::vector<MachineWord> words;
  for (const auto& section : text_sections(cubin)) {
    const auto* bytes = section.bytes.data();
    for (std::size_t at = 0; at + sizeof(MachineWord) <= section.bytes.size(); at += sizeof(MachineWord)) {
      MachineWord word;
      std::memcpy(&word, bytes + at, sizeof(word));
      words.push_back(word);
    }
  }
  return words;
}

}  // namespace tilecast
