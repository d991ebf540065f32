#include "kernels/sass/merge_cubins.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string_view>

#include "model/support/errors.hpp"

namespace tilecast::sass {
namespace {

[[noreturn]] void bad_cubin() {
  throw Error(ExitCode::failure, "cubin: cut short, expected a 64-bit ELF file with machine code");
}

template <class T>
T read_at(std::span<const char> bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) bad_cubin();
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::span<const char> part(std::span<const char> bytes, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS) return {};
  if (section.sh_offset > bytes.size() || bytes.size() - section.sh_offset < section.sh_size) bad_cubin();
  return bytes.subspan(section.sh_offset, section.sh_size);
}

std::string_view text_at(std::span<const char> table, std::size_t offset) {
  if (offset >= table.size()) bad_cubin();
  const std::string_view rest(table.data() + offset, table.size() - offset);
  return rest.substr(0, rest.find('\0'));
}

class StringTable {
 public:
  Elf64_Word add(std::string_view text) {
    const auto at = static_cast<Elf64_Word>(bytes_.size());
    bytes_.append(text).push_back('\0');
    return at;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
};

constexpr std::string_view code_prefix = ".text.";
// Sections of the merged file in front of the code.
constexpr Elf64_Half names_section = 1, strings_section = 2, symbols_section = 3, first_code = 4;

class Merger {
 public:
  // Whether the cubin could be taken in.
  bool add(std::span<const char> cubin, std::size_t number) {
    const auto header = read_at<Elf64_Ehdr>(cubin, 0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
      bad_cubin();
    if (number == 0) header_ = header;
    if (header.e_flags != header_.e_flags || header.e_machine != header_.e_machine) return false;
    std::vector<Elf64_Shdr> sections;
    for (std::size_t i = 0; i < header.e_shnum; ++i)
      sections.push_back(read_at<Elf64_Shdr>(cubin, header.e_shoff + i * sizeof(Elf64_Shdr)));
    if (header.e_shstrndx >= sections.size()) bad_cubin();
    const auto names = part(cubin, sections[header.e_shstrndx]);
    const auto prefix = merged_prefix(number);
    std::map<std::size_t, Elf64_Half> code;  // by section: its number in the merged file
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const auto name = text_at(names, sections[i].sh_name);
      const bool relocates = sections[i].sh_type == SHT_RELA || sections[i].sh_type == SHT_REL;
      if (relocates && name.find(code_prefix) != std::string_view::npos && sections[i].sh_size > 0)
        return false;
      if (sections[i].sh_type != SHT_PROGBITS || !name.starts_with(code_prefix)) continue;
      code[i] = static_cast<Elf64_Half>(first_code + code_.size());
      auto section = sections[i];
      section.sh_name =
          names_.add(fmt::format("{}{}{}", code_prefix, prefix, name.substr(code_prefix.size())));
      code_.push_back({section, part(cubin, sections[i])});
    }
    for (const auto& table : sections) {
      if (table.sh_type != SHT_SYMTAB) continue;
      if (table.sh_link >= sections.size()) bad_cubin();
      const auto strings = part(cubin, sections[table.sh_link]);
      for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
        auto symbol = read_at<Elf64_Sym>(cubin, table.sh_offset + at);
        const auto own = code.find(symbol.st_shndx);
        if (own == code.end()) continue;
        const auto name = text_at(strings, symbol.st_name);
        const bool function = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
        symbol.st_name = strings_.add(function ? prefix + std::string(name) : std::string());
        symbol.st_shndx = own->second;
        (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ? local_ : global_).push_back(symbol);
      }
    }
    return true;
  }

  std::vector<char> finish() {
    const auto local_count = static_cast<Elf64_Word>(local_.size());
    auto& symbols = local_;
    symbols.insert(symbols.end(), global_.begin(), global_.end());
    Elf64_Shdr names{}, strings{}, table{};
    names.sh_name = names_.add(".shstrtab");
    strings.sh_name = names_.add(".strtab");
    table.sh_name = names_.add(".symtab");
    names.sh_type = strings.sh_type = SHT_STRTAB;
    table.sh_type = SHT_SYMTAB;
    table.sh_link = strings_section;
    table.sh_info = local_count;
    table.sh_entsize = sizeof(Elf64_Sym);
    bytes_.assign(sizeof(Elf64_Ehdr), '\0');
    put(names, names_.bytes(), 1);
    put(strings, strings_.bytes(), 1);
    put(table, {reinterpret_cast<const char*>(symbols.data()), symbols.size() * sizeof(Elf64_Sym)},
        alignof(Elf64_Sym));
    std::vector<Elf64_Shdr> sections{Elf64_Shdr{}, names, strings, table};
    for (auto& [section, bytes] : code_) {
      put(section, bytes, 128);
      section.sh_link = symbols_section;
      // The low bits name the kernel's symbol, those above the registers that it takes.
      constexpr Elf64_Word symbol_bits = 0x00ffffff;
      const auto number = static_cast<Elf64_Half>(sections.size());
      Elf64_Word kernel = 0;
      for (std::size_t i = 0; i < symbols.size() && kernel == 0; ++i) {
        if (symbols[i].st_shndx == number && ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC)
          kernel = static_cast<Elf64_Word>(i);
      }
      section.sh_info = (section.sh_info & ~symbol_bits) | kernel;
      sections.push_back(section);
    }
    Elf64_Shdr headers{};
    put(headers, {reinterpret_cast<const char*>(sections.data()), sections.size() * sizeof(Elf64_Shdr)},
        alignof(Elf64_Shdr));
    header_.e_phoff = 0;
    header_.e_phnum = 0;
    header_.e_shoff = headers.sh_offset;
    header_.e_shnum = static_cast<Elf64_Half>(sections.size());
    header_.e_shstrndx = names_section;
    std::memcpy(bytes_.data(), &header_, sizeof(header_));
    return std::move(bytes_);
  }

 private:
  void put(Elf64_Shdr& section, std::span<const char> bytes, std::size_t alignment) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
    section.sh_offset = bytes_.size();
    section.sh_size = bytes.size();
    section.sh_addralign = alignment;
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  Elf64_Ehdr header_{};
  StringTable names_, strings_;
  std::vector<Elf64_Sym> local_{Elf64_Sym{}}, global_;
  std::vector<std::pair<Elf64_Shdr, std::span<const char>>> code_;
  std::vector<char> bytes_;
};

}  // namespace

std::string merged_prefix(std::size_t number) {
  return fmt::format("tilecast.merged.{:04}.", number);
}

std::optional<std::vector<char>> merge_cubins(std::span<const std::span<const char>> cubins) {
  if (cubins.empty()) return std::nullopt;
  Merger merger;
  for (std::size_t i = 0; i < cubins.size(); ++i) {
    if (!merger.add(cubins[i], i)) return std::nullopt;
  }
  return merger.finish();
}

}  // namespace tilecast::sass
