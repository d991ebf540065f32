#include "validation/sampling.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "validation/device/random_values.h"

namespace tilecast {
namespace {

// A number that depends on the seed and the key alone (FNV-1a, then mixed).
std::uint64_t draw(std::uint64_t seed, const std::string& key) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const unsigned char c : key)
    hash = (hash ^ c) * 0x100000001B3ull;
  return mix64(hash ^ mix64(seed));
}

}  // namespace

std::vector<std::size_t> sampled_places(std::span<const std::string> keys, std::size_t count,
                                        std::uint64_t seed) {
  std::vector<std::size_t> places(keys.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (keys.size() <= count) return places;
  std::vector<std::pair<std::uint64_t, std::size_t>> draws;
  for (const auto place : places)
    draws.emplace_back(draw(seed, keys[place]), place);
  std::ranges::sort(draws);
  places.clear();
  for (std::size_t i = 0; i < count; ++i)
    places.push_back(draws[i].second);
  std::ranges::sort(places);
  return places;
}

}  // namespace tilecast
