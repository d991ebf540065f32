// Mixes of programs whose parts can be counted by hand, and of tile_sum.cu.

#include "kernels/sass/make_mix.hpp"

#include <fmt/format.h>

#include "kernels/sass/mix_parts.hpp"
#include "kernels/sass/warp_alone.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sass;

namespace {

// Instructions with the stall counts given (bits 105 to 108 of the encoding), no scoreboards.
Program program_of(const std::vector<std::pair<std::string, int>>& lines) {
  std::string text = "\t.target\tsm_90\n\t.section\t.text.f,\"ax\"\n";
  int offset = 0;
  for (const auto& [instruction, stall] : lines) {
    if (instruction.ends_with(':')) {
      text += instruction + "\n";
      continue;
    }
    // No write or read barrier (7 each), no wait, no yield: the bit is inverted.
    const std::uint64_t control = std::uint64_t(stall) | 1U << 4 | 7U << 5 | 7U << 8;
    text += fmt::format("        /*{:04x}*/  {} ; /* 0x0000000000000000 */\n", offset, instruction);
    text += fmt::format(" /* 0x{:016x} */\n", control << 41);
    offset += 16;
  }
  return read_listing(text, "f", "listing");
}

LaunchPlan one_warp() {
  return {.code = {"f.cu", "f", {}}, .grid_x = 1, .threads = 32, .params = {}};
}

// Two trips, each of three inner trips of four FFMA on registers of both banks, kept where they repeat.
Program nested_loops() {
  return program_of({{"MOV R0, RZ", 4},
                     {".L_round:", 0},
                     {"MOV R1, RZ", 4},
                     {".L_core:", 0},
                     {"FFMA R8, R2, R5, R8", 1},
                     {"FFMA R9, R2, R5, R9", 1},
                     {"FFMA R10, R2, R7, R10", 1},
                     {"FFMA R11, R2, R7, R11", 4},
                     {"IADD3 R1, R1, 0x1, RZ", 4},
                     {"ISETP.LT.AND P0, PT, R1, 0x3, PT", 12},
                     {"@P0 BRA `(.L_core)", 5},
                     {"IADD3 R0, R0, 0x1, RZ", 4},
                     {"ISETP.LT.AND P0, PT, R0, 0x2, PT", 12},
                     {"@P0 BRA `(.L_round)", 5},
                     {"EXIT", 5}});
}

}  // namespace

TEST_CASE("mix: an inner loop is per multiply-add, the one around it per trip", "[sass]") {
  const auto program = nested_loops();
  const auto plan = one_warp();
  const auto mix = make_mix(program, Executor(program, plan));
  CHECK(mix[MixPart::core].times == 2 * 3 * 4);
  CHECK(mix[MixPart::core].unit.ffma == 1);
  CHECK(mix[MixPart::core].unit.issued == Approx(7.0 / 4));
  CHECK(mix[MixPart::core].unit.integer == Approx(2.0 / 4));
  // Nothing is copied: rounds are "last" ones. The counter's reset, its step and test, the branch.
  CHECK(mix[MixPart::round].times == 0);
  CHECK(mix[MixPart::last].times == 2);
  CHECK(mix[MixPart::last].unit.issued == 4);
  CHECK(mix[MixPart::start].unit.issued == 1);
  CHECK(mix[MixPart::end].unit.issued == 1);
}

TEST_CASE("mix: what precedes a warp's first store behind its multiply-adds is a part of its own", "[sass]") {
  const auto program = program_of({{"MOV R0, RZ", 4},
                                   {".L_core:", 0},
                                   {"FFMA R8, R2, R5, R8", 4},
                                   {"IADD3 R0, R0, 0x1, RZ", 4},
                                   {"ISETP.LT.AND P0, PT, R0, 0x8, PT", 12},
                                   {"@P0 BRA `(.L_core)", 5},
                                   {"FADD R8, R8, R8", 5},
                                   {"MOV R4, RZ", 6},
                                   {"MOV R5, RZ", 6},
                                   {"STG.E desc[UR4][R4.64], R8", 2},
                                   {"FADD R9, R8, R8", 5},
                                   {"STG.E desc[UR4][R4.64+0x80], R9", 2},
                                   {"EXIT", 5}});
  const auto plan = one_warp();
  const auto mix = make_mix(program, Executor(program, plan));
  CHECK(mix[MixPart::core].unit.ffma == 1);
  CHECK(mix[MixPart::sum].times == 1);
  CHECK(mix[MixPart::sum].unit.issued == 3);
  CHECK(mix[MixPart::end].unit.issued == 4);
  CHECK(mix[MixPart::sum].code + mix[MixPart::end].code == 7);  // instructions, in one piece of code
  // Where nothing is stored all that comes last is the end.
  const auto loops = nested_loops();
  CHECK(make_mix(loops, Executor(loops, plan))[MixPart::sum].times == 0);
}

