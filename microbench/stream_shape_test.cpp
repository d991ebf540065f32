#include "microbench/stream_shape.hpp"

#include <algorithm>
#include <vector>

#include "microbench/probes/permutation.hpp"
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
    for (const StreamWalk walk : {StreamWalk::shares, StreamWalk::same_data, StreamWalk::scattered}) {
      StreamShape shape;
      shape.loads = loads;
      shape.walk = walk;
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

TEST_CASE("stream: shares: no two warps ever read the same data, however far one is ahead") {
  StreamShape shape;
  shape.loads = 2;
  const std::size_t blocks = 5, warps = 3, batch = 2 * 32;
  const StreamParams params = stream_params(shape, blocks, warps, 7 * stream_granule_vectors, 0);
  CHECK(params.vectors == 7 * stream_granule_vectors / (blocks * warps * batch) * (blocks * warps * batch));
  const int rounds = static_cast<int>(3 * params.vectors / params.stride);
  const auto at = begins(params, shape, blocks, warps, rounds);
  for (std::size_t i = 0; i < at.size(); ++i)  // a column for each warp
    REQUIRE(at[i] / batch % (blocks * warps) == i / static_cast<std::size_t>(rounds));
}

TEST_CASE("stream: a footprint below one round is refused") {
  StreamShape shape;
  shape.loads = 8;
  CHECK_THROWS_AS(stream_params(shape, 132, 32, 100 * stream_granule_vectors, 0), Error);
}

TEST_CASE("stream: private parts are disjoint, whole rounds, and cover the footprint but for a remainder") {
  StreamShape shape;
  shape.loads = 2;
  shape.walk = StreamWalk::private_part;
  const StreamParams params = stream_params(shape, 4, 3, 64 * stream_granule_vectors, 777);
  const std::size_t round = 3 * 2 * 32, part = 16 * stream_granule_vectors;
  CHECK(params.region == part / round * round);
  CHECK(params.vectors == params.region);
  CHECK(params.vectors % round == 0);
  CHECK(params.start == 0);
  CHECK(params.block_step == 0);
}

TEST_CASE("stream: a scattered block visits every round of the footprint before it comes back") {
  for (const unsigned long long rounds : {1ULL, 2ULL, 60ULL, 127ULL, 128ULL, 960ULL}) {
    std::vector<unsigned long long> steps;
    for (unsigned block = 0; block < 132; ++block) {
      const unsigned long long step = coprime_step(block, rounds);
      steps.push_back(step);
      REQUIRE(step >= 1);
      REQUIRE((rounds == 1 || step < rounds));
      std::vector<bool> seen(rounds);
      for (unsigned long long i = 0, at = 0; i < rounds; ++i, at = (at + step) % rounds)
        seen[at] = true;
      REQUIRE(std::count(seen.begin(), seen.end(), true) == static_cast<long>(rounds));
    }
    std::sort(steps.begin(), steps.end());
    const auto different = std::unique(steps.begin(), steps.end()) - steps.begin();
    if (rounds == 960) CHECK(different > 90);  // 256 numbers below 960 have no divisor in common with it
  }
}

TEST_CASE("stream: traffic of a batch is what is read plus what is written") {
  StreamShape shape;
  CHECK(shape.batch_traffic_bytes() == 32 * 4 * 16);
  shape.mode = StreamMode::copy;
  CHECK(shape.batch_traffic_bytes() == 2 * 32 * 4 * 16);
  shape.write_every = 2;  // two reads, one write
  CHECK(shape.batch_traffic_bytes() == 1.5 * 32 * 4 * 16);
  shape.write_every = 1;
  shape.write_copies = 2;  // one read, two writes
  CHECK(shape.batch_traffic_bytes() == 3 * 32 * 4 * 16);
}

}  // namespace tilecast
