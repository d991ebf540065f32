#pragma once
// Machine code executed on paper: one warp's scalar control flow with its 32 lanes, calculated from the
// launch's parameters, its block and its threads. Says how often each instruction is issued and which memory
// it touches; what floating-point numbers and memory hold is not known (but for tables that a block
// calculates in shared memory, where its warps are executed in turn), and a branch that depends on them is
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

// Of one instruction, summed over what was executed.
struct InstructionCount {
  double executed = 0;        // issued by a warp
  double with_lanes = 0;      // of these, by at least one thread whose guard held
  double threads = 0;         // threads whose guard held
  double wavefronts = 0;      // of the banks of shared memory, or of L1: loads and async copies
  double written = 0;         // of async copies through L1, those of shared memory
  double by_line = 0;         // of async copies through L1, each line's lanes alone
  double sectors = 0;         // global memory, 32 bytes each
  double lines = 0;           // of 128 bytes that these lie in, of loads and copies
  double masks = 0;           // lines of these, in each of which a store fills a sector in part only
  double joined_packets = 0;  // sectors and masks of stores right behind the warp's store to the same sectors
  double lone_sectors = 0;    // of the sectors, whole ones in lines of their own that are stored
  double unknown_addresses = 0;  // executions whose wavefronts or sectors are missing above
  double cluster = 0;            // executions that a generic address sent to the cluster's shared memory
  double cluster_own = 0;        // of these, to the block's own
  std::optional<std::uint32_t> barrier;  // of the block, named by a register: which one, the last time

  InstructionCount& operator+=(const InstructionCount& other);
};

struct Counts {
  std::vector<InstructionCount> instructions;  // as in Program::instructions
  double warps = 0;

  Counts& operator+=(const Counts& other);
  Counts& operator*=(double factor);
};

// The path of one warp: its blocks in order, with the lanes that run each.
struct Visit {
  int block = 0;
  LaneMask lanes = 0;
};

// Bytes of global memory, [begin, end).
struct ByteRange {
  std::uint64_t begin = 0, end = 0;
  int store = -1;  // the instruction of which a warp's one execution stored them and no others; -1: none
};

class SharedWords;
struct LoadLog;
struct FollowedLoops;

struct BlockIndex {
  std::int64_t x = 0, y = 0, z = 0;
};

// What else may be noted of a warp; nullptr: not.
struct WarpNotes {
  std::vector<Visit>* path = nullptr;
  std::vector<ByteRange>* stored = nullptr;  // what it writes to global memory, in its order
  // What the block's warps that were executed before have written to shared memory, and then this one too.
  SharedWords* words = nullptr;
  LoadLog* loads = nullptr;
  // What the block's warps know of their loops. With it warps are only followed through the trips of a long
  // loop that repeat: their accesses count as in a period before, so that counts may become fractions.
  FollowedLoops* loops = nullptr;
  bool costs = true;  // of its accesses, too: not where only the way is of interest
};

// A program with the constants of one launch. The program must outlive it. Tensors lie at made-up addresses,
// each aligned to 2 MiB like what the driver allocates.
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
