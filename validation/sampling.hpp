#pragma once
// Random samples that are the same on every machine: a seed and a key decide, so that a larger sample
// contains a smaller one.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilecast {

// The places of the `count` keys (all, if there are not so many) that the seed draws, ascending. Uniform:
// every subset is as likely as any other of its size.
std::vector<std::size_t> sampled_places(std::span<const std::string> keys, std::size_t count,
                                        std::uint64_t seed);

}  // namespace tilecast
