#pragma once
// S6, S13. What a block's stores to global memory have to do with each other.

#include <cstddef>
#include <optional>
#include <vector>

#include "kernels/sass/execute.hpp"

namespace tilecast::sass {

// The pieces that these ranges fill together, in order.
std::vector<ByteRange> pieces_of(std::vector<ByteRange> ranges);

double total_length(const std::vector<ByteRange>& pieces);  // bytes

// Bytes; nullopt without pieces.
std::optional<double> mean_length(const std::vector<ByteRange>& pieces);

// Of the pieces that are filled at about the same time: by a warp's stores right behind each other, and by
// the same ones of all warps. `stored`: of the block's warps in order, up to `ends`.
std::optional<double> mean_run(const std::vector<ByteRange>& stored, const std::vector<std::size_t>& ends);

// Of the sectors that its stores touch, one by one, those that another store of the block touches, too, and
// those of local memory, which another block has stored to in this one's place.
double share_stored_again(const std::vector<ByteRange>& pieces, const Counts& counts, const Program& program);

// By instruction, what a store's packets (S6) are fewer by, on average, if the line that it begins with is
// sent together with what was stored there before: `behind` by the same store of the warp before, `around` by
// the last warp's store before this one of the first warp.
struct JoinedLines {
  std::vector<double> behind, around;
};
JoinedLines joined_lines(const std::vector<ByteRange>& stored, const std::vector<std::size_t>& ends,
                         std::size_t instructions);

// By instruction, the packets that all its stores are fewer by because they begin where the warp's store
// right before ended: a line that both fill is sent once, however long after. Of stores of up to 128 bytes.
std::vector<double> joined_after(const std::vector<ByteRange>& stored, const std::vector<std::size_t>& ends,
                                 std::size_t instructions);

}  // namespace tilecast::sass
