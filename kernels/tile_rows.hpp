#pragma once
// Sectors and lines that two tiles, two stores of one tile or two steps of one block share (EQUATIONS.md A4,
// A5).

#include <cstdint>
#include <optional>

#include "model/workload/kernel_description.hpp"

namespace tilecast {

// A tile of an output whose rows follow each other without a gap, as its block stores it.
struct TileRows {
  std::int64_t row = 0;      // words of the output's row
  std::int64_t starts = 0;   // in a row tiles and stores begin at multiples of so many words; 0: of a line
  std::int64_t columns = 0;  // words of it that a tile has
  double span = 32;          // words that a store, or several right behind each other, fill
  double joined = 0;         // of a tile's lines that two of these fill, the share that comes at once
  double tile_bytes = 0;     // that a block stores
  // Of those, what it stores between two of these side by side; nullopt: one comes right behind the other.
  std::optional<double> between_stores;
  double blocks_to_next = 1;  // in the grid's order, to the tile beside it
};

// Says of `written` what is stored in halves, and which lines come in parts.
void split_rows(Stream& written, const TileRows& tile);

// Of an output stored `span` words side by side at a time, each of which begins a multiple of `starts` words
// from the output's begin: the share of the lines that two of these have parts of.
double lines_apart(std::int64_t starts, double span);

// What a block asks L2 for of rows of `row` words, one behind the other, of which it reads `span` words a
// step, in what they hold: a sector that two steps have parts of twice, unless L1 still has it after `lines`
// others.
double asked_in_steps(std::int64_t row, double span, double lines);

}  // namespace tilecast
