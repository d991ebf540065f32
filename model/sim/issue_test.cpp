// S1 to S3: cycle counts of hand-built streams, each derivable by hand. The first instruction is issued in
// cycle 0, and a warp that issues its last instruction in cycle n ends in n.

#include <algorithm>

#include "model/sim/operand_ports.hpp"
#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;

namespace {

Cycle cycles(const InstructionStream& stream, const CoreParameters& p, int resident = 1) {
  SmWork work;
  work.resident = work.blocks = resident;
  return simulate_sm(stream, p, work).cycles;
}

}  // namespace

TEST_CASE("issue (S1): a chain of dependent FMAs takes its stall counts", "[sim]") {
  const auto stream = uniform_stream({fma_op(4)}, {loop_step(1, 100), run_step(0, 1)}, 1);
  CHECK(cycles(stream, round_core()) == 99 * 4);
  SmWork work;
  const auto r = simulate_sm(stream, round_core(), work);
  CHECK(r.stalls[Cause::issued] == 100);
  CHECK(r.stalls[Cause::stall_count] == 99 * 3);
}

TEST_CASE("issue (S1): warps fill each other's stall counts", "[sim]") {
  auto p = round_core();
  const auto chain = [](int warps) {
    return uniform_stream({fma_op(4)}, {loop_step(1, 100), run_step(0, 1)}, warps);
  };
  CHECK(cycles(chain(2), p) == 99 * 4 + 1);
  CHECK(cycles(chain(4), p) == 99 * 4 + 3);
  CHECK(cycles(chain(8), p) == 8 * 100 - 1);  // one a cycle, at most
  p.schedulers = 4;
  CHECK(cycles(chain(8), p) == 99 * 4 + 1);  // two warps on each
}

TEST_CASE("issue (S1): greedy, then the last warp of the oldest block", "[sim]") {
  // Two warps of three instructions: the last one goes first and goes on while it can.
  Timeline timeline;
  SmWork work;
  simulate_sm(uniform_stream({fma_op()}, {loop_step(1, 3), run_step(0, 1)}, 2), round_core(), work,
              &timeline);
  std::vector<Cycle> ends(2);
  for (const auto& e : timeline.events) {
    if (e.kind == TimelineEvent::Kind::warp) ends[static_cast<std::size_t>(e.warp)] = e.end;
  }
  CHECK(ends[1] == 2);
  CHECK(ends[0] == 5);
}

TEST_CASE("issue (S1): ready warps of a block take turns, those of several blocks do not", "[sim]") {
  // Eight warps of one scheduler, 100 FFMAs each, every one of which waits four cycles for the one before.
  // experiments/schedule_order.csv, chained: of a block the first ends at 0.89 of the last one's time.
  const auto ends = [](int warps, int blocks) {
    SmWork work;
    work.resident = work.blocks = blocks;
    Timeline timeline;
    simulate_sm(uniform_stream({fma_op(4)}, {loop_step(1, 100), run_step(0, 1)}, warps), round_core(), work,
                &timeline);
    std::vector<Cycle> sorted;
    for (const auto& e : timeline.events) {
      if (e.kind == TimelineEvent::Kind::warp) sorted.push_back(e.end);
    }
    std::ranges::sort(sorted);
    return sorted;
  };
  const auto turns = ends(8, 1), order = ends(1, 8);
  CHECK(turns.front() == 792);
  CHECK(turns.back() == 799);
  CHECK(order[3] == 399);
  CHECK(order[4] > 790);
}

TEST_CASE("issue (S1): blocks that came later wait for those before them", "[sim]") {
  // Three blocks of one warp, nine instructions each, one scheduler: no two share it.
  SmWork work;
  work.resident = work.blocks = 3;
  Timeline timeline;
  simulate_sm(uniform_stream({fma_op()}, {loop_step(1, 9), run_step(0, 1)}, 1), round_core(), work,
              &timeline);
  std::vector<Cycle> ends(3);
  for (const auto& e : timeline.events) {
    if (e.kind == TimelineEvent::Kind::block) ends[static_cast<std::size_t>(e.block)] = e.end;
  }
  CHECK(ends == std::vector<Cycle>{8, 17, 26});
}

