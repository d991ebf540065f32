#include "kernels/sass/first_constants.hpp"

#include <string>

#include "kernels/sass/listing.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sass;

TEST_CASE("first constants (S17): lines of 64 bytes that neither the launch nor the code before has read",
          "[sass]") {
  std::string text = "\t.target\tsm_90\n\t.section\t.text.f,\"ax\"\n";
  int offset = 0;
  for (const std::string instruction :
       {"LDC R1, c[0x0][0x28]", "ULDC UR4, c[0x0][0x210]", "ULDC UR5, c[0x0][0x23c]", "LDC R2, c[0x0][0x240]",
        "IADD3 R2, R2, c[0x0][0x27c], RZ", "LDC R4, c[0x0][0x140]", "LDC R5, c[0x3][0x300]",
        "LDC R6, c[0x0][0x280]", "EXIT"}) {
    char place[16];
    snprintf(place, sizeof place, "%04x", static_cast<unsigned>(offset));
    text += "        /*" + std::string(place) + "*/  " + instruction + " ; /* 0x0000000000000000 */\n";
    text += " /* 0x000fe20000000000 */\n";
    offset += 16;
  }
  const auto program = read_listing(text, "f", "listing");
  Counts counts;
  counts.instructions.resize(9);
  for (auto& instruction : counts.instructions)
    instruction.executed = 1;
  CHECK(first_constants(program, counts) ==
        std::vector<bool>{false, false, false, true, false, true, false, true, false});
  counts.instructions[3].executed = 0;  // then the next one is
  CHECK(first_constants(program, counts) ==
        std::vector<bool>{false, false, false, false, true, true, false, true, false});
}
