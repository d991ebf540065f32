#include "kernels/wavefronts.hpp"

#include "tests/catch.hpp"

using tilecast::wavefronts;

namespace {

template <class Word>
std::array<std::int32_t, 32> words(Word word) {
  std::array<std::int32_t, 32> result;
  for (int lane = 0; lane < 32; ++lane)
    result[lane] = word(lane);
  return result;
}

}  // namespace

TEST_CASE("wavefronts: 32-bit accesses take one for each distinct word of the busiest bank") {
  CHECK(wavefronts(words([](int lane) { return lane; }), 1) == 1);
  CHECK(wavefronts(words([](int) { return 7; }), 1) == 1);              // all lanes one word
  CHECK(wavefronts(words([](int lane) { return 2 * lane; }), 1) == 2);  // two words in every even bank
  CHECK(wavefronts(words([](int lane) { return 32 * lane; }), 1) == 32);
  CHECK(wavefronts(words([](int lane) { return lane < 8 ? 32 * lane : -1; }), 1) == 8);  // absent lanes
}

TEST_CASE("wavefronts: 128-bit accesses go by quarters of the warp unless neighbours share") {
  CHECK(wavefronts(words([](int lane) { return 4 * lane; }), 4) == 4);
  CHECK(wavefronts(words([](int lane) { return 4 * (lane / 2); }), 4) == 2);  // pairs share: two halves
  CHECK(wavefronts(words([](int lane) { return 8 * lane; }), 4) ==
        8);  // 8 lanes at stride 8: two words a bank
  CHECK(wavefronts(words([](int) { return 0; }), 4) == 2);
  CHECK(wavefronts(words([](int lane) { return 2 * lane; }), 2) == 2);
  CHECK(wavefronts(words([](int lane) { return 2 * (lane / 2); }), 2) == 1);
}
