#pragma once
// What one memory instruction of a warp costs, from the addresses of its lanes.

#include <cstdint>
#include <span>

namespace tilecast::chang_single {

// Wavefronts of a shared-memory instruction: lane i accesses `vector_words` words (1, 2 or 4) from words[i]
// on. A wavefront serves each of the 32 banks with one word; 64-bit accesses go half a warp at a time and
// 128-bit ones a quarter (CUDA C++ Programming Guide, compute capability 5.x and later: "Shared Memory").
int shared_wavefronts(std::span<const int> words, int vector_words);

}  // namespace tilecast::chang_single
