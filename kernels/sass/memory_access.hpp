#pragma once
// What one memory instruction of a warp costs, from its lanes' addresses.

#include <array>
#include <cstdint>

#include "kernels/sass/warp_state.hpp"

namespace tilecast::sass {

using Addresses = std::array<std::uint64_t, warp_lanes>;

// Wavefronts of a shared-memory access: passes over 32 banks of 4 bytes. Lanes of one pass that want
// different words of a bank take turns; the same word is broadcast. 64- and 128-bit accesses go in halves and
// quarters of the warp, two of which merge into one pass where neighbouring lanes ask for the same words and
// no bank is asked twice. (Which merge was found by comparing with counters of an H200:
// validation/recorded/nvidia-h200/counters.csv.)
int shared_wavefronts(const Addresses& addresses, LaneMask lanes, int bytes);

// Distinct sectors of 32 bytes.
int touched_sectors(const Addresses& addresses, LaneMask lanes, int bytes);

// Distinct lines of 128 bytes.
int touched_lines(const Addresses& addresses, LaneMask lanes, int bytes);

// Lines of 128 bytes in which a store of the lanes fills a sector in part (S6).
int partial_lines(const Addresses& addresses, LaneMask lanes, int bytes);

// Whole ones that no other lane's bytes lie in a line of 128 bytes with.
int lone_sectors(const Addresses& addresses, LaneMask lanes, int bytes);

// An asynchronous copy from global to shared memory, counted as above.
struct CopyCost {
  int wavefronts = 0, sectors = 0;
  int by_line = 0;  // through L1: wavefronts where each line's lanes take theirs alone
  int written = 0;  // and those of shared memory
};

enum class CopyKind {
  through_l1,          // .ca
  past_l1,             // .cg: LDGSTS.BYPASS
  past_l1_with_zeros,  // and with a source size: LDGSTS.BYPASS.ZFILL
};

// Rules found by comparing with the same counters. Through L1: a part of the warp (as above) reads L1's data
// banks by its global addresses, lanes of one word in turn, and writes them by its shared ones; what a turn
// has read is written from the same one on. Past L1: a wavefront for each pair of a global and a shared line
// of 128 bytes, and one for each half of the sectors where source and target differ in their place within a
// sector; a sector is asked for once for each line of shared memory that it goes to. Zeros are a plain store
// before it.
// `present`: lanes of `lanes` that read; the others write zeros.
CopyCost async_copy_cost(const Addresses& shared, const Addresses& global, LaneMask lanes, LaneMask present,
                         int bytes, CopyKind kind);

}  // namespace tilecast::sass
