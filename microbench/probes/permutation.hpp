#pragma once
// A keyed bijection of 0 .. count-1, the same on host and device. Visiting permuted(0), permuted(1), ... and
// back to permuted(0) is one Hamiltonian cycle by construction, so a ring of any size is built in parallel.

#ifdef __CUDACC__
#  define TILECAST_HOST_DEVICE __host__ __device__
#else
#  define TILECAST_HOST_DEVICE
#endif

namespace tilecast {

TILECAST_HOST_DEVICE inline unsigned mixed(unsigned x) {  // finaliser of MurmurHash3: a bijection of 32 bits
  x ^= x >> 16;
  x *= 0x85ebca6bU;
  x ^= x >> 13;
  x *= 0xc2b2ae35U;
  return x ^ (x >> 16);
}

// Each round multiplies by an odd number and folds the upper half of the bits into the lower: both are
// bijections of the smallest power of two that holds `count`. Values beyond it walk on until one is inside.
// 2 <= count <= 2^32, index < count.
TILECAST_HOST_DEVICE inline unsigned long long permuted(unsigned long long index, unsigned long long count,
                                                        unsigned seed) {
  unsigned bits = 1;
  while ((1ULL << bits) < count)
    ++bits;
  const unsigned long long mask = (1ULL << bits) - 1;
  const unsigned fold = (bits + 1) / 2;
  do {
    for (unsigned round = 0; round < 4; ++round) {
      const unsigned key = mixed(seed * 4 + round + 1);
      index = (index * (key | 1U) + mixed(key)) & mask;
      index ^= index >> fold;
    }
  } while (index >= count);
  return index;
}

// A number without a common divisor with `count`, another one for most `key`s, spread over 1 .. count-1 by
// the golden ratio: steps of that length visit all of 0 .. count-1 before they come back. 1 <= count < 2^32.
TILECAST_HOST_DEVICE inline unsigned long long coprime_step(unsigned key, unsigned long long count) {
  if (count <= 2) return 1;
  unsigned long long step = 1 + (static_cast<unsigned long long>(key * 0x9e3779b9U) * (count - 1) >> 32);
  for (;; step = step + 1 < count ? step + 1 : 1) {
    unsigned long long a = count, b = step;
    while (b != 0) {
      const unsigned long long rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 1) return step;
  }
}

// Byte offset of the node at `position` of a pointer chase's cycle (taken modulo `nodes`). Each node has
// `step` of its own, a multiple of a line's 128, and lies in one of their lines: a random one, lest
// nodes far apart share the sets of a cache.
TILECAST_HOST_DEVICE inline unsigned long long node_offset(unsigned long long position,
                                                           unsigned long long nodes, unsigned long long step,
                                                           unsigned seed) {
  const unsigned long long node = permuted(position % nodes, nodes, seed);
  const unsigned lines = static_cast<unsigned>(step / 128);
  return node * step + mixed(static_cast<unsigned>(node) ^ seed) % lines * 128;
}

}  // namespace tilecast
