#pragma once
// How a stream covers memory: pure, tested without a GPU.

#include <cstddef>

#include "microbench/probes/params.hpp"

namespace tilecast {

enum class StreamMode { read = 0, write = 1, copy = 2 };

// What brings the bytes: a load into registers, cp.async into shared memory (sm_80), or a bulk copy into
// shared memory that one thread of a warp asks for (sm_90).
enum class StreamMechanism { plain, cp_async, bulk };

// Where the blocks walk. `shares`: all together, each batch once a round. `same_data`: each through the whole
// footprint, from a place of its own, one after the other at the same pace, so that a block may follow in the
// steps of another. `scattered`: likewise, but by steps of different length, so that none follows another.
// `private_part`: each round and round in a part of its own.
enum class StreamWalk { shares, same_data, scattered, private_part };

struct StreamShape {
  StreamMode mode = StreamMode::read;
  int loads = 4;          // accesses that a thread (bulk: a warp) keeps in flight
  int warps_per_sm = 32;  // at most 32 a block
  int blocks_per_sm = 1;  // a divisor of warps_per_sm
  int active_sms = 0;     // 0: all; else those of the lowest numbers, with one block each
  bool fenced = false;    // writes: each batch is waited for
  StreamWalk walk = StreamWalk::shares;
  StreamMechanism mechanism = StreamMechanism::plain;
  int access_bytes = 16;    // of a thread's access: 4, 8, 16; cp.async: 16; bulk: of one copy, up to 8 KiB
  int write_every = 1;      // copy: of so many loaded accesses one is stored ...
  int write_copies = 1;     // ... to so many places (1 or 2)
  bool through_l1 = false;  // plain reads: .ca instead of .cg

  double warp_bytes() const;  // what a warp keeps in flight
  double bytes_in_flight(int sms) const;
  // Read plus written by one batch of a warp.
  double batch_traffic_bytes() const;
};

// Footprints and starting points are multiples of this, so that a batch of any shape ends inside.
constexpr std::size_t stream_vector_bytes = 16, stream_granule_vectors = 2048;

// Where each block begins and how it goes on; `cycles`, `active_sms` and `never` are left to the caller.
// `vectors` and `start` are multiples of the granule. Throws Error when one round of all blocks
// (private_part: of one block) is more than the footprint (its part of it).
StreamParams stream_params(const StreamShape& shape, std::size_t blocks, std::size_t warps_per_block,
                           std::size_t vectors, std::size_t start);

// Where the next run begins when the busiest warp of this one did `batches`.
std::size_t next_start(const StreamParams& params, unsigned long long batches);

}  // namespace tilecast