TEST_CASE("mix: a warp alone takes its stall counts and its branches", "[sass]") {
  const auto program = nested_loops();
  const auto plan = one_warp();
  const auto mix = make_mix(program, Executor(program, plan));
  // Before each instruction of a trip: the stall counts of the three FFMA, of the last one, of IADD3 and of
  // ISETP; before the first FFMA those of the branch taken and its 4 cycles (S7), twice of three times, or
  // of the MOV. Ports: R2 and R8, R10 are of one bank, R5, R9 and R7, R11 of the other.
  const double ports = mix[MixPart::core].unit.port_cycles * 4;
  CHECK(ports < 2);
  const double trip = 1 + 1 + 1 + 4 + 4 + 12 + (2 * (5 + 4) + 4) / 3.0;
  CHECK(mix[MixPart::core].unit.chain_cycles * 4 == Approx(trip).margin(ports));
}

TEST_CASE("mix: counts are means over a block's warps, the chain its slowest one's", "[sass]") {
  // Warps for which the test does not hold go through two more instructions in each of four trips.
  const auto core_of = [](std::string_view test) {
    const auto program = program_of({{"S2R R0, SR_TID.X", 4},
                                     {"SHF.R.U32.HI R1, RZ, 0x5, R0", 4},
                                     {fmt::format("ISETP.{}, PT", test), 12},
                                     {"MOV R2, RZ", 4},
                                     {".L_core:", 0},
                                     {"FFMA R8, R3, R5, R8", 4},
                                     {"@P0 BRA `(.L_next)", 5},
                                     {"MOV R9, RZ", 10},
                                     {"MOV R10, RZ", 10},
                                     {".L_next:", 0},
                                     {"IADD3 R2, R2, 0x1, RZ", 4},
                                     {"ISETP.LT.AND P1, PT, R2, 0x4, PT", 12},
                                     {"@P1 BRA `(.L_core)", 5},
                                     {"EXIT", 5}});
    const LaunchPlan plan{.code = {"f.cu", "f", {}}, .grid_x = 1, .threads = 256, .params = {}};
    return make_mix(program, Executor(program, plan))[MixPart::core].unit;
  };
  const auto one = core_of("NE.AND P0, PT, R1, 0x3");  // the fourth warp's
  const auto all = core_of("LT.AND P0, PT, R1, 0x0"), none = core_of("GE.AND P0, PT, R1, 0x0");
  CHECK(one.issued == Approx((7 * 5 + 7) / 8.0));
  CHECK(one.chain_cycles == all.chain_cycles);
  CHECK(all.chain_cycles > none.chain_cycles + 10);
}

TEST_CASE("mix: cycles without room in the memory queue", "[sass]") {
  const auto waits = [](int loads) {
    std::vector<std::pair<std::string, int>> lines{{"MOV R1, RZ", 4}};
    for (int i = 0; i < loads; ++i)
      lines.push_back({"LDS R4, [R1]", 1});
    lines.push_back({"EXIT", 4});
    const auto program = program_of(lines);
    const auto plan = one_warp();
    double sum = 0;
    for (const auto& part : make_mix(program, Executor(program, plan)).parts)
      sum += part.times * part.unit.queue_waits;
    return sum;
  };
  CHECK(waits(5) == 0);  // all in the queue (S4)
  // The first one leaves 9 cycles after its issue, 4 after the sixth asks; the next ones every 2 cycles.
  CHECK(waits(9) == 4 + 1 + 1 + 1);
}

TEST_CASE("mix: cycles between the last copy and the first wait for all copies", "[sass]") {
  const auto distance = [](const char* wait) {
    const auto program = program_of({{"MOV R1, RZ", 4},
                                     {"LDGSTS.E.128 [R1], [R2.64]", 4},
                                     {"LDGSTS.E.128 [R1+0x10], [R2.64+0x10]", 7},
                                     {"LDGDEPBAR", 5},
                                     {"IADD3 R4, R4, R4, RZ", 11},
                                     {wait, 4},
                                     {"LDGSTS.E.128 [R1], [R2.64]", 4},
                                     {"LDGDEPBAR", 4},
                                     {"DEPBAR.LE SB0, 0x0", 4},
                                     {"FFMA R5, R4, R4, R5", 4},
                                     {"EXIT", 4}});
    const auto plan = one_warp();
    return make_mix(program, Executor(program, plan))[MixPart::start].unit.copy_distance;
  };
  CHECK(distance("DEPBAR.LE SB0, 0x0") == 7 + 5 + 11);
  CHECK(distance("DEPBAR.LE SB0, 0x1") == 4 + 4);  // waits for none of these
}

