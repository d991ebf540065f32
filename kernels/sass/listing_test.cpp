// Listings of tile_sum.cu, read without NVRTC and nvdisasm.

#include "kernels/sass/listing.hpp"

#include <algorithm>

#include "kernels/sass/program.hpp"
#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sass;

namespace {

std::string fixture(const std::string& target) {
  return read_file(std::string(TILECAST_SOURCE_DIR "/kernels/sass/fixtures/tile_sum.") + target + ".sass");
}

const Instruction& find(const std::vector<Instruction>& all, std::string_view opcode) {
  const auto found = std::ranges::find(all, opcode, &Instruction::opcode);
  REQUIRE(found != all.end());
  return *found;
}

// One instruction in the form of a listing.
std::string listing_of(const std::string& instruction, const std::string& low = "0x0000000000000000",
                       const std::string& high = "0x000fe20000000000") {
  return "\t.target\tsm_90\n\t.section\t.text.f,\"ax\"\n        /*0000*/  " + instruction + " ; /* " + low +
         " */\n /* " + high + " */\n";
}

Instruction one(const std::string& instruction) {
  return parse_listing(listing_of(instruction), "f", "listing").front();
}

std::vector<int> set_bits(const std::bitset<256>& bits) {
  std::vector<int> set;
  for (int i = 0; i < 256; ++i) {
    if (bits.test(static_cast<std::size_t>(i))) set.push_back(i);
  }
  return set;
}

}  // namespace

TEST_CASE("listing: the load, store and multiply-add of a loop, with their scheduling") {
  const auto all = parse_listing(fixture("sm_90"), "tile_sum", "fixture");
  CHECK(all.size() == 56);
  const auto& ffma = find(all, "FFMA");
  CHECK(ffma.offset == 0x220);
  CHECK(ffma.op_class == OpClass::ffma);
  CHECK(set_bits(registers_read(ffma).vector) == std::vector<int>{4, 6, 7});
  CHECK(set_bits(registers_written(ffma).vector) == std::vector<int>{7});
  // It waits for the load of R4 and the shared load of R6: for the barriers that these set.
  const auto& lds = find(all, "LDS");
  REQUIRE(lds.control.write_barrier);
  CHECK((ffma.control.wait_mask >> *lds.control.write_barrier & 1) == 1);
  CHECK(!ffma.control.write_barrier);  // fixed latency
  const auto& ldg = find(all, "LDG");
  CHECK(ldg.op_class == OpClass::global_load);
  CHECK(set_bits(registers_read(ldg).vector) == std::vector<int>{2, 3});  // a 64-bit address
  CHECK(registers_read(ldg).uniform.count() == 2);                        // its descriptor
  const auto& store = find(all, "STG");
  CHECK(store.destinations.empty());
  CHECK(set_bits(registers_read(store).vector) == std::vector<int>{2, 3, 7});
}

TEST_CASE("listing: Turing prints 64-bit addresses without saying so") {
  const auto all = parse_listing(fixture("sm_75"), "tile_sum", "fixture");
  CHECK(set_bits(registers_read(find(all, "LDG")).vector) == std::vector<int>{4, 5});
}

TEST_CASE("listing: operands of every width") {
  const auto wide = one("@!P3 IMAD.WIDE.U32 R6, R2, 0x30, R8");
  REQUIRE(wide.guard);
  CHECK(wide.guard->negated);
  CHECK(set_bits(registers_written(wide).vector) == std::vector<int>{6, 7});
  CHECK(set_bits(registers_read(wide).vector) == std::vector<int>{2, 8, 9});
  CHECK(registers_read(wide).predicates.test(3));
  const auto load = one("LDS.128 R4, [R70+UR5+0x10]");
  CHECK(load.width_bits == 128);
  CHECK(set_bits(registers_written(load).vector) == std::vector<int>{4, 5, 6, 7});
  CHECK(load.sources[0].value == 16);
  const auto copy = one("LDGSTS.E.128 [R9+0x1b00], desc[UR6][R2.64+0x200]");
  CHECK(set_bits(registers_read(copy).vector) == std::vector<int>{2, 3, 9});
  CHECK(copy.destinations.empty());
  const auto add = one("IADD3 R51, P4, P5, R40, -R20, R23");
  CHECK(add.destinations.size() == 3);
  CHECK(add.sources.size() == 3);
  CHECK(add.sources[1].negated);
  const auto compare = one("ISETP.GE.AND.EX P0, PT, R8, R7, PT, P0");
  CHECK(compare.destinations.size() == 2);
  CHECK(compare.sources.size() == 4);
  CHECK(set_bits(registers_written(one("CS2R R30, SRZ")).vector) == std::vector<int>{30, 31});
  CHECK(set_bits(registers_read(one("LDS R0, [RZ]")).vector).empty());
  CHECK(one("IADD3 R0, R1, -0x4, RZ").sources[1].value == -4);
  CHECK(one("LDS R9, [R3.X4+0x20]").sources[0].scale == 4);
  CHECK(one("MOV R9, c[0x0][0x160]").sources[0].value == 0x160);
}

