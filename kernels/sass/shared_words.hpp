#pragma once
// Words of a block's shared memory whose values can be calculated, as of a table of places that one warp
// writes and all read. Warps are executed one after the other, each from its beginning to its end: so each
// write is kept with the barriers that its warp had passed, and a warp reads what was written before as many.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilecast::sass {

class SharedWords {
 public:
  // `epoch`: block-wide barriers that the warp has passed; warps write in their order. nullopt: not known.
  void write(std::uint32_t address, int warp, int epoch, std::optional<std::uint32_t> value) {
    low_ = std::min(low_, address);
    high_ = std::max(high_, address);
    words_[address].push_back({epoch, warp, value});
  }

  // A store whose values are not calculated.
  void lose(std::uint32_t address, int warp, int epoch) {
    if (address < low_ || address > high_) return;
    if (words_.contains(address)) write(address, warp, epoch, std::nullopt);
  }
  // One that may have gone anywhere.
  void lose_all() { words_.clear(); }

  // Whether anything is kept of this word.
  bool has(std::uint32_t address) const {
    return address >= low_ && address <= high_ && words_.contains(address);
  }

  // The last value that the warp itself wrote, or another one in an earlier epoch. nullopt: not known, or
  // only warps write it that are executed later.
  std::optional<std::uint32_t> read(std::uint32_t address, int warp, int epoch) const {
    const auto found = words_.find(address);
    if (found == words_.end()) return std::nullopt;
    const Write* last = nullptr;
    // Each warp's epochs ascend: of the last warp's by halves, as nearly always all are one warp's.
    const auto& writes = found->second;
    auto end = writes.end();
    while (end != writes.begin()) {
      const int writer = std::prev(end)->warp;
      auto begin = writes.begin();
      if (begin->warp != writer)
        begin = std::find_if(std::make_reverse_iterator(end), writes.rend(), [&](const Write& w) {
                  return w.warp != writer;
                }).base();
      const int until = writer == warp ? epoch : epoch - 1;
      const auto after =
          std::upper_bound(begin, end, until, [](int e, const Write& w) { return e < w.epoch; });
      if (after != begin && (!last || std::prev(after)->epoch > last->epoch)) last = &*std::prev(after);
      end = begin;
    }
    return last ? last->value : std::nullopt;
  }

 private:
  struct Write {
    int epoch = 0, warp = 0;
    std::optional<std::uint32_t> value;
  };
  std::unordered_map<std::uint32_t, std::vector<Write>> words_;
  std::uint32_t low_ = std::numeric_limits<std::uint32_t>::max(), high_ = 0;
};

}  // namespace tilecast::sass