TEST_CASE("issue (S1): warps that the full queue of memory instructions refuses take turns", "[sim]") {
  // Four warps of one scheduler that do nothing but load, and the queue takes one each four cycles.
  auto load = memory_op(StreamOpKind::shared_load);
  load.stall = 1;
  Timeline timeline;
  SmWork work;
  simulate_sm(uniform_stream({load}, {loop_step(1, 100), run_step(0, 1)}, 4), round_core(), work, &timeline);
  std::vector<Cycle> ends(4);
  for (const auto& e : timeline.events) {
    if (e.kind == TimelineEvent::Kind::warp) ends[static_cast<std::size_t>(e.warp)] = e.end;
  }
  // The last warp's first five fill the queue; from cycle 10 on one leaves it every fourth cycle, the others'
  // turns come before that warp's, and when its 95 are issued three are left.
  CHECK(ends[3] == 22 + 94 * 16);
  std::ranges::sort(ends);
  CHECK(ends == std::vector<Cycle>{1526, 1578, 1582, 1586});
}

TEST_CASE("issue (S1): yield leaves the next cycle to another warp, or to none", "[sim]") {
  auto op = fma_op();
  op.yield = true;
  CHECK(cycles(uniform_stream({op}, {loop_step(1, 10), run_step(0, 1)}, 1), round_core()) == 18);
  CHECK(cycles(uniform_stream({op}, {loop_step(1, 10), run_step(0, 1)}, 2), round_core()) == 19);
}

TEST_CASE("pipes (S2): half-width pipes take every second cycle; integer multiply-adds have one of two",
          "[sim]") {
  auto p = round_core();
  const auto of = [](StreamOpKind kind) {
    auto op = fma_op();
    op.kind = kind;
    return uniform_stream({op}, {loop_step(1, 100), run_step(0, 1)}, 1);
  };
  CHECK(cycles(of(StreamOpKind::fp32), p) == 99);
  CHECK(cycles(of(StreamOpKind::integer_mad), p) == 198);
  CHECK(cycles(of(StreamOpKind::integer), p) == 198);
  p.fp32_pipes = 1;
  CHECK(cycles(of(StreamOpKind::fp32), p) == 198);
}

TEST_CASE(
    "pipes (S2): a wide multiply-add takes its pipe 4 cycles, the integer pipe 2, one warp's come 6 apart",
    "[sim]") {
  auto wide = fma_op();
  wide.kind = StreamOpKind::integer_wide;
  const auto eight = uniform_stream({wide}, {loop_step(1, 100), run_step(0, 1)}, 8);
  CHECK(cycles(eight, round_core()) == Approx(4 * 8 * 100).margin(10));
  wide.stall = 4;
  const auto two = uniform_stream({wide, wide}, {loop_step(1, 50), run_step(0, 2)}, 1);
  CHECK(cycles(two, round_core()) == 49 * (6 + 4) + 6);  // across the loop's branch it is not looked at
  wide.stall = 6;                                        // as a compiler asks for the next to wait for it
  const auto waiting = uniform_stream({wide}, {loop_step(1, 100), run_step(0, 1)}, 1);
  CHECK(cycles(waiting, round_core()) == 9 * 99);
  // What is between them is issued meanwhile.
  auto shift = fma_op();
  shift.kind = StreamOpKind::integer;
  wide.stall = 1;
  const auto both = uniform_stream({wide, shift, wide, shift}, {loop_step(1, 50), run_step(0, 4)}, 1);
  CHECK(cycles(both, round_core()) == Approx(50 * (6 + 4)).margin(60));
  // n others after each take as long as n + 1 others.
  const auto with = [&](int n) {
    std::vector<StreamOp> ops(static_cast<std::size_t>(n), shift);
    ops.insert(ops.begin(), wide);
    return cycles(uniform_stream(ops, {loop_step(1, 100), run_step(0, n + 1)}, 4), round_core());
  };
  CHECK(with(1) == Approx(4 * 400).margin(5));
  CHECK(with(4) == Approx(10 * 400).margin(10));
}

TEST_CASE("pipes (S2): an integer multiply-add leaves the other half to FMAs", "[sim]") {
  auto imad = fma_op();
  imad.kind = StreamOpKind::integer_mad;
  // Alternating: the multiply-add takes the first pipe, the FMA the second; one instruction a cycle.
  const auto mixed = uniform_stream({imad, fma_op()}, {loop_step(1, 50), run_step(0, 2)}, 1);
  CHECK(cycles(mixed, round_core()) == 99);
}

