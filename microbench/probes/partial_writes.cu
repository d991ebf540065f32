// Writes all of a footprint once, four bytes a thread, in pieces that do not lie side by side in time: each
// warp goes through a window of its own VISITS times, and each time writes another piece of PIECE_WORDS of
// each period of VISITS pieces. Between two neighbouring pieces all warps together write (stores of a visit)
// x 128 bytes x warps. The unrolled loop holds four STG.E (SASS of sm_90).
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

extern "C" __global__ void partial_writes(const float*, const float* b, float* c, PartialWriteParams p) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
  const unsigned warp_index = blockIdx.x * warps + warp;
  WarpRecord* record = reinterpret_cast<WarpRecord*>(c) + warp_index;
  unsigned* target = reinterpret_cast<unsigned*>(const_cast<float*>(b)) + p.offset_words;
  const unsigned long long all_warps = static_cast<unsigned long long>(gridDim.x) * warps;
  const unsigned long long window_words = p.stores * 32ULL * VISITS;
  unsigned long long window = (p.start + warp_index) % p.window_count;
  unsigned value = mixed(threadIdx.x * 131 + blockIdx.x + 1), visit = 0;
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
  unsigned long long done = 0;
  do {
    unsigned* from = target + window * window_words + visit * PIECE_WORDS;
#pragma unroll 1
    for (unsigned store = 0; store < p.stores; store += 4) {
#pragma unroll
      for (unsigned u = 0; u < 4; ++u) {
        // Word `word` of what this visit writes, piece after piece.
        const unsigned word = (store + u) * 32 + lane;
        const unsigned at = word / PIECE_WORDS * (PIECE_WORDS * VISITS) + word % PIECE_WORDS;
        asm volatile("st.global.cg.u32 [%0], %1;" ::"l"(from + at), "r"(value) : "memory");
      }
      value = value * 0x9e3779b9U + 1;
    }
    done += p.stores;
    if (++visit == VISITS) {
      visit = 0;
      window += all_warps;
      if (window >= p.window_count) window -= p.window_count;
    }
  } while (cycles_now() - start_cycle < p.cycles);
  const unsigned long long end_cycle = cycles_now();
  const unsigned long long end_ns = nanoseconds_now();
  if (lane == 0) *record = WarpRecord{this_sm(), start_cycle, end_cycle, start_ns, end_ns, done};
}
