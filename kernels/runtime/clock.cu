// Counts SM cycles over wall-clock nanoseconds. The global timer moves in steps (about 1 us on some GPUs, 32
// ns on others), so counting starts and ends right after a step: then a step's length does not matter.

#include "runtime/clock.h"

__device__ unsigned long long global_timer_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Waits for the first step at or after `ns` and returns its time.
__device__ unsigned long long wait_for_step(unsigned long long ns) {
  const unsigned long long before = global_timer_ns();
  unsigned long long now = before;
  while (now == before || now < ns)
    now = global_timer_ns();
  return now;
}

// One thread. result[0]: cycles, result[1]: nanoseconds.
extern "C" __global__ void sm_clock(unsigned long long* result, ClockParams params) {
  const unsigned long long start_ns = wait_for_step(0);
  const long long start = clock64();
  const unsigned long long end_ns = wait_for_step(start_ns + params.window_ns);
  const long long end = clock64();
  result[0] = static_cast<unsigned long long>(end - start);
  result[1] = end_ns - start_ns;
}
