#pragma once
// From times of whole kernels to what a block, a load or a line of code adds to them. Pure; tested on made-up
// times.

#include <span>
#include <vector>

#include "microbench/probes/params.hpp"

namespace tilecast {

// Blocks that an SM holds on average while many more wait: each stays for `stay_s`; grids of `fewer` and
// `more` blocks take these times, one value a repeat. The slope leaves out launch, first and last blocks.
std::vector<double> average_resident(double stay_s, double fewer, std::span<const double> fewer_s,
                                     double more, std::span<const double> more_s, int sms);

// Cycles by which the first of a kernel's dependent loads exceeds the later ones, one value a repeat, from
// kernels without a load, with one and with `loads` (at least 2) of them.
std::vector<double> first_beyond_later(std::span<const double> none_s, std::span<const double> one_s,
                                       std::span<const double> all_s, int loads, double clock_hz);

// Cycles that a kernel takes beyond another one, one value a repeat.
std::vector<double> cycles_beyond(std::span<const double> shorter_s, std::span<const double> longer_s,
                                  double clock_hz);

// Batches a cycle of an SM (median over SMs, each from its first warp's start to its last one's end) between
// two runs of different length, which may have used different SMs, as many in both.
double batches_between(std::span<const WarpRecord> shorter, std::span<const WarpRecord> longer);

}  // namespace tilecast
