#include "microbench/loaded_settings.hpp"

#include <set>

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

namespace tilecast {

TEST_CASE("loaded settings: from none to 64 KiB a SM in flight, never less than before") {
  const auto settings = loaded_settings(false);
  CHECK_FALSE(settings.front().streams);
  CHECK(settings.front().bytes_in_flight(131) == 0);
  CHECK(settings[1].bytes_in_flight(1) == 512);
  CHECK(settings.back().bytes_in_flight(1) == 65536);
  for (std::size_t i = 2; i < settings.size(); ++i) {
    const bool less_pause = settings[i].pause < settings[i - 1].pause;
    CHECK((less_pause || settings[i].bytes_in_flight(1) > settings[i - 1].bytes_in_flight(1)));
    CHECK(settings[i].warps <= 32);
  }
  const auto quick = loaded_settings(true);
  CHECK(quick.size() < settings.size() / 2);
  CHECK(quick.back().bytes_in_flight(1) == 65536);
}

namespace {

// The first vector of each batch of the first `rounds` rounds, as loaded_latency.cu walks.
std::vector<std::size_t> begins(const LoadedWalk& walk, const StreamSetting& setting, std::size_t blocks,
                                int rounds) {
  std::vector<std::size_t> result;
  const auto batch = 32UL * static_cast<std::size_t>(setting.loads);
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t warp = 0; warp < static_cast<std::size_t>(setting.warps); ++warp) {
      std::size_t at = (walk.first + block * walk.block_step + warp * batch) % walk.vectors;
      for (int i = 0; i < rounds; ++i) {
        result.push_back(block * walk.part_step + at);
        at += walk.stride;
        if (at >= walk.vectors) at -= walk.vectors;
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("loaded walk: together, the first rounds cover disjoint memory; nothing beyond the end") {
  const std::size_t vectors = 100'003;
  for (const StreamSetting& setting : loaded_settings(false)) {
    const auto batch = 32UL * static_cast<std::size_t>(setting.loads);
    const LoadedWalk walk = loaded_walk(setting, StreamCover::together, 5, vectors, 77'777);
    const auto at = begins(walk, setting, 5, 2);
    CHECK(std::set<std::size_t>(at.begin(), at.end()).size() == at.size());
    for (const std::size_t first : begins(walk, setting, 5, 50)) {
      REQUIRE(first % batch == 0);
      REQUIRE(first + batch <= vectors);
    }
  }
}

TEST_CASE("loaded walk: in parts, no block touches another's") {
  const StreamSetting setting{2, 8, 0, true};
  const LoadedWalk walk = loaded_walk(setting, StreamCover::parts, 4, 4 * 1300, 0);
  CHECK(walk.vectors == 1280);  // 1300 down to a multiple of 128
  const auto at = begins(walk, setting, 4, 9);
  for (std::size_t i = 0; i < at.size(); ++i)
    CHECK(at[i] / 1280 == i / (8 * 9));
  CHECK_THROWS_AS(loaded_walk({4, 32, 0, true}, StreamCover::parts, 4, 4 * 1300, 0), Error);
}

}  // namespace tilecast
