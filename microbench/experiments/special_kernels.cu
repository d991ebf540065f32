// Kernels of special_registers.cu: sixteen reads of a special register, each of which decides whether the
// warp goes on; and the same without.
extern "C" __global__ void reads(unsigned* out, unsigned never, int trips) {
  unsigned begin, end;
  asm volatile("bar.sync 0;\n mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
#pragma unroll 1
  for (int t = 0; t < trips; ++t) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      unsigned v;
      asm volatile("mov.u32 %0, %%smid;" : "=r"(v)::"memory");
      if (v == never + k) {
        out[0] = k;
        return;
      }
    }
  }
  asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
  if (threadIdx.x % 32 == 0) out[1 + blockIdx.x * 32 + threadIdx.x / 32] = end - begin;
}
extern "C" __global__ void none(unsigned* out, unsigned never, int trips) {
  unsigned begin, end, v = threadIdx.x;
  asm volatile("bar.sync 0;\n mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
#pragma unroll 1
  for (int t = 0; t < trips; ++t) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      asm volatile("xor.b32 %0, %0, %1;" : "+r"(v) : "r"(t) : "memory");
      if (v == never + k) {
        out[0] = k;
        return;
      }
    }
  }
  asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
  if (threadIdx.x % 32 == 0) out[1 + blockIdx.x * 32 + threadIdx.x / 32] = end - begin;
}
