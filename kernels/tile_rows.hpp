#pragma once
// Sectors of an output that two tiles, or two stores of one tile, share (EQUATIONS.md A5).

#include <cstdint>

#include "model/workload/kernel_description.hpp"

namespace tilecast {

// A tile of an output whose rows follow each other without a gap, as its block stores it.
struct TileRows {
  std::int64_t row = 0;       // words of the output's row
  std::int64_t columns = 0;   // words of it that a tile has
  double span = 32;           // words that a store, or several right behind each other, fill
  double tile_bytes = 0;      // that a block stores
  double blocks_to_next = 1;  // in the grid's order, to the tile beside it
};

// Says of `written` what is stored in halves.
void split_rows(Stream& written, const TileRows& tile);

}  // namespace tilecast
