#include "model/workload/random_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "model/support/errors.hpp"

namespace tilecast {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): integers alone, so that every machine draws the same. The
// distributions of <random> are not the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t state) : state_(state) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ull;
    auto z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  // From `low` to `high`, both included; the modulo's bias is below 2^-40 for the ranges in use.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  // From 2^first to 2^(last + 1) - 1: an octave uniformly, then an integer of it.
  std::int64_t log_between(int first, int last) {
    const std::int64_t octave = std::int64_t{1} << between(first, last);
    return octave + between(0, octave - 1);
  }

 private:
  std::uint64_t state_;
};

std::int64_t draw_batch(Random& random) {
  return random.one_in(2) ? 1 : std::min<std::int64_t>(128, random.log_between(1, 6) + random.between(0, 1));
}

std::int64_t draw_channels(Random& random, int first_octave) {
  const auto channels = random.log_between(first_octave, 9);
  return random.one_in(2) ? (channels + 15) / 16 * 16 : channels;
}

void draw_map(Random& random, ConvShape& shape) {
  const auto side = [&]() -> std::int64_t {
    if (random.one_in(2)) return std::int64_t{7} << random.between(0, 5);
    return random.one_in(8) ? random.between(225, 512) : random.between(7, 224);
  };
  shape.H = side();
  shape.W = random.one_in(4) ? side() : shape.H;
}

std::int64_t draw_filter_size(Random& random) {
  constexpr std::array<std::int64_t, 6> sizes{1, 3, 3, 3, 5, 7};
  return sizes[static_cast<std::size_t>(random.between(0, 5))];
}

ConvShape draw_one_channel(Random& random) {
  ConvShape shape;
  shape.N = random.one_in(4) ? random.between(2, 8) : 1;
  shape.M = draw_channels(random, 3);
  draw_map(random, shape);
  shape.K = draw_filter_size(random);
  return shape;
}

ConvShape draw_several_channels(Random& random) {
  ConvShape shape;
  shape.N = draw_batch(random);
  shape.C = draw_channels(random, 1);
  shape.M = draw_channels(random, 1);
  draw_map(random, shape);
  shape.K = draw_filter_size(random);
  return shape;
}

ConvShape draw_product(Random& random) {
  const auto rows = random.log_between(4, 11);
  const auto columns = random.log_between(4, 13);
  return gemm_shape(rows, columns, random.log_between(4, 11));
}

ConvShape draw_convolution(Random& random) {
  ConvShape shape;
  shape.N = draw_batch(random);
  shape.C = draw_channels(random, 0);
  shape.M = draw_channels(random, 0);
  draw_map(random, shape);
  shape.K = draw_filter_size(random);
  shape.stride = random.between(1, 2);
  shape.pad = random.between(0, shape.K / 2);
  return shape;
}

using Draw = ConvShape (*)(Random&);
constexpr std::array<Draw, 4> kinds{draw_one_channel, draw_several_channels, draw_product, draw_convolution};

bool within_limits(const ConvShape& shape) {
  const auto elements = shape.input_elements() + shape.filter_elements() + shape.output_elements();
  return shape_problem(shape).empty() && static_cast<double>(shape.fmas()) <= random_limits.fmas &&
         static_cast<double>(elements) <= random_limits.elements;
}

constexpr std::string_view prefix = "random:";

}  // namespace

Suite random_suite(std::size_t count, std::uint64_t seed) {
  Suite suite{fmt::format("random-{}", seed), {}};
  for (std::size_t i = 0; i < count; ++i) {
    // Mixed before they meet: neighbouring seeds and places must not share a sequence.
    Random random(Random(seed).next() ^ Random(~std::uint64_t{i}).next());
    ConvShape shape;
    do {
      shape = kinds[i % kinds.size()](random);
    } while (!within_limits(shape) ||
             std::ranges::find(suite.layers, shape, &Layer::shape) != suite.layers.end());
    suite.layers.push_back(
        {fmt::format("{}-{}", suite.name, i + 1), fmt::format("drawn, seed {}", seed), shape});
  }
  return suite;
}

bool is_random_suite(std::string_view name) {
  return name.starts_with(prefix);
}

Suite parse_random_suite(std::string_view name) {
  constexpr std::size_t most = 10'000;
  std::size_t count = 0;
  std::uint64_t seed = 0;
  const char* const end = name.data() + name.size();
  const auto after_count = std::from_chars(name.data() + prefix.size(), end, count);
  const bool has_seed = after_count.ec == std::errc{} && after_count.ptr != end && *after_count.ptr == ':';
  const auto after_seed = has_seed ? std::from_chars(after_count.ptr + 1, end, seed) : after_count;
  if (!has_seed || after_seed.ec != std::errc{} || after_seed.ptr != end || count < 1 || count > most) {
    throw InputError(fmt::format(
        "'{}': expected random:COUNT:SEED, with a COUNT from 1 to {} and a SEED of 0 or more", name, most));
  }
  return random_suite(count, seed);
}

}  // namespace tilecast
