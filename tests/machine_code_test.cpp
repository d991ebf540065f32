// The machine-code reader understands every instruction that the kernels and probes compile to, on every
// architecture. Needs NVRTC and nvdisasm, no GPU.

#include <optional>
#include <sstream>
#include <string>

#include "kernels/runtime/compile.hpp"
#include "kernels/sass/disassemble.hpp"
#include "microbench/probe_kernel.hpp"
#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// A line of device_code_cases.txt: a file from the root of the tree, then NAME=VALUE.
struct Case {
  std::string top, source;  // "kernels", "chang_multi/chang_multi.cu"
  std::vector<std::string> names;
  std::vector<std::int64_t> values;
};

std::vector<Case> cases() {
  std::istringstream lines(read_file(TILECAST_SOURCE_DIR "/kernels/device_code_cases.txt"));
  std::vector<Case> all;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string path;
    words >> path;
    const auto slash = path.find('/');
    Case one{path.substr(0, slash), path.substr(slash + 1), {}, {}};
    for (std::string word; words >> word;) {
      const auto equals = word.find('=');
      one.names.push_back(word.substr(0, equals));
      one.values.push_back(std::stoll(word.substr(equals + 1)));
    }
    all.push_back(std::move(one));
  }
  return all;
}

// The names of the extern "C" kernels of a source.
std::vector<std::string> entries(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  std::vector<std::string> names;
  const std::string start = "extern \"C\" __global__ void ";
  for (auto at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    auto from = at + start.size();
    if (text.compare(from, 17, "__launch_bounds__") == 0) {
      int depth = 0;
      for (from = text.find('(', from); depth > 0 || text[from] == '('; ++from) {
        if (text[from] == '(') ++depth;
        if (text[from] == ')') --depth;
      }
    }
    from = text.find_first_not_of(' ', from);
    names.push_back(text.substr(from, text.find('(', from) - from));
  }
  return names;
}

std::optional<std::string> listing(const Specialisation& code, std::span<const EmbeddedFile> sources,
                                   Architecture target) {
  try {
    return sass::disassemble(compile(code, sources, target).cubin);
  } catch (const Error& error) {
    // Asynchronous copies need sm_80, clusters sm_90: the other errors of a compiler are defects.
    const std::string what = error.what();
    const bool too_old =
        (target.major < 8 && what.find("cp.async") != std::string::npos) ||
        (target.major < 9 && (what.find("requires .target sm_90 or higher") != std::string::npos ||
                              what.find("has no 'Compiling entry function") != std::string::npos));
    if (!too_old && error.code() != ExitCode::unavailable) throw;
    if (!too_old) WARN("skipped: " << error.what());
    return std::nullopt;
  }
}

bool have_tools() {
  try {
    compiler_version();
    sass::find_disassembler();
    return true;
  } catch (const UnavailableError& error) {
    WARN("skipped: " << error.what());
    return false;
  }
}

// What is printed and what is encoded agree: .reuse and the control field's bits.
bool reuse_agrees(const sass::Instruction& instruction) {
  int printed = 0;
  for (std::size_t place = 0; place < instruction.sources.size() && place < 4; ++place)
    printed |= instruction.sources[place].reuse ? 1 << sass::operand_slot(instruction, place) : 0;
  const int encoded = instruction.control.reuse_mask;
  // A single source stands in slot b, as in MOV, or a, as in R2UR.
  return encoded == printed || (instruction.sources.size() == 1 && encoded == 2 * printed);
}

void check_everything_is_understood(Architecture target) {
  if (!have_tools()) return;
  const auto all = cases();
  REQUIRE(all.size() > 10);
  int read = 0;
  std::vector<std::string> disagree;
  for (const auto& one : all) {
    const auto names = entries(read_file(TILECAST_SOURCE_DIR "/" + one.top + "/" + one.source));
    INFO(one.source << " for " << target.name());
    REQUIRE(!names.empty());
    Specialisation code{.source = one.source, .entry = names.front(), .defines = {}};
    for (std::size_t i = 0; i < one.names.size(); ++i)
      code.defines.push_back({one.names[i], one.values[i]});
    const auto text = listing(code, one.top == "kernels" ? kernel_sources() : probe_sources(), target);
    if (!text) continue;
    for (const auto& name : names) {
      if (text->find(".text." + name) == std::string::npos) continue;  // a kernel of later architectures
      const auto program = sass::read_listing(*text, name, one.source);
      CHECK(program.target == target.name());
      ++read;
      for (const auto& instruction : program.instructions) {
        if (!reuse_agrees(instruction))
          disagree.push_back(target.name() + " " + one.source + " " + name + ": " +
                             sass::describe(instruction));
      }
    }
  }
  if (read == 0 && target.major != 9) return;  // this NVRTC does not know it, as it said
  CHECK(read > 10);
  CHECK(disagree == std::vector<std::string>{});
}

}  // namespace

TEST_CASE("machine code: everything compiled for sm_75 is understood", "[nvrtc]") {
  check_everything_is_understood({7, 5});
}

TEST_CASE("machine code: everything compiled for sm_80 is understood", "[nvrtc]") {
  check_everything_is_understood({8, 0});
}

TEST_CASE("machine code: everything compiled for sm_86 is understood", "[nvrtc]") {
  check_everything_is_understood({8, 6});
}

TEST_CASE("machine code: everything compiled for sm_89 is understood", "[nvrtc]") {
  check_everything_is_understood({8, 9});
}

TEST_CASE("machine code: everything compiled for sm_90 is understood", "[nvrtc]") {
  check_everything_is_understood({9, 0});
}

TEST_CASE("machine code: everything compiled for sm_100 is understood", "[nvrtc]") {
  check_everything_is_understood({10, 0});
}

TEST_CASE("machine code: everything compiled for sm_120 is understood", "[nvrtc]") {
  check_everything_is_understood({12, 0});
}
