#pragma once
// How the blocks of a grid pass through the SMs (EQUATIONS.md A9, O1).

#include <array>
#include <cstdint>

#include "model/device/device_profile.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

// Blocks that run at the same time.
struct Wave {
  double count = 0;          // how many such waves follow each other; 0: none
  double blocks_per_sm = 0;  // on the busiest SM
  double active_sms = 0;
  double blocks = 0;  // on the whole device
};

// S9, A9. Full waves behind which an SM's blocks end in step no longer: the simulator goes through so many,
// those beyond repeat their pace, and tails behind more of them find room everywhere alike.
constexpr int most_waves_in_step = 3;

// A9, S9. Blocks in a cluster up to which its tail finds room as lone blocks do, where pairs of them end.
constexpr int small_cluster = 4;

// A9, S9. Behind so many blocks an SM of one warp each on two of every scheduler's places (pairs, which end
// together): whether the SM that gets the most of a tail has two of it on some scheduler.
bool two_on_a_scheduler(double blocks_per_sm, double tail_blocks, double cluster, double sms);

// S9. Parts of the device whose places are free together: SMs; of clusters as many as find room with one
// block an SM.
double parts_of_device(std::int64_t cluster, const DeviceProfile& device);

// S9. Standard deviation between these parts, of the time in which their clusters end
// (experiments/cluster_parts.csv).
constexpr double part_deviation = 0.019;

// S9. The same between SMs, of the time that a place's block takes: so many cycles for the square root of its
// cycles, at most so much of them (experiments/place_deviations.csv).
constexpr double sm_walk = 3.5, most_sm_deviation = 0.036;
Cycles sm_deviation(Cycles time);

// S9. By how many deviations the first of n is sooner than the median one, normally distributed.
double first_of(double n);

// S9. How many of their deviations later than on the median part the last place is filled that every part
// fills with a cluster of the tail, of so many blocks.
double tail_gone(const Wave& tail, double parts, double of_part);

// Full waves, then the tail. Throws InputError when one block does not fit.
std::array<Wave, 2> waves_of(const KernelDescription& kernel, const DeviceProfile& device);

}  // namespace tilecast::analytic
