#pragma once
// Runs a kernel's own source on a CPU, one cluster of blocks after another, for tests on machines without a
// GPU. Threads are coroutines that switch at barriers only. Asynchronous copies take effect either when they
// are issued or when they are waited for, the two extremes of what a GPU may do: the first shows data
// overwritten while it is still needed, the second data read before it was waited for.

#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#define TILECAST_EMULATED
#define __device__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(threads, blocks)

namespace tilecast::emulated {

struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
struct Index {
  int x = 0, y = 0, z = 0;
};
inline int min(int a, int b) {
  return a < b ? a : b;
}
inline int __clz(int value) {
  return std::countl_zero(static_cast<unsigned>(value));
}
using std::fmaf;

enum class Copies { when_issued, when_awaited };

// The cluster that is running; mostly one block. A namespace-wide object, as the kernel's source knows
// threadIdx by name.
struct Cluster {
  struct Copy {
    unsigned target;
    const float* source;  // nullptr: zeros
    int floats;
  };
  struct Thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    bool done = false;
    std::deque<std::vector<Copy>> groups;  // committed, oldest first
    std::vector<Copy> open;
  };
  std::vector<std::vector<float>> shared;  // of each block; the heap aligns it to 16 bytes
  std::vector<Thread> threads;             // block after block
  int block_threads = 0;
  int current = 0;
  std::map<int, std::pair<int, int>> barriers;  // id -> arrived, times passed
  Copies copies = Copies::when_issued;
  ucontext_t scheduler;
  std::function<void()> body;

  int rank() const { return current / block_threads; }
};
inline Cluster cluster;
inline Index threadIdx, blockIdx;

inline float* shared_of(int rank) {
  return cluster.shared[static_cast<std::size_t>(rank)].data();
}
inline float* dynamic_shared() {
  return shared_of(cluster.rank());
}
inline unsigned shared_address(const float* pointer) {
  return static_cast<unsigned>(4 * (pointer - dynamic_shared()));
}

inline void perform(const Cluster::Copy& copy) {
  if (copy.target / 4 + copy.floats > cluster.shared[0].size())
    throw std::out_of_range("copy beyond shared memory");
  if (copy.target % (4 * copy.floats) != 0 ||
      reinterpret_cast<std::uintptr_t>(copy.source) % (4 * copy.floats) != 0)
    throw std::invalid_argument("misaligned copy");
  float* const target = dynamic_shared() + copy.target / 4;
  if (copy.source)
    std::memcpy(target, copy.source, 4 * copy.floats);
  else
    std::fill_n(target, copy.floats, 0.0F);
}
inline void add_copy(const Cluster::Copy& copy) {
  if (cluster.copies == Copies::when_issued)
    perform(copy);
  else
    cluster.threads[cluster.current].open.push_back(copy);
}
template <int floats>
void copy_async_if(bool condition, unsigned target, const float* source) {
  if (condition) add_copy({target, source, floats});
}
template <int floats>
void copy_async(bool wanted, bool present, unsigned target, const float* source) {
  if (wanted) add_copy({target, present ? source : nullptr, floats});
}
inline void store_if(bool condition, float* target, float value) {
  if (condition) *target = value;
}
inline void store_if(bool condition, float* target, const float4& value) {
  if (!condition) return;
  if (reinterpret_cast<std::uintptr_t>(target) % 16 != 0) throw std::invalid_argument("misaligned store");
  std::memcpy(target, &value, 16);
}
inline void commit() {
  auto& thread = cluster.threads[cluster.current];
  thread.groups.push_back(std::move(thread.open));
  thread.open.clear();
}
template <int pending>
void wait_all_but() {
  auto& groups = cluster.threads[cluster.current].groups;
  for (; static_cast<int>(groups.size()) > pending; groups.pop_front()) {
    for (const auto& copy : groups.front())
      perform(copy);
  }
}

inline void barrier(int id, int expected) {
  auto& [arrived, passed] = cluster.barriers[id];
  const int mine = passed;
  if (++arrived == expected) {
    arrived = 0;
    ++passed;
  }
  while (passed == mine) {
    auto& self = cluster.threads[cluster.current];
    swapcontext(&self.context, &cluster.scheduler);
  }
}
// Barriers of one block.
inline void block_barrier(int id, int expected) {
  constexpr int ids_of_a_block = 2000;
  barrier(cluster.rank() * ids_of_a_block + id, expected);
}
inline void __syncthreads() {
  block_barrier(0, cluster.block_threads);
}
template <int slice_threads, int slices>
void slice_barrier(int slice) {
  if (slice_threads <= 32)
    block_barrier(1000 + threadIdx.x / 32, 32);
  else if (slices == 1)
    __syncthreads();
  else
    block_barrier(slice + 1, slice_threads);
}
inline void cluster_barrier() {
  barrier(-1, static_cast<int>(cluster.threads.size()));
}
inline float4 load_cluster4(unsigned address, int rank) {
  float4 value;
  std::memcpy(&value, shared_of(rank) + address / 4, 16);
  return value;
}

inline void run_thread() {
  cluster.body();
  cluster.threads[cluster.current].done = true;
  swapcontext(&cluster.threads[cluster.current].context, &cluster.scheduler);
}

// One cluster of `blocks` neighbours along x, the first at `first`: `body` calls the kernel. Shared memory
// starts as NaN, so that what nobody fetched shows.
inline void run_cluster(Index first, int blocks, int threads, int shared_floats, bool backwards,
                        Copies copies, std::function<void()> body) {
  cluster.threads = std::vector<Cluster::Thread>(static_cast<std::size_t>(blocks * threads));
  cluster.block_threads = threads;
  cluster.barriers.clear();
  cluster.copies = copies;
  cluster.body = std::move(body);
  cluster.shared.assign(static_cast<std::size_t>(blocks),
                        std::vector<float>(static_cast<std::size_t>(shared_floats), std::nanf("")));
  constexpr std::size_t stack = 1 << 16;
  for (auto& thread : cluster.threads) {
    thread.stack = std::make_unique<char[]>(stack);
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = stack;
    thread.context.uc_link = nullptr;
    makecontext(&thread.context, run_thread, 0);
  }
  const int all = blocks * threads;
  for (int left = all; left > 0;) {
    for (int i = 0; i < all; ++i) {
      cluster.current = backwards ? all - 1 - i : i;
      auto& thread = cluster.threads[cluster.current];
      if (thread.done) continue;
      threadIdx.x = cluster.current % threads;
      blockIdx = {first.x + cluster.rank(), first.y, first.z};
      swapcontext(&cluster.scheduler, &thread.context);
      if (thread.done) --left;
    }
  }
}

}  // namespace tilecast::emulated
