#pragma once
// Runs a kernel's own source on a CPU, one block after another, for tests on machines without a GPU. Threads
// are coroutines that switch at barriers only. Asynchronous copies take effect either when they are issued or
// when they are waited for, the two extremes of what a GPU may do: the first shows data overwritten while it
// is still needed, the second data read before it was waited for.

#include <ucontext.h>

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
using std::fmaf;

enum class Copies { when_issued, when_awaited };

// The block that is running. A namespace-wide object, as the kernel's source knows threadIdx by name.
struct Block {
  struct Copy {
    unsigned target;
    const float* source;
    int floats;
  };
  struct Thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    bool done = false;
    std::deque<std::vector<Copy>> groups;  // committed, oldest first
    std::vector<Copy> open;
  };
  std::vector<float> shared;
  std::vector<Thread> threads;
  int current = 0;
  std::map<int, std::pair<int, int>> barriers;  // id -> arrived, times passed
  Copies copies = Copies::when_issued;
  ucontext_t scheduler;
  std::function<void()> body;
};
inline Block block;
inline Index threadIdx, blockIdx;

inline void perform(const Block::Copy& copy) {
  if (copy.target / 4 + copy.floats > block.shared.size())
    throw std::out_of_range("copy beyond shared memory");
  if (copy.target % (4 * copy.floats) != 0 ||
      reinterpret_cast<std::uintptr_t>(copy.source) % (4 * copy.floats) != 0)
    throw std::invalid_argument("misaligned copy");
  std::memcpy(block.shared.data() + copy.target / 4, copy.source, 4 * copy.floats);
}

inline float* dynamic_shared() {
  return block.shared.data();
}
inline unsigned shared_address(const float* pointer) {
  return static_cast<unsigned>(4 * (pointer - block.shared.data()));
}
template <int floats>
void copy_async_if(bool condition, unsigned target, const float* source) {
  if (!condition) return;
  const Block::Copy copy{target, source, floats};
  if (block.copies == Copies::when_issued)
    perform(copy);
  else
    block.threads[block.current].open.push_back(copy);
}
inline void store_if(bool condition, float* target, float value) {
  if (condition) *target = value;
}
inline void commit() {
  auto& thread = block.threads[block.current];
  thread.groups.push_back(std::move(thread.open));
  thread.open.clear();
}
template <int pending>
void wait_all_but() {
  auto& groups = block.threads[block.current].groups;
  for (; static_cast<int>(groups.size()) > pending; groups.pop_front()) {
    for (const auto& copy : groups.front())
      perform(copy);
  }
}

inline void barrier(int id, int expected) {
  auto& [arrived, passed] = block.barriers[id];
  const int mine = passed;
  if (++arrived == expected) {
    arrived = 0;
    ++passed;
  }
  while (passed == mine) {
    auto& self = block.threads[block.current];
    swapcontext(&self.context, &block.scheduler);
  }
}
inline void __syncthreads() {
  barrier(0, static_cast<int>(block.threads.size()));
}
template <int slice_threads, int slices>
void slice_barrier(int slice) {
  if (slice_threads <= 32)
    barrier(1000 + threadIdx.x / 32, 32);
  else if (slices == 1)
    __syncthreads();
  else
    barrier(slice + 1, slice_threads);
}

inline void run_thread() {
  block.body();
  block.threads[block.current].done = true;
  swapcontext(&block.threads[block.current].context, &block.scheduler);
}

// One block: `body` calls the kernel. Shared memory starts as NaN, so that what nobody fetched shows.
inline void run_block(int threads, bool backwards, Copies copies, std::function<void()> body) {
  block.threads = std::vector<Block::Thread>(threads);
  block.barriers.clear();
  block.copies = copies;
  block.body = std::move(body);
  block.shared.assign(block.shared.size(), std::nanf(""));
  constexpr std::size_t stack = 1 << 16;
  for (auto& thread : block.threads) {
    thread.stack = std::make_unique<char[]>(stack);
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = stack;
    thread.context.uc_link = nullptr;
    makecontext(&thread.context, run_thread, 0);
  }
  for (int left = threads; left > 0;) {
    for (int i = 0; i < threads; ++i) {
      block.current = backwards ? threads - 1 - i : i;
      auto& thread = block.threads[block.current];
      if (thread.done) continue;
      threadIdx.x = block.current;
      swapcontext(&block.scheduler, &thread.context);
      if (thread.done) --left;
    }
  }
}

}  // namespace tilecast::emulated
