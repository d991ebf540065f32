#pragma once
// The instruction stream in the form that the issue loop needs: a record per operation with all constants
// resolved, and traces as flat programs with jumps.

#include <cstdint>
#include <optional>
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

// In the host's cache lines: what issue and queue read, what the memory pipe asks of each instruction, the
// rest.
struct alignas(64) DecodedOp {
  StreamOpKind kind = StreamOpKind::control;
  Unit unit = Unit::none;
  bool reads_ports = false;  // fixed latency, vector registers: S3
  bool is_long = false;      // stalls on its scoreboards count as long_scoreboard
  std::uint8_t write_barrier = no_scoreboard, read_barrier = no_scoreboard, wait_mask = 0;
  std::uint8_t reuse = 0;
  std::array<std::uint8_t, 3> sources{};
  std::int16_t stall = 1;        // cycles until the warp's next instruction: yield and branch included
  std::int16_t if_taken = 0;     // further cycles after a taken branch
  std::int16_t interval = 1;     // cycles of the execution pipe; memory: of the scheduler's address unit
  std::int16_t latency = 0;      // variable latency without memory: issue to use
  std::int16_t address = 0;      // memory: issue to sources read
  std::int16_t return_hold = 0;  // cycles without register writes that a wide result needs (S4)
  bool slow_return = false;      // it comes one register a cycle
  bool comes = false;            // its data come from L2, or are under way to L1
  bool past_l1 = false;          // copy
  std::int16_t groups = 0;
  std::int16_t line = -1;  // of the instruction cache; -1: always there
  std::int16_t barrier_id = 0, barrier_warps = 0;
  bool arrive_only = false, has_dram_share = false, local_load = false, first_constant = false;
  std::int8_t registers = 0, data_registers = 0;  // memory: vector registers read; of these, a store's data

  alignas(64) double accept = 1;  // cycles of the SM's memory pipe
  double behind_copy = 0;         // copy: extra cycles until the memory pipe takes the next one
  double tags = 0;                // copy through L1: cycles until the tags take the next one
  double later = 0;               // loads and copies: cycles of L1's banks behind the pipe
  double later_most = 0;          // loads: backlog of the banks above which the next one waits; 0: none
  double reads_later = 0;  // copy: cycles in which L1 is read for it after its arrival, behind all else
  double new_lines = 0;    // lines for which L1 must make room
  double sectors = 0;      // requested from L2

  double lines = 0;        // of these sectors, for loads and copies
  double line_cycles = 0;  // of the SM's port, for each line
  double dram_share = 0;
  std::optional<int> tensor;
  double copy_comes = 0;  // copy through L1: cycles for which others wait when its data have come
  double store_packets = 0, lone_sectors = 0, stored_bytes = 0;
  double joined_behind = 0, joined_around = 0, joined_own = 0;
  double own_share = 0;      // local loads: hit rate of L1
  double cluster_bytes = 0;  // cluster_load: bytes of other blocks
  double width = 4;          // bytes per lane
  double in_mix = 1;         // `accept` in a mix (A14), which ignores when a copy's data arrive
};

// The part of a DecodedOp that every issue reads: two in a cache line of the host.
struct alignas(32) IssueOp {
  Unit unit = Unit::none;
  bool reads_ports = false;
  bool global = false;          // requests sectors from L2
  bool has_scoreboard = false;  // sets one
  bool waits = false;           // for more than its scoreboards
  bool acts = false;            // has effects beyond units and scoreboards
  bool first_constant = false;  // reads constants that may not be there (S17)
  bool plain = false;           // none of these: waits only for its unit
  std::uint8_t wait_mask = 0;
  std::uint8_t beside = 0;  // cycles of the integer pipe in addition
  std::int16_t stall = 1, interval = 1, line = -1;
  PortOperands operands;
};
static_assert(sizeof(IssueOp) == 32);

struct ProgramStep {
  // A loop's trips come in groups of equal ones.
  enum class Kind : std::uint8_t { run, loop_begin, group_begin, group_end, loop_end, end };
  Kind kind = Kind::run;
  std::int32_t first = 0, last = 0;  // run
  std::int64_t trips = 0;            // loop_begin: of all its groups; group_begin: of this one
  std::int64_t operations = 0;       // group_begin: per trip
  std::int64_t arrivals = 0;         // group_begin: at barriers, per trip
  std::int32_t begin = 0;            // group_end: its group_begin
  std::int32_t end = 0;              // group_begin: its group_end
  std::int32_t name = 0;             // loop_begin: index into loop_names
  std::uint16_t barriers = 0;        // loop_begin: bit i: some trip has barrier i
};

constexpr int max_depth = 8;  // of nested loops

struct DecodedStream {
  std::vector<DecodedOp> ops;
  std::vector<std::vector<ProgramStep>> programs;  // by role; each ends in `end`
  std::vector<std::int64_t> operations;            // of each role
  std::vector<std::vector<int>> roles_of_warps;    // of the usual block, then of each edge's
  std::vector<std::string> loop_names;
  int lines = 0;                     // of the instruction cache, spanned by the code
  bool fetches = false;              // the cache cannot hold all executed lines
  std::vector<std::int16_t> cached;  // if so: lines that the launch before has left, oldest first
};

// Drops empty loops and runs. Throws InputError for what stream_problem() rejects and for loops nested deeper
// than max_depth.
DecodedStream decode(const InstructionStream& stream, const CoreParameters& parameters);

std::vector<IssueOp> issue_ops(const std::vector<DecodedOp>& ops, const CoreParameters& p);

// What simulations of the same stream share.
struct SmCode {
  SmCode(const InstructionStream& stream, const CoreParameters& parameters)
      : decoded(decode(stream, parameters)),
        issue_ops(sim::issue_ops(decoded.ops, parameters)),
        l1_lines(stream.l1_lines) {}
  DecodedStream decoded;
  std::vector<IssueOp> issue_ops;
  double l1_lines = 0;  // S4. L1's room, as InstructionStream has it
};

}  // namespace tilecast::sim
