// tile_sum.cu executed from its listings: every number here can be read off the source.

#include "kernels/sass/execute.hpp"

#include <algorithm>

#include "kernels/sass/followed_loops.hpp"
#include "kernels/sass/grid_counts.hpp"
#include "kernels/sass/memory_access.hpp"
#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sass;

namespace {

struct Params {
  int rows, width;
};

Program tile_sum(const std::string& target) {
  const auto path = std::string(TILECAST_SOURCE_DIR "/kernels/sass/fixtures/tile_sum.") + target + ".sass";
  return read_listing(read_file(path), "tile_sum", path);
}

LaunchPlan plan(int rows, int width, std::int64_t blocks = 1) {
  return {.code = {"tile_sum.cu", "tile_sum", {}},
          .grid_x = blocks,
          .threads = 128,
          .params = as_params(Params{rows, width})};
}

// A kernel of the given instructions, ended by EXIT.
Program program_of(const std::vector<std::string>& instructions) {
  std::string text = "\t.target\tsm_90\n\t.section\t.text.f,\"ax\"\n";
  int offset = 0;
  const auto add = [&](const std::string& instruction) {
    char place[16];
    snprintf(place, sizeof place, "%04x", static_cast<unsigned>(offset));
    if (instruction.ends_with(":")) {
      text += instruction + "\n";
      return;
    }
    text += "        /*" + std::string(place) + "*/  " + instruction + " ; /* 0x0000000000000000 */\n";
    text += " /* 0x000fe20000000000 */\n";
    offset += 16;
  };
  for (const auto& instruction : instructions)
    add(instruction);
  add("EXIT");
  return read_listing(text, "f", "listing");
}

Counts run(const Program& program, const LaunchPlan& launch) {
  Counts counts;
  Executor(program, launch).run_warp({}, 0, counts);
  return counts;
}

// Bits that a stored register has, as the lanes that take a branch on it: checks one calculation.
double lanes_that(const std::vector<std::string>& instructions) {
  auto all = instructions;  // they set P0
  all.emplace_back("@P0 FADD R100, R100, R100");
  const auto program = program_of(all);
  return of_class(program, run(program, plan(3, 100)), OpClass::fp32).threads;
}

}  // namespace

TEST_CASE("execute: what is the same in all lanes is calculated as what differs") {
  // R1 and R2 are 7 in all lanes, R3 is the lane: sums, comparisons and choices of both kinds.
  const std::vector<std::string> common{"MOV R1, 0x7", "IMAD R2, R1, 0x3, -R1",
                                        "SHF.R.U32.HI R2, RZ, 0x1, R2", "S2R R3, SR_LANEID"};
  const auto with = [&](std::vector<std::string> more) {
    auto all = common;
    all.insert(all.end(), more.begin(), more.end());
    return lanes_that(all);
  };
  CHECK(with({"ISETP.EQ.AND P0, PT, R1, R2, PT"}) == 32);
  CHECK(with({"ISETP.NE.AND P0, PT, R1, R2, PT"}) == 0);
  CHECK(with({"ISETP.LT.AND P0, PT, R3, R2, PT"}) == 7);
  // What was the same in all lanes is no longer once one of them has written it.
  CHECK(with({"ISETP.LT.AND P1, PT, R3, 0x2, PT", "@P1 IADD3 R2, R2, 0x1, RZ",
              "ISETP.EQ.AND P0, PT, R1, R2, PT"}) == 30);
  // A choice by a predicate that holds in some lanes.
  CHECK(with({"ISETP.LT.AND P1, PT, R3, 0x2, PT", "SEL R4, R1, RZ, P1", "ISETP.EQ.AND P0, PT, R4, R2, PT"}) ==
        2);
}

