#include "kernels/sass/memory_access.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "model/units/hardware_sizes.hpp"

namespace tilecast::sass {
namespace {

// The most distinct words in a bank, of lanes [first, first + count), as a word is broadcast. Vectors are
// aligned: lanes share all their words or none, so that first words are enough.
int pass_wavefronts(const Addresses& addresses, LaneMask lanes, int first, int count) {
  std::array<std::uint64_t, warp_lanes> seen;
  std::array<std::uint8_t, shared_banks> in_bank{};
  std::size_t distinct = 0;
  int most = 0;
  for (int lane = first; lane < first + count; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    const auto word = addresses[static_cast<std::size_t>(lane)] / word_bytes;
    const auto end = seen.begin() + static_cast<std::ptrdiff_t>(distinct);
    if (std::find(seen.begin(), end, word) != end) continue;
    seen[distinct++] = word;
    most = std::max<int>(most, ++in_bank[word % shared_banks]);
  }
  return most;
}

// Every lane of [first, first + count) has the address of the lane whose number differs in `bit`.
bool neighbours_share(const Addresses& addresses, LaneMask lanes, int first, int count, int bit) {
  for (int lane = first; lane < first + count; ++lane) {
    const int other = lane ^ bit;
    if ((lanes >> lane & 1) != (lanes >> other & 1)) return false;
    if ((lanes >> lane & 1) &&
        addresses[static_cast<std::size_t>(lane)] != addresses[static_cast<std::size_t>(other)])
      return false;
  }
  return true;
}

}  // namespace

int shared_wavefronts(const Addresses& addresses, LaneMask lanes, int bytes) {
  if (bytes <= word_bytes) return pass_wavefronts(addresses, lanes, 0, warp_lanes);
  const int part = warp_lanes * word_bytes / bytes;  // lanes whose words fill the banks once
  int total = 0;
  for (int first = 0; first < warp_lanes; first += 2 * part) {
    const bool share = neighbours_share(addresses, lanes, first, 2 * part, 1) ||
                       neighbours_share(addresses, lanes, first, 2 * part, 2);
    if (share && pass_wavefronts(addresses, lanes, first, 2 * part) <= 1) {
      total += pass_wavefronts(addresses, lanes, first, 2 * part);
    } else {
      total += pass_wavefronts(addresses, lanes, first, part) +
               pass_wavefronts(addresses, lanes, first + part, part);
    }
  }
  return total;
}

namespace {

int touched(const Addresses& addresses, LaneMask lanes, int bytes, std::uint64_t size) {
  std::array<std::uint64_t, 2 * warp_lanes> places;
  std::size_t count = 0;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    places[count++] = addresses[lane] / size;
    const auto last = (addresses[lane] + static_cast<std::uint64_t>(bytes) - 1) / size;
    if (last != places[count - 1]) places[count++] = last;
  }
  const auto end = places.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(places.begin(), end);
  return static_cast<int>(std::unique(places.begin(), end) - places.begin());
}

}  // namespace

int touched_sectors(const Addresses& addresses, LaneMask lanes, int bytes) {
  return touched(addresses, lanes, bytes, sector_bytes);
}

int touched_lines(const Addresses& addresses, LaneMask lanes, int bytes) {
  return touched(addresses, lanes, bytes, line_bytes);
}

// Lanes that store to one sector store different bytes, and none to two: addresses are multiples of the
// width.
int partial_lines(const Addresses& addresses, LaneMask lanes, int bytes) {
  std::array<std::uint64_t, warp_lanes> sectors;
  std::size_t count = 0;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    if (lanes >> lane & 1) sectors[count++] = addresses[lane] / sector_bytes;
  }
  const auto end = sectors.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(sectors.begin(), end);
  int partial = 0;
  std::optional<std::uint64_t> counted;
  for (auto at = sectors.begin(); at != end;) {
    const auto line = *at / sectors_per_line;
    const auto next = std::find_if(at, end, [&](std::uint64_t s) { return s != *at; });
    if ((next - at) * bytes < sector_bytes && counted != line) {
      ++partial;
      counted = line;
    }
    at = next;
  }
  return partial;
}

int lone_sectors(const Addresses& addresses, LaneMask lanes, int bytes) {
  std::array<std::uint64_t, warp_lanes> sectors;
  std::size_t count = 0;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    if (lanes >> lane & 1) sectors[count++] = addresses[lane] / sector_bytes;
  }
  const auto end = sectors.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(sectors.begin(), end);
  int lone = 0;
  for (auto at = sectors.begin(); at != end;) {
    const auto line = *at / sectors_per_line;
    const auto next = std::find_if(at, end, [&](std::uint64_t s) { return s / sectors_per_line != line; });
    const bool one = *at == *(next - 1);
    lone += one && (next - at) * bytes == sector_bytes ? 1 : 0;
    at = next;
  }
  return lone;
}

