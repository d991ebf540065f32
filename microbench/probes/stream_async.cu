// The stream of stream.cu, brought into shared memory without registers. MECHANISM 1: each thread keeps
// IN_FLIGHT cp.async of 16 bytes outstanding (sm_80). 2: the first lane of each warp keeps IN_FLIGHT bulk
// copies of p.access_bytes outstanding, each with an mbarrier of its own (sm_90). Nobody reads what landed:
// the copies are done whether read or not, and a slot is only asked for again once the one before has landed.
// The inner loop holds (SASS of sm_90) IN_FLIGHT times LDGSTS, LDGDEPBAR and DEPBAR; or SYNCS try-wait,
// arrive and UBLKCP.
#include "probes/device_clock.hpp"
#include "probes/params.hpp"
#include "probes/permutation.hpp"

using namespace tilecast;

extern __shared__ __align__(128) char ring[];

__device__ inline unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

constexpr int batches_per_check = 8;
constexpr unsigned vector_bytes = 16;

#if MECHANISM == 1
struct Slots {
  unsigned slot;

  __device__ Slots(unsigned warp, unsigned lane, const StreamParams&)
      : slot(shared_address(ring) + (warp * IN_FLIGHT * 32 + lane) * vector_bytes) {}
  __device__ void ask(int u, const char* source) const {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(slot + u * 32 * vector_bytes), "l"(source)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  // Groups land in order: all but the youngest IN_FLIGHT - 1 have, hence the oldest.
  __device__ void wait(int) const { asm volatile("cp.async.wait_group %0;" ::"n"(IN_FLIGHT - 1) : "memory"); }
  __device__ void round() {}
  __device__ void wait_all() const { asm volatile("cp.async.wait_all;" ::: "memory"); }
  static __device__ unsigned step(const StreamParams&) { return 32 * vector_bytes; }
  static __device__ unsigned first(unsigned lane) { return lane * vector_bytes; }
};
#else
struct Slots {
  unsigned slot, barrier, bytes, phase = 0;

  __device__ Slots(unsigned warp, unsigned, const StreamParams& p)
      : slot(shared_address(ring) + 1024 + warp * IN_FLIGHT * p.access_bytes),
        barrier(shared_address(ring) + warp * IN_FLIGHT * 8),
        bytes(p.access_bytes) {
    for (int u = 0; u < IN_FLIGHT; ++u)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier + u * 8) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __device__ void ask(int u, const char* source) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier + u * 8), "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            slot + u * bytes),
        "l"(source), "r"(bytes), "r"(barrier + u * 8)
        : "memory");
  }
  __device__ void wait(int u) const {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}" ::"r"(barrier + u * 8),
        "r"(phase)
        : "memory");
  }
  __device__ void round() { phase ^= 1; }
  __device__ void wait_all() const {
    for (int u = 0; u < IN_FLIGHT; ++u)
      wait(u);
  }
  static __device__ unsigned step(const StreamParams& p) { return p.access_bytes; }
  static __device__ unsigned first(unsigned) { return 0; }
};
#endif

extern "C" __global__ void stream_async(const float* a, const float*, float* c, StreamParams p) {
  const unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
  WarpRecord* record =
      reinterpret_cast<WarpRecord*>(c) + static_cast<unsigned long long>(blockIdx.x) * warps + warp;
  const unsigned sm = this_sm();
  if (sm >= p.active_sms) {
    if (lane == 0) *record = WarpRecord{sm, 0, 0, 0, 0, 0};
    return;
  }
  const unsigned who = p.by_sm ? sm : blockIdx.x;
#if MECHANISM == 2
  if (lane != 0) return;
#endif
  Slots slots(warp, lane, p);
  const unsigned step = Slots::step(p);
  const char* source = reinterpret_cast<const char*>(a) + who * p.region * vector_bytes + Slots::first(lane);
  const unsigned long long around = p.vectors * vector_bytes;
  unsigned long long stride = p.stride * vector_bytes;
  if (p.scatter) stride *= coprime_step(who, p.vectors / p.stride);
  unsigned long long at = (p.start + who * p.block_step + warp * p.batch) * vector_bytes % around;
  const unsigned long long start_ns = nanoseconds_now();
  const unsigned long long start_cycle = cycles_now();
  unsigned long long batches = 0;
#pragma unroll
  for (int u = 0; u < IN_FLIGHT; ++u)
    slots.ask(u, source + at + u * step);
  do {
#pragma unroll 1
    for (int i = 0; i < batches_per_check; ++i) {
      at += stride;
      if (at >= around) at -= around;
#pragma unroll
      for (int u = 0; u < IN_FLIGHT; ++u) {
        slots.wait(u);
        slots.ask(u, source + at + u * step);
      }
      slots.round();
    }
    batches += batches_per_check;
  } while (cycles_now() - start_cycle < p.cycles);
  slots.wait_all();
  const unsigned long long end_cycle = cycles_now();
  const unsigned long long end_ns = nanoseconds_now();
  if (lane == 0) *record = WarpRecord{sm, start_cycle, end_cycle, start_ns, end_ns, batches};
}