TEST_CASE("register ports (S3): three operands in one bank take three cycles of its port", "[sim]") {
  auto op = fma_op();
  op.sources = {2, 4, 6};
  const auto stream = uniform_stream({op}, {loop_step(1, 100), run_step(0, 1)}, 1);
  // One FMA every three cycles; the last two are not waited for by anyone.
  CHECK(cycles(stream, round_core()) == Approx(3 * 99).margin(6));
  SmWork work;
  CHECK(simulate_sm(stream, round_core(), work).stalls[Cause::operand_ports] > 150);
  op.sources = {2, 3, std::nullopt};
  CHECK(cycles(uniform_stream({op}, {loop_step(1, 100), run_step(0, 1)}, 1), round_core()) == 99);
}

TEST_CASE("register ports (S3): nothing of a scheduler that stands still is issued, whatever the pipe takes",
          "[sim]") {
  auto fma = fma_op();
  fma.sources = {2, 4, 6};
  StreamOp idle;
  InstructionStream stream;
  auto store = memory_op(StreamOpKind::shared_store);
  store.stall = 1;
  stream.ops = {store, fma, idle};
  stream.roles = {{"idles", {loop_step(1, 50), run_step(2, 1)}},
                  {"works", {run_step(0, 1), loop_step(1, 10), run_step(1, 1)}}};
  stream.role_of_warp = {0, 1};
  // The second warp goes first: its store in 0, taken by the pipe in 10, its FMAs in 1, 2, 5, ..., 26, each
  // but the first holding the scheduler for two cycles. The other warp's fifty instructions begin in 29.
  CHECK(cycles(stream, round_core()) == 29 + 49);
}

TEST_CASE("register ports (S3): a block that has yet to begin is not delayed by them", "[sim]") {
  auto fma = fma_op();
  fma.sources = {2, 4, 6};
  SmWork work;
  work.resident = work.blocks = 2;
  work.start = {0, 1000};  // the first has long ended
  const auto ends =
      simulate_sm(uniform_stream({fma}, {loop_step(1, 100), run_step(0, 1)}, 1), round_core(), work)
          .block_end;
  CHECK(ends.at(1) == 1000 + ends.at(0));
}

TEST_CASE("register ports (S3): kept operands cost no port, until another warp reads the slot", "[sim]") {
  auto op = fma_op();
  op.sources = {2, 4, 7};
  op.reuse_mask = 0b011;
  const auto kept = [&](int warps) {
    return uniform_stream({op}, {loop_step(1, 100), run_step(0, 1)}, warps);
  };
  CHECK(cycles(kept(1), round_core()) == Approx(99).margin(2));
  // Four warps in turn: each finds the others' operands, and reads two of bank 0 again.
  op.stall = 4;
  CHECK(cycles(kept(4), round_core()) == Approx(2 * 399).margin(6));
}

TEST_CASE("register ports (S3): an operand is found in its own slot only", "[sim]") {
  OperandPorts ports;
  const auto reads = [&](std::array<std::uint8_t, 3> sources, unsigned reuse) {
    return std::ranges::count(operand_reads(ports, 0, port_operands(sources, reuse)), ~0U);
  };
  CHECK(reads({2, 3, 4}, 0b001) == 3);  // keeps R2 in slot a
  CHECK(reads({2, 7, 8}, 0) == 2);      // found, and given up
  CHECK(reads({2, 12, 13}, 0b001) == 3);
  CHECK(reads({7, 2, no_register}, 0) == 2);            // other slot: not found; R7 is of the other bank
  CHECK(reads({2, no_register, no_register}, 0) == 0);  // so R2 is still there
  CHECK(reads({6, 6, 6}, 0) == 1);                      // read once
}