namespace {

CopyCost bypassing_copy_cost(const Addresses& shared, const Addresses& global, LaneMask lanes,
                             LaneMask present) {
  constexpr std::uint64_t copy_bytes = 16;
  // Of each lane: its global line, its shared line, which half of its sector it is where source and target
  // differ in their place within a sector, and its source.
  std::array<std::array<std::uint64_t, 4>, warp_lanes> writes;
  std::array<std::array<std::uint64_t, 2>, warp_lanes> reads;
  std::size_t count = 0, reading = 0;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    const bool shifted = (shared[lane] - global[lane]) % sector_bytes != 0;
    const std::uint64_t half = shifted ? 1 + global[lane] % sector_bytes / (sector_bytes / 2) : 0;
    const bool zero = (present >> lane & 1) == 0;
    writes[count++] = {global[lane] / line_bytes, shared[lane] / line_bytes, half,
                       zero ? lane : global[lane] / copy_bytes};
    if (!zero) reads[reading++] = {global[lane] / sector_bytes, shared[lane] / line_bytes};
  }
  // A wavefront takes each source once.
  const auto end = writes.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(writes.begin(), end);
  CopyCost cost;
  for (auto at = writes.begin(); at != end;) {
    const auto same = [&](std::size_t parts) {
      return [=](const auto& w) { return !std::equal(w.begin(), w.begin() + parts, at->begin()); };
    };
    const auto next = std::find_if(at, end, same(3));
    int most = 0;
    for (; at != next;) {
      const auto other = std::find_if(at, next, same(4));
      most = std::max(most, static_cast<int>(other - at));
      at = other;
    }
    cost.wavefronts += most;
  }
  const auto last = reads.begin() + static_cast<std::ptrdiff_t>(reading);
  std::sort(reads.begin(), last);
  for (auto at = reads.begin(); at != last;) {
    const auto next = std::find_if(at, last, [&](const auto& r) { return r != *at; });
    cost.sectors += static_cast<int>(next - at + 1) / 2;
    at = next;
  }
  return cost;
}

// S4. Through L1, of some lanes. Each turn of a bank of L1 hands on one lane's words, in the lanes' order;
// each bank of shared memory writes one word a turn, from the turn on in which it is there. First words are
// enough, as above. Zeros are there from the first turn on.
int copied_wavefronts(const Addresses& shared, const Addresses& global, LaneMask lanes, LaneMask present,
                      int first, int count) {
  std::array<std::uint8_t, shared_banks> read{}, written{};
  std::array<std::uint64_t, warp_lanes> seen;
  std::size_t distinct = 0;
  int last = 0;
  for (int lane = first; lane < first + count; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    const auto from = global[static_cast<std::size_t>(lane)] / word_bytes % shared_banks;
    const int turn = (present >> lane & 1) != 0 ? ++read[from] : 1;
    last = std::max(last, turn);
    const auto word = shared[static_cast<std::size_t>(lane)] / word_bytes;
    const auto end = seen.begin() + static_cast<std::ptrdiff_t>(distinct);
    if (std::find(seen.begin(), end, word) != end) continue;
    seen[distinct++] = word;
    auto& bank = written[word % shared_banks];
    bank = static_cast<std::uint8_t>(std::max<int>(bank + 1, turn));
    last = std::max<int>(last, bank);
  }
  return last;
}

int wavefronts_by_line(const Addresses& shared, const Addresses& global, LaneMask lanes, LaneMask present,
                       int first, int count) {
  const auto line = [&](int lane) { return global[static_cast<std::size_t>(lane)] / line_bytes; };
  int total = 0;
  for (LaneMask left = lanes & (((LaneMask{2} << (count - 1)) - 1) << first); left != 0;) {
    const int leader = std::countr_zero(left);
    LaneMask same = 0;
    for (int lane = leader; lane < first + count; ++lane) {
      if (left >> lane & 1 && line(lane) == line(leader)) same |= LaneMask{1} << lane;
    }
    total += copied_wavefronts(shared, global, same, same & present, first, count);
    left &= ~same;
  }
  return total;
}

}  // namespace

CopyCost async_copy_cost(const Addresses& shared, const Addresses& global, LaneMask lanes, LaneMask present,
                         int bytes, CopyKind kind) {
  CopyCost cost;
  if (kind != CopyKind::through_l1) cost = bypassing_copy_cost(shared, global, lanes, present);
  if (kind == CopyKind::through_l1) cost.sectors = touched_sectors(global, present, bytes);
  if (kind == CopyKind::past_l1) return cost;
  const int part = warp_lanes * word_bytes / std::max(bytes, word_bytes);
  for (int first = 0; first < warp_lanes; first += part) {
    if (kind != CopyKind::through_l1) {
      cost.wavefronts += pass_wavefronts(shared, lanes, first, part);
      continue;
    }
    cost.wavefronts += copied_wavefronts(shared, global, lanes, present, first, part);
    cost.written += pass_wavefronts(shared, lanes, first, part);
    cost.by_line += wavefronts_by_line(shared, global, lanes, present, first, part);
  }
  return cost;
}

}  // namespace tilecast::sass
