// tile_sum.cu as the simulator's input: what is in it can be read off the source and the listing.

#include "kernels/sass/make_stream.hpp"

#include <algorithm>

#include "model/support/csv.hpp"
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

LaunchPlan plan(int rows, int width) {
  return {.code = {"tile_sum.cu", "tile_sum", {}},
          .grid_x = 1,
          .threads = 128,
          .params = as_params(Params{rows, width})};
}

// A kernel of the given instructions and labels ("name:").
Program program_of(const std::vector<std::string>& instructions) {
  std::string text = "\t.target\tsm_90\n\t.section\t.text.f,\"ax\"\n";
  int offset = 0;
  for (const auto& instruction : instructions) {
    if (instruction.ends_with(":")) {
      text += instruction + "\n";
      continue;
    }
    char place[16];
    snprintf(place, sizeof place, "%04x", static_cast<unsigned>(offset));
    text += "        /*" + std::string(place) + "*/  " + instruction + " ; /* 0x0000000000000000 */\n";
    text += " /* 0x000fe20000000000 */\n";
    offset += 16;
  }
  return read_listing(text, "f", "listing");
}

}  // namespace

TEST_CASE("stream: the trace issues what the execution counts, instruction by instruction", "[sass]") {
  for (const std::string target : {"sm_75", "sm_80", "sm_90", "sm_120"}) {
    INFO(target);
    const auto program = tile_sum(target);
    const auto launch = plan(100, 128);
    const Executor executor(program, launch);
    const auto stream = make_stream(program, executor);
    CHECK(stream_problem(stream).empty());
    CHECK(stream.role_of_warp.size() == 4);
    const auto counts = execute_block(executor, {});
    double executed = 0;
    for (const auto& count : counts.instructions)
      executed += count.executed;
    CHECK(issued_instructions(stream) == executed);
    CHECK(issued_instructions(stream, StreamOpKind::shared_load) ==
          of_class(program, counts, OpClass::shared_load).executed);
    CHECK(issued_instructions(stream, StreamOpKind::barrier) ==
          of_class(program, counts, OpClass::barrier).executed);
  }
}

// Rows of 100 and 101 words: their sectors begin at other places from trip to trip, at the same ones every
// second and every eighth.
TEST_CASE("stream: a long loop that is followed gives what executing all its trips gives", "[sass]") {
  for (const int width : {100, 101, 128}) {
    INFO(width);
    const auto program = tile_sum("sm_90");
    const auto launch = plan(1000, width);
    const Executor executor(program, launch);
    const auto followed = make_stream(program, executor);
    const auto all = make_stream(program, executor, {}, {}, false);
    CHECK(followed.role_of_warp == all.role_of_warp);
    REQUIRE(followed.roles.size() == all.roles.size());
    for (std::size_t r = 0; r < all.roles.size(); ++r)
      CHECK(followed.roles[r].trace == all.roles[r].trace);
    CHECK(followed.stored_piece_bytes ==
          all.stored_piece_bytes);  // by addresses that live on behind the loop
    REQUIRE(followed.ops.size() == all.ops.size());
    for (std::size_t i = 0; i < all.ops.size(); ++i) {
      CHECK(followed.ops[i].wavefronts == Approx(all.ops[i].wavefronts).epsilon(0.001));
      CHECK(followed.ops[i].sectors == Approx(all.ops[i].sectors).epsilon(0.001));
      CHECK(followed.ops[i].l1_hit == all.ops[i].l1_hit);
    }
  }
}

TEST_CASE("stream: sectors that a block asks of L2", "[sass]") {
  const auto program = tile_sum("sm_90");
  const Executor executor(program, plan(100, 128));
  auto stream = make_stream(program, executor);
  const auto counts = execute_block(executor, {});
  const double asked = of_class(program, counts, OpClass::global_load).sectors +
                       of_class(program, counts, OpClass::async_copy).sectors;
  CHECK(asked > 0);
  CHECK(sectors_read(stream) == Approx(asked));
  auto edge = stream;
  for (auto& op : edge.ops)
    op.l1_hit = op.kind == StreamOpKind::global_load || op.kind == StreamOpKind::async_copy ? 0.5 : 0;
  CHECK(sectors_read(edge) == Approx(asked / 2));
  add_edge(stream, edge, 4, 1);  // one block in four
  CHECK(sectors_read(stream) == Approx(asked * (1 - 0.25 / 2)));
}

