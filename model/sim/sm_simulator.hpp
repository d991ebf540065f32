#pragma once
// One SM, cycle by cycle where something happens (EQUATIONS.md S1 to S8): its schedulers issue the warps' own
// instructions. Deterministic for a seed.

#include <cstdint>
#include <optional>
#include <vector>

#include "model/sim/core_parameters.hpp"
#include "model/sim/memory_system.hpp"
#include "model/sim/stalls.hpp"
#include "model/sim/timeline.hpp"
#include "model/workload/instruction_stream.hpp"

namespace tilecast::sim {

// What the SM has to do.
struct SmWork {
  int resident = 1;                 // blocks at once
  int blocks = 1;                   // in all; one starts when another ends
  int warps_a_scheduler = 1 << 20;  // that a scheduler has room for
  std::vector<Cycle> start;         // of the first `resident` blocks; missing ones start at 0
  // By block: 0, and missing ones, as the one that was read; from 1 on, of the stream's edges.
  std::vector<int> kind_of;
  Cycle completion = 0;       // between the ends of two of the SM's blocks being noticed (S9)
  Cycle tail_completion = 0;  // of the tail's, of which other SMs may have fewer
  Cycle replacement = 0;      // from when a block's end is noticed to the start of the next one
  MemoryShare share;
  int tail_blocks = 0;  // the last so many run under tail_share, from the end of the block before them
  MemoryShare tail_share;
  int tail_most = 0;          // blocks of the tail that this SM takes where its blocks end nearly together
  double tail_of_all = 0;     // blocks of the tail on all SMs
  bool tail_in_step = false;  // its blocks go to the places as these are free
  double tail_gone = 0;       // deviations of the SMs by which the tail is gone later than on the median SM
  double first_of_all = 2.6;  // and by which the first SM's places are free sooner than that one's
  double least_reach = 1;  // of these deviations, over how much later a place is free, that it takes a block
  // Standard deviation of the time that a place's block takes: so many cycles for the square root of its
  // cycles, at most so much of them.
  double deviation_walk = 0, deviation_most = 0;
  bool stays_in_step =
      false;  // blocks behind the first ones store together as far as these deviations leave them
  std::uint64_t seed = 1;
  bool extrapolate = true;  // skip trips of a loop whose cycles a trip repeat
};

struct SmResult {
  Cycle cycles = 0;              // until the last warp has left
  Cycle stores_done = 0;         // until L2 has the last store
  Cycle completed = 0;           // until the last block's end has been noticed
  Cycle share_completed = 0;     // that of the last one that is not beyond the SM's share of the tail
  Cycle share_ended = 0;         // until the stores of that one have passed the pipe
  Cycle ahead = 0;               // so much sooner ends an SM that takes blocks beyond it
  std::optional<double> reach;   // of the first place that could take one beyond it (SmWork::least_reach)
  std::vector<Cycle> block_end;  // in order of ending
  std::vector<double> issued_by_end;  // warp instructions until then, skipped trips included
  StallTable stalls;                  // warp-cycles of all blocks, skipped trips included
  double issued = 0;                  // warp instructions, skipped trips included
  double simulated = 0;               // warp instructions that were stepped through
  std::int64_t skipped_trips = 0;
  // Spread of the cycles a trip that was extrapolated from, relative to their mean; 0 when they repeat
  // exactly.
  double steady_spread = 0;
  double l2_bytes = 0, dram_bytes = 0;
  double dram_cycles = 0;   // that DRAM needs for what is read and written
  double store_cycles = 0;  // that the stores keep the queue to L2 and DRAM busy
};

// Throws InputError for a stream that cannot be run (stream_problem) and for a block whose warps wait
// forever.
SmResult simulate_sm(const InstructionStream& stream, const CoreParameters& parameters, const SmWork& work,
                     Timeline* timeline = nullptr);

}  // namespace tilecast::sim
