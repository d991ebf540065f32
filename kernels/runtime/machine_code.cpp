#include "kernels/runtime/machine_code.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "kernels/runtime/hash.hpp"
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

[[noreturn]] void bad_cubin(std::string_view what) {
  throw Error(ExitCode::failure,
              fmt::format("cubin: {}, expected a 64-bit ELF file with machine code", what));
}

template <class T>
T read_at(std::span<const char> bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) bad_cubin("cut short");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string_view slice(std::span<const char> bytes, std::size_t offset, std::size_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) bad_cubin("cut short");
  return {bytes.data() + offset, size};
}

struct Section {
  std::string_view name, bytes;
};

std::vector<Section> code_sections(std::span<const char> cubin) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    bad_cubin("another kind of file");
  const auto section = [&](std::size_t i) {
    return read_at<Elf64_Shdr>(cubin, header.e_shoff + i * sizeof(Elf64_Shdr));
  };
  const auto name_table = section(header.e_shstrndx);
  const auto names = slice(cubin, name_table.sh_offset, name_table.sh_size);
  std::vector<Section> found;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto s = section(i);
    if (s.sh_name >= names.size()) bad_cubin("a section without a name");
    auto name = names.substr(s.sh_name);
    name = name.substr(0, name.find('\0'));
    if (s.sh_type == SHT_PROGBITS && name.starts_with(".text."))
      found.push_back({name, slice(cubin, s.sh_offset, s.sh_size)});
  }
  std::ranges::sort(found, {}, &Section::name);
  return found;
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
  const auto sections = code_sections(cubin);
  if (sections.empty()) bad_cubin("no .text section");
  Fnv1a hash;
  for (const auto& section : sections)
    hash.add_field(section.name).add_field(section.bytes);
  return hash.hex();
}

std::vector<MachineWord> machine_words(std::span<const char> cubin) {
  const auto sections = code_sections(cubin);
  if (sections.empty()) bad_cubin("no .text section");
  std::vector<MachineWord> words;
  for (const auto& section : sections) {
    const std::span<const char> bytes(section.bytes.data(), section.bytes.size());
    for (std::size_t at = 0; at + sizeof(MachineWord) <= bytes.size(); at += sizeof(MachineWord))
      words.push_back(read_at<MachineWord>(bytes, at));
  }
  return words;
}

}  // namespace tilecast
