#pragma once
// Stores in passes through shared memory, of a block that is alone on its SM (EQUATIONS.md A15).

#include "model/analytic/machine.hpp"
#include "model/analytic/traffic.hpp"
#include "model/analytic/waves.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

// S6. Sectors that a block's stores of one trip touch, and the packets that they send.
struct StoreCounts {
  double sectors = 0, packets = 0;
};
StoreCounts store_counts(const Phase& phase);

// Between two passes no store is issued: the warps meet, write their results to shared memory, meet again and
// read what they store next.
struct StorePauses {
  double count = 0;  // in a trip
  Seconds each{};
};

// `barriers`: of the machine code, in a trip; `meeting`: the block's time for all of them; `warps`: of the
// block. None where the trip does not store what it has written to shared memory.
StorePauses store_pauses(const Phase& phase, double barriers, Seconds meeting, const Machine& machine);

// Time of the trip's stores with the pauses, in which the SM's own way to L2 has no more to send than the SM
// has room for in front of it. `write`: L2's time without pauses; `port`: that of the SM's own way.
Seconds time_with_pauses(const StoreCounts& stores, const StorePauses& pauses, Seconds write, Seconds port);

// Whether L2 is the limit of SMs that store at the same time, and none takes more blocks for others.
bool stores_unevenly(const Wave& wave, const Traffic& traffic, const Machine& machine);

// From 0 to 1: how far L2 is the limit of what SMs store at the same time, by the part of its rate that they
// ask for. Below that SMs get what they ask for (A4; experiments/store_fairness.csv).
double limited_by_l2(double of_rate);

// The time of a trip's stores of the last of such SMs. When most others have ended it has some of its stores
// left, which go at its own pace: `own` is its time without L2's limit, `with_pauses` that with it.
Seconds time_of_last_sm(Seconds write, Seconds with_pauses, Seconds own);

}  // namespace tilecast::analytic
