#pragma once
// One SM (EQUATIONS.md S1 to S8): its schedulers issue the warps' own instructions, simulated in the cycles
// in which something happens. Deterministic for a seed.

#include <cstdint>
#include <memory>
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
  int blocks = 1;                   // in all; one starts when a resident one ends
  int ends = 1 << 30;               // after so many blocks' ends nothing is simulated any more
  int warps_a_scheduler = 1 << 20;  // that a scheduler's registers allow
  std::vector<Cycle> start;         // of the first `resident` blocks; missing ones start at 0
  // By block: 0 (and missing): like the block that was read; i > 0: of the stream's edge i - 1.
  std::vector<int> kind_of;
  Cycle completion = 0;       // cycles between two noticed ends of the SM's blocks (S9)
  Cycle tail_completion = 0;  // the same of the tail's blocks and their places: other SMs may have fewer
  Cycle replacement = 0;      // cycles from a block's noticed end to its successor's start
  MemoryShare share;
  int tail_blocks = 0;  // the last blocks; they run under tail_share once the others have ended
  MemoryShare tail_share;
  // S6. The cycle in which L2 has taken what the SMs with a block less store, and this SM's share from then
  // on; 0: all have equally many.
  Cycle others_stored = 0;
  MemoryShare after_others;
  // Standard deviation between SMs of a block's t cycles: min(deviation_walk * sqrt(t), deviation_most * t)
  double deviation_walk = 0, deviation_most = 0;
  // Expected largest of as many standard normals as a cluster has blocks: the last one of them is so many
  // deviations of one block's time behind this one where they meet (S12).
  double last_of_cluster = 0;
  bool apart = false;          // S9: blocks of later waves, which are in step with no other SM's
  bool stays_in_step = false;  // S6: later blocks store in step, too, as far as these deviations allow
  std::uint64_t seed = 1;
  bool extrapolate = true;  // skip trips of loops in steady state (S8)
};

// S9. A place that the tail can take.
struct FreePlace {
  Cycle free = 0;     // when its block has ended and its stores have passed the pipe
  Cycle noticed = 0;  // and when that has been noticed
  // Standard deviations of that time between SMs: their own, and by the stores of all, which is one SM's
  double own = 0, stores = 0;
};

struct SmResult {
  Cycle cycles = 0;                   // until the last warp has left
  Cycle stores_done = 0;              // until L2 has the last store
  Cycle completed = 0;                // until the last end has been noticed
  std::vector<FreePlace> places;      // of the last full wave, in order
  std::vector<Cycle> block_end;       // in order of ending
  std::vector<double> issued_by_end;  // warp instructions by then, with skipped trips
  StallTable stalls;                  // warp-cycles of all blocks, with skipped trips
  double issued = 0;                  // warp instructions, with skipped trips
  double block_instructions = 0;      // warp instructions of all blocks that it has to do, on average
  double simulated = 0;               // warp instructions without skipped trips
  std::int64_t skipped_trips = 0;
  // Largest relative spread of the windows that were extrapolated from (S8); 0 where trips repeat exactly.
  double steady_spread = 0;
  double l2_bytes = 0, dram_bytes = 0;
  double dram_cycles = 0;        // that DRAM needs for all reads and writes
  double dram_write_cycles = 0;  // of these, for the writes
  double store_cycles = 0;       // for which the stores keep their queue busy
  double behind_writes = 0;  // by which reads of DRAM are later, on average, for what was stored before them
};

class Sm;
struct SmCode;

// Simulations of SMs that run the same code.
class SmSimulator {
 public:
  // Throws InputError for a stream that cannot be run (stream_problem).
  SmSimulator(const InstructionStream& stream, const CoreParameters& parameters);
  ~SmSimulator();

  // Throws InputError for a block whose warps wait forever, as the others do.
  SmResult run(const SmWork& work, Timeline* timeline = nullptr) const;

  // The same, and keeps the SM as it was before its first block of the tail.
  SmResult run_keeping(const SmWork& work, Timeline* timeline = nullptr);

  // S9. The same as run(), for what run_keeping() did with another tail: `work` differs in tail_blocks, so
  // much in blocks, and in tail_share, tail_completion and the tail's kind_of. Begins where that tail did.
  SmResult run_tail(const SmWork& work) const;

 private:
  CoreParameters parameters_;
  std::unique_ptr<const SmCode> code_;
  std::unique_ptr<const Sm> before_tail_;
};

// A single simulation.
SmResult simulate_sm(const InstructionStream& stream, const CoreParameters& parameters, const SmWork& work,
                     Timeline* timeline = nullptr);

}  // namespace tilecast::sim