TEST_CASE("mix: what a warp does once its data are there is no part of the start, where no loop is around",
          "[sass]") {
  const auto program = program_of({{"MOV R1, RZ", 4},
                                   {"LDGSTS.E.128 [R1], [R2.64]", 4},
                                   {"LDGDEPBAR", 5},
                                   {"DEPBAR.LE SB0, 0x0", 4},
                                   {"BAR.SYNC.DEFER_BLOCKING 0x0", 5},
                                   {"LDS R4, [R1]", 4},
                                   {"MOV R6, RZ", 4},
                                   {".L_core:", 0},
                                   {"FFMA R5, R4, R4, R5", 4},
                                   {"IADD3 R6, R6, 0x1, RZ", 4},
                                   {"ISETP.LT.AND P0, PT, R6, 0x3, PT", 13},
                                   {"@P0 BRA `(.L_core)", 5},
                                   {"EXIT", 4}});
  const auto plan = one_warp();
  const auto mix = make_mix(program, Executor(program, plan));
  CHECK(mix[MixPart::start].unit.issued == 5);
  CHECK(mix[MixPart::last].times == 1);
  CHECK(mix[MixPart::last].unit.issued == 2);
  CHECK(mix[MixPart::last].unit.memory == 1);
  CHECK(mix[MixPart::core].times == 3);
}

TEST_CASE("mix: words of local memory", "[sass]") {
  const auto program = program_of({{"MOV R1, RZ", 4},
                                   {"STL.64 [R1], R2", 4},
                                   {"LDL R4, [R1]", 4},
                                   {"FFMA R5, R4, R4, R5", 4},
                                   {"EXIT", 4}});
  const auto plan = one_warp();
  const auto mix = make_mix(program, Executor(program, plan));
  double stores = 0, loads = 0;
  for (const auto& part : mix.parts) {
    stores += part.times * part.unit.local_stores;
    loads += part.times * part.unit.local_loads;
  }
  CHECK(stores == 2);
  CHECK(loads == 1);
}

TEST_CASE("mix: what the parts issue adds up to what the warps execute", "[sass]") {
  const std::string path = TILECAST_SOURCE_DIR "/kernels/sass/fixtures/tile_sum.sm_90.sass";
  const auto program = read_listing(read_file(path), "tile_sum", path);
  struct Params {
    int rows, width;
  };
  const LaunchPlan plan{
      .code = {"tile_sum.cu", "tile_sum", {}}, .threads = 128, .params = as_params(Params{100, 128})};
  const Executor executor(program, plan);
  const auto mix = make_mix(program, executor);
  double sum = 0;
  for (const auto& part : mix.parts)
    sum += part.times * part.unit.issued;
  double executed = 0;
  for (const auto& count : execute_block(executor, {}).instructions)
    executed += count.executed;
  CHECK(4 * sum == Approx(executed));
}

TEST_CASE("warp alone: how long before a wait the loads were issued", "[sass]") {
  WarpAlone warp({});
  sim::DecodedOp load;
  load.kind = StreamOpKind::global_load;
  load.unit = sim::Unit::memory;
  load.is_long = true;
  load.sectors = 4;
  load.stall = 2;
  load.write_barrier = 0;
  sim::DecodedOp plain;
  plain.stall = 10;
  sim::DecodedOp wait = plain;
  wait.wait_mask = 1;
  const auto issue = [&](const sim::DecodedOp& op) { return warp.issue(op, false); };
  issue(load);
  load.write_barrier = 1;
  issue(load);
  issue(plain);
  auto step = issue(wait);
  CHECK(step.load_wait);
  CHECK(step.load_distance == 2 + 2 + 10);
  // The second one was under way at that wait: no other wait, and its 12 + 10 cycles are not fewer.
  wait.wait_mask = 2;
  step = issue(wait);
  CHECK_FALSE(step.load_wait);
  CHECK(step.load_distance == 0);
  // A later load is waited for again; a barrier of eight warps between takes 10 + 2 x 8 cycles.
  sim::DecodedOp barrier = plain;
  barrier.kind = StreamOpKind::barrier;
  barrier.barrier_warps = 8;
  issue(load);
  issue(barrier);
  step = issue(wait);
  CHECK(step.load_wait);
  CHECK(step.load_distance == 2 + 10 + 26);
  // What L1 has (spilled registers, too) is not waited for in this sense.
  load.sectors = 0;
  issue(load);
  CHECK_FALSE(issue(wait).load_wait);
}
