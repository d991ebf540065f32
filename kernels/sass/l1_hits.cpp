#include "kernels/sass/l1_hits.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "model/units/hardware_sizes.hpp"

namespace tilecast::sass {
namespace {

// Hash that selects a line's set, as good as random (the finalizer of MurmurHash3).
std::uint64_t scattered(std::uint64_t line) {
  line = (line ^ line >> 33) * 0xff51afd7ed558ccdULL;
  line = (line ^ line >> 33) * 0xc4ceb9fe1a85ec53ULL;
  return line ^ line >> 33;
}

// S15. L1: sets of four lines of four sectors each, LRU.
class Cache {
 public:
  explicit Cache(const L1Room& room)
      : sets_(std::max<std::size_t>(1, static_cast<std::size_t>(room.bytes / line_bytes) / ways)),
        at_once_(lines_at_once(room)) {}

  enum class Found : std::uint8_t { no, under_way, yes };

  // S4. Lines that needed a place so far: a sector missed while none of the line was under way.
  std::uint64_t lines() const { return lines_; }

  // Whether the sector was there; afterwards it is.
  Found touch(std::uint64_t sector, int epoch) {
    const auto line = sector / sectors_per_line;
    const auto bit = static_cast<std::uint8_t>(1U << sector % sectors_per_line);
    auto& set = sets_[scattered(line) % sets_.size()];
    auto* oldest = set.data();
    ++now_;
    for (auto& entry : set) {
      if (entry.used != 0 && entry.line == line) {
        entry.used = now_;
        auto& asked = entry.asked[sector % sectors_per_line];
        if ((entry.sectors & bit) != 0) return asked != epoch ? Found::yes : Found::under_way;
        // A new place where the line's earlier sectors have come: in an epoch before, or by lines asked for
        // since.
        if (entry.epoch != epoch || static_cast<double>(lines_ - entry.place) >= at_once_)
          entry.place = ++lines_;
        entry.sectors |= bit;
        asked = entry.epoch = epoch;
        return Found::no;
      }
      if (entry.used < oldest->used) oldest = &entry;
    }
    *oldest = {line, now_, bit, ++lines_, epoch, {}};
    oldest->asked[sector % sectors_per_line] = epoch;
    return Found::no;
  }

 private:
  static constexpr std::size_t ways = 4;
  struct Entry {
    std::uint64_t line = 0, used = 0;  // 0: empty
    std::uint8_t sectors = 0;
    std::uint64_t place = 0;                    // lines() when it took its place
    int epoch = 0;                              // in which a sector was last asked for,
    std::array<int, sectors_per_line> asked{};  // and by sector
  };
  std::vector<std::array<Entry, ways>> sets_;
  std::uint64_t now_ = 0, lines_ = 0;
  double at_once_;
};

// The next access of a block: a warp, and the access in its log.
struct Step {
  std::size_t warp = 0, access = 0;
};

std::vector<Step> in_order(const std::vector<LoadLog>& warps) {
  int end = std::numeric_limits<int>::max();
  for (const auto& log : warps) {
    if (log.full() && !log.accesses.empty()) end = std::min(end, log.accesses.back().epoch);
  }
  std::vector<Step> steps;
  std::vector<std::size_t> next(warps.size());
  const auto epoch_of = [&](std::size_t w) {
    return next[w] < warps[w].accesses.size() ? warps[w].accesses[next[w]].epoch
                                              : std::numeric_limits<int>::max();
  };
  for (;;) {
    int epoch = std::numeric_limits<int>::max();
    for (std::size_t w = 0; w < warps.size(); ++w)
      epoch = std::min(epoch, epoch_of(w));
    if (epoch == std::numeric_limits<int>::max() || epoch > end) return steps;
    for (std::size_t w = 0; w < warps.size(); ++w) {
      if (epoch_of(w) == epoch) steps.push_back({w, next[w]++});
    }
  }
}

std::size_t distinct_lines(std::vector<std::uint64_t> sectors) {
  for (auto& sector : sectors)
    sector /= sectors_per_line;
  std::ranges::sort(sectors);
  return sectors.size() - std::ranges::unique(sectors).size();
}

// Sector numbers have fewer bits; the bits above tell blocks' data apart.
constexpr int block_bits = 57;

}  // namespace

double lines_at_once(const L1Room& room) {
  // H200: with 28 KB (224 lines), a line arrives every 1.85 to 1.96 cycles, at a latency of 370 cycles
  // (experiments/row_copies.csv).
  constexpr double under_way = 0.9;
  return under_way * room.bytes / line_bytes;
}

L1Hits l1_hits(const std::vector<LoadLog>& warps, std::size_t instructions, const L1Room& room) {
  L1Hits hits{std::vector<double>(instructions), std::vector<double>(instructions),
              std::vector<double>(instructions)};
  std::vector<double> asked(instructions), touched(instructions);
  const auto steps = in_order(warps);
  Cache cache(room);
  const auto blocks = static_cast<std::size_t>(std::max(1, room.blocks));
  for (std::size_t n = 0; n < steps.size(); ++n) {
    // The SM's other blocks (b > 0) are equally far ahead; a new one follows each that ends. Only block 0
    // counts.
    for (std::size_t b = blocks; b-- > 0;) {
      const auto place = n + b * steps.size() / blocks;
      const auto block = place < steps.size() ? b : b + blocks;
      const auto& step = steps[place % steps.size()];
      const auto& log = warps[step.warp];
      const auto& access = log.accesses[step.access];
      const auto lines = cache.lines();
      double found = 0, under_way = 0;
      for (std::uint32_t s = 0; s < access.count; ++s) {
        const auto sector = log.sectors[access.first + s] | static_cast<std::uint64_t>(block) << block_bits;
        const auto how = cache.touch(sector, access.epoch);
        found += how != Cache::Found::no ? 1 : 0;
        under_way += how == Cache::Found::under_way ? 1 : 0;
      }
      if (b > 0) continue;
      const auto i = static_cast<std::size_t>(access.instruction);
      hits.found[i] += found;
      hits.under_way[i] += under_way;
      asked[i] += access.count;
      hits.new_lines[i] += static_cast<double>(cache.lines() - lines);
      const auto* const first = log.sectors.data() + access.first;
      touched[i] += static_cast<double>(distinct_lines({first, first + access.count}));
    }
  }
  for (std::size_t i = 0; i < instructions; ++i) {
    hits.found[i] = asked[i] > 0 ? hits.found[i] / asked[i] : 0;
    hits.under_way[i] = asked[i] > 0 ? hits.under_way[i] / asked[i] : 0;
    hits.new_lines[i] = touched[i] > 0 ? hits.new_lines[i] / touched[i] : 0;
  }
  return hits;
}

}  // namespace tilecast::sass
