#pragma once
// Several channels: the stride-fixed block method. One SM loads S bytes along the channels of each of M'
// filters, and W'x pixels on W'y lines of the map. Section 3.2 of the paper.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/paper/device_constants.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast::paper {

struct Block {
  std::int64_t S = 32;         // bytes along the channels
  std::int64_t M_tile = 1;     // M'
  std::int64_t Wx_tile = 128;  // W'x, pixels: a multiple of 32 (128 bytes)
};

std::int64_t lines(std::int64_t S, std::int64_t K);  // W'y, P11
// The bound of M', not yet an integer: P12.
double m_tile_bound(const DeviceConstants& device, std::int64_t S, std::int64_t Wx_tile);
// The same as an integer under the rounding of `quirks`, at least 1.
std::int64_t m_tile_needed(const DeviceConstants& device, const Quirks& quirks, std::int64_t S,
                           std::int64_t Wx_tile);
// What one data set takes: the left side of P13, in the unit that `quirks` gives the map.
Bytes block_data(const Block& block, std::int64_t K, const Quirks& quirks);
Bytes block_capacity(const DeviceConstants& device);  // S_shared / 2: double buffering
double block_fmas(const Block& block);                // S / 4 x M' x W'x

// S, W'x from `quirks`, the smallest M' that hides the latency, but no more than M. P14.
Block choose_block(const ConvShape& shape, const DeviceConstants& device, const Quirks& quirks);

// Every block that is listed: S of 32, 64 and 128 bytes; every M' up to M; W'x in steps of 128 bytes up to
// the map's width, and at least up to 128 pixels or the chosen W'x.
std::vector<Block> all_blocks(const ConvShape& shape, const Quirks& quirks);

// The four ways to divide the data over SMs (their Fig. 2 b to e), and why one is not taken. P15.
struct Division {
  std::string_view name;  // "channels", "filters", "maps", "filters and maps"
  bool accepted = false;
  std::string reason;
};
std::vector<Division> divisions(const ConvShape& shape, const DeviceConstants& device, const Quirks& quirks);

}  // namespace tilecast::paper