TEST_CASE("stream: many trips stay few lines", "[sass]") {
  const auto program = tile_sum("sm_90");
  const auto few = plan(100, 128), many = plan(4000, 128);
  const auto short_stream = make_stream(program, Executor(program, few));
  const auto long_stream = make_stream(program, Executor(program, many));
  CHECK(issued_instructions(long_stream) > 10 * issued_instructions(short_stream));
  CHECK(long_stream.roles[0].trace.size() < 60);
}

TEST_CASE("stream: scheduling, registers and memory come from the code", "[sass]") {
  const auto program = tile_sum("sm_90");
  const auto launch = plan(100, 128);
  const auto stream = make_stream(program, Executor(program, launch));
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const auto& from = program.instructions[i];
    const auto& op = stream.ops[i];
    if (op.kind == StreamOpKind::control) continue;  // also what no warp reaches
    CHECK(op.stall == from.control.stall);
    CHECK(op.write_barrier == from.control.write_barrier);
    CHECK(op.wait_mask == from.control.wait_mask);
    if (op.kind == StreamOpKind::global_load) {
      CHECK(op.width_bytes * 8 == from.width_bits);
      CHECK(op.sectors > 0);
      CHECK(op.address_registers == 2);
    }
    if (op.kind == StreamOpKind::shared_load) CHECK(op.wavefronts >= 1);
  }
  // Branches have a second entry, for when they are taken.
  CHECK(stream.ops.size() > program.instructions.size());
  CHECK(stream.ops.back().taken_branch);
}

TEST_CASE("stream: an addition's second register has slot c", "[sass]") {
  const auto program = program_of({"FADD R1, R2, R3", "FMUL R1, R2, R3", "EXIT"});
  const auto stream = make_stream(program, Executor(program, plan(100, 128)));
  CHECK(stream.ops[0].sources == std::array<std::optional<int>, 3>{2, std::nullopt, 3});
  CHECK(stream.ops[1].sources == std::array<std::optional<int>, 3>{2, 3, std::nullopt});
}

TEST_CASE("stream: multiply-adds of two widths, integers to floats with the integers", "[sass]") {
  const auto program =
      program_of({"IMAD R1, R2, R3, RZ", "IMAD.HI.U32 R1, R2, R3, RZ", "IMAD.WIDE R4, R2, 0x4, R6",
                  "I2FP.F32.S32 R1, R2", "F2I.TRUNC.NTZ R1, R2", "VIADD R1, R2, 0x1", "IADD3 R1, R2, R3, RZ",
                  "VIADDMNMX R1, R2, 0x1, R3, PT", "EXIT"});
  const auto stream = make_stream(program, Executor(program, plan(100, 128)));
  const auto kind = [&](std::size_t i) { return stream.ops[i].kind; };
  CHECK(kind(0) == StreamOpKind::integer_mad);
  CHECK(kind(1) == StreamOpKind::integer_wide);
  CHECK(kind(2) == StreamOpKind::integer_wide);
  CHECK(kind(3) == StreamOpKind::integer);
  CHECK(kind(4) == StreamOpKind::conversion);
  CHECK(kind(5) == StreamOpKind::integer_mad);  // of two additions the one that runs beside the FFMAs
  CHECK(kind(6) == StreamOpKind::integer);
  CHECK(kind(7) == StreamOpKind::integer);
}

TEST_CASE("stream: a barrier that a register names is the warp's own", "[sass]") {
  // R1 = thread / 64 + 1: two warps each at barriers 1 and 2, of 64 threads.
  const auto program = program_of({"S2R R0, SR_TID.X", "SHF.R.U32.HI R1, RZ, 0x6, R0",
                                   "IADD3 R1, R1, 0x1, RZ", "BAR.SYNC.DEFER_BLOCKING R1, 0x40", "EXIT"});
  const auto launch = plan(1, 1);
  const auto stream = make_stream(program, Executor(program, launch));
  CHECK(stream_problem(stream).empty());
  REQUIRE(stream.roles.size() == 2);
  std::vector<int> barriers;
  for (const auto& role : stream.roles) {
    for (const auto& step : role.trace) {
      for (int i = step.first; i < step.first + step.count; ++i) {
        const auto& op = stream.ops[static_cast<std::size_t>(i)];
        if (op.kind != StreamOpKind::barrier) continue;
        barriers.push_back(op.barrier_id);
        CHECK(op.barrier_warps == 2);
      }
    }
  }
  CHECK(barriers == std::vector<int>{1, 2});
}

