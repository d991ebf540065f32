#include "kernels/wavefronts.hpp"

#include <algorithm>
#include <utility>

#include "model/units/hardware_sizes.hpp"

namespace tilecast {
namespace {

// Lanes [first, first + count) in one part.
int part_wavefronts(const std::array<std::int32_t, 32>& word, int first, int count) {
  return most_of_a_bank(
      std::span(word).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
}

bool pairs_share(const std::array<std::int32_t, 32>& word, int first, int count, int bit) {
  for (int lane = first; lane < first + count; ++lane) {
    if (word[lane] != word[lane ^ bit]) return false;
  }
  return true;
}

}  // namespace

int most_of_a_bank(std::span<const std::int32_t> words) {
  // By bank how many there are, and the last lane that brought one; by lane the one before it there.
  constexpr std::int8_t none = -1;
  std::array<std::uint8_t, shared_banks> number{};
  std::array<std::int8_t, shared_banks> last;
  std::array<std::int8_t, threads_per_warp> before;
  last.fill(none);
  int most = 0;
  std::int32_t left = -1, largest = -1;
  for (std::size_t lane = 0; lane < words.size(); ++lane) {
    const std::int32_t word = words[lane];
    if (word < 0 || word == left) continue;
    left = word;
    const auto bank = static_cast<std::size_t>(word % shared_banks);
    if (word <= largest) {
      int known = last[bank];
      while (known != none && words[static_cast<std::size_t>(known)] != word)
        known = before[static_cast<std::size_t>(known)];
      if (known != none) continue;
    }
    largest = std::max(largest, word);
    before[lane] = std::exchange(last[bank], static_cast<std::int8_t>(lane));
    most = std::max<int>(most, ++number[bank]);
  }
  return most;
}

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
