// Stores that write PIECE bytes in a row every PERIOD bytes, WIDTH bytes a lane; lines stay in L2. FILL 0:
// the gaps stay; 1: each second warp writes the gaps of the warp before it; 2: each second store of a warp
// writes the gaps of the store before it. The loop is STORES STG (SASS of sm_90).
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"
#include "probes/warp_end.hpp"

using namespace tilecast;

extern "C" __global__ void store_pieces(const float* a, const float*, float* c, LoopParams p) {
  constexpr unsigned stores = STORES, span = 32 * WIDTH / PIECE * PERIOD;
  const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32, byte = threadIdx.x % 32 * WIDTH;
  const unsigned owner = FILL == 1 ? warp / 2 * 2 : warp;
  char* at = reinterpret_cast<char*>(const_cast<float*>(a)) +
             (static_cast<unsigned long long>(blockIdx.x) * warps + owner) * (stores * span) +
             byte / PIECE * PERIOD + byte % PIECE + (FILL == 1 ? warp % 2 * PIECE : 0);
  const unsigned v[4] = {mixed(threadIdx.x), mixed(threadIdx.x + 1), mixed(threadIdx.x + 2),
                         mixed(threadIdx.x + 3)};
  const unsigned sm = this_sm();
  __syncthreads();
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
#pragma unroll 1
  for (unsigned n = 0; n < p.iterations; ++n) {
#pragma unroll
    for (unsigned k = 0; k < stores; ++k) {
      char* place = at + (FILL == 2 ? k / 2 * span + k % 2 * PIECE : k * span);
      if (WIDTH == 4) asm volatile("st.global.u32 [%1], %0;" ::"r"(v[0]), "l"(place) : "memory");
      if (WIDTH == 8)
        asm volatile("st.global.v2.u32 [%2], {%0, %1};" ::"r"(v[0]), "r"(v[1]), "l"(place) : "memory");
      if (WIDTH == 16) {
        asm volatile("st.global.v4.u32 [%4], {%0, %1, %2, %3};" ::"r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]),
                     "l"(place)
                     : "memory");
      }
    }
  }
  leave(c, sm, start_ns, start_cycle, p.iterations * stores);
}