TEST_CASE("listing: an immediate printed as a fraction is taken from the encoding") {
  const auto all =
      parse_listing(listing_of("HFMA2 R5, -RZ, RZ, 1.875, 0", "0x3f800000ff057431"), "f", "listing");
  CHECK(all.front().sources[2].value == 0x3f800000);  // the float 1
}

TEST_CASE("listing: the control field") {
  const auto all = parse_listing(listing_of("NOP", "0x0", "0x060e640008000004"), "f", "listing");
  const auto& control = all.front().control;
  CHECK(control.stall == 2);  // bits 41 to 44 of 0x060e64...: 0010
  CHECK(!control.yield);      // bit 45 is set: no
  CHECK(control.write_barrier == 1);
  CHECK(!control.read_barrier);  // 7
  CHECK(control.wait_mask == 0x20);
  CHECK(control.reuse_mask == 1);
}

TEST_CASE("listing: refuses what it does not understand, by name and place") {
  CHECK_THROWS_WITH(one("FROB.X R1, R2"), contains_text("unknown opcode FROB") && contains_text("at 0x0"));
  CHECK_THROWS_WITH(one("IADD3 R1, Q2, RZ"), contains_text("operand 'Q2'"));
  CHECK_THROWS_WITH(one("BRA `(.L_x_9)"), contains_text(".L_x_9"));
  CHECK_THROWS_AS(parse_listing(fixture("sm_90"), "other", "fixture"), InputError);
  CHECK_THROWS_WITH(parse_listing("\t.section\t.text.f,\"ax\"\n /*0000*/ NOP ;\n", "f", "listing"),
                    contains_text("without its encoding"));
}

TEST_CASE("program: blocks and the loop of tile_sum on every architecture") {
  for (const char* target : {"sm_75", "sm_80", "sm_90", "sm_120"}) {
    INFO(target);
    const auto program = read_listing(fixture(target), "tile_sum", "fixture");
    CHECK(program.target == target);
    REQUIRE(program.loops.size() >= 1);
    const auto& loop = program.loops.front();
    CHECK(loop.depth == 1);
    REQUIRE(loop.back_edges.size() == 1);
    int barriers = 0, multiply_adds = 0;
    for (const int b : loop.blocks) {
      const auto& block = program.blocks[static_cast<std::size_t>(b)];
      for (int i = block.first; i < block.last; ++i) {
        const auto op_class = program.instructions[static_cast<std::size_t>(i)].op_class;
        barriers += op_class == OpClass::barrier;
        multiply_adds += op_class == OpClass::ffma;
      }
    }
    CHECK(barriers == 2);
    CHECK(multiply_adds == 1);
  }
}

TEST_CASE("program: an addition's second register has slot c, as in a x 1 + c") {
  const auto addition = one("FADD R8, R3, R5.reuse");
  CHECK(operand_slot(addition, 0) == 0);
  CHECK(operand_slot(addition, 1) == 2);
  CHECK(operand_slot(one("FMUL R8, R3, R5"), 1) == 1);
  const auto kept = kept_operands(addition);
  CHECK_FALSE(kept[1]);
  CHECK(kept[2] == 5);
  CHECK(bank_reads(one("FFMA R8, R3, R7, R5"), kept) == std::array<int, 2>{0, 2});  // R5 is there
  CHECK(bank_reads(one("FFMA R8, R3, R5, R7"), kept) == std::array<int, 2>{0, 3});  // not in this slot
}

TEST_CASE("program: register banks, with what the collector keeps") {
  const auto first = one("FFMA R48, R26.reuse, R44, R48");
  CHECK(bank_reads(first, {}) == std::array<int, 2>{3, 0});
  const auto kept = kept_operands(first);
  CHECK(kept[0] == 26);
  CHECK(bank_reads(one("FFMA R49, R26, R45, R49"), kept) == std::array<int, 2>{0, 2});
  CHECK(bank_reads(one("FFMA R49, R26, R26, R49"), {}) == std::array<int, 2>{1, 1});  // one read serves both
}
