#include "kernels/chang_single/warp_access.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/wavefronts.hpp"

namespace tilecast::chang_single {

int shared_wavefronts(std::span<const int> words, int vector_words) {
  const std::size_t group = static_cast<std::size_t>(32 / vector_words);  // lanes served together
  int wavefronts = 0;
  for (std::size_t first = 0; first < words.size(); first += group)
    wavefronts += most_of_a_bank(words.subspan(first, std::min(group, words.size() - first)));
  return wavefronts;
}

}  // namespace tilecast::chang_single