TEST_CASE("execute: tile_sum's counts on every architecture") {
  for (const char* target : {"sm_75", "sm_80", "sm_90", "sm_120"}) {
    INFO(target);
    const auto program = tile_sum(target);
    const Executor executor(program, plan(7, 100));
    CHECK(executor.warps_per_block() == 4);
    const auto counts = execute_block(executor, {});
    CHECK(counts.warps == 4);
    const auto count = [&](OpClass op_class) { return of_class(program, counts, op_class); };
    CHECK(count(OpClass::ffma).executed == 4 * 7);
    CHECK(count(OpClass::ffma).threads == 128 * 7);
    CHECK(count(OpClass::barrier).executed == 4 * 7 * 2);
    CHECK(count(OpClass::shared_store).executed == 4 * 7);
    CHECK(count(OpClass::shared_store).wavefronts == 4 * 7);
    CHECK(count(OpClass::shared_load).wavefronts == 4 * 7 * 2);  // every second word: two-way conflicts
    CHECK(count(OpClass::global_load).executed == 4 * 7 * 2);
    // A row of 100 floats starts at a sector's half in every second row: 5 sectors then for 32 floats. And
    // one sector for the filter.
    CHECK(count(OpClass::global_load).sectors == 4 * (4 * 4 + 3 * 5) + 4 * 7);
    CHECK(count(OpClass::global_store).threads == 100);
    CHECK(count(OpClass::global_store).sectors == 13);  // 400 bytes
    CHECK(count(OpClass::global_load).unknown_addresses == 0);
  }
}

TEST_CASE("execute: an access that moves by a word a trip costs what each of its places does") {
  // 17 trips; 32 lanes load 4 bytes side by side: 4 sectors where they begin one, else 5. In shared memory
  // every fourth word: four wavefronts anywhere.
  const auto program =
      program_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x220]", "IMAD.WIDE R4, R0, 0x4, R2",
                  "IMAD.SHL.U32 R6, R0, 0x10, RZ", "MOV R7, RZ", ".L_loop:", "LDG.E R9, desc[UR4][R4.64]",
                  "LDS R8, [R6]", "IADD3 R4, R4, 0x4, RZ", "IADD3 R6, R6, 0x4, RZ", "IADD3 R7, R7, 0x1, RZ",
                  "ISETP.GE.AND P0, PT, R7, 0x11, PT", "@!P0 BRA `(.L_loop)"});
  const auto counts = run(program, plan(1, 1));
  CHECK(of_class(program, counts, OpClass::global_load).executed == 17);
  CHECK(of_class(program, counts, OpClass::global_load).sectors == 3 * 4 + 14 * 5);
  CHECK(of_class(program, counts, OpClass::shared_load).wavefronts == 17 * 4);
}

namespace {

// 901 trips: in every third one, 8 lanes load what 32 load in the others; behind the loop the pointer is
// stored to.
const std::vector<std::string> every_third{"S2R R0, SR_TID.X",
                                           "LDC.64 R2, c[0x0][0x220]",
                                           "IMAD.WIDE R4, R0, 0x4, R2",
                                           "MOV R7, RZ",
                                           "MOV R10, RZ",
                                           ".L_loop:",
                                           "ISETP.NE.AND P1, PT, R10, RZ, PT",
                                           "ISETP.GE.AND P2, PT, R0, 0x8, PT",
                                           "PLOP3.LUT P1, PT, P1, PT, PT, 0xff, 0x0",
                                           "@P2 ISETP.NE.AND P1, PT, R10, RZ, PT",
                                           "@P1 LDG.E R9, desc[UR4][R4.64]",
                                           "IADD3 R4, R4, 0x80, RZ",
                                           "IADD3 R10, R10, 0x1, RZ",
                                           "ISETP.EQ.AND P3, PT, R10, 0x3, PT",
                                           "SEL R10, R10, RZ, !P3",
                                           "IADD3 R7, R7, 0x1, RZ",
                                           "ISETP.GE.AND P0, PT, R7, 0x385, PT",
                                           "@!P0 BRA `(.L_loop)",
                                           "STG.E desc[UR4][R4.64], R0"};

}  // namespace

