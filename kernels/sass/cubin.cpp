#include "kernels/sass/cubin.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>

#include "model/support/errors.hpp"

namespace tilecast::sass {
namespace {

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

}  // namespace

std::vector<CubinSection> cubin_sections(std::span<const char> cubin) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    bad_cubin("another kind of file");
  const auto section = [&](std::size_t i) {
    return read_at<Elf64_Shdr>(cubin, header.e_shoff + i * sizeof(Elf64_Shdr));
  };
  const auto name_table = section(header.e_shstrndx);
  const auto names = slice(cubin, name_table.sh_offset, name_table.sh_size);
  std::vector<CubinSection> found;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto s = section(i);
    if (s.sh_name >= names.size()) bad_cubin("a section without a name");
    auto name = names.substr(s.sh_name);
    name = name.substr(0, name.find('\0'));
    if (s.sh_type == SHT_PROGBITS) found.push_back({name, slice(cubin, s.sh_offset, s.sh_size)});
  }
  return found;
}

}  // namespace tilecast::sass
