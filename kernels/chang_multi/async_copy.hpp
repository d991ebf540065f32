#pragma once
// The instructions that the kernel cannot say in C++: asynchronous copies to shared memory and the barrier of
// one slice. Apart from the kernel, so that a test can run the kernel's own source on a CPU
// (emulation_test.cpp).

__device__ __forceinline__ float* dynamic_shared() {
  extern __shared__ float4 memory[];  // float4: 128-bit accesses are aligned
  return reinterpret_cast<float*>(memory);
}

__device__ __forceinline__ unsigned shared_address(const float* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Copies 4 * floats bytes, both sides aligned to them, if `condition`. The predicate is part of the
// instruction: as a C++ branch, the compiler works out every 64-bit address anew under each predicate.
// Through L1, as lines of one channel overlap on small maps.
template <int floats>
__device__ __forceinline__ void copy_async_if(bool condition, unsigned target, const float* source) {
  asm volatile(
      "{\n"
      "  .reg .pred wanted;\n"
      "  setp.ne.s32 wanted, %2, 0;\n"
      "  @wanted cp.async.ca.shared.global [%0], [%1], %3;\n"
      "}" ::"r"(target),
      "l"(source), "r"(static_cast<int>(condition)), "n"(4 * floats)
      : "memory");
}

__device__ __forceinline__ void commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `pending` of this thread's committed groups are under way.
template <int pending>
__device__ __forceinline__ void wait_all_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Waits for the threads of one slice: a warp or part of one, the whole block, or a named barrier (0 is that
// of
// __syncthreads). racecheck misjudges the mixture: racecheck_reproducer.cu.
template <int slice_threads, int slices>
__device__ __forceinline__ void slice_barrier(int slice) {
  if constexpr (slice_threads <= 32) {
    __syncwarp();
  } else if constexpr (slices == 1) {
    __syncthreads();
  } else {
    asm volatile("bar.sync %0, %1;" ::"r"(slice + 1), "n"(slice_threads) : "memory");
  }
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