TEST_CASE("execute: a long loop that is followed counts what executing all its trips counts") {
  const auto program = program_of(every_third);
  const auto launch = plan(1, 1);
  const Executor executor(program, launch);
  Counts all, followed;
  std::vector<Visit> path, all_path;
  std::vector<ByteRange> stored, all_stored;
  FollowedLoops loops;
  executor.run_warp({}, 0, all, {.path = &all_path, .stored = &all_stored});
  executor.run_warp({}, 0, followed, {.path = &path, .stored = &stored, .loops = &loops});
  REQUIRE(loops.loops.size() == 1);
  CHECK(loops.loops[0].period == 18);  // six times three trips
  CHECK(loops.loops[0].begin < 100);
  const auto of = [&](const Counts& counts) { return of_class(program, counts, OpClass::global_load); };
  CHECK(of(all).executed == 901);
  CHECK(of(followed).executed == 901);
  CHECK(of(all).with_lanes == 901);
  CHECK(of(all).threads == 300 * 32 * 2 + 300 * 8 + 8);
  CHECK(of(followed).threads == Approx(of(all).threads).epsilon(0.002));  // 901 is not a multiple of 3
  CHECK(of(followed).sectors == Approx(of(all).sectors).epsilon(0.002));
  CHECK(path.size() == all_path.size());
  REQUIRE(stored.size() == 1);
  CHECK(stored[0].begin == all_stored[0].begin);
}

TEST_CASE("execute: a loop that stores is not followed") {
  auto storing = every_third;
  std::ranges::replace(storing, std::string("@P1 LDG.E R9, desc[UR4][R4.64]"),
                       std::string("@P1 STG.E desc[UR4][R4.64], R9"));
  const auto program = program_of(storing);
  const auto launch = plan(1, 1);
  Counts counts;
  FollowedLoops loops;
  Executor(program, launch).run_warp({}, 0, counts, {.loops = &loops});
  REQUIRE(loops.loops.size() == 1);
  CHECK(loops.loops[0].looked_at);
  CHECK(!loops.loops[0].loop.possible);
  CHECK(of_class(program, counts, OpClass::global_store).threads == 300 * 32 * 2 + 300 * 8 + 8 + 32);
}

TEST_CASE("execute: no rows, no loop") {
  const auto program = tile_sum("sm_90");
  const auto counts = execute_block(Executor(program, plan(0, 100)), {});
  CHECK(of_class(program, counts, OpClass::ffma).executed == 0);
  CHECK(of_class(program, counts, OpClass::global_store).threads == 100);
}

TEST_CASE("execute: the path of a warp is its blocks in order") {
  const auto program = tile_sum("sm_90");
  const Executor executor(program, plan(2, 40));
  Counts counts;
  std::vector<Visit> path;
  executor.run_warp({}, 1, counts, {.path = &path});  // threads 32 to 63: 8 of them store
  REQUIRE(path.size() >= 4);
  CHECK(path.front().block == 0);
  const int header = program.loops.front().header;
  CHECK(std::ranges::count(path, header, &Visit::block) == 2);
  CHECK(path.back().lanes == 0xff);
}

TEST_CASE("execute: a grid from some of its blocks is what all of them give") {
  const auto program = tile_sum("sm_90");
  const auto launch = plan(3, 100, 50);
  const Executor executor(program, launch);
  const auto sampled = count_grid(executor, launch);
  const auto all = count_grid(executor, launch, {.execute_all_up_to = 50});
  CHECK(sampled.executed_blocks < 10);
  CHECK(all.executed_blocks == 50);
  CHECK(sampled.blocks == 50);
  for (std::size_t i = 0; i < all.counts.instructions.size(); ++i)
    CHECK(sampled.counts.instructions[i].executed == all.counts.instructions[i].executed);
}

