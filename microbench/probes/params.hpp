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
  unsigned long long node_bytes;
  unsigned seed;
  unsigned passes;
};

// Two windows of different length in one launch: their difference has no start and no end.
struct ChaseParams {
  unsigned long long start;  // byte offset of the first node
  long long sm;              // only this SM works; -1: any
  unsigned warm_steps;
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

// One line after the other, each loaded over and over by one thread of one SM.
struct LinesParams {
  unsigned long long nodes;
  unsigned long long node_bytes;
  unsigned seed;
  unsigned lines;
  long long sm;
  unsigned turn;
};

// Header of the line probe's result; `lines` doubles follow: cycles a load.
struct LinesRecord {
  unsigned long long turn, sm;
};

struct StreamParams {
  unsigned long long vectors;     // footprint in 16-byte vectors, a multiple of 32 IN_FLIGHT
  unsigned long long start;       // where block 0 begins
  unsigned long long block_step;  // distance between the blocks' beginnings
  unsigned long long stride;      // distance between a warp's batches; not more than `vectors`
  unsigned long long cycles;      // how long each warp goes on
  unsigned active_sms;            // blocks on SMs from here on leave at once
  unsigned fenced;                // stores: wait for each batch before the next
  unsigned never;                 // never true at run time: the loads stay live
};

struct FillParams {
  unsigned long long words;
  unsigned seed;
};

// A warp's loads go to random places among 2^(32 - shift) nodes of the footprint.
struct HideParams {
  unsigned iterations;
  unsigned never;  // never true at run time
  unsigned once;   // 1
  unsigned shift, seed;
};

struct LoopParams {
  unsigned iterations;
  unsigned never;  // never true at run time: the results stay live
};

}  // namespace tilecast
