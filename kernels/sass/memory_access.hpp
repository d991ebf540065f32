#pragma once
// What one memory instruction of a warp costs, from its lanes' addresses.

#include <array>
#include <cstdint>

#include "kernels/sass/warp_state.hpp"

namespace tilecast::sass {

using Addresses = std::array<std::uint64_t, warp_lanes>;

// Wavefronts of a shared-memory access: passes over 32 banks of 4 bytes. Lanes of one pass that want
// different words of a bank take turns; the same word is broadcast. 64- and 128-bit accesses go in halves and
// quarters of the warp, two of which merge into one pass where neighbouring lanes ask for the same words.
int shared_wavefronts(const Addresses& addresses, LaneMask lanes, int bytes);

// Distinct sectors of 32 bytes.
int touched_sectors(const Addresses& addresses, LaneMask lanes, int bytes);

}  // namespace tilecast::sass
