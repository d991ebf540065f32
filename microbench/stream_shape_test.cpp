#include "microbench/stream_shape.hpp"

#include <algorithm>
#include <vector>

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

namespace tilecast {

namespace {

// The first vector of each batch of the first `rounds` rounds, as stream.cu walks.
std::vector<std::size_t> begins(const StreamParams& p, const StreamShape& shape, std::size_t blocks,
                                std::size_t warps, int rounds) {
  std::vector<std::size_t> result;
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t warp = 0; warp < warps; ++warp) {
      std::size_t at =
          (p.start + block * p.block_step + warp * 32 * static_cast<std::size_t>(shape.loads)) % p.vectors;
      for (int i = 0; i < rounds; ++i) {
        result.push_back(at);
        at += p.stride;
        if (at >= p.vectors) at -= p.vectors;
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("stream: bytes in flight are SMs x warps x 32 threads x loads x 16") {
  StreamShape shape;
  shape.loads = 4;
  shape.warps_per_sm = 16;
  CHECK(shape.bytes_in_flight(132) == 132.0 * 16 * 32 * 4 * 16);
  shape.active_sms = 2;
  CHECK(shape.bytes_in_flight(132) == 2.0 * 16 * 32 * 4 * 16);
}

TEST_CASE("stream: no batch reaches beyond the footprint, whatever shape ran before") {
  const std::size_t vectors = 37 * stream_granule_vectors;
  std::size_t start = 0;
  for (const int loads : {1, 8, 2, 4, 1, 8}) {
    for (const bool same_data : {false, true}) {
      StreamShape shape;
      shape.loads = loads;
      shape.same_data = same_data;
      const StreamParams params = stream_params(shape, 5, 3, vectors, start);
      for (const std::size_t at : begins(params, shape, 5, 3, 40)) {
        REQUIRE(at % 32 == 0);
        REQUIRE(at + 32 * static_cast<std::size_t>(loads) <= vectors);
      }
      start = next_start(params, 13);
      CHECK(start % stream_granule_vectors == 0);
    }
  }
}

TEST_CASE("stream: the blocks of one round cover disjoint memory") {
  StreamShape shape;
  shape.loads = 2;
  const StreamParams params = stream_params(shape, 4, 3, 64 * stream_granule_vectors, 0);
  auto at = begins(params, shape, 4, 3, 2);
  std::sort(at.begin(), at.end());
  CHECK(at.size() == 4 * 3 * 2);
  for (std::size_t i = 0; i < at.size(); ++i)
    CHECK(at[i] == i * 64);
}

TEST_CASE("stream: a footprint below one round is refused") {
  StreamShape shape;
  shape.loads = 8;
  CHECK_THROWS_AS(stream_params(shape, 132, 32, 100 * stream_granule_vectors, 0), Error);
}

}  // namespace tilecast