TEST_CASE("execute: threads that part meet again at the barrier") {
  // Lane i goes round i + 1 times: 32 visits of the loop, and one of what follows for all 32 lanes.
  const auto program = program_of({"S2R R0, SR_TID.X", "BSSY B0, `(.L_out)", ".L_loop:", "FMUL R9, R9, R9",
                                   "ISETP.NE.AND P0, PT, R0, RZ, PT", "IADD3 R0, R0, -0x1, RZ",
                                   "@P0 BRA `(.L_loop)", "BSYNC B0", ".L_out:", "FADD R9, R9, R9"});
  const auto counts = run(program, plan(1, 1));
  CHECK(of_class(program, counts, OpClass::fp32).executed == 32 + 1);
  CHECK(of_class(program, counts, OpClass::fp32).threads == 32 * 33 / 2 + 32);
}

TEST_CASE("execute: a branch on data is refused, naming both instructions") {
  const auto program = program_of({"LDS R0, [RZ]", "IADD3 R1, R0, 0x1, RZ", "ISETP.NE.AND P0, PT, R1, RZ, PT",
                                   ".L_x:", "@P0 BRA `(.L_x)"});
  CHECK_THROWS_WITH(run(program, plan(1, 1)), contains_text("BRA at 0x30") && contains_text("LDS at 0x0"));
}

TEST_CASE("execute: an operation on data that no control depends on is not refused") {
  const auto program =
      program_of({"LDS R0, [RZ]", "FSETP.GT.AND P0, PT, R0, RZ, PT", "@P0 FADD R1, R0, R0", "STS [RZ], R1"});
  CHECK(of_class(program, run(program, plan(1, 1)), OpClass::fp32).executed == 2);
}

TEST_CASE("execute: an access that depends on data counts as one of all lanes at unknown addresses") {
  const auto program =
      program_of({"LDS R0, [RZ]", "ISETP.NE.AND P0, PT, R0, RZ, PT", "@P0 LDS R1, [0x40]", "STS [RZ], R1"});
  const auto load = run(program, plan(1, 1)).instructions[2];
  CHECK(load.executed == 1);
  CHECK(load.threads == 32);
  CHECK(load.unknown_addresses == 1);
}

TEST_CASE("execute: bits that LOP3 puts into a number that is not known") {
  const std::string t = "S2R R0, SR_TID.X", loaded = "LDS R1, [RZ]",
                    five = "ISETP.LT.AND P1, PT, R0, 0x5, PT";
  const auto put = [](const std::string& guard) { return guard + "LOP3.LUT R1, R1, 0x4, RZ, 0xfc, !PT"; };
  const std::string clear = "LOP3.LUT R1, R1, 0xfffffffb, RZ, 0xc0, !PT";
  const std::string test = "LOP3.LUT P0, RZ, R1, 0x4, RZ, 0xc0, !PT";
  CHECK(lanes_that({t, loaded, put(""), test}) == 32);
  CHECK(lanes_that({t, loaded, clear, test}) == 0);
  CHECK(lanes_that({t, loaded, clear, five, put("@P1 "), test}) == 5);
  CHECK(lanes_that({t, loaded, clear, put(""), "LOP3.LUT R1, R1, 0x1, RZ, 0xfc, !PT", test}) == 32);
  CHECK(lanes_that({t, loaded, put(""), "LOP3.LUT P0, RZ, R1, 0x1, RZ, 0xfc, !PT"}) ==
        32);  // one set is enough
  // Refused: a bit that nobody put there, one put there in some lanes only, one of a number since replaced.
  const auto branch_on = [](std::vector<std::string> instructions) {
    for (const auto* last : {".L_x:", "@P0 BRA `(.L_x)"})
      instructions.emplace_back(last);
    return run(program_of(instructions), plan(1, 1));
  };
  const auto refused = contains_text("depends on LDS");
  CHECK_NOTHROW(branch_on({t, loaded, clear, test}));
  CHECK_THROWS_WITH(branch_on({t, loaded, put(""), "LOP3.LUT P0, RZ, R1, 0x1, RZ, 0xc0, !PT"}), refused);
  CHECK_THROWS_WITH(branch_on({t, loaded, five, put("@P1 "), test}), refused);
  CHECK_THROWS_WITH(branch_on({t, loaded, clear, "LDS R1, [0x4]", test}), refused);
}

