#pragma once
// What a warp issues and what that costs, counted from machine code: plain sums. Cycles are by the rules of
// the simulator that are named (EQUATIONS.md).

namespace tilecast {

struct CodeCounts {
  double issued = 0;  // warp instructions
  double ffma = 0;
  double integer_mad = 0, integer = 0, uniform = 0;  // by the pipe that they take
  double memory = 0;                                 // instructions of the memory pipeline
  double copies = 0;                                 // of these: asynchronous copies and global loads
  // Cycles that they take of the SM's memory pipe, of their scheduler's way to it (registers read), and of
  // the scheduler when a wide result returns (S4).
  double pipe_cycles = 0, queue_cycles = 0, return_cycles = 0;
  double port_cycles = 0;   // in which the scheduler stands still for a register port (S3)
  double queue_waits = 0;   // for room in its memory queue, were it to wait for nothing else (S4)
  double chain_cycles = 0;  // one warp alone takes: stall counts, ports, shared loads it waits for
  double shared_waits = 0;  // cycles of these in which it waits for shared memory
  double long_waits = 0;    // times that it waits for global memory (its time is not in chain_cycles)
  double barriers = 0;      // of the block (nor is theirs)
  // Times that it waits for loads into registers, those that were under way together once, and the cycles of
  // a warp alone since the last of them was issued, summed: of these waits the shortest.
  double load_waits = 0, load_distance = 0;
  // Of a launch's start: cycles of a warp alone from its last asynchronous copy until it first waits for all,
  // whatever part of the code that is in; the fewest of any warp that copies.
  double copy_distance = 0;
  double local_loads = 0, local_stores = 0;  // words of local memory

  CodeCounts& add(const CodeCounts& other, double times = 1);
};

// What a phase issues in one trip. Warps that wait for each other at a barrier go through the two one after
// the other, more or less together.
struct CodeSegments {
  CodeCounts around;   // of every warp of the block: waiting, fetching, the loop's own steps
  CodeCounts compute;  // of a warp that takes part, the busiest
  // Of these, what its warps do together before the first result that they store (of chang_single a window of
  // the map), and how often a warp does so, the others meanwhile, too.
  CodeCounts before_stores{};
  double windows = 1;
  // Of `around`, where its copies are a loop of their own behind the rest: those of the warp with most, and
  // the share of the warps that would have all of them if each had as many. 0: they are spread.
  CodeCounts copies{};
  double copying = 0;
};

inline CodeCounts& CodeCounts::add(const CodeCounts& other, double times) {
  issued += times * other.issued;
  ffma += times * other.ffma;
  integer_mad += times * other.integer_mad;
  integer += times * other.integer;
  uniform += times * other.uniform;
  memory += times * other.memory;
  copies += times * other.copies;
  pipe_cycles += times * other.pipe_cycles;
  queue_cycles += times * other.queue_cycles;
  return_cycles += times * other.return_cycles;
  port_cycles += times * other.port_cycles;
  queue_waits += times * other.queue_waits;
  chain_cycles += times * other.chain_cycles;
  shared_waits += times * other.shared_waits;
  long_waits += times * other.long_waits;
  barriers += times * other.barriers;
  load_waits += times * other.load_waits;
  load_distance += times * other.load_distance;
  copy_distance += times * other.copy_distance;
  local_loads += times * other.local_loads;
  local_stores += times * other.local_stores;
  return *this;
}

}  // namespace tilecast
