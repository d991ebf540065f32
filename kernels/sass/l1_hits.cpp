#include "kernels/sass/l1_hits.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace tilecast::sass {
namespace {

constexpr std::uint64_t sectors_per_line = 4;
constexpr double line_bytes = 128;

// Sets of 16 lines, the least recently used out first: close to a cache without sets. Sets by a
// multiplicative hash (Knuth), so that strides of tensors do not meet in one.
class Cache {
 public:
  explicit Cache(double bytes)
      : sets_(std::max<std::size_t>(1, static_cast<std::size_t>(bytes / line_bytes) / ways)) {}

  enum class Found : std::uint8_t { no, under_way, yes };

  std::uint64_t lines() const { return lines_; }  // that have found a place (S4)

  // Whether the sector was there; it is afterwards.
  Found touch(std::uint64_t sector, int epoch) {
    const auto line = sector / sectors_per_line;
    const auto bit = static_cast<std::uint8_t>(1U << sector % sectors_per_line);
    auto& set = sets_[(line * 0x9E3779B97F4A7C15ULL >> 32) % sets_.size()];
    auto* oldest = set.data();
    ++now_;
    for (auto& entry : set) {
      if (entry.used != 0 && entry.line == line) {
        const bool there = (entry.sectors & bit) != 0;
        auto& asked = entry.asked[sector % sectors_per_line];
        const bool old = there && asked != epoch;
        if (!there) asked = epoch;
        entry.sectors |= bit;
        entry.used = now_;
        return old ? Found::yes : there ? Found::under_way : Found::no;
      }
      if (entry.used < oldest->used) oldest = &entry;
    }
    *oldest = {line, now_, bit, {}};
    ++lines_;
    oldest->asked[sector % sectors_per_line] = epoch;
    return Found::no;
  }

 private:
  static constexpr std::size_t ways = 16;
  struct Entry {
    std::uint64_t line = 0, used = 0;  // 0: empty
    std::uint8_t sectors = 0;
    std::array<int, sectors_per_line> asked{};  // in which epoch each sector was
  };
  std::vector<std::array<Entry, ways>> sets_;
  std::uint64_t now_ = 0, lines_ = 0;
};

}  // namespace

L1Hits l1_hits(const std::vector<LoadLog>& warps, std::size_t instructions, double bytes) {
  L1Hits hits{std::vector<double>(instructions), std::vector<double>(instructions),
              std::vector<double>(instructions)};
  std::vector<double> asked(instructions), accesses(instructions);
  int end = std::numeric_limits<int>::max();
  for (const auto& log : warps) {
    if (log.full() && !log.accesses.empty()) end = std::min(end, log.accesses.back().epoch);
  }
  Cache cache(bytes);
  std::vector<std::size_t> next(warps.size());
  const auto epoch_of = [&](std::size_t w) {
    return next[w] < warps[w].accesses.size() ? warps[w].accesses[next[w]].epoch
                                              : std::numeric_limits<int>::max();
  };
  for (;;) {
    int epoch = std::numeric_limits<int>::max();
    for (std::size_t w = 0; w < warps.size(); ++w)
      epoch = std::min(epoch, epoch_of(w));
    if (epoch == std::numeric_limits<int>::max() || epoch > end) break;
    for (std::size_t w = 0; w < warps.size(); ++w) {
      if (epoch_of(w) != epoch) continue;
      const auto& access = warps[w].accesses[next[w]++];
      const auto i = static_cast<std::size_t>(access.instruction);
      const auto lines = cache.lines();
      for (std::uint32_t s = 0; s < access.count; ++s) {
        const auto found = cache.touch(warps[w].sectors[access.first + s], epoch);
        hits.found[i] += found != Cache::Found::no ? 1 : 0;
        hits.under_way[i] += found == Cache::Found::under_way ? 1 : 0;
      }
      asked[i] += access.count;
      hits.new_lines[i] += static_cast<double>(cache.lines() - lines);
      ++accesses[i];
    }
  }
  for (std::size_t i = 0; i < instructions; ++i) {
    hits.found[i] = asked[i] > 0 ? hits.found[i] / asked[i] : 0;
    hits.under_way[i] = asked[i] > 0 ? hits.under_way[i] / asked[i] : 0;
    hits.new_lines[i] = accesses[i] > 0 ? hits.new_lines[i] / accesses[i] : 0;
  }
  return hits;
}

}  // namespace tilecast::sass
