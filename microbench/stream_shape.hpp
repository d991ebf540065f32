#pragma once
// How a stream covers memory: pure, tested without a GPU.

#include <cstddef>

#include "microbench/probes/params.hpp"

namespace tilecast {

enum class StreamMode { read = 0, write = 1, copy = 2 };

struct StreamShape {
  StreamMode mode = StreamMode::read;
  int loads = 4;           // 16-byte accesses that a thread keeps in flight
  int warps_per_sm = 32;   // at most 32 a block
  int blocks_per_sm = 1;   // a divisor of warps_per_sm
  int active_sms = 0;      // 0: all
  bool fenced = false;     // writes: each batch is waited for
  bool same_data = false;  // each block walks through the whole footprint, not through a share of its own

  double bytes_in_flight(int sms) const;
};

// Footprints and starting points are multiples of this, so that a batch of any shape ends inside.
constexpr std::size_t stream_vector_bytes = 16, stream_granule_vectors = 256;

// Where each block begins and how it goes on; `cycles`, `active_sms` and `never` are left to the caller.
// `vectors` and `start` are multiples of the granule. Throws Error when one round of all blocks is more than
// the footprint.
StreamParams stream_params(const StreamShape& shape, std::size_t blocks, std::size_t warps_per_block,
                           std::size_t vectors, std::size_t start);

// Where the next run begins when the busiest warp of this one did `batches`.
std::size_t next_start(const StreamParams& params, unsigned long long batches);

}  // namespace tilecast
