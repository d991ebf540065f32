// Tables that a block calculates in its shared memory, and copies that write zeros.

#include <fmt/format.h>

#include "kernels/sass/execute.hpp"
#include "kernels/sass/make_stream.hpp"
#include "kernels/sass/memory_access.hpp"
#include "kernels/sass/program.hpp"
#include "kernels/sass/shared_words.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sass;

namespace {

struct Params {
  int rows, width;
};

const LaunchPlan two_warps{
    .code = {"listing", "f", {}}, .grid_x = 1, .threads = 64, .params = as_params(Params{1, 1})};

Program program_of(const std::vector<std::string>& instructions) {
  std::string text = "\t.target\tsm_90\n\t.section\t.text.f,\"ax\"\n";
  int offset = 0;
  for (const auto& instruction : instructions) {
    char place[16];
    snprintf(place, sizeof place, "%04x", static_cast<unsigned>(offset));
    text += "        /*" + std::string(place) + "*/  " + instruction + " ; /* 0x0000000000000000 */\n";
    text += " /* 0x000fe20000000000 */\n";
    offset += 16;
  }
  return read_listing(text, "f", "listing");
}

// Thread t of the first warp writes 32 t to the table's entry t; behind the barrier each thread of both warps
// loads from the place that the entry `entry` of its lane says.
std::vector<std::string> table_kernel(const std::string& value, const std::string& barrier) {
  return {"S2R R0, SR_TID.X",
          value,
          "ISETP.LT.AND P0, PT, R0, 0x20, PT",
          "LEA R2, R0, RZ, 0x2",
          "@P0 STS [R2], R1",
          barrier,
          "LOP3.LUT R3, R0, 0x1f, RZ, 0xc0, !PT",
          "LEA R3, R3, RZ, 0x2",
          "LDS R4, [R3]",
          "LDG.E R5, [R4]",
          "STS [R2+0x100], R5",
          "EXIT"};
}

}  // namespace

TEST_CASE("table: what one warp writes to shared memory, all know behind the barrier", "[sass]") {
  const auto counts = [](const std::vector<std::string>& instructions) {
    const auto program = program_of(instructions);
    return execute_block(Executor(program, two_warps), {}).instructions[9];
  };
  const std::string barrier = "BAR.SYNC.DEFER_BLOCKING 0x0";
  // Each lane's address 32 bytes from the next: a sector each, of two warps.
  const auto known = counts(table_kernel("IMAD R1, R0, 0x20, RZ", barrier));
  CHECK(known.unknown_addresses == 0);
  CHECK(known.sectors == 64);
  CHECK(counts(table_kernel("IMAD R1, R0, 0x4, RZ", barrier)).sectors == 8);
  // What was loaded is not known, nor what is read without a barrier in between.
  CHECK(counts(table_kernel("LDG.E R1, [R0]", barrier)).unknown_addresses == 2);
  CHECK(counts(table_kernel("IMAD R1, R0, 0x20, RZ", "NOP")).unknown_addresses == 1);  // its own it knows
  // A barrier of a part of the block says nothing of the rest.
  CHECK(
      counts(table_kernel("IMAD R1, R0, 0x20, RZ", "BAR.SYNC.DEFER_BLOCKING 0x1, 0x20")).unknown_addresses ==
      2);
}

TEST_CASE("table: a word is what was last written before as many barriers", "[sass]") {
  SharedWords words;
  words.write(8, 0, 0, 10);
  words.write(8, 0, 2, 20);
  CHECK(words.read(8, 1, 0) == std::nullopt);  // at the same time
  CHECK(words.read(8, 1, 1) == 10);
  CHECK(words.read(8, 1, 2) == 10);
  CHECK(words.read(8, 1, 3) == 20);
  CHECK(words.read(8, 0, 2) == 20);  // its own
  CHECK(words.read(12, 1, 3) == std::nullopt);
  words.write(8, 1, 1, 15);
  CHECK(words.read(8, 2, 2) == 15);
  CHECK(words.read(8, 2, 3) == 20);
  words.lose(8, 1, 4);
  CHECK(words.read(8, 2, 5) == std::nullopt);
  CHECK(words.read(8, 2, 4) == 20);
  words.lose_all();
  CHECK(words.read(8, 2, 3) == std::nullopt);
}

TEST_CASE("async copies: lanes that write zeros read no sector", "[sass]") {
  const auto sectors = [](const std::string& copy) {
    const auto program = program_of({"S2R R0, SR_TID.X", "LEA R2, R0, RZ, 0x2", "MOV R3, RZ",
                                     "ISETP.LT.AND P0, PT, R0, 0x8, PT", copy, "EXIT"});
    Counts counts;
    Executor(program, two_warps).run_warp({}, 0, counts);
    return counts.instructions[4].sectors;
  };
  CHECK(sectors("LDGSTS.E [R2], desc[UR4][R2.64]") == 4);
  CHECK(sectors("LDGSTS.E [R2], desc[UR4][R2.64], P0") == 1);
  CHECK(sectors("LDGSTS.E [R2], desc[UR4][R2.64], !P0") == 3);
}