TEST_CASE("execute: bits that are known stay so in local memory, as spilled predicates do") {
  const std::string t = "S2R R0, SR_TID.X", r1 = "MOV R1, RZ", five = "ISETP.LT.AND P1, PT, R0, 0x5, PT";
  // A compiler's way: the bit goes into a place that nobody has written to.
  const auto in_bit = [&](const std::vector<std::string>& between, const std::string& test) {
    std::vector<std::string> all{t,
                                 r1,
                                 five,
                                 "LDL.LU R3, [R1+0x78]",
                                 "LOP3.LUT R3, R3, 0xfffffbff, RZ, 0xc0, !PT",
                                 "@P1 LOP3.LUT R3, R3, 0x400, RZ, 0xfc, !PT"};
    all.insert(all.end(), between.begin(), between.end());
    all.push_back("LOP3.LUT P0, RZ, " + test + ", RZ, 0xc0, !PT");
    return all;
  };
  const auto through = [](const std::string& width, const std::string& from, const std::string& to) {
    return std::vector<std::string>{"STL" + width + " [R1+0x70], " + from, "MOV R3, RZ",
                                    "LDL" + width + " " + to + ", [R1+0x70]"};
  };
  CHECK(lanes_that(in_bit({}, "R3, 0x400")) == 5);
  CHECK(lanes_that(in_bit(through("", "R3", "R4"), "R4, 0x400")) == 5);
  CHECK(lanes_that(in_bit(through(".64", "R2", "R4"), "R5, 0x400")) == 5);
  CHECK(lanes_that(in_bit(through(".128", "R0", "R4"), "R7, 0x400")) == 5);
  // Refused: another bit, a place that only some lanes have written to, a value not loaded by all.
  const auto branch_on = [](std::vector<std::string> instructions) {
    for (const auto* last : {".L_x:", "@P0 BRA `(.L_x)"})
      instructions.emplace_back(last);
    return run(program_of(instructions), plan(1, 1));
  };
  const auto refused = contains_text("whose result cannot be calculated");
  CHECK_THROWS_WITH(branch_on(in_bit(through("", "R3", "R4"), "R4, 0x200")), refused);
  CHECK_THROWS_WITH(branch_on(in_bit({"@P1 STL [R1], R3", "LDL R4, [R1]"}, "R4, 0x400")), refused);
  CHECK_THROWS_WITH(branch_on(in_bit({"@P1 STL [R1], R0", "LDL R4, [R1]"}, "R4, 0x400")), refused);
  CHECK_THROWS_WITH(branch_on(in_bit({"STL [R1], R3", "LDS R4, [RZ]", "@P1 LDL R4, [R1]"}, "R4, 0x400")),
                    refused);
}

