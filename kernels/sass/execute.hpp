#pragma once
// Machine code executed on paper: a warp's integers and control flow for its 32 lanes, calculated from the
// launch's parameters and its block and thread indices. Counts how often each instruction is issued and which
// memory it touches. Floating-point results and loaded values are unknown, except for tables that a block
// calculates in shared memory (its warps are executed in turn); a branch that depends on unknown values is
// refused.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/launch_plan.hpp"
#include "kernels/sass/program.hpp"
#include "kernels/sass/warp_state.hpp"

namespace tilecast::sass {

// Counts of one instruction, summed over its executions.
struct InstructionCount {
  double executed = 0;           // warp instructions issued
  double with_lanes = 0;         // of these, with at least one thread whose guard held
  double threads = 0;            // threads whose guard held
  double wavefronts = 0;         // of loads and async copies, in the banks of shared memory or L1
  double written = 0;            // of these, writes to shared memory by async copies through L1
  double by_line = 0;            // async copies through L1: wavefronts if each line's lanes went alone
  double sectors = 0;            // of global memory, 32 bytes each
  double lines = 0;              // of loads and copies, 128 bytes each
  double masks = 0;              // lines in which a store fills a sector only in part
  double joined_packets = 0;     // packets saved by stores right behind the warp's store to the same sectors
  double lone_sectors = 0;       // whole stored sectors that are alone in their line
  double unknown_addresses = 0;  // executions that wavefronts and sectors do not include
  double cluster = 0;            // executions on the cluster's shared memory, by generic addresses
  double cluster_own = 0;        // of these, on the block's own shared memory
  std::optional<std::uint32_t> barrier;  // its number if a register names it, as of the last execution

  InstructionCount& operator+=(const InstructionCount& other);
};

struct Counts {
  std::vector<InstructionCount> instructions;  // as in Program::instructions
  double warps = 0;

  Counts& operator+=(const Counts& other);
  Counts& operator*=(double factor);
};

// A step of a warp's path: a basic block, with the lanes that run it.
struct Visit {
  int block = 0;
  LaneMask lanes = 0;
};

// Bytes of global memory, [begin, end).
struct ByteRange {
  std::uint64_t begin = 0, end = 0;
  int store = -1;  // the instruction, if one execution by a warp stored exactly these; else -1
};

class SharedWords;
struct LoadLog;
struct FollowedLoops;

struct BlockIndex {
  std::int64_t x = 0, y = 0, z = 0;
};

// Optional records of a warp's run; nullptr: not wanted.
struct WarpNotes {
  std::vector<Visit>* path = nullptr;
  std::vector<ByteRange>* stored = nullptr;  // its writes to global memory, in order
  // Shared-memory words written by the block's warps executed so far; this warp's are added.
  SharedWords* words = nullptr;
  LoadLog* loads = nullptr;
  // The block's knowledge of its loops. With it, repeating trips of a long loop are only followed: their
  // accesses count as in the period before, so that counts may become fractional.
  FollowedLoops* loops = nullptr;
  bool costs = true;  // also count accesses; false where only the path is of interest
};

// A program with the constants of one launch. The program must outlive it. Tensors have made-up addresses,
// aligned to 2 MiB as the driver's allocations are.
class Executor {
 public:
  // Throws InputError where the plan's parameters cannot be those of the program.
  Executor(const Program& program, const LaunchPlan& plan);
  ~Executor();
  Executor(Executor&&) noexcept;

  int warps_per_block() const;

  // Adds to `counts`. Throws Error, naming the instruction, for a branch whose condition is not known, for a
  // wait that never ends and for more than 10^8 blocks executed.
  void run_warp(BlockIndex block, int warp, Counts& counts, const WarpNotes& notes = {}) const;

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

// All warps of one block.
Counts execute_block(const Executor& executor, BlockIndex block);

// Sums over the instructions of a class.
InstructionCount of_class(const Program& program, const Counts& counts, OpClass op_class);

}  // namespace tilecast::sass
