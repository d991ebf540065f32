#pragma once
// Device code only: steps of a pointer chase. CACHE 0: through L1 (.ca), 1: past it (.cg).

namespace tilecast {

__device__ inline unsigned long long next_node(unsigned long long at) {
#if CACHE == 0
  asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
#else
  asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
#endif
  return at;
}

__device__ inline unsigned long long walk(unsigned long long at, unsigned steps) {
#pragma unroll 1
  for (unsigned i = 0; i < steps; i += 16) {
#pragma unroll
    for (int k = 0; k < 16; ++k)
      at = next_node(at);
  }
  return at;
}

// Stands behind a load that waits for the one before: instructions of a warp issue in order, so this is when
// the load before arrived, and reading it costs nothing, since the load just issued is under way meanwhile.
// The low 32 bits: differences of up to 2^32 cycles.
__device__ inline unsigned clock_behind_load() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}

// Eight steps. Reading i+1 less reading i is the time of load i, issue to issue.
__device__ inline unsigned long long timed_steps(unsigned long long at, unsigned* stamps) {
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    at = next_node(at);
    stamps[k] = clock_behind_load();
  }
  return at;
}

}  // namespace tilecast
