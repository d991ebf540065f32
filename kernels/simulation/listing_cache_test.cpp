#include "kernels/simulation/listing_cache.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "kernels/family.hpp"
#include "kernels/runtime/compile.hpp"
#include "kernels/sass/disassemble.hpp"
#include "model/device/load.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

struct ScratchFolder {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tilecast-listings-" + std::to_string(getpid()))).string();
  ScratchFolder() { std::filesystem::remove_all(path); }
  ~ScratchFolder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("listing cache: runs of blanks become one, those at the begin and end of a line none") {
  CHECK(compact_listing("\t.target\tsm_90\n   /*0000*/    LDC R1 ;    /* 0x0 */  \n  x") ==
        "\t.target\tsm_90\n/*0000*/ LDC R1 ; /* 0x0 */\nx");
}

TEST_CASE("listing cache: a cubin's listing comes back, another cubin's or a damaged one does not") {
  const ScratchFolder folder;
  const std::string cubin(
      "\x7f"
      "ELF\0\1",
      6),
      other(
          "\x7f"
          "ELF\0\2",
          6);
  CHECK(!load_listing(folder.path, cubin));
  store_listing(folder.path, cubin, "LDC R1 ;\n");
  CHECK(load_listing(folder.path, cubin) == "LDC R1 ;\n");
  CHECK(!load_listing(folder.path, other));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path))
    std::ofstream(entry.path(), std::ios::app) << "x";
  CHECK(!load_listing(folder.path, cubin));
}

TEST_CASE("listing cache: kernels that are listed together are the same programs as listed alone") {
  const ScratchFolder folder;
  const auto device = load_device("h200");
  const ConvShape layer{.N = 1, .C = 16, .H = 14, .W = 14, .M = 32, .K = 3};
  try {
    std::vector<CompiledCode> codes;
    std::vector<std::string> entries;
    for (const auto* name : {"chang_multi", "implicit_gemm"}) {
      const auto& family = family_by_name(name);
      int found = 0;
      for (const auto& config : family.configs(layer, device)) {
        if (family.feasible(layer, config, device)) continue;
        const auto plan = family.plan(layer, config, device);
        codes.push_back(compile(plan.code, kernel_sources(), {9, 0}));
        entries.emplace_back(plan.code.entry);
        if (++found == 2) break;  // both of one name
      }
    }
    REQUIRE(codes.size() == 4);
    std::vector<std::span<const char>> cubins(codes.size());
    std::ranges::transform(codes, cubins.begin(), [](const auto& code) { return std::span(code.cubin); });
    const auto together = cached_listings(folder.path, cubins);
    REQUIRE(together.size() == codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      CHECK(load_listing(folder.path, cubins[i]) == together[i]);
      const auto one = sass::read_machine_code(together[i], cubins[i], entries[i]);
      const auto alone = sass::read_machine_code(sass::disassemble(cubins[i]), cubins[i], entries[i]);
      REQUIRE(one.instructions.size() == alone.instructions.size());
      CHECK(one.target == alone.target);
      for (std::size_t k = 0; k < one.instructions.size(); ++k) {
        const auto &a = one.instructions[k], &b = alone.instructions[k];
        REQUIRE(a.mnemonic() == b.mnemonic());
        REQUIRE((a.low == b.low && a.high == b.high));
        REQUIRE(a.sources.size() == b.sources.size());
        for (std::size_t o = 0; o < a.sources.size(); ++o) {
          REQUIRE(a.sources[o].kind == b.sources[o].kind);
          REQUIRE(a.sources[o].value == b.sources[o].value);  // targets of branches too
        }
      }
      REQUIRE(one.blocks.size() == alone.blocks.size());
    }
  } catch (const UnavailableError& error) {
    WARN("skipped: " << error.what());
  }
}
