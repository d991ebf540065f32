#include "model/workload/random_layers.hpp"

#include <set>
#include <string>

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE(
    "random layers: a seed gives the same layers on every machine, and a longer list begins with a shorter "
    "one",
    "[workload]") {
  const auto suite = load_suite("random:8:100");
  CHECK(suite.name == "random-100");
  REQUIRE(suite.layers.size() == 8);
  CHECK(suite.layers[0].id == "random-100-1");
  CHECK(suite.layers[0].source == "drawn, seed 100");
  const std::string expected[] = {"N1 C1 112x112 M16 K3 s1 p0", "N1 C32 152x152 M32 K3 s1 p0",
                                  "N1 C2724 1x6045 M114 K1 s1 p0", "N113 C2 7x7 M420 K3 s1 p1"};
  for (std::size_t i = 0; i < std::size(expected); ++i)
    CHECK(describe_shape(suite.layers[i].shape) == expected[i]);

  const auto longer = random_suite(40, 100);
  for (std::size_t i = 0; i < suite.layers.size(); ++i)
    CHECK(longer.layers[i].shape == suite.layers[i].shape);
  CHECK(random_suite(8, 101).layers[0].shape != suite.layers[0].shape);
}

TEST_CASE("random layers: every draw is within the documented limits, and the whole range is met",
          "[workload]") {
  std::set<std::string> seen;
  std::set<std::int64_t> filter_sizes, strides, pads;
  std::int64_t largest_batch = 0, largest_map = 0, smallest_map = 1024, most_channels = 0;
  std::size_t one_channel = 0, products = 0, not_square = 0;
  const auto suite = random_suite(400, 7);
  for (const auto& [id, source, s] : suite.layers) {
    INFO(id << ": " << describe_shape(s));
    CHECK(shape_problem(s).empty());
    CHECK(static_cast<double>(s.fmas()) <= 8e9);
    CHECK(4 * (s.input_elements() + s.filter_elements() + s.output_elements()) <= 512LL << 20);
    CHECK(seen.insert(describe_shape(s)).second);
    const bool product = s.H == 1;
    products += product;
    one_channel += s.C == 1 && s.stride == 1 && s.pad == 0;
    if (product) continue;
    filter_sizes.insert(s.K);
    strides.insert(s.stride);
    pads.insert(s.pad);
    not_square += s.H != s.W;
    largest_batch = std::max(largest_batch, s.N);
    largest_map = std::max({largest_map, s.H, s.W});
    smallest_map = std::min({smallest_map, s.H, s.W});
    most_channels = std::max({most_channels, s.C, s.M});
  }
  CHECK(products == 100);
  CHECK(one_channel >= 100);
  CHECK(not_square > 30);
  CHECK(filter_sizes == std::set<std::int64_t>{1, 3, 5, 7});
  CHECK(strides == std::set<std::int64_t>{1, 2});
  CHECK(pads == std::set<std::int64_t>{0, 1, 2, 3});
  CHECK(largest_batch > 64);
  CHECK(largest_batch <= 128);
  CHECK(smallest_map == 7);
  CHECK(largest_map > 224);
  CHECK(largest_map <= 512);
  CHECK(most_channels > 512);
  CHECK(most_channels <= 1024);
}

TEST_CASE("random layers: a malformed name says what was expected", "[workload]") {
  for (const char* name : {"random:", "random:40", "random:40:", "random:0:1", "random:10001:1",
                           "random:4:-1", "random:4:1x", "random:4:1:2"}) {
    try {
      load_suite(name);
      FAIL(name);
    } catch (const InputError& error) {
      CHECK(std::string(error.what()) ==
            "'" + std::string(name) +
                "': expected random:COUNT:SEED, with a COUNT from 1 to 10000 and a SEED of 0 or more");
    }
  }
}
