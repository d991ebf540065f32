#pragma once
// For the experiments on clusters: shared memory of another block of the cluster, 16 bytes at once.

// `address`: of this block's shared memory, in bytes; the same place of block `rank` is read.
__device__ __forceinline__ float4 load_cluster4(unsigned address, int rank) {
  float4 v;
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %4, %5;\n"
      "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n}"
      : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
      : "r"(address), "r"(rank)
      : "memory");
  return v;
}