TEST_CASE("loads and copies: the lines of 128 bytes that their lanes touch", "[sass]") {
  Addresses global;
  for (std::size_t i = 0; i < warp_lanes; ++i)
    global[i] = 4096 + 4 * i;
  CHECK(touched_lines(global, all_lanes, 4) == 1);
  CHECK(touched_lines(global, 0, 4) == 0);
  for (auto& address : global)
    address += 64;
  CHECK(touched_lines(global, all_lanes, 4) == 2);
  CHECK(touched_lines(global, 0xffff, 4) == 1);
  for (std::size_t i = 0; i < warp_lanes; ++i)
    global[i] = 4096 + i / 8 * 1024 + i % 8 * 4;  // eight words of each of four rows
  CHECK(touched_lines(global, all_lanes, 4) == 4);

  const auto program =
      program_of({"S2R R0, SR_TID.X", "LEA R2, R0, RZ, 0x3", "MOV R3, RZ",
                  "LDGSTS.E.64 [R0], desc[UR4][R2.64]", "LDG.E R4, desc[UR4][R2.64]", "EXIT"});
  const auto stream = make_stream(program, Executor(program, two_warps), {});
  CHECK(stream.ops[3].lines == 2);
  CHECK(stream.ops[3].address_registers == 3);  // of both addresses
  CHECK(stream.ops[4].lines == 2);
  CHECK(stream.ops[4].wavefronts == 2);  // words 8 bytes apart
  CHECK(stream.ops[4].address_registers == 2);
}

TEST_CASE("async copies past L1: lanes with one source take a wavefront each", "[sass]") {
  Addresses shared, global;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    shared[i] = 16 * i;
    global[i] = 4096 + 16 * i;
  }
  const auto cost = async_copy_cost(shared, global, all_lanes, all_lanes, 16, CopyKind::past_l1);
  CHECK(cost.wavefronts == 4);  // four lines each
  CHECK(cost.sectors == 16);
  // The last of them 28 times: 4 and 8 lanes to each of four lines of shared memory, two lanes a sector.
  for (std::size_t i = 4; i < warp_lanes; ++i)
    global[i] = 8192;
  const auto same = async_copy_cost(shared, global, all_lanes, all_lanes, 16, CopyKind::past_l1);
  CHECK(same.wavefronts == 1 + 4 + 3 * 8);
  CHECK(same.sectors == 2 + 2 + 3 * 4);
  CHECK(async_copy_cost(shared, global, all_lanes, 0, 16, CopyKind::past_l1).sectors == 0);
}

TEST_CASE("async copies through L1: wavefronts of lines one by one", "[sass]") {
  Addresses shared, global;
  const auto cost = [&](int lines, int ways) {
    for (int i = 0; i < warp_lanes; ++i) {
      const auto at = static_cast<std::size_t>(i);
      global[at] = 4096 + 4 * at + static_cast<std::size_t>(i / (warp_lanes / lines) * 1024);
      shared[at] = static_cast<std::size_t>(i % ways * 128 + i / ways * 4);
    }
    return async_copy_cost(shared, global, all_lanes, all_lanes, 4, CopyKind::through_l1);
  };
  CHECK(cost(1, 4).wavefronts == 4);
  CHECK(cost(1, 4).by_line == 4);
  // Eight neighbouring words of each of four lines, in different banks; written to the same ones in fours.
  CHECK(cost(4, 1).wavefronts == 1);
  CHECK(cost(4, 1).by_line == 4);
  CHECK(cost(4, 4).wavefronts == 4);
  CHECK(cost(4, 4).by_line == 16);
  CHECK(cost(4, 4).written == 4);
}

TEST_CASE("async copies through L1: what is read in turns is written as it comes", "[sass]") {
  // experiments/copy_conflicts.csv: eight groups of four lanes with 16 bytes each, `from` and `to` words from
  // one group to the next.
  const auto cost = [&](unsigned from, unsigned to) {
    Addresses shared, global;
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      global[i] = 4096 + i / 4 * from * 4 + i % 4 * 16;
      shared[i] = i / 4 * to * 4 + i % 4 * 16;
    }
    return async_copy_cost(shared, global, all_lanes, all_lanes, 16, CopyKind::through_l1).wavefronts;
  };
  CHECK(cost(16400, 1040) == 4);
  CHECK(cost(16384, 1040) == 8);  // two groups of a quarter are read in turns
  CHECK(cost(16400, 1024) == 8);  // or written
  CHECK(cost(16384, 1024) == 8);  // or both: the first is written while the second one is read
  // Where the words of a turn meet, they wait for each other: of four lines in the same banks, each of which
  // is written in twos (arrivals_beside_loads.csv: 5.0).
  Addresses shared, global;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    global[i] = 4096 + i / 8 * 129 * 128 + i % 8 * 4;
    shared[i] = i % 2 * 128 + i / 2 * 4;
  }
  CHECK(async_copy_cost(shared, global, all_lanes, all_lanes, 4, CopyKind::through_l1).wavefronts == 5);
}

