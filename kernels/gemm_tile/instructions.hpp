#pragma once
// The instructions that the kernels cannot say in C++: asynchronous copies to shared memory and the exchange
// within a cluster. Apart from the kernels, so that a test can run their own source on a CPU.

__device__ __forceinline__ float* dynamic_shared() {
  extern __shared__ float4 memory[];  // float4: 128-bit accesses are aligned
  return reinterpret_cast<float*>(memory);
}

__device__ __forceinline__ unsigned shared_address(const float* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// If `wanted`, copies 4 * floats bytes, both sides aligned to them, or writes as many zeros unless `present`.
// Through L1, as lines overlap, but for 16 bytes.
template <int floats>
__device__ __forceinline__ void copy_async(bool wanted, bool present, unsigned target, const float* source) {
  if constexpr (floats == 4) {
    asm volatile(
        "{\n"
        "  .reg .pred wanted;\n"
        "  setp.ne.s32 wanted, %2, 0;\n"
        "  @wanted cp.async.cg.shared.global [%0], [%1], 16, %3;\n"
        "}" ::"r"(target),
        "l"(source), "r"(static_cast<int>(wanted)), "r"(present ? 16 : 0)
        : "memory");
  } else {
    asm volatile(
        "{\n"
        "  .reg .pred wanted;\n"
        "  setp.ne.s32 wanted, %2, 0;\n"
        "  @wanted cp.async.ca.shared.global [%0], [%1], %3, %4;\n"
        "}" ::"r"(target),
        "l"(source), "r"(static_cast<int>(wanted)), "n"(4 * floats), "r"(present ? 4 * floats : 0)
        : "memory");
  }
}

__device__ __forceinline__ void commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `pending` of this thread's committed groups are under way.
template <int pending>
__device__ __forceinline__ void wait_all_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// As a C++ branch this would be a jump for each output.
__device__ __forceinline__ void store_if(bool condition, float* target, float value) {
  asm volatile(
      "{\n"
      "  .reg .pred wanted;\n"
      "  setp.ne.s32 wanted, %0, 0;\n"
      "  @wanted st.global.f32 [%1], %2;\n"
      "}" ::"r"(static_cast<int>(condition)),
      "l"(target), "f"(value)
      : "memory");
}
__device__ __forceinline__ void store_if(bool condition, float* target, float4 value) {
  asm volatile(
      "{\n"
      "  .reg .pred wanted;\n"
      "  setp.ne.s32 wanted, %0, 0;\n"
      "  @wanted st.global.v4.f32 [%1], {%2, %3, %4, %5};\n"
      "}" ::"r"(static_cast<int>(condition)),
      "l"(target), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)
      : "memory");
}

// ---- blocks of a cluster: compute capability 9.0 and later ----

// What this block wrote to its shared memory before is seen by the whole cluster after.
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Reads the shared memory of the block `rank` of the cluster, at an address of this block's.
__device__ __forceinline__ float4 load_cluster4(unsigned address, int rank) {
  float4 v;
  asm volatile(
      "{\n"
      "  .reg .b32 there;\n"
      "  mapa.shared::cluster.u32 there, %4, %5;\n"
      "  ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n"
      "}"
      : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
      : "r"(address), "r"(rank)
      : "memory");
  return v;
}
