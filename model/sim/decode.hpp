#pragma once
// The stream as the issue loop wants it: one small record an operation with every constant looked up, and
// traces as flat programs with jumps.

#include <cstdint>
#include <string>
#include <vector>

#include "model/sim/core_parameters.hpp"
#include "model/sim/operand_ports.hpp"
#include "model/workload/instruction_stream.hpp"

namespace tilecast::sim {

enum class Unit : std::uint8_t { none, fp32, fp32_first, integer, half, fp64, special, uniform, memory };
constexpr int unit_count = 9;
constexpr bool is_memory(Unit unit) {
  return unit == Unit::memory;
}

constexpr std::uint8_t no_scoreboard = 7;  // as the encoding has it
constexpr int scoreboard_count = 6;

struct DecodedOp {
  StreamOpKind kind = StreamOpKind::control;
  Unit unit = Unit::none;
  bool reads_ports = false;  // fixed latency, vector registers: S3
  bool is_long = false;      // its scoreboards count as long
  std::uint8_t write_barrier = no_scoreboard, read_barrier = no_scoreboard, wait_mask = 0;
  std::uint8_t reuse = 0;
  std::array<std::uint8_t, 3> sources{};
  std::int16_t stall = 1;        // cycles until the warp's next instruction: yield and branch included
  std::int16_t if_taken = 0;     // more of them after a branch that is taken
  std::int16_t interval = 1;     // of the execution pipe; memory: of the scheduler's address unit
  std::int16_t latency = 0;      // variable latency without memory: issue to use
  std::int16_t address = 0;      // memory: issue to sources read
  std::int16_t return_hold = 0;  // cycles for which the returning result stops the scheduler
  std::int16_t groups = 0;
  std::int16_t line = -1;  // of the instruction cache; -1: always at hand
  std::int16_t barrier_id = 0, barrier_warps = 0;
  bool arrive_only = false, has_dram_share = false, local_load = false, first_constant = false;
  std::int8_t registers = 0, data_registers = 0;  // memory: vector registers read, a store's data among them
  double width = 4;                               // bytes a lane
  double accept = 1;                              // cycles of the SM's memory pipe
  double in_mix = 1;  // the same in a mix (A14), which does not know when a copy's data come
  double store_packets = 0, lone_sectors = 0, stored_bytes = 0;
  double joined_behind = 0, joined_around = 0, joined_own = 0;
  double sectors = 0;  // asked of L2
  double lines = 0;    // that they lie in, of loads and copies, and cycles that each takes of the SM's port
  double line_cycles = 0;
  double new_lines = 0;    // of these, those for which L1 must make room
  double behind_copy = 0;  // cycles more of the memory pipe right behind a copy; copies through L1
  bool comes = false;      // from L2, or is on its way to L1
  double tags = 0;         // cycles for which a copy through L1 keeps the next one from its tags
  double reads_later = 0;  // cycles of L1's banks for a copy when its data have come, behind all else
  double later = 0;        // cycles of L1's banks that loads and copies take behind the pipe
  double later_most = 0;   // loads: more of these than so many keep the next one waiting; 0: nothing does
  double dram_share = 0;
  double own_share = 0;      // loads of local memory: what L1 has
  double cluster_bytes = 0;  // cluster_load: of other blocks
};

// Of a DecodedOp what every issue needs, so that more of a long loop stays in the cache.
struct alignas(32) IssueOp {
  Unit unit = Unit::none;
  bool reads_ports = false;
  bool global = false;          // asks L2 for something
  bool has_scoreboard = false;  // takes one
  bool waits = false;           // for something beside its scoreboards
  bool acts = false;            // something happens beside units and scoreboards
  bool first_constant = false;  // reads constants that may not be there
  bool plain = false;           // none of these, and it waits for nothing but its unit
  std::uint8_t wait_mask = 0;
  std::uint8_t beside = 0;  // cycles of the integer pipe beside its own
  std::int16_t stall = 1, interval = 1, line = -1;
  PortOperands operands;
};

struct ProgramStep {
  // A loop's trips come in groups of equal ones.
  enum class Kind : std::uint8_t { run, loop_begin, group_begin, group_end, loop_end, end };
  Kind kind = Kind::run;
  std::int32_t first = 0, last = 0;  // run
  std::int64_t trips = 0;            // loop_begin: of all its groups; group_begin
  std::int64_t operations = 0;       // group_begin: of one trip
  std::int64_t arrivals = 0;         // group_begin: at barriers, of one trip
  std::int32_t begin = 0;            // group_end: its group_begin
  std::int32_t end = 0;              // group_begin: its group_end
  std::int32_t name = 0;             // loop_begin: index into loop_names
  std::uint16_t barriers = 0;        // loop_begin: bit i: barrier i is in some trip
};

constexpr int max_depth = 8;  // of nested loops

struct DecodedStream {
  std::vector<DecodedOp> ops;
  std::vector<std::vector<ProgramStep>> programs;  // by role; each ends in `end`
  std::vector<std::vector<int>> roles_of_warps;    // of the usual block, then of each edge's
  std::vector<std::string> loop_names;
  int lines = 0;                     // of the instruction cache, that the code spans
  bool fetches = false;              // the lines that are executed are more than the cache holds
  std::vector<std::int16_t> cached;  // then: lines in it when a launch begins after another, oldest first
};

// Loops of no trips and runs of no operations are left out. Throws InputError where stream_problem() has
// something to say, or loops are nested deeper than max_depth.
DecodedStream decode(const InstructionStream& stream, const CoreParameters& parameters);

std::vector<IssueOp> issue_ops(const std::vector<DecodedOp>& ops, const CoreParameters& p);

}  // namespace tilecast::sim
