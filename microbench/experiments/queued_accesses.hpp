#pragma once
// What the experiments on the SM's memory queue share: one access of a kind, and loads that keep the pipe
// busy.

enum What { lds4, lds16, sts4, sts16, ldg4, ldg16, stg4, stg16, cp4, cp16, cp16_past_l1 };
constexpr const char* names[] = {"lds4", "lds16", "sts4", "sts16", "ldg4",        "ldg16",
                                 "stg4", "stg16", "cp4",  "cp16",  "cp16_past_l1"};

using Words = float[4];

// Loads write `v`, stores write it out; copies leave it alone.
template <int what>
__device__ __forceinline__ void access(unsigned shared, unsigned long long global, Words& v) {
  if constexpr (what == lds4) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v[0]) : "r"(shared));
  if constexpr (what == lds16)
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                 : "r"(shared));
  if constexpr (what == sts4) asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(shared), "f"(v[0]));
  if constexpr (what == sts16)
    asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "f"(v[0]), "f"(v[1]),
                 "f"(v[2]), "f"(v[3]));
  if constexpr (what == ldg4) asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(v[0]) : "l"(global));
  if constexpr (what == ldg16)
    asm volatile("ld.volatile.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                 : "l"(global));
  if constexpr (what == stg4) asm volatile("st.volatile.global.f32 [%0], %1;" ::"l"(global), "f"(v[0]));
  if constexpr (what == stg16)
    asm volatile("st.volatile.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(global), "f"(v[0]), "f"(v[1]),
                 "f"(v[2]), "f"(v[3]));
  if constexpr (what == cp4)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(global));
  if constexpr (what == cp16)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global));
  if constexpr (what == cp16_past_l1)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global));
}

// Loads that nothing waits for until all have been issued.
template <int most>
__device__ __forceinline__ unsigned keep_busy(unsigned one_bank, int busy) {
  float x[most];
#pragma unroll
  for (int i = 0; i < most; ++i) {
    if (i >= busy) break;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x[i]) : "r"(one_bank));
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < most; ++i)
    if (i < busy) sum += x[i] == 3;
  return sum;
}
