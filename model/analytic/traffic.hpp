#pragma once
// What the whole grid asks of L2 and of DRAM (EQUATIONS.md A5).

#include <array>
#include <optional>

#include "model/analytic/analytic.hpp"
#include "model/analytic/kept_in_l2.hpp"
#include "model/analytic/machine.hpp"
#include "model/analytic/word_stores.hpp"

namespace tilecast::analytic {

// A5. Of a tensor that is read: what DRAM sends of it, and what blocks ask for that read a line before or
// while the first of them has it from DRAM, all of these blocks together.
struct FirstReads {
  Bytes from_dram{}, asked{};
  double missed = 0;   // share of their lines that L2 has lost
  double sharers = 1;  // blocks that ask for a line at the same time
};

// Fractions that turn what a phase fetches or stores (counted for the block with the most work) into what the
// grid's blocks fetch or store on average, and that into DRAM traffic.
struct Traffic {
  double l2_read_share = 1, l2_write_share = 1;      // exact bytes of the grid / blocks x bytes of the phases
  double dram_read_share = 0, dram_write_share = 0;  // bytes that reach DRAM / bytes asked of L2
  Bytes asked_read{};                                // of L2, by the grid
  std::array<FirstReads, 2> first_reads;             // of the input and of the filters
  double shared_waits = 0;   // of what is asked of L2, what waits for DRAM where blocks ask at the same time
  bool single_wave = false;  // all blocks run at once
  double edge_blocks = 0, edge_stored = 1;  // A9, where all blocks run at once
  double read_together = 1;                 // requests of L2 that it serves as one
  double slice_time = 0;  // seconds that L2's busiest slice takes for a byte asked of L2, on average (A22)
  std::optional<Cycles> slow_hit,
      slow_miss;        // latency of the slowest of many lines, where L2 has it and where not
  Cycles later_hits{};  // what L2 has comes so much later on average than from the SM's own partition (S6)
  std::optional<Bandwidth> l2_write;    // over this footprint, where it was measured
  std::optional<Bandwidth> dram_read;   // of short pieces of rows
  std::optional<Bandwidth> dram_write;  // as sectors are split
  double dram_turns = 0;                // seconds a byte that it takes longer for reads among writes
  WordStores words;
};

// A15. Of what is asked of L2, the share that waits for DRAM.
double waiting_share(const Traffic& traffic);

// `at_once`: blocks that run at the same time. Warm: the kernel finds in L2 what its own launch before left.
Traffic traffic_of(const KernelDescription& kernel, double at_once, const Machine& machine, Caches caches);

}  // namespace tilecast::analytic
