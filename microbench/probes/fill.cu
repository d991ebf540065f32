// Random nonzero words: zeros and repeated patterns draw less power and may be compressed on the way.
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

extern "C" __global__ void fill(const float*, const float*, float* target, FillParams p) {
  unsigned* words = reinterpret_cast<unsigned*>(target);
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < p.words; i += step) {
    words[i] = mixed(static_cast<unsigned>(i) ^ p.seed) | 1U;
  }
}