TEST_CASE("stream: a loop's equal trips are one group, others another", "[sass]") {
  // R0 counts from 1 to 5; the FADD is jumped over from 3 on.
  const auto program =
      program_of({"MOV R0, RZ", ".L_x_0:", "IADD3 R0, R0, 0x1, RZ", "ISETP.GT.AND P0, PT, R0, 0x2, PT",
                  "@P0 BRA `(.L_x_1)", "FADD R1, R1, R1", ".L_x_1:", "ISETP.LT.AND P1, PT, R0, 0x5, PT",
                  "@P1 BRA `(.L_x_0)", "EXIT"});
  const auto launch = plan(1, 1);
  const auto stream = make_stream(program, Executor(program, launch));
  CHECK(stream_problem(stream).empty());
  std::vector<std::int64_t> trips;
  int varying = 0;
  for (const auto& step : stream.roles.at(0).trace) {
    if (step.kind == TraceStep::Kind::loop) trips.push_back(step.trips);
    varying += step.kind == TraceStep::Kind::varying ? 1 : 0;
  }
  CHECK(varying == 1);
  CHECK(trips == std::vector<std::int64_t>{2, 2, 1});  // the last one's branch back is not taken
  CHECK(issued_instructions(stream, StreamOpKind::fp32) == 4 * 2);
  CHECK(issued_instructions(stream) == 4 * (1 + 5 * 5 + 2 + 1));
}

TEST_CASE("stream: loads from the cluster's shared memory, the block's own part of them told apart",
          "[sass]") {
  // Rank 1 in the address's highest byte; R5: the window of shared memory.
  const auto program = program_of({"S2R R5, SR_SWINHI", "MOV R4, 0x1000010", "LD.E.128 R8, [R4]",
                                   "UCGABAR_ARV", "UCGABAR_WAIT", "MEMBAR.ALL.GPU", "EXIT"});
  auto launch = plan(1, 1);
  launch.grid_x = launch.cluster_x = 2;
  for (const int rank : {0, 1}) {
    const auto stream = make_stream(program, Executor(program, launch), {rank, 0, 0});
    CHECK(stream.ops[2].kind == StreamOpKind::cluster_load);
    CHECK(stream.ops[2].l1_hit == rank);
    CHECK(stream.ops[2].lanes == 32);
    CHECK(stream.ops[2].wavefronts ==
          2);  // all lanes the same words, 128 bits: a wavefront for each half warp
    CHECK(stream.ops[3].kind == StreamOpKind::cluster_arrive);
    CHECK(stream.ops[4].kind == StreamOpKind::cluster_wait);
    CHECK(stream.ops[5].kind == StreamOpKind::fence);
  }
}

TEST_CASE("stream: what the block stores is in pieces", "[sass]") {
  // Each of 128 threads stores 4 bytes, side by side: one piece of 512 bytes.
  const auto program = program_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x220]",
                                   "IMAD.WIDE R4, R0, 0x4, R2", "STG.E desc[UR4][R4.64], R0", "EXIT"});
  const auto launch = plan(1, 1);
  const auto stream = make_stream(program, Executor(program, launch));
  CHECK(stream.stored_piece_bytes == 512);
  CHECK(stream.stored_run_bytes == 512);
  CHECK(stream.ops[3].masks == 0);
  const auto apart = program_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x220]", "IMAD.WIDE R4, R0, 0x8, R2",
                                 "STG.E desc[UR4][R4.64], R0", "EXIT"});
  const auto scattered = make_stream(apart, Executor(apart, launch));
  CHECK(scattered.stored_piece_bytes == 4);
  CHECK(scattered.stored_run_bytes == 4);
  CHECK(scattered.ops[3].sectors == 8);  // four of the eight words of each
  CHECK(scattered.ops[3].masks == 2);    // in two lines
  const auto crossed = program_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x220]",
                                   "LOP3.LUT R1, R0, 0x1, RZ, 0x3c, !PT", "IMAD.WIDE R4, R1, 0x4, R2",
                                   "STG.E desc[UR4][R4.64], R0", "EXIT"});  // lanes 1, 0, 3, 2, ...
  CHECK(make_stream(crossed, Executor(crossed, launch)).stored_run_bytes == 512);
  const auto twice = program_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x220]", "IMAD.WIDE R4, R0, 0x8, R2",
                                 "STG.E desc[UR4][R4.64], R0", "STG.E desc[UR4][R4.64+0x4], R0", "EXIT"});
  const auto filled = make_stream(twice, Executor(twice, launch));
  CHECK(filled.stored_piece_bytes == 1024);
  CHECK(filled.stored_run_bytes == 4);
  CHECK(filled.ops[3].stored_bytes == 128);
  // The second comes right behind the first: the two are served as one.
  CHECK(filled.ops[3].joined_packets == 0);
  CHECK(filled.ops[4].joined_packets == 10);
  // Of the two stores' 16 sectors 8 are the other's.
  CHECK(filled.stored_again == 0.5);
  CHECK(scattered.stored_again == 0);
  CHECK(filled.stored_bytes == 1024);
  CHECK(scattered.stored_bytes == 512);
}

