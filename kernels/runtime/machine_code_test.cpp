#include "kernels/runtime/machine_code.hpp"

#include <elf.h>

#include <cstring>
#include <vector>

#include "kernels/runtime/hash.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// As NVRTC 12.4 and 13.0 write it for two kernels, the first with a function that was not inlined.
constexpr std::string_view log_12 = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for first
ptxas         .     80 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Function properties for helper
ptxas         .     112 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, 80 bytes cumulative stack size, 1024 bytes smem
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Function properties for second
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers
)";
constexpr std::string_view log_13 = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'only' for 'sm_90'
ptxas info    : Function properties for only
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers, 65536 bytes smem
ptxas info    : Compile time = 14.829 ms
)";

// An ELF file with a name table, sections of code and one of something else; `padding` moves everything.
std::vector<char> make_cubin(const std::vector<std::pair<std::string, std::string>>& sections,
                             std::size_t padding = 0) {
  std::string names(1, '\0'), body(padding, 'x');
  std::vector<Elf64_Shdr> headers(1);
  const auto add = [&](const std::string& name, const std::string& bytes, unsigned type) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names.size());
    header.sh_type = type;
    header.sh_offset = sizeof(Elf64_Ehdr) + body.size();
    header.sh_size = bytes.size();
    names += name + '\0';
    body += bytes;
    headers.push_back(header);
  };
  for (const auto& [name, bytes] : sections)
    add(name, bytes, SHT_PROGBITS);
  names += ".shstrtab";
  names += '\0';
  Elf64_Shdr table{};
  table.sh_type = SHT_STRTAB;
  table.sh_offset = sizeof(Elf64_Ehdr) + body.size();
  table.sh_size = names.size();
  body += names;
  headers.push_back(table);

  Elf64_Ehdr elf{};
  std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
  elf.e_ident[EI_CLASS] = ELFCLASS64;
  elf.e_shoff = sizeof elf + body.size();
  elf.e_shnum = static_cast<Elf64_Half>(headers.size());
  elf.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
  std::string file(reinterpret_cast<const char*>(&elf), sizeof elf);
  file += body;
  file.append(reinterpret_cast<const char*>(headers.data()), headers.size() * sizeof(Elf64_Shdr));
  return {file.begin(), file.end()};
}

}  // namespace

TEST_CASE("ptxas log: registers, shared memory and stack of the entry asked for") {
  const auto first = parse_ptxas_log(log_12, "first");
  CHECK(first.registers == 32);
  CHECK(first.static_shared_bytes == 1024);
  CHECK(first.spill_bytes == 80);
  const auto second = parse_ptxas_log(log_12, "second");
  CHECK(second.registers == 10);
  CHECK(second.static_shared_bytes == 0);
  CHECK(second.spill_bytes == 0);
  const auto only = parse_ptxas_log(log_13, "only");
  CHECK(only.registers == 168);
  CHECK(only.static_shared_bytes == 65536);
}

TEST_CASE("ptxas log: an entry that it does not mention, or without registers, is an error") {
  CHECK_THROWS_AS(parse_ptxas_log(log_13, "other"), Error);
  CHECK_THROWS_AS(parse_ptxas_log("ptxas info : Compiling entry function 'k' for 'sm_90'\n", "k"), Error);
}

TEST_CASE("FNV-1a: the published test vectors") {
  CHECK(Fnv1a().hex() == "cbf29ce484222325");
  CHECK(Fnv1a().add("a").hex() == "af63dc4c8601ec8c");
  CHECK(Fnv1a().add("foobar").hex() == "85944171f73967e8");
}

TEST_CASE("code hash: depends on the machine code and nothing else in the file") {
  const auto base = code_hash(make_cubin({{".text.k", "machine code"}, {".debug_line", "a/path.cu"}}));
  CHECK(base.size() == 16);
  CHECK(code_hash(make_cubin({{".text.k", "machine code"}, {".debug_line", "b/x.cu"}}, 64)) == base);
  CHECK(code_hash(make_cubin({{".text.k", "machine c0de"}})) != base);
  CHECK(code_hash(make_cubin({{".text.a", "1"}, {".text.b", "2"}})) ==
        code_hash(make_cubin({{".text.b", "2"}, {".text.a", "1"}})));
}

TEST_CASE("code hash: a damaged cubin is an error, not a crash") {
  auto cubin = make_cubin({{".text.k", "machine code"}});
  CHECK_THROWS_AS(code_hash(make_cubin({{".data", "x"}})), Error);
  CHECK_THROWS_AS(code_hash(std::vector<char>(10)), Error);
  CHECK_THROWS_AS(code_hash(std::vector<char>(100)), Error);
  cubin.resize(cubin.size() - 1);
  CHECK_THROWS_AS(code_hash(cubin), Error);
}

TEST_CASE("machine words: the 128-bit instructions of all code sections, in order of their names") {
  const auto words = machine_words(
      make_cubin({{".text.b", "0123456789abcdef"}, {".text.a", "ABCDEFGHIJKLMNOPqrstuvwxyz012345"}}));
  REQUIRE(words.size() == 3);
  const auto text = [](const MachineWord& word) {
    return std::string(reinterpret_cast<const char*>(&word), sizeof word);
  };
  CHECK(text(words[0]) == "ABCDEFGHIJKLMNOP");
  CHECK(text(words[1]) == "qrstuvwxyz012345");
  CHECK(text(words[2]) == "0123456789abcdef");
  CHECK_THROWS_AS(machine_words(make_cubin({{".data", "x"}})), Error);
}