TEST_CASE("execute: integer operations") {
  const std::string t = "S2R R0, SR_TID.X";  // 0 to 31
  CHECK(lanes_that({t, "ISETP.LT.AND P0, PT, R0, 0x5, PT"}) == 5);
  CHECK(lanes_that({t, "IADD3 R1, R0, -0x8, RZ", "ISETP.LT.AND P0, PT, R1, RZ, PT"}) == 8);
  CHECK(lanes_that({t, "IADD3 R1, R0, -0x8, RZ", "ISETP.LT.U32.AND P0, PT, R1, 0x100, PT"}) == 24);
  CHECK(lanes_that({t, "IMAD R1, R0, 0x3, RZ", "ISETP.GE.AND P0, PT, R1, c[0x0][0x22c], PT"}) ==
        0);  // 93 < 100
  CHECK(lanes_that({t, "LOP3.LUT P0, RZ, R0, 0x3, RZ, 0xc0, !PT"}) == 24);
  CHECK(lanes_that({t, "SHF.R.U32.HI R1, RZ, 0x3, R0", "ISETP.EQ.AND P0, PT, R1, 0x2, PT"}) == 8);
  CHECK(lanes_that({t, "LEA R1, R0, 0x4, 0x2", "ISETP.EQ.AND P0, PT, R1, 0x50, PT"}) == 1);  // 4 * 19 + 4
  // t / 3 by the multiplication that compilers use
  CHECK(lanes_that({t, "IMAD.HI.U32 R1, R0, -0x55555555, RZ", "SHF.R.U32.HI R1, RZ, 0x1, R1",
                    "ISETP.EQ.AND P0, PT, R1, 0x4, PT"}) == 3);
  // 64 bits: t - 4 < 0 by the carries of two words
  CHECK(lanes_that({t, "IADD3 R2, P1, R0, -0x4, RZ", "IADD3.X R3, RZ, -0x1, RZ, P1, !PT",
                    "ISETP.LT.AND P0, PT, R3, RZ, PT"}) == 4);
  CHECK(lanes_that({t, "MOV R1, 0xa", "ISETP.LT.U32.AND P1, PT, R0, R1, PT",
                    "ISETP.LT.AND.EX P0, PT, RZ, RZ, PT, P1"}) == 10);
  CHECK(lanes_that({t, "VIADDMNMX R1, R0, -0x4, RZ, !PT", "ISETP.EQ.AND P0, PT, R1, RZ, PT"}) == 5);
  CHECK(lanes_that({t, "VIADDMNMX.RELU R1, R0, -0x4, R0, PT", "ISETP.EQ.AND P0, PT, R1, RZ, PT"}) == 5);
  CHECK(lanes_that({t, "VIMNMX.RELU R1, R0, 0x6, PT", "ISETP.EQ.AND P0, PT, R1, 0x6, PT"}) == 26);
  CHECK(lanes_that({t, "MOV R1, RZ", "CS2R R2, SRZ", "IMNMX.S64 PT, PT, R4, R0, R2, PT, !PT",
                    "ISETP.EQ.AND P0, PT, R4, RZ, PT"}) == 32);
  CHECK(lanes_that({t, "PRMT R1, R0, 0x7710, RZ", "ISETP.EQ.AND P0, PT, R1, R0, PT"}) == 32);
  CHECK(lanes_that({t, "SEL R1, R0, 0x7, P7", "ISETP.EQ.AND P0, PT, R1, 0x7, PT"}) == 1);
  CHECK(lanes_that({"ULDC UR4, c[0x0][0x228]", "S2R R0, SR_TID.X", "ISETP.LT.AND P0, PT, R0, UR4, PT"}) == 3);
}

TEST_CASE("execute: unsigned division by a parameter, as compilers write it") {
  // t / 3 through the reciprocal of 3 (rows = 3 lies at c[0x0][0x228])
  CHECK(lanes_that({"S2R R0, SR_TID.X", "ULDC UR9, c[0x0][0x228]", "I2F.U32.RP R1, UR9", "MUFU.RCP R1, R1",
                    "VIADD R1, R1, 0xffffffe", "F2I.FTZ.U32.TRUNC.NTZ R3, R1", "IADD3 R4, RZ, -R3, RZ",
                    "MOV R2, RZ", "IMAD R5, R4, UR9, RZ", "IMAD.HI.U32 R2, R3, R5, R2",
                    "IMAD.HI.U32 R2, R2, R0, RZ", "IADD3 R6, -R2, RZ, RZ", "IMAD R6, R6, UR9, R0",
                    "ISETP.GE.U32.AND P1, PT, R6, UR9, PT", "@P1 IADD3 R6, R6, -UR9, RZ",
                    "@P1 IADD3 R2, R2, 0x1, RZ", "ISETP.GE.U32.AND P1, PT, R6, UR9, PT",
                    "@P1 IADD3 R2, R2, 0x1, RZ", "ISETP.EQ.AND P0, PT, R2, 0xa, PT"}) == 2);  // 30 and 31
}

