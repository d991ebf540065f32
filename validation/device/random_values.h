#pragma once
// The inputs of every check and every timing, shared by host and device: value i of a stream of a seed.
//
// Uniform magnitude in [1/16, 1), random sign. No zeros and nothing tiny, because a product with zero hides a
// wrong operand, and because zeros cost less power and so raise the clock. Multiples of 2^-24, so host and
// device have the same bits.

#ifdef __CUDACC__
#  define TILECAST_HOST_DEVICE __host__ __device__
#else
#  define TILECAST_HOST_DEVICE
#endif

// Steele, Lea, Flood (2014), "Fast splittable pseudorandom number generators": the SplitMix64 finaliser
// applied to a counter.
TILECAST_HOST_DEVICE constexpr unsigned long long mix64(unsigned long long x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

TILECAST_HOST_DEVICE constexpr float random_value(unsigned long long seed, unsigned long long i) {
  const unsigned long long bits = mix64(mix64(seed) + i);
  // The upper half, scaled to the integers of [2^20, 2^24): their 24 bits are exact in a float.
  const unsigned long long magnitude = (1ull << 20) + (((bits >> 32) * (15ull << 20)) >> 32);
  const float value = static_cast<float>(magnitude) * (1.0f / (1 << 24));
  return bits & 1 ? -value : value;
}
