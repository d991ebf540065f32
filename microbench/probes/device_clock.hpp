#pragma once
// Device code only. Clock reads keep their place among memory accesses; arithmetic between two of them must
// sit in a loop of run-time length to stay there (checked in the machine code).

namespace tilecast {

__device__ inline unsigned long long cycles_now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}

__device__ inline unsigned long long nanoseconds_now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

__device__ inline unsigned this_sm() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

}  // namespace tilecast
