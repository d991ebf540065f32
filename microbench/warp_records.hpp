#pragma once
// What the warps of a timed kernel left behind, reduced to rates. Pure; tested on made-up records.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "microbench/probes/params.hpp"

namespace tilecast {

// Empty when each of `sms` SMs worked with exactly `warps_per_sm` warps; else what was found instead. A rate
// divided by SMs that had no work is the best-known mistake of published tables.
std::string spread_problem(std::span<const WarpRecord> records, int sms, int warps_per_sm);

struct SmWork {
  double cycles = 0;   // from the first warp's start to the last one's end
  double batches = 0;  // of all its warps
};

// By SM; warps that did nothing are left out.
std::map<unsigned long long, SmWork> work_by_sm(std::span<const WarpRecord> records);

// Median over SMs of batches a cycle, from two runs of different length: their common overhead cancels.
// Both runs must cover the same SMs.
double batches_per_cycle(std::span<const WarpRecord> shorter, std::span<const WarpRecord> longer);

// Batches of all warps over the time from the first start to the last end, by the device-wide clock.
double batches_per_second(std::span<const WarpRecord> records);

// Median over warps of cycles over nanoseconds, in Hz.
double clock_of(std::span<const WarpRecord> records);

}  // namespace tilecast
