#pragma once
// How fast DRAM writes what a kernel stores (EQUATIONS.md A5).

#include "model/analytic/machine.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

// How far running blocks are spread over memory: from 0, where all of their places lie close together, to 1,
// where they lie as far apart as in the probes of places and pieces, and where that is not known.
double spread_of_writes(const Stream& written, double running);

// What DRAM takes where running blocks write in so many places at the same time: less than of what is written
// in a row, as the profile's stream is, by their `spread` over memory (0 to 1, spread_of_writes).
Bandwidth dram_write_in_places(double places, double spread, const Machine& machine);

// How much longer DRAM takes for it as sectors are written in halves, and lines in parts. `running`: blocks
// that run at the same time; `storing`: those of them that store.
double time_with_split_sectors(const Stream& written, double running, double storing);

// The same for this kernel, of which an SM has so many `resident` blocks.
double time_with_split_sectors(const Stream& written, const KernelDescription& kernel, double running,
                               double resident, const Machine& machine);

// What is slower, the sectors that are written in halves or the short pieces. `at_once`: blocks for which the
// device has room.
Bandwidth written_rate(const Stream& written, const KernelDescription& kernel, double at_once,
                       const Machine& machine);

}  // namespace tilecast::analytic