TEST_CASE("register ports (S3): operands wait for their bank and for their slot's latch", "[sim]") {
  using Slots = std::array<std::optional<int>, 3>;
  const auto of = [&](const std::vector<Slots>& slots) {
    std::vector<StreamOp> ops;
    for (const auto& sources : slots) {
      ops.push_back(fma_op());
      ops.back().sources = sources;
    }
    const auto count = static_cast<std::int32_t>(ops.size());
    return cycles(uniform_stream(ops, {loop_step(1, 100), run_step(0, count)}, 1), round_core());
  };
  const Slots even{std::nullopt, 2, 4}, odd{std::nullopt, 3, 5}, none{};
  CHECK(of({even, odd}) == Approx(199).margin(2));
  CHECK(of({even, even, odd, odd}) == Approx(599).margin(4));
  // Four reads of a bank in as many instructions: there in time if the second two find their latches free.
  const Slots ab{2, 4, std::nullopt}, ac{6, std::nullopt, 8};
  CHECK(of({ab, ac, none, none}) == Approx(399).margin(4));
  CHECK(of({ab, ab, none, none}) == Approx(499).margin(4));
  // So it is with a third of one slot in a row, which is read two cycles after it could be else.
  const Slots a{2, std::nullopt, std::nullopt}, c{std::nullopt, std::nullopt, 2};
  CHECK(of({c, c, a, ac, none}) == Approx(499).margin(4));
  CHECK(of({c, c, c, ac, none}) == Approx(599).margin(4));
}

TEST_CASE("constants (S17): a line that is new to the SM is waited for once, by all", "[sim]") {
  auto p = round_core();
  p.constant_line_few = 60;
  p.constant_line = 120;
  auto reads = fma_op();
  const std::vector<StreamOp> there{fma_op(), reads, reads};
  reads.first_constant = true;
  const std::vector<StreamOp> first{fma_op(), reads, fma_op()};
  const auto of = [&](const std::vector<StreamOp>& ops, int warps) {
    return cycles(uniform_stream(ops, {run_step(0, 3)}, warps), p);
  };
  CHECK(of(first, 1) - of(there, 1) == 120);  // as many warps as schedulers
  CHECK(of(first, 3) - of(there, 3) <= 120);  // not once a warp
  p.schedulers = 4;
  CHECK(of(first, 1) - of(there, 1) == 60);
}

TEST_CASE("pipes (S2): special registers, later by the uniform datapath", "[sim]") {
  const auto p = round_core();
  auto read = fma_op(), use = fma_op();
  read.write_barrier = 0;
  use.wait_mask = 1;
  const auto of = [&](StreamOpKind kind) {
    read.kind = kind;
    return cycles(uniform_stream({read, use}, {run_step(0, 2)}, 1), p);
  };
  CHECK(of(StreamOpKind::special) == p.special_latency);
  CHECK(of(StreamOpKind::uniform_read) == p.uniform_read_latency);
}

TEST_CASE("stream: what cannot be run is refused with its place", "[sim]") {
  auto bad = fma_op(16);
  CHECK_THROWS_WITH(cycles(uniform_stream({bad}, {run_step(0, 1)}, 1), round_core()),
                    "instruction stream: ops[0]: stall 16, expected 0 to 15");
  CHECK_THROWS_WITH(cycles(uniform_stream({fma_op()}, {run_step(0, 2)}, 1), round_core()),
                    "instruction stream: role 'all': trace[0]: operations 0 to 2, expected 0 to 1");
  auto barrier = fma_op();
  barrier.kind = StreamOpKind::barrier;
  barrier.barrier_warps = 2;
  CHECK_THROWS_AS(cycles(uniform_stream({barrier, fma_op()}, {run_step(0, 2)}, 1), round_core()), InputError);
}

TEST_CASE("issue (S1): schedulers take turns at blocks, whoever's have ended", "[sim]") {
  // Blocks of one warp on two schedulers, two at once: 1000 FMAs and 100 in turn.
  auto p = round_core();
  p.schedulers = 2;
  auto stream = uniform_stream({fma_op()}, {loop_step(1, 1000), run_step(0, 1)}, 1);
  add_edge(stream, uniform_stream({fma_op()}, {loop_step(1, 100), run_step(0, 1)}, 1), 2, 1);
  SmWork work;
  work.resident = 2;
  work.blocks = 3;
  work.kind_of = {0, 1, 1};
  work.replacement = 400;
  // The third begins on the first one's scheduler, which issues that one's until it ends.
  CHECK(simulate_sm(stream, p, work).block_end == std::vector<Cycle>{99, 999, 1099});
  // Where that one has room for no other warp's registers, the other scheduler has the third, too.
  work.warps_a_scheduler = 1;
  CHECK(simulate_sm(stream, p, work).block_end == std::vector<Cycle>{99, 99 + 400 + 99, 999});
}
