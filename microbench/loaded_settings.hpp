#pragma once
// How the streams of the loaded-latency probe are throttled. Pure; tested without a GPU.

#include <cstddef>
#include <vector>

#include "microbench/probes/params.hpp"

namespace tilecast {

struct StreamSetting {
  int loads = 1;       // 16-byte loads that a thread keeps in flight: 1, 2 or 4
  int warps = 1;       // a SM
  unsigned pause = 0;  // cycles that a warp waits before each batch
  bool streams = true;

  double bytes_in_flight(int sms) const;  // nominal; 0 without streams
};

// By growing load: none; one warp with pauses; then 512 bytes to 64 KiB in flight on each SM.
std::vector<StreamSetting> loaded_settings(bool quick);

// How `blocks` blocks, one a SM, cover `vectors` 16-byte vectors: together, each batch once a round (DRAM,
// where what one block brought into L2 is of no use to another), beginning at `start`; or each round and
// round in a part of its own (L2: no block reads what its neighbours just read). Throws Error when the
// blocks' batches are more than the memory, or a block's than its part.
enum class StreamCover { together, parts };
LoadedWalk loaded_walk(const StreamSetting& setting, StreamCover cover, std::size_t blocks,
                       std::size_t vectors, std::size_t start);

}  // namespace tilecast
