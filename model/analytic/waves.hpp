#pragma once
// How the blocks of a grid pass through the SMs (EQUATIONS.md A9, O1).

#include <array>
#include <cstdint>

#include "model/device/device_profile.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

// Blocks that run at the same time.
struct Wave {
  double count = 0;          // such waves, one after the other; 0: none
  double blocks_per_sm = 0;  // on the busiest SM
  double active_sms = 0;
  double blocks = 0;  // on the whole device
};

// S9, A9. Full waves up to which an SM's blocks still end in step. The simulator runs so many, those beyond
// repeat their pace, and a tail behind more of them finds room everywhere alike.
constexpr int most_waves_in_step = 3;

// A9, S9. Blocks of a cluster up to which a tail of clusters finds room as one of lone blocks does: where
// pairs end.
constexpr int small_cluster = 4;

// A9, S9. Whether two blocks of a tail come to the same scheduler on its busiest SM, behind waves of pairs
// (two blocks of one warp each on every scheduler, which end together).
bool two_on_a_scheduler(double blocks_per_sm, double tail_blocks, double cluster, double sms);

// S9. Number of parts of the device whose places become free together: the SMs; with clusters, the clusters
// that find room with one block an SM.
double parts_of_device(std::int64_t cluster, const DeviceProfile& device);

// S9. Standard deviation between these parts, as a share of the time after which their clusters end
// (experiments/cluster_parts.csv).
constexpr double part_deviation = 0.019;

// S9. Standard deviation between SMs of the time that a place's block takes, cycles: sm_walk times the square
// root of its cycles, at most most_sm_deviation of them (experiments/place_deviations.csv).
constexpr double sm_walk = 3.5, most_sm_deviation = 0.036;
Cycles sm_deviation(Cycles time);

// S9. Standard deviations by which the first of n, normally distributed, is expected before the median.
double first_of(double n);

// The share of normally distributed values below so many standard deviations, and the inverse, by the
// logistic approximation.
double normal_share(double deviations);
double normal_quantile(double share);

// S9. Standard deviations after the median part at which the tail's last cluster (of `of_part` blocks) finds
// its place, if the parts that end first are filled first.
double tail_gone(const Wave& tail, double parts, double of_part);

// A9. The full waves, then the tail. Throws InputError if one block does not fit.
std::array<Wave, 2> waves_of(const KernelDescription& kernel, const DeviceProfile& device);

}  // namespace tilecast::analytic
