#pragma once
// Where the latency curve is sampled.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

// 4 KiB to 8 x L2, ascending, each a multiple of 4 KiB: 8 points an octave within an octave of the SM's
// memory size and of L2's (where the edges are), 2 elsewhere. `quick`: 2 and 1.
std::vector<double> chase_footprints(double sm_memory_bytes, double l2_bytes, bool quick);

// Why a probe that needs so many bytes of device memory cannot run with `usable` ones; empty when it can.
// `why` names the need: "8 x L2".
std::string memory_problem(std::size_t needed, std::size_t usable, std::string_view why);

}  // namespace tilecast