TEST_CASE("memory access: wavefronts and sectors of a warp") {
  Addresses addresses;
  const auto each = [&](auto f) {
    for (std::size_t i = 0; i < warp_lanes; ++i)
      addresses[i] = static_cast<std::uint64_t>(f(static_cast<int>(i)));
  };
  each([](int i) { return 4 * i; });
  CHECK(shared_wavefronts(addresses, all_lanes, 4) == 1);
  CHECK(touched_sectors(addresses, all_lanes, 4) == 4);
  CHECK(touched_sectors(addresses, 0xff, 4) == 1);
  each([](int i) { return 128 * i; });
  CHECK(shared_wavefronts(addresses, all_lanes, 4) == 32);
  CHECK(touched_sectors(addresses, all_lanes, 4) == 32);
  each([](int) { return 64; });
  CHECK(shared_wavefronts(addresses, all_lanes, 4) == 1);
  CHECK(shared_wavefronts(addresses, all_lanes, 16) == 2);  // quarters merge in pairs
  each([](int i) { return 16 * i; });
  CHECK(shared_wavefronts(addresses, all_lanes, 16) == 4);
  CHECK(touched_sectors(addresses, all_lanes, 16) == 16);
}

TEST_CASE("memory access: lines in which a store fills a sector in part") {
  Addresses addresses;
  const auto each = [&](auto f) {
    for (std::size_t i = 0; i < warp_lanes; ++i)
      addresses[i] = static_cast<std::uint64_t>(f(static_cast<int>(i)));
  };
  each([](int i) { return 4 * i; });
  CHECK(partial_lines(addresses, all_lanes, 4) == 0);
  CHECK(partial_lines(addresses, 0x7f, 4) == 1);
  each([](int i) { return 4 * i + 32; });  // whole sectors of two lines
  CHECK(partial_lines(addresses, all_lanes, 4) == 0);
  each([](int i) { return 4 * i + 8; });  // five sectors, the first and the last in part
  CHECK(partial_lines(addresses, all_lanes, 4) == 2);
  each([](int i) { return 16 * i; });  // every fourth word, four lines
  CHECK(partial_lines(addresses, all_lanes, 4) == 4);
  CHECK(partial_lines(addresses, all_lanes, 16) == 0);
  each([](int i) { return i / 2 * 1000 * 4 + i % 2 * 16; });  // two words to a row
  CHECK(partial_lines(addresses, all_lanes, 4) == 16);
}

TEST_CASE("memory access: whole sectors that a warp stores alone in their lines") {
  Addresses addresses;
  const auto each = [&](auto f) {
    for (std::size_t i = 0; i < warp_lanes; ++i)
      addresses[i] = static_cast<std::uint64_t>(f(static_cast<int>(i)));
  };
  each([](int i) { return 16 * i; });
  CHECK(lone_sectors(addresses, all_lanes, 16) == 0);
  CHECK(lone_sectors(addresses, 0x3, 16) == 1);
  each([](int i) { return i / 2 * 3136 + i % 2 * 16; });  // two lanes' 16 bytes to a row
  CHECK(lone_sectors(addresses, all_lanes, 16) == 16);
  each([](int i) { return i / 4 * 3136 + i % 4 * 16; });  // two sectors a row, in one line or in two
  CHECK(lone_sectors(addresses, all_lanes, 16) == 0);
  each([](int i) { return 96 + i / 4 * 3200 + i % 4 * 16; });
  CHECK(lone_sectors(addresses, all_lanes, 16) == 16);
  each([](int i) { return 128 * i; });  // not whole
  CHECK(lone_sectors(addresses, all_lanes, 16) == 0);
}