TEST_CASE("stream: stores that fill a line with those of the warp before", "[sass]") {
  // Each warp stores 128 bytes in a row from byte 8 of a sector on: five sectors of two lines and a mask for
  // each. Behind the warp before it completes that one's last line: three sectors and their masks, two
  // sectors and theirs, or four sectors without.
  const auto program = program_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x220]",
                                   "IMAD.WIDE R4, R0, 0x4, R2", "STG.E desc[UR4][R4.64+0x48], R0", "EXIT"});
  const auto stream = make_stream(program, Executor(program, plan(1, 1)));
  CHECK(stream.ops[3].sectors == 5);
  CHECK(stream.ops[3].masks == 2);
  CHECK(stream.ops[3].joined_behind == 3);
  CHECK(stream.stored_again > 0);
}

TEST_CASE("stream: stores that fill a line with the last warp's store before", "[sass]") {
  // Two warps store 256 bytes in a row from byte 8 of a sector on, then the 256 behind those.
  const auto program =
      program_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x220]", "IMAD.WIDE R4, R0, 0x4, R2",
                  "STG.E desc[UR4][R4.64+0x48], R0", "STG.E desc[UR4][R4.64+0x148], R0", "EXIT"});
  auto two_warps = plan(1, 1);
  two_warps.threads = 64;
  const auto stream = make_stream(program, Executor(program, two_warps));
  CHECK(stream.ops[3].joined_behind == 3);
  CHECK(stream.ops[3].joined_around == 0);
  CHECK(stream.ops[4].joined_behind == 3);
  CHECK(stream.ops[4].joined_around == 3);
  CHECK(stream.ops[4].joined_own == 0);
}

TEST_CASE("stream: stores that fill a line with the warp's store before", "[sass]") {
  // One warp's two stores of 128 bytes side by side, from byte 8 of a sector on. The second one completes the
  // first one's last line, as the neighbouring warp's would; the third leaves 128 bytes out.
  const auto program =
      program_of({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x220]", "IMAD.WIDE R4, R0, 0x4, R2",
                  "STG.E desc[UR4][R4.64+0x48], R0", "STG.E desc[UR4][R4.64+0xc8], R0",
                  "STG.E desc[UR4][R4.64+0x1c8], R0", "EXIT"});
  auto one_warp = plan(1, 1);
  one_warp.threads = 32;
  const auto stream = make_stream(program, Executor(program, one_warp));
  CHECK(stream.ops[3].joined_own == 0);
  CHECK(stream.ops[4].joined_own == 3);
  CHECK(stream.ops[5].joined_own == 0);
}

TEST_CASE("stream (S4): what an instruction loads first tells whether blocks share it", "[sass]") {
  const auto program = tile_sum("sm_90");
  auto launch = plan(100, 128);
  launch.grid_x = 2;
  const Executor executor(program, launch);
  const auto first = first_loads(program, executor, {0, 0, 0});
  // The input and the filters, which are the same for all blocks.
  CHECK(std::ranges::count_if(first, [](std::uint64_t sector) { return sector != 0; }) == 2);
  CHECK(first == first_loads(program, executor, {1, 0, 0}));
}
