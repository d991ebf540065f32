#include "kernels/wavefronts.hpp"

#include <algorithm>

namespace tilecast {
namespace {

// Lanes [first, first + count) in one part: the most distinct words in a bank. Accesses are aligned to their
// width, so that all banks of one access have the same count: counting first words is enough.
int part_wavefronts(const std::array<std::int32_t, 32>& word, int first, int count) {
  std::array<std::array<std::int32_t, 32>, 32> seen;  // by bank
  std::array<std::uint8_t, 32> in_bank{};
  int most = 0;
  for (int lane = first; lane < first + count; ++lane) {
    if (word[lane] < 0) continue;
    auto& own = seen[static_cast<std::size_t>(word[lane] % 32)];
    auto& distinct = in_bank[static_cast<std::size_t>(word[lane] % 32)];
    const auto end = own.begin() + distinct;
    if (std::find(own.begin(), end, word[lane]) != end) continue;
    *end = word[lane];
    most = std::max<int>(most, ++distinct);
  }
  return most;
}

bool pairs_share(const std::array<std::int32_t, 32>& word, int first, int count, int bit) {
  for (int lane = first; lane < first + count; ++lane) {
    if (word[lane] != word[lane ^ bit]) return false;
  }
  return true;
}

}  // namespace

int wavefronts(const std::array<std::int32_t, 32>& word, int words_per_lane) {
  if (words_per_lane == 1) return part_wavefronts(word, 0, 32);
  // Two parts of `part` lanes can merge into one of twice that.
  const int part = words_per_lane == 2 ? 16 : 8;
  int total = 0;
  for (int first = 0; first < 32; first += 2 * part) {
    if (pairs_share(word, first, 2 * part, 1) || pairs_share(word, first, 2 * part, 2)) {
      total += part_wavefronts(word, first, 2 * part);
    } else {
      total += part_wavefronts(word, first, part) + part_wavefronts(word, first + part, part);
    }
  }
  return total;
}

double aligned_share(std::int64_t floats) {
  return floats % 8 == 0 ? 1 : floats % 4 == 0 ? 0.5 : floats % 2 == 0 ? 0.25 : 0.125;
}

}  // namespace tilecast
