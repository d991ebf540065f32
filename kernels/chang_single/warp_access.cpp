#include "kernels/chang_single/warp_access.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tilecast::chang_single {
namespace {

constexpr int banks = 32;

}  // namespace

int shared_wavefronts(std::span<const int> words, int vector_words) {
  const std::size_t group = static_cast<std::size_t>(banks / vector_words);  // lanes served together
  int wavefronts = 0;
  for (std::size_t first = 0; first < words.size(); first += group) {
    const std::size_t last = std::min(words.size(), first + group);
    // Vectors are aligned, so two lanes share all their words or none, and the banks of one access all have
    // the same load: that of its first. Lanes that repeat an earlier one's address are served by the same
    // broadcast.
    std::array<std::array<int, banks>, banks> seen;  // by bank
    std::array<int, banks> load{};
    int most = 0;
    for (std::size_t lane = first; lane < last; ++lane) {
      const auto bank = static_cast<std::size_t>(words[lane] % banks);
      const auto end = seen[bank].begin() + load[bank];
      if (std::find(seen[bank].begin(), end, words[lane]) != end) continue;
      *end = words[lane];
      most = std::max(most, ++load[bank]);
    }
    wavefronts += most;
  }
  return wavefronts;
}

}  // namespace tilecast::chang_single
