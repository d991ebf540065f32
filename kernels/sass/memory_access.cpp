#include "kernels/sass/memory_access.hpp"

#include <algorithm>
#include <utility>

namespace tilecast::sass {
namespace {

constexpr int banks = 32, bank_bytes = 4, sector_bytes = 32;

// The most distinct words in a bank, of lanes [first, first + count). Vectors are aligned: lanes share all
// their words or none, so that first words are enough.
int pass_wavefronts(const Addresses& addresses, LaneMask lanes, int first, int count) {
  std::array<std::uint64_t, warp_lanes> seen;
  std::array<std::uint8_t, banks> in_bank{};
  std::size_t distinct = 0;
  int most = 0;
  for (int lane = first; lane < first + count; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    const auto word = addresses[static_cast<std::size_t>(lane)] / bank_bytes;
    const auto end = seen.begin() + static_cast<std::ptrdiff_t>(distinct);
    if (std::find(seen.begin(), end, word) != end) continue;
    seen[distinct++] = word;
    most = std::max<int>(most, ++in_bank[word % banks]);
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
  if (bytes <= bank_bytes) return pass_wavefronts(addresses, lanes, 0, warp_lanes);
  const int part = warp_lanes * bank_bytes / bytes;  // lanes whose words fill the banks once
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

int touched_sectors(const Addresses& addresses, LaneMask lanes, int bytes) {
  std::array<std::uint64_t, 2 * warp_lanes> sectors;
  std::size_t count = 0;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    sectors[count++] = addresses[lane] / sector_bytes;
    const auto last = (addresses[lane] + static_cast<std::uint64_t>(bytes) - 1) / sector_bytes;
    if (last != sectors[count - 1]) sectors[count++] = last;
  }
  const auto end = sectors.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(sectors.begin(), end);
  return static_cast<int>(std::unique(sectors.begin(), end) - sectors.begin());
}

CopyCost async_copy_cost(const Addresses& shared, const Addresses& global, LaneMask lanes, int bytes,
                         bool bypass) {
  CopyCost cost{.sectors = touched_sectors(global, lanes, bytes)};
  const int part = warp_lanes * bank_bytes / std::max(bytes, bank_bytes);
  for (int first = 0; first < warp_lanes; first += part) {
    const int writes = pass_wavefronts(shared, lanes, first, part);
    const int reads = pass_wavefronts(global, lanes, first, part);
    if (writes == 0) continue;  // no lane of this part
    if (!bypass) {
      cost.wavefronts += reads + writes - 1;
      continue;
    }
    bool same_place = true;
    for (int lane = first; lane < first + part; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      same_place = same_place && (!(lanes >> lane & 1) || (shared[at] - global[at]) % sector_bytes == 0);
    }
    cost.wavefronts += (same_place ? 2 : 4) * writes;
  }
  if (bypass) {
    // Lines of shared memory that a sector goes to.
    std::array<std::pair<std::uint64_t, std::uint64_t>, warp_lanes> pairs;
    std::size_t count = 0;
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
      if (lanes >> lane & 1)
        pairs[count++] = {global[lane] / sector_bytes, shared[lane] / (banks * bank_bytes)};
    }
    const auto end = pairs.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(pairs.begin(), end);
    cost.sectors = static_cast<int>(std::unique(pairs.begin(), end) - pairs.begin());
  }
  return cost;
}

}  // namespace tilecast::sass
