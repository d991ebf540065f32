#pragma once
// Cache of the costs of one memory instruction's executions, by the pattern of their addresses.

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/sass/memory_access.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::sass {

// Bytes by which all addresses of an access may shift without changing its cost. Loads and stores of shared
// memory: a word, as the banks shift along. Global memory, and async copies past L1: a line.
constexpr std::uint64_t shared_period = word_bytes, line_period = line_bytes;

struct AccessCost {
  CopyCost cost;
  int masks = 0;
  int lone_sectors = 0;
  int lines = 0;
};

// Addresses as far as they matter for the cost: lanes relative to the first lane, and the first one's place
// in its period.
struct Pattern {
  std::uint64_t place = 0;
  Addresses relative{};

  void set(const Addresses& addresses, LaneMask lanes, std::uint64_t period) {
    const auto first = addresses[static_cast<std::size_t>(std::countr_zero(lanes))];
    place = first & (period - 1);
    if (lanes == all_lanes) {  // the usual case
      for (std::size_t i = 0; i < warp_lanes; ++i)
        relative[i] = addresses[i] - first;
      return;
    }
    for (std::size_t i = 0; i < warp_lanes; ++i)
      relative[i] = lanes >> i & 1 ? addresses[i] - first : 0;
  }
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

// Costs of an instruction's executions by pattern: in a loop, few patterns recur.
class AccessCosts {
 public:
  struct Key {
    LaneMask lanes = 0, present = 0;
    Pattern shared, global;
    // Compares only the memories that the instruction accesses: the others' fields may hold anything.
    bool same(const Key& other, bool in_shared, bool in_global) const {
      return lanes == other.lanes && present == other.present && (!in_shared || shared == other.shared) &&
             (!in_global || global == other.global);
    }
  };

  // nullptr: not known.
  const AccessCost* find(const Key& key, bool in_shared, bool in_global) {
    const auto found = [&](std::size_t i) { return entries_[i].first.same(key, in_shared, in_global); };
    if (last_ < entries_.size() && found(last_)) return &entries_[last_].second;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (i == last_ || !found(i)) continue;
      last_ = i;
      return &entries_[i].second;
    }
    return nullptr;
  }

  // The cost of a shared-memory access by all lanes, from its per-lane base register and first address;
  // nullptr: it differs from the last one.
  const AccessCost* find_shared(const std::array<std::uint32_t, warp_lanes>& base,
                                std::uint64_t first) const {
    if (!last_shared_ || (first & (shared_period - 1)) != shared_place_) return nullptr;
    std::uint32_t differ = 0;
    for (std::size_t i = 0; i < warp_lanes; ++i)
      differ |= (base[i] - base[0]) ^ shared_shape_[i];
    return differ == 0 ? &*last_shared_ : nullptr;
  }

  void keep_shared(const std::array<std::uint32_t, warp_lanes>& base, std::uint64_t first,
                   const AccessCost& cost) {
    last_shared_ = cost;
    shared_place_ = first & (shared_period - 1);
    for (std::size_t i = 0; i < warp_lanes; ++i)
      shared_shape_[i] = base[i] - base[0];
  }

  const AccessCost& keep(const Key& key, const AccessCost& cost) {
    constexpr std::size_t most = 32;
    if (entries_.size() < most) {
      last_ = entries_.size();
      entries_.emplace_back(key, cost);
    } else {
      last_ = (last_ + 1) % most;
      entries_[last_] = {key, cost};
    }
    return entries_[last_].second;
  }

 private:
  std::vector<std::pair<Key, AccessCost>> entries_;
  std::size_t last_ = 0;
  std::optional<AccessCost> last_shared_;
  std::uint64_t shared_place_ = 0;
  std::array<std::uint32_t, warp_lanes> shared_shape_{};
};

}  // namespace tilecast::sass
