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
    std::array<int, banks> load{};
    int most = 0;
    for (std::size_t lane = first; lane < last; ++lane) {
      // Vectors are aligned, so two lanes share all their words or none: lanes that repeat an earlier one's
      // address are served by the same broadcast.
      const auto earlier = words.subspan(first, lane - first);
      if (std::ranges::find(earlier, words[lane]) != earlier.end()) continue;
      for (int i = 0; i < vector_words; ++i)
        most = std::max(most, ++load[static_cast<std::size_t>((words[lane] + i) % banks)]);
    }
    wavefronts += most;
  }
  return wavefronts;
}

}  // namespace tilecast::chang_single
