#pragma once
// Sizes that are the same on every GPU since Maxwell (CUDA C++ Programming Guide), so that no device profile
// has them: what a warp is, and in which pieces memory moves.

namespace tilecast {

constexpr int threads_per_warp = 32;

constexpr int word_bytes = 4;  // a float, a register of one thread

// L1 and L2 keep lines, of which they ask the next level for single sectors.
constexpr int sector_bytes = 32, line_bytes = 128;
constexpr int sector_words = sector_bytes / word_bytes, line_words = line_bytes / word_bytes;
constexpr int sectors_per_line = line_bytes / sector_bytes;

// Shared memory moves a word of each bank at once: a wavefront. As many sectors pass through the same path.
constexpr int shared_banks = 32, wavefront_bytes = shared_banks * word_bytes;
constexpr int sectors_per_wavefront = wavefront_bytes / sector_bytes;

}  // namespace tilecast
