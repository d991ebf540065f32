#pragma once
// Passes that one warp's access to shared memory takes, from the addresses of its lanes; rows in global
// memory.

#include <array>
#include <cstdint>
#include <span>

namespace tilecast {

// `word` holds, for each lane, the index of the first 4-byte word it accesses, aligned to `words_per_lane`
// (1, 2 or 4); absent lanes are -1. A wavefront serves 32 banks of one word. 64-bit accesses are served by
// halves of the warp, 128-bit ones by quarters; two such parts are one where lanes that differ in their
// lowest bit, or those that differ in the second, access the same address. Within a part, each bank takes a
// wavefront per distinct word.
int wavefronts(const std::array<std::int32_t, 32>& word, int words_per_lane);

// Distinct words in the busiest of 32 banks, of at most 32 lanes served together; absent ones are negative.
// Accesses are aligned to their width, so that all banks of one access have the same count: first words are
// enough.
int most_of_a_bank(std::span<const std::int32_t> words);

// Share of rows that begin with a sector of global memory, where rows of `floats` follow each other.
double aligned_share(std::int64_t floats);

}  // namespace tilecast
