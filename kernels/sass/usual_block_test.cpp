// Kernels of a few instructions, of which single blocks do more than others.

#include "kernels/sass/usual_block.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sass;

namespace {

// The block of number `block` adds, the others do not.
Program adds_in(int block) {
  std::string text = "\t.target\tsm_90\n\t.section\t.text.f,\"ax\"\n";
  int offset = 0;
  for (const auto& instruction :
       {std::string("S2R R0, SR_CTAID.X"), fmt::format("ISETP.EQ.AND P0, PT, R0, {:#x}, PT", block),
        std::string("@P0 FADD R1, R1, R1"), std::string("EXIT")}) {
    char place[16];
    snprintf(place, sizeof place, "%04x", static_cast<unsigned>(offset));
    text += "        /*" + std::string(place) + "*/  " + instruction + " ; /* 0x0000000000000000 */\n";
    text += " /* 0x000fe20000000000 */\n";
    offset += 16;
  }
  return read_listing(text, "f", "listing");
}

std::int64_t usual(int block, std::int64_t tiles_in_row, std::int64_t rows) {
  const auto program = adds_in(block);
  LaunchPlan plan{.code = {"f.cu", "f", {}}, .grid_x = tiles_in_row * rows, .threads = 64};
  plan.tiles_in_row = tiles_in_row;
  return usual_block(program, Executor(program, plan), plan).at.x;
}

}  // namespace

TEST_CASE("the usual block: of many rows of tiles not the middle one where it is not like two others") {
  // 21 rows of 3: the middle tile of row 10, and two rows before and behind.
  CHECK(usual(0, 3, 21) == 31);
  CHECK(usual(31, 3, 21) == 25);
  CHECK(usual(25, 3, 21) == 31);
  CHECK(usual(37, 3, 21) == 31);
}

TEST_CASE("the usual block: of few rows the one of two that has more to do") {
  CHECK(usual(0, 1, 5) == 2);
  CHECK(usual(3, 1, 5) == 3);
  CHECK(usual(2, 1, 5) == 2);
}
