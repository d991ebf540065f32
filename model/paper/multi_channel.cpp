#include "model/paper/multi_channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilecast::paper {
namespace {

constexpr std::int64_t wx_step = 32;         // 128 bytes of pixels
constexpr std::int64_t listed_wx_min = 128;  // the paper's W'x is always listed

}  // namespace

std::int64_t lines(std::int64_t S, std::int64_t K) {
  return (S + 4 * K - 1) / (4 * K);
}

double m_tile_bound(const DeviceConstants& device, std::int64_t S, std::int64_t Wx_tile) {
  return 4 * device.n_fma / (static_cast<double>(S) * static_cast<double>(Wx_tile));
}

std::int64_t m_tile_needed(const DeviceConstants& device, const Quirks& quirks, std::int64_t S,
                           std::int64_t Wx_tile) {
  const double bound = m_tile_bound(device, S, Wx_tile);
  const double rounded = quirks.m_tile_rounding == MTileRounding::down ? std::floor(bound) : std::ceil(bound);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(rounded));
}

Bytes block_data(const Block& block, std::int64_t K, const Quirks& quirks) {
  const double map_unit = quirks.map_unit == MapUnit::pixels ? 1 : 4;
  return Bytes{static_cast<double>(block.S) * static_cast<double>(block.M_tile) +
               map_unit * static_cast<double>(lines(block.S, K)) * static_cast<double>(block.Wx_tile)};
}

Bytes block_capacity(const DeviceConstants& device) {
  return device.shared_per_sm / 2;
}

double block_fmas(const Block& block) {
  return static_cast<double>(block.S) / 4 * static_cast<double>(block.M_tile) *
         static_cast<double>(block.Wx_tile);
}

Block choose_block(const ConvShape& shape, const DeviceConstants& device, const Quirks& quirks) {
  const auto needed = m_tile_needed(device, quirks, quirks.segment_bytes, quirks.wx_tile);
  return {quirks.segment_bytes, std::min(needed, shape.M), quirks.wx_tile};
}

std::vector<Block> all_blocks(const ConvShape& shape, const Quirks& quirks) {
  const auto width = (shape.W + wx_step - 1) / wx_step * wx_step;
  const auto widest = std::max({width, listed_wx_min, quirks.wx_tile});
  std::vector<Block> blocks;
  blocks.reserve(static_cast<std::size_t>(3 * shape.M * (widest / wx_step)));
  for (const std::int64_t S : {32, 64, 128}) {
    for (std::int64_t Wx = wx_step; Wx <= widest; Wx += wx_step) {
      for (std::int64_t M = 1; M <= shape.M; ++M)
        blocks.push_back({S, M, Wx});
    }
  }
  return blocks;
}

std::vector<Division> divisions(const ConvShape& s, const DeviceConstants& device, const Quirks& quirks) {
  const double all_shared = static_cast<double>(device.sm_count) * device.shared_per_sm.value();
  const double filter_bytes = 4 * static_cast<double>(s.filter_elements());
  const double map_bytes = 4 * static_cast<double>(s.input_elements());
  const auto channels = (s.C + device.sm_count - 1) / device.sm_count;  // C'
  const double sum_bytes =
      4.0 * static_cast<double>(s.W) * static_cast<double>(s.H) * static_cast<double>(channels);
  const bool split = quirks.channel_split == ChannelSplit::clusters && device.clusters;

  Division by_channels{"channels", split, ""};
  if (!split) {
    by_channels.reason = fmt::format("{:.0f} B of partial sums pass through global memory", sum_bytes);
    if (quirks.channel_split == ChannelSplit::clusters)
      by_channels.reason += ": this GPU has no thread-block clusters";
  }
  const auto cached = [&](std::string_view name, double bytes) {
    Division d{name, bytes < all_shared, ""};
    if (!d.accepted)
      d.reason = fmt::format("{:.0f} B exceed the shared memory of all SMs, {:.0f} B", bytes, all_shared);
    return d;
  };
  return {by_channels,
          cached("filters", filter_bytes),
          cached("maps", map_bytes),
          {"filters and maps", true, ""}};
}

}  // namespace tilecast::paper
