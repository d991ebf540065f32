#pragma once
// What the warps of one block issue, instruction by instruction, in the form that the simulator reads: a
// table of operations, and for each warp its trace through that table, loops folded so that a thousand equal
// trips stay one line. Whoever knows the machine code makes it (stall counts, barriers and registers are the
// compiler's own, from the control field); compute capability 7.0 and later.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilecast {

enum class StreamOpKind : std::uint8_t {
  fp32,           // FFMA, FADD, FMUL: any lane of the fp32 pipes
  integer_mad,    // IMAD but those of the next line: the half of the fp32 lanes that multiplies integers
  integer_wide,   // IMAD.HI, IMAD.WIDE: the same pipe, twice as long
  integer,        // add, logic, shift, compare, select, move: the integer pipe
  fp16,           // HFMA2 and the like
  fp64,           //
  conversion,     // F2I, I2F, ...: the pipe of special functions; not I2FP (integer)
  mufu,           // reciprocal, square root, ...
  uniform,        // arithmetic of the uniform datapath
  control,        // branches, convergence, no operation: an issue slot only
  special,        // S2R and other reads of variable latency that use no memory pipe
  uniform_read,   // S2UR
  constant_load,  // LDC, ULDC with a scoreboard
  warp_exchange,  // shuffles: through the memory pipe, one wavefront
  shared_load,
  shared_store,
  global_load,
  global_store,    // also reductions that return nothing
  async_copy,      // LDGSTS: global to shared memory
  commit_group,    // LDGDEPBAR: all async copies of this warp so far are one group
  wait_groups,     // DEPBAR.LE SBn, g: until at most `groups` groups are pending
  barrier,         // BAR.SYNC, BAR.ARV
  cluster_load,    // from shared memory of a block of the cluster
  fence,           // MEMBAR.GPU: until the warp's earlier accesses are visible to the whole GPU
  cluster_arrive,  // at the barrier of all warps of the cluster's blocks
  cluster_wait,    // for it
};

struct StreamOp {
  StreamOpKind kind = StreamOpKind::control;

  // Control field. A barrier is one of the warp's six scoreboards, 0 to 5.
  int stall = 1;  // cycles until this warp may issue its next instruction
  bool yield = false;
  std::optional<int> write_barrier;  // released when the result is written
  std::optional<int> read_barrier;   // released when the sources are read
  int wait_mask = 0;                 // bit i: scoreboard i must be free before issue
  bool taken_branch = false;         // control: the next instruction is not the following one
  bool far = false;                  // a branch, to an instruction that is not fetched with those behind it
  bool converges = false;            // control: the warp's lanes meet (BSYNC)
  bool first_constant = false;       // reads a line of the launch's constants that none before it has read

  // Vector registers read in source slots a, b and c, for their banks (fp32, integer, integer_mad, fp16), and
  // which of them the instruction keeps for the next (bit i: slot i). Constants, immediates and uniform
  // registers: nullopt. Memory: a is the address's first register, c the first of a store's data.
  std::array<std::optional<int>, 3> sources;
  int reuse_mask = 0;

  // Memory
  int width_bytes = 4;  // a thread
  int address_registers =
      1;  // vector registers that addresses take: 0 (uniform) to 2, of both of a copy to 4
  // Of shared memory, also those of an async copy; of loads through L1, which has lines in the same banks; 0:
  // no lane takes part.
  double wavefronts = 1;
  double by_line = 0;         // async_copy through L1: wavefronts where its lines come one by one
  double written = 0;         // async_copy through L1: wavefronts of shared memory among them
  double sectors = 0;         // 32-byte sectors of global memory that the warp touches; 0: no lane takes part
  double lines = 0;           // 128-byte lines that loads and copies touch
  bool past_l1 = false;       // async_copy: leaves L1 out
  double masks = 0;           // of a store: lines in which it fills a sector only in part
  double joined_packets = 0;  // sectors and masks that go with the warp's store before, to the same lines
  // Packets that it has fewer where the line that it begins with is sent together with what is stored there
  // right before it: by the same store of the warp before (of the first warp: by the last one's store
  // before), by this warp's own store before.
  double joined_behind = 0, joined_around = 0, joined_own = 0;
  double lone_sectors = 0;  // of the sectors, whole ones that are stored, each in a line of its own
  double stored_bytes = 0;  // global_store
  double lanes = 32;        // cluster_load: that take part
  double l1_hit = 0;        // share of them that L1 has; cluster_load: share that the block itself has
  double l1_under_way = 0;  // of these, what was asked for only since the block's last barrier
  double l1_new_lines = 0;  // of its lines, those for which L1 must first make room
  bool local = false;       // a load of local memory: of its executions L1 has all of that share, or nothing
  std::optional<int> tensor;         // of a load or copy: 0 input, 1 filters; nullopt: not known
  std::optional<double> dram_share;  // share of the rest that comes from DRAM; nullopt: the kernel's mean

