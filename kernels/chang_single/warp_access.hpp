#pragma once
// What one memory instruction of a warp costs, from the addresses of its lanes.

#include <cstdint>
#include <span>

namespace tilecast::chang_single {

// Wavefronts of a shared-memory instruction: lane i accesses `vector_words` words (1, 2 or 4) from words[i]
// on. A wavefront serves each of the 32 banks with one word; 64-bit accesses go half a warp at a time and
// 128-bit ones a quarter (CUDA C++ Programming Guide, compute capability 5.x and later: "Shared Memory").
int shared_wavefronts(std::span<const int> words, int vector_words);

// Mean number of 32-byte sectors that a run of `words` consecutive words touches when its first word lies
// `offset` + i * `step` words after a sector's start, i = 0, 1, ... with equal weight. `step` is a power of
// two; 8 or more means a single place.
double mean_sectors(std::int64_t words, std::int64_t offset, std::int64_t step);

}  // namespace tilecast::chang_single
