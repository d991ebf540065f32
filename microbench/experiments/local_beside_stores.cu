// What loads and stores of local memory (spilled registers) take beside stores of whole lines to global
// memory: every warp stores so many words to local memory, loads so many (or one less), all of which L1 has,
// and stores so many lines of its own (4 bytes a lane, up to 35 MB together), over and over. `waits`: the
// warp waits for each load before it asks for the next; else for all at once. CSV to standard output: SM
// cycles a turn, the mean of all SMs, the least of three launches.
//   nvcc -O3 -arch=sm_90a -o local_beside_stores local_beside_stores.cu && ./local_beside_stores
#include <algorithm>
#include <cstdio>

#include "experiment.hpp"

constexpr int words = 16, turns = 8;

template <int stores, int loads, int lines, bool waits>
__global__ void turn(unsigned* out, unsigned offset, long long* cycles) {
  unsigned array[words];
  const unsigned local = local_address(array, offset);
  const size_t warp = (static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const size_t warps = static_cast<size_t>(gridDim.x) * blockDim.x / 32;
  const size_t step = 32 * warps;
  unsigned* own = out + 32 * warp + threadIdx.x % 32;
  unsigned sum = threadIdx.x;
  for (int w = 0; w < words; ++w)
    store_local(local + 4 * w, 0);
  const long long begin = clock64();
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int s = 0; s < stores; ++s)
      store_local(local + 4 * (s % words), 0);
    if (waits) {
      unsigned next = 0;
#pragma unroll
      for (int l = 0; l < loads; ++l)
        next = load_local(local + 4 * (l % words) + next);
      sum += next;
    } else {
      unsigned v[loads > 0 ? loads : 1] = {};
#pragma unroll
      for (int l = 0; l < loads; ++l)
        v[l] = load_local(local + 4 * (l % words));
      for (const unsigned x : v)
        sum += x;
    }
#pragma unroll
    for (int g = 0; g < lines; ++g)
      own[g * step] = sum;
    own += lines * step;
  }
  const long long end = clock64();
  if (sum == 12345) out[0] = sum;  // so that the loads count
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}

template <int stores, int loads, int lines, bool waits>
void row(unsigned* out, long long* cycles) {
  for (const int sms : {1, sm_count()})
    for (const int warps : {4, 8, 16}) {
      double least = 1e18;
      for (int i = 0; i < 3; ++i) {
        turn<stores, loads, lines, waits><<<sms, 32 * warps>>>(out, 0, cycles);
        CHECK(cudaDeviceSynchronize());
        double sum = 0;
        for (int b = 0; b < sms; ++b)
          sum += static_cast<double>(cycles[b]);
        least = std::min(least, sum / sms / turns);
      }
      std::printf("%d,%d,%d,%d,%d,%d,%.1f\n", stores, loads, lines, waits, warps, sms, least);
    }
}

int main() {
  auto* const out = device_room<unsigned>(size_t{16} * turns * 16 * 32 * 4 * sm_count(), 0);
  auto* const cycles = managed_room<long long>(sizeof(long long) * sm_count());
  std::printf("local_stores,local_loads,lines,waits,warps,sms,cycles\n");
  row<0, 0, 16, false>(out, cycles);
  row<12, 0, 0, false>(out, cycles);
  row<12, 16, 0, false>(out, cycles);
  row<12, 16, 0, true>(out, cycles);
  row<12, 0, 16, false>(out, cycles);
  row<12, 16, 16, false>(out, cycles);
  row<12, 16, 16, true>(out, cycles);
  row<1, 16, 16, true>(out, cycles);
  row<1, 16, 0, true>(out, cycles);
  row<4, 4, 4, true>(out, cycles);
  row<4, 4, 0, true>(out, cycles);
}