TEST_CASE("async copies through L1: lanes with one source take turns", "[sass]") {
  Addresses shared, global;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    shared[i] = 4 * i;
    global[i] = 4096 + 4 * i;
  }
  const auto wavefronts = [&] {
    return async_copy_cost(shared, global, all_lanes, all_lanes, 4, CopyKind::through_l1).wavefronts;
  };
  CHECK(wavefronts() == 1);
  // A row's last word for itself and three lanes beyond it, as a tile at the edge had it; then for all lanes.
  for (std::size_t i = 29; i < warp_lanes; ++i)
    global[i] = global[28];
  CHECK(wavefronts() == 4);
  global.fill(4096);
  CHECK(wavefronts() == 32);
}

TEST_CASE("stream: local memory (S16): stores go on to L2, loads find in L1 what nothing has replaced",
          "[sass]") {
  // Each of two warps keeps two words, then loads a third and the first again: in four lines the first is no
  // longer.
  const auto program =
      program_of({"S2R R0, SR_TID.X", "MOV R1, RZ", "STL [R1], R0", "STL.64 [R1+0x8], R0", "LDL R4, [R1]",
                  "LDL R5, [R1+0x20]", "LDL R6, [R1+0x24]", "LDL R7, [R1+0x4]", "LDL R8, [R1]", "EXIT"});
  const Executor executor(program, two_warps);
  const auto stream = make_stream(program, executor, {}, {1024 * 1024});
  CHECK(stream.ops[2].kind == StreamOpKind::global_store);
  CHECK(stream.ops[2].sectors == 4);
  CHECK(stream.ops[3].sectors == 8);
  CHECK(stream.ops[3].stored_bytes == 256);
  CHECK(stream.ops[3].masks == 0);
  CHECK(stream.ops[2].dram_share == 0.0);
  CHECK(stream.stored_again == 1);  // of all sectors that go on to L2
  CHECK(stream.ops[4].local);
  CHECK(stream.ops[4].l1_hit == 1);
  CHECK(stream.ops[5].l1_hit == 0);
  CHECK(stream.ops[8].l1_hit == 1);
  // 16 lines are there for both warps.
  std::vector<std::string> many{"MOV R1, RZ", "STL [R1], RZ"};
  for (int i = 1; i <= 16; ++i)
    many.push_back(fmt::format("LDL R4, [R1+{:#x}]", 4 * i));
  many.push_back("LDL R4, [R1]");
  many.push_back("EXIT");
  const auto full = program_of(many);
  CHECK(make_stream(full, Executor(full, two_warps), {}, {2048}).ops[18].l1_hit == 0);
  // Without a size of L1, as counts of code have it, all of it is there.
  CHECK(make_stream(full, Executor(full, two_warps)).ops[18].l1_hit == 1);
}

TEST_CASE("stream: loads find in L1 what the block has loaded before (S15)", "[sass]") {
  // Two loads of the same words; the second finds the first's, the other warp's are others.
  const auto program = program_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]",
                                   "IMAD.WIDE R4, R0, 0x4, R2", "LDG.E R6, desc[UR4][R4.64]",
                                   "LDG.E R7, desc[UR4][R4.64]", "STG.E desc[UR4][R4.64], R6", "EXIT"});
  const Executor executor(program, two_warps);
  const auto stream = make_stream(program, executor, {}, {32768});
  CHECK(stream.ops[3].l1_hit == 0);
  CHECK(stream.ops[4].l1_hit == 1);
  CHECK(stream.ops[4].tensor == 0);
  CHECK(make_stream(program, executor).ops[4].l1_hit == 0);
  CHECK(!make_stream(program, executor).ops[4].tensor);  // nothing is looked at
  const auto filters =
      program_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x218]", "IMAD.WIDE R4, R0, 0x4, R2",
                  "LDG.E R6, desc[UR4][R4.64]", "STG.E desc[UR4][R4.64], R6", "EXIT"});
  CHECK(make_stream(filters, Executor(filters, two_warps), {}, {32768}).ops[3].tensor == 1);
}

TEST_CASE("stream: stores take lines of L1 (S15)", "[sass]") {
  // What two warps have loaded they load again behind stores to other lines, a line each: of four, one of
  // each is there beside what was loaded, not two.
  const auto again = [](int stores, double bytes) {
    std::vector<std::string> code{"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]", "IMAD.WIDE R4, R0, 0x4, R2",
                                  "LDG.E R6, desc[UR4][R4.64]"};
    for (int i = 1; i <= stores; ++i)
      code.push_back(fmt::format("STG.E desc[UR4][R4.64+{:#x}], R6", 0x1000 * i));
    code.push_back("LDG.E R7, desc[UR4][R4.64]");
    code.push_back("EXIT");
    const auto program = program_of(code);
    return make_stream(program, Executor(program, two_warps), {}, {bytes})
        .ops[static_cast<std::size_t>(4 + stores)]
        .l1_hit;
  };
  CHECK(again(0, 512) == 1);
  CHECK(again(1, 512) == 1);
  CHECK(again(2, 512) == 0);
  CHECK(again(2, 1024 * 1024) == 1);
}
