#pragma once
// What the host hands to the probes' kernels and what they hand back: plain structs that host and device
// share. Compiled by NVRTC too, so no standard header.

namespace tilecast {

// 64-bit words that one timed warp leaves behind.
struct WarpRecord {
  unsigned long long sm;
  unsigned long long start_cycle, end_cycle;  // clock64
  unsigned long long start_ns, end_ns;        // globaltimer
  unsigned long long batches;                 // what it got done, in the probe's own unit
};

struct RingParams {
  unsigned long long nodes;
  unsigned long long node_bytes;  // from one node's place to the next, a multiple of 128
  unsigned seed;
};

// What one block of one SM does, and what all do: `sm` -1.
struct WalkParams {
  RingParams ring;
  long long sm;
  unsigned passes;
  unsigned turn;
};

// Two windows of different length in one launch: their difference has no start and no end.
struct ChaseParams {
  unsigned long long start;          // byte offset of the first node
  long long sm;                      // only this SM works
  unsigned warm_steps;               // before the windows
  unsigned short_steps, long_steps;  // multiples of 16
  unsigned turn;  // differs from launch to launch: the first block to claim it on that SM works
};

struct ChaseRecord {
  unsigned long long short_cycles, long_cycles;
  unsigned long long short_ns, long_ns;
  unsigned long long sm;
  unsigned long long at;  // keeps the chain alive
  unsigned long long turn;
};

constexpr unsigned most_timed_steps = 4096;

// Each load on its own: `steps` + 1 clock readings (32 bits) follow the record.
struct TimedParams {
  unsigned long long start;
  long long sm;
  unsigned steps;  // a multiple of 8, at most most_timed_steps
  unsigned turn;
};

struct TimedRecord {
  unsigned long long turn, sm, at;
};

// Which memory the streams cover, in 16-byte vectors; multiples of a warp's batch.
struct LoadedWalk {
  unsigned long long vectors;     // round which a block walks
  unsigned long long part_step;   // from where that begins for one block to where it does for the next
  unsigned long long first;       // in it: where block 0 begins
  unsigned long long block_step;  // distance between the blocks' beginnings
  unsigned long long stride;      // between a warp's batches, at most `vectors`
};

// One SM chases while the others stream, all for the same time.
struct LoadedParams {
  unsigned long long start;  // of the chase, byte offset
  unsigned long long chase_sm;
  unsigned long long cycles;  // how long the streams go on; the chase lies inside
  unsigned long long lead;    // cycles from an SM's start to the chase's
  LoadedWalk walk;
  unsigned pause;    // cycles that a warp waits before each batch
  unsigned streams;  // 0: the others leave at once
  unsigned never;    // never true at run time: the loads stay live
};

struct LoadedRecord {
  unsigned long long sm, at;
  unsigned long long start_ns, end_ns, start_cycle, end_cycle;  // of the chase
  unsigned long long steps;  // done; as many + 1 clock readings (32 bits) follow the record
};

// A block reads the shared memory of block `owner` of its cluster.
struct ClusterParams {
  unsigned cluster;  // only this one of the grid works
  unsigned reader, owner;
  unsigned short_steps, long_steps;  // multiples of 16
};

struct ClusterRecord {
  unsigned long long short_cycles, long_cycles;
  unsigned long long reader_sm, owner_sm;
  unsigned long long at;
};

struct StreamParams {
  unsigned long long vectors;     // what a warp walks round, in 16-byte vectors; a multiple of `batch`
  unsigned long long start;       // where block 0 begins
  unsigned long long batch;       // vectors that a warp keeps in flight
  unsigned long long block_step;  // distance between the blocks' beginnings
  unsigned long long stride;      // distance between a warp's batches; not more than `vectors`
  unsigned long long region;      // distance between the blocks' parts of memory; 0: all in one
  unsigned long long cycles;      // how long each warp goes on
  unsigned active_sms;            // blocks on SMs from here on leave at once
  unsigned fenced;                // stores: wait for each batch before the next
  unsigned by_sm;                 // the SM's number counts, not the block's: one block on each active SM
  unsigned scatter;               // each block has a stride of its own (scattered_stride)
  unsigned access_bytes;          // bulk: of one copy
  unsigned never;                 // never true at run time: the loads stay live
};

// All blocks read `bytes` of memory several times over, then each block times loads of single lines of it.
struct ResidencyParams {
  unsigned long long offset, bytes;  // bytes: a multiple of 128 x blocks
  unsigned passes;
  unsigned shift;  // by so many blocks' parts from pass to pass; 0: each block stays with its part
  unsigned samples;
  unsigned from;  // lines of: 0: all, 1 + n: the part of the n-th block from here
  unsigned seed;
  unsigned never;
  unsigned long long arrivals;  // of blocks since the counter was zero, once all of this launch have come
};

// Which word a thread's atomics go to: word `lane mod words` of line `warp mod lines`.
struct AtomicParams {
  unsigned long long cycles;  // how long each warp goes on
  unsigned words, lines;      // words of a line: a power of two up to 32
  unsigned scattered;         // instead: each thread has a line of its own
  unsigned never;
};

struct AtomicChainParams {
  unsigned short_steps, long_steps;  // multiples of 16
  unsigned line_step;                // words between one atomic's place and the next one's
  long long sm;
  unsigned turn;
};

// Memory is written once from end to end, in pieces: each warp goes through a window of its own several
// times, and each time writes another piece of each period of it.
struct PartialWriteParams {
  unsigned long long window_count;  // windows in the footprint, at least as many as warps
  unsigned long long start;         // the window where warp 0 begins
  unsigned long long cycles;
  unsigned stores;        // of 32 words each, that a warp does in one visit of its window; a multiple of 4
  unsigned offset_words;  // of all pieces, against the 32 bytes of a sector
};

struct FillParams {
  unsigned long long words;
  unsigned seed;
};

// A chase that reads no clock: the host times the whole kernel.
struct PlainChaseParams {
  unsigned long long nodes;
  unsigned long long node_bytes;
  unsigned long long start;  // position in the cycle
  unsigned seed;
  unsigned steps;  // a multiple of 16
};

// For each SM two words follow in memory: blocks on it now, and the most there were at once.
struct ResidentParams {
  unsigned stay_ns;  // how long each block stays at least
  unsigned never;    // odd, hence never true at run time: the registers stay live
};

// A warp's loads go to random places among 2^(32 - shift) nodes of the footprint.
struct HideParams {
  unsigned iterations;
  unsigned never;  // never true at run time
  unsigned once;   // 1
  int sm;          // only this SM works; -1: all
  unsigned shift, seed;
};

struct LoopParams {
  unsigned iterations;
  unsigned never;  // never true at run time: the results stay live
};

}  // namespace tilecast