  int groups = 0;  // wait_groups

  std::optional<int> place;  // number of the instruction in the kernel's code; nullopt: always at hand

  // barrier
  int barrier_id = 0;
  std::optional<int> barrier_warps;  // that take part; nullopt: all of the block
  bool arrive_only = false;          // BAR.ARV: does not wait
};

// One line of a trace: `count` operations from `first` on, once; a loop over the `count` lines that follow;
// or a loop whose trips differ: the `count` lines that follow are loops, each some equal trips of this one.
struct TraceStep {
  enum class Kind : std::uint8_t { run, loop, varying };
  Kind kind = Kind::run;
  std::int32_t first = 0;  // run
  std::int32_t count = 0;
  std::int64_t trips = 1;  // loop
  std::string name;        // loop, varying: for the timeline
  friend bool operator==(const TraceStep&, const TraceStep&) = default;
};

inline TraceStep run_step(std::int32_t first, std::int32_t count) {
  return {TraceStep::Kind::run, first, count, 1, {}};
}
inline TraceStep loop_step(std::int32_t lines, std::int64_t trips, std::string name = "loop") {
  return {TraceStep::Kind::loop, 0, lines, trips, std::move(name)};
}
inline TraceStep varying_loop_step(std::int32_t lines, std::string name = "loop") {
  return {TraceStep::Kind::varying, 0, lines, 1, std::move(name)};
}

struct WarpRole {
  std::string name;  // for the timeline
  std::vector<TraceStep> trace;
};

// Blocks with less to do than the others: those of the last of `rows` rows of `row_blocks` blocks each, as
// where the last tile of filters is a remainder. The grid hands out row after row, and begins anew where
// there are more.
struct EdgeBlocks {
  std::vector<int> role_of_warp;  // empty: there are none
  std::int64_t rows = 1, row_blocks = 1;
  double stored_bytes = 0;  // as InstructionStream has it
  bool holds(std::int64_t block) const {
    return !role_of_warp.empty() && block / row_blocks % rows == rows - 1;
  }
};

// Of the block with the most work, as in KernelDescription.
struct InstructionStream {
  std::vector<StreamOp> ops;
  std::vector<WarpRole> roles;
  std::vector<int> role_of_warp;  // of the block's warps, in their order
  std::vector<EdgeBlocks> edges;
  // Mean length of the pieces of global memory that the block's stores fill without a gap; nullopt: not
  // known.
  std::optional<double> stored_piece_bytes;
  // Of those that they fill at about the same time: stores of a warp right behind each other, of all warps.
  std::optional<double> stored_run_bytes;
  // Of the sectors that its stores touch, one by one, those that another one touches, too, and those of local
  // memory.
  double stored_again = 0;
  double stored_bytes = 0;  // to global memory, each byte once; 0: not known
  double l1_lines = 0;      // for which an SM's L1 has room; 0: not known
};

// Adds the blocks of the edge, read as a stream of their own, of as many warps.
void add_edge(InstructionStream& stream, const InstructionStream& edge, std::int64_t rows,
              std::int64_t row_blocks);

// Why the stream cannot be run, with the place ("ops[12]: ..."); empty when it can.
std::string stream_problem(const InstructionStream& stream);

// Warp instructions that the block issues, and those of one kind.
double issued_instructions(const InstructionStream& stream);
double issued_instructions(const InstructionStream& stream, StreamOpKind kind);

// That a block asks of L2, on average over the grid's.
double sectors_read(const InstructionStream& stream);
double global_sectors_read(const InstructionStream& stream);  // without those of local memory
double global_sectors_read(const InstructionStream& stream, int tensor);

}  // namespace tilecast
