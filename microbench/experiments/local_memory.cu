// What spilled registers cost: loads and stores of local memory, a line of 128 bytes a register and warp. How
// long a load takes that L1 has, how many an SM takes a cycle, whether stores go on to L2, what takes the
// lines out of L1 (copies to shared memory, loads and stores of global memory, with more or less of L1 given
// to shared memory), and what a kernel's having local memory costs its launch. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o local_memory local_memory.cu && ./local_memory
#include <algorithm>
#include <cstdio>
#include <vector>

#include "experiment.hpp"

constexpr int words = 16;  // of local memory a thread

enum Use { chase, stores };
constexpr const char* use_names[] = {"chase", "stores"};

// Each warp on words of its own.
template <Use use>
__global__ void __launch_bounds__(1024) use_alone(unsigned offset, int rounds, unsigned* out) {
  unsigned array[words];
  const unsigned at = local_address(array, offset);
  for (int i = 0; i < words; ++i)
    store_local(at + 4 * i, at + 4 * ((i + 1) % words));
  __syncthreads();
  unsigned v = at;
  const unsigned begin = now();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      if (use == chase) v = load_local(v);
      if (use == stores) store_local(at + 4 * (i % words), v);
    }
  }
  const unsigned end = now() + (v == 12345 ? 1 : 0);
  if (threadIdx.x % 32 == 0) {
    out[2 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32)] = begin;
    out[2 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) + 1] = end;
  }
}

double cycles_of_block(const std::vector<unsigned>& host, int block, int warps) {
  const unsigned first = host[static_cast<std::size_t>(2 * block * warps)];
  int begin = 0, end = 0;
  for (int w = 0; w < warps; ++w) {
    const auto at = static_cast<std::size_t>(2 * (block * warps + w));
    begin = std::min(begin, static_cast<int>(host[at] - first));
    end = std::max(end, static_cast<int>(host[at + 1] - first));
  }
  return end - begin;
}

template <Use use>
void measure_alone(int warps, int sms, int shared, unsigned* out) {
  allow_shared(use_alone<use>, shared);
  double cycles[2] = {};
  const int rounds[2] = {8, 40};
  for (int n = 0; n < 2; ++n) {
    for (int time = 0; time < 2; ++time)
      use_alone<use><<<sms, 32 * warps, shared>>>(0, rounds[n], out);
    const auto host = to_host(out, static_cast<std::size_t>(2 * sms * warps));
    std::vector<double> blocks;
    for (int b = 0; b < sms; ++b)
      blocks.push_back(cycles_of_block(host, b, warps));
    cycles[n] = median(blocks);
  }
  std::printf("%s,,%d,%d,%d,,%.3f\n", use_names[use], warps, sms, shared / 1024,
              (cycles[1] - cycles[0]) / (32 * (rounds[1] - rounds[0])));
}

enum Traffic { nothing, global_load, copy_4, copy_16, copy_16_past_l1, global_store, traffic_kinds };
constexpr const char* traffic_names[] = {"nothing", "global_load",     "copy_4",
                                         "copy_16", "copy_16_past_l1", "global_store"};

// Warps keep `words` registers, then `bytes` of other accesses pass (by all warps of the block), then each
// warp loads its registers again, one after the other: cycles a load, of the last of four times.
template <Traffic traffic>
__global__ void __launch_bounds__(1024)
    use_among(unsigned offset, int bytes, int stored_again, char* memory, unsigned* out) {
  extern __shared__ char shared[];
  unsigned array[words];
  const unsigned at = local_address(array, offset);
  for (int i = 0; i < words; ++i)
    store_local(at + 4 * i, at + 4 * ((i + 1) % words));
  const auto target = shared_address(shared) + 16 * threadIdx.x;
  constexpr int each = traffic == copy_16 || traffic == copy_16_past_l1 ? 16 : 4;
  char* const own = memory + static_cast<std::size_t>(blockIdx.x) * (1 << 19) + each * threadIdx.x;
  unsigned v = at, sum = 0, cycles = 0, stored = 0;
#pragma unroll 1
  for (int time = 0; time < 4; ++time) {
    char* from = own + static_cast<std::size_t>(time % 2) * (1 << 18);
#pragma unroll 1
    for (int i = 0; i < bytes; i += each * blockDim.x, from += each * blockDim.x) {
      if (traffic == global_load) {
        unsigned w;
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(w) : "l"(from) : "memory");
        sum ^= w;
      }
      if (traffic == copy_4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(from) : "memory");
      if (traffic == copy_16)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(target), "l"(from) : "memory");
      if (traffic == copy_16_past_l1)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(from) : "memory");
      if (traffic == global_store) asm volatile("st.global.u32 [%0], %1;" ::"l"(from), "r"(time) : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (sum == 12345) v = at + 4;
    __syncthreads();
    unsigned begin = now();
    if (stored_again) {
#pragma unroll
      for (int i = 0; i < words; ++i)
        store_local(at + 4 * i, at + 4 * ((i + 1) % words));
    }
    stored = now() - begin;
    __syncthreads();
    begin = now();
#pragma unroll
    for (int i = 0; i < words; ++i)
      v = load_local(v);
    cycles = now() - begin + (v == 12345 ? 1 : 0);
  }
  if (threadIdx.x % 32 == 0) {
    out[2 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32)] = cycles;
    out[2 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) + 1] = stored;
  }
}

template <Traffic traffic>
void measure_among(int kilobytes, int shared, int stored_again, int sms, char* memory, unsigned* out) {
  constexpr int warps = 16;
  allow_shared(use_among<traffic>, shared);
  for (int time = 0; time < 2; ++time)
    use_among<traffic><<<sms, 32 * warps, shared>>>(0, kilobytes * 1024, stored_again, memory, out);
  const auto host = to_host(out, static_cast<std::size_t>(2 * sms * warps));
  double sum = 0, stores_sum = 0;
  for (std::size_t i = 0; i < host.size(); i += 2) {
    sum += host[i];
    stores_sum += host[i + 1];
  }
  const double uses = static_cast<double>(words) * warps * sms;
  std::printf("among,%s%s,%d,%d,%d,%d,%.2f\n", traffic_names[traffic], stored_again ? " stored_again" : "",
              warps, sms, shared / 1024, kilobytes, sum / uses);
  if (stored_again)
    std::printf("among_stores,%s,%d,%d,%d,%d,%.2f\n", traffic_names[traffic], warps, sms, shared / 1024,
                kilobytes, stores_sum / uses);
}

// A warp loads what L1 (or shared memory) has, 40 cycles after `count` accesses of its own (`same`) or of the
// other warp of its SM that L1 does not have: does it wait for these?
enum Target { local_word, shared_word, global_word, target_kinds };
constexpr const char* target_names[] = {"local", "shared", "global_in_l1"};
constexpr int rounds_behind = 32;

template <Target target, Traffic traffic>
__global__ void __launch_bounds__(64)
    use_behind(unsigned offset, int count, int same, char* memory, unsigned* out) {
  extern __shared__ char shared[];
  unsigned array[words];
  const unsigned at = local_address(array, offset);
  for (int i = 0; i < words; ++i)
    store_local(at + 4 * i, i);
  const auto target_at = shared_address(shared) + 16 * threadIdx.x;
  constexpr int each = traffic == copy_16 || traffic == copy_16_past_l1 ? 16 : 4;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  char* const region = memory + static_cast<std::size_t>(blockIdx.x) * (1 << 19);
  char* const mine = region + (1 << 18) + 4 * lane;  // in L1
  char* from = region + each * lane;
  unsigned sum = 0;
  for (int i = 4 * lane; i < 1 << 18; i += 128) {  // in L2
    unsigned w;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(w) : "l"(region + i) : "memory");
    sum ^= w;
  }
  const bool misses = same ? warp == 1 : warp == 0;
#pragma unroll 1
  for (int r = 0; r < rounds_behind; ++r) {
    unsigned v = 0;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(mine) : "memory");
    sum ^= v + load_local(at);
    __syncthreads();
    if (sum == 12345) from += 4;
    const unsigned start = now();
    if (misses) {
#pragma unroll 1
      for (int i = 0; i < count; ++i, from += 32 * each) {
        if (traffic == global_load) asm volatile("prefetch.global.L1 [%0];" ::"l"(from) : "memory");
        if (traffic == copy_4)
          asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target_at), "l"(from) : "memory");
        if (traffic == copy_16)
          asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(target_at), "l"(from) : "memory");
        if (traffic == copy_16_past_l1)
          asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target_at), "l"(from) : "memory");
        if (traffic == global_store) asm volatile("st.global.u32 [%0], %1;" ::"l"(from), "r"(r) : "memory");
      }
    }
    if (warp == 1) {
      if (!same) {
        while (now() - start < 40 + 16 * count) {
        }
      }
      const unsigned begin = now();
      if (target == local_word) v = load_local(at);
      if (target == shared_word)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(target_at) : "memory");
      if (target == global_word) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(mine) : "memory");
      sum ^= v;
      if (sum == 54321) from += 4;
      const unsigned end = now() + (sum == 12345 ? 1 : 0);
      if (lane == 0) out[blockIdx.x * rounds_behind + r] = end - begin;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
  }
}

template <Target target, Traffic traffic>
void measure_behind(int count, int same, int sms, char* memory, unsigned* out) {
  constexpr int shared = 200 * 1024;
  allow_shared(use_behind<target, traffic>, shared);
  for (int time = 0; time < 2; ++time)
    use_behind<target, traffic><<<sms, 64, shared>>>(0, count, same, memory, out);
  const unsigned cycles = median(to_host(out, static_cast<std::size_t>(sms * rounds_behind)));
  std::printf("behind,%s behind %s of %s,%d,%d,%d,%d,%u\n", target_names[target], traffic_names[traffic],
              same ? "its warp" : "another warp", count, sms, shared / 1024, count * 128 / 1024, cycles);
}

template <Traffic traffic>
void all_behind(int all, char* memory, unsigned* out) {
  for (const int count : {0, 1, 4, 16}) {
    for (const int same : {0, 1}) {
      for (const int sms : {1, all}) {
        measure_behind<local_word, traffic>(count, same, sms, memory, out);
        measure_behind<shared_word, traffic>(count, same, sms, memory, out);
        measure_behind<global_word, traffic>(count, same, sms, memory, out);
      }
    }
  }
}

// The same of what L1 has not and L2 has, behind `count` copies (512 bytes each) of what only DRAM has, or L2
// too: do misses come back in their order? Warps of `threads` / 32 - 1 others copy, or the same one does.
enum Missed { local_hit, local_miss, global_in_l2, missed_kinds };
constexpr const char* missed_names[] = {"local_in_l1", "local_in_l2", "global_in_l2"};

template <Missed target>
__global__ void __launch_bounds__(512) use_behind_misses(unsigned offset, int count, int same, int past_l1,
                                                         char* memory, char* far, unsigned* out) {
  extern __shared__ char shared[];
  unsigned array[words];
  const unsigned at = local_address(array, offset);
  for (int i = 0; i < words; ++i)
    store_local(at + 4 * i, i);
  const auto target_at = shared_address(shared) + 16 * threadIdx.x;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  char* const region = memory + static_cast<std::size_t>(blockIdx.x) * (1 << 18);
  char* from =
      far + (static_cast<std::size_t>(blockIdx.x) * warps + warp) * rounds_behind * count * 512 + 16 * lane;
  unsigned sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds_behind; ++r) {
    for (int i = 4 * threadIdx.x; i < 1 << 16; i += 4 * blockDim.x) {
      unsigned w;
      if (target == local_hit)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(w) : "l"(region + i) : "memory");
      else
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(w) : "l"(region + i) : "memory");
      sum ^= w;
    }
    if (target == local_hit) sum ^= load_local(at);
    if (sum == 12345) from += 4;
    __syncthreads();
    const bool measured = warp == warps - 1;
    if (same ? measured : !measured) {
#pragma unroll 1
      for (int i = 0; i < count; ++i, from += 512) {
        if (past_l1)
          asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target_at), "l"(from) : "memory");
        else
          asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(target_at), "l"(from) : "memory");
      }
    }
    if (measured) {
      const unsigned start = now();
      if (!same) {
        while (now() - start < 60 + 8 * count) {
        }
      }
      unsigned v = 0;
      const unsigned begin = now();
      if (target == global_in_l2)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(region + 4 * lane) : "memory");
      else
        v = load_local(at);
      sum ^= v;
      if (sum == 54321) from += 4;
      const unsigned end = now() + (sum == 12345 ? 1 : 0);
      if (lane == 0) out[blockIdx.x * rounds_behind + r] = end - begin;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
  }
}

template <Missed target>
void measure_behind_misses(int warps, int count, int same, int past_l1, bool from_dram, int sms, char* memory,
                           char* far, unsigned* out) {
  constexpr int shared = 200 * 1024;
  allow_shared(use_behind_misses<target>, shared);
  for (int time = 0; time < 2; ++time) {
    if (from_dram) CHECK(cudaMemset(far + (1LL << 28), time, 1LL << 28));
    use_behind_misses<target><<<sms, 32 * warps, shared>>>(0, count, same, past_l1, memory, far, out);
  }
  const unsigned cycles = median(to_host(out, static_cast<std::size_t>(sms * rounds_behind)));
  std::printf("behind,%s behind %d copies%s of %s from %s,%d,%d,%d,,%u\n", missed_names[target], count,
              past_l1 ? " past L1" : "", same ? "its warp" : "each other warp", from_dram ? "DRAM" : "L2",
              warps, sms, shared / 1024, cycles);
}

template <Missed target>
void all_behind_misses(int all, char* memory, char* far, unsigned* out) {
  for (const bool from_dram : {false, true}) {
    for (const int sms : {1, all}) {
      for (const int past_l1 : {0, 1}) {
        for (const int count : {0, 1, 4}) {
          if (past_l1 && count == 0) continue;
          measure_behind_misses<target>(2, count, 1, past_l1, from_dram, sms, memory, far, out);
          measure_behind_misses<target>(2, count, 0, past_l1, from_dram, sms, memory, far, out);
          measure_behind_misses<target>(9, count, 0, past_l1, from_dram, sms, memory, far, out);
        }
      }
    }
  }
}

// Kernels that end with their local memory in L1: 0 has none, 1 has some that it does not use, 2 stores
// `words` registers a thread, 3 loads them again, too.
template <int kind>
__global__ void __launch_bounds__(256) use_and_leave(unsigned offset, int use, int length, float* out) {
  float x = static_cast<float>(threadIdx.x), a = static_cast<float>(length);
  unsigned sum = 0;
#pragma unroll 1
  for (int i = 0; i < length; ++i)
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
  if constexpr (kind > 0) {
    unsigned array[words];
    const unsigned at = local_address(array, offset);
    if (use) {
      for (int i = 0; i < words; ++i)
        store_local(at + 4 * i, i);
      if (kind == 3) {
        for (int i = 0; i < words; ++i)
          sum ^= load_local(at + 4 * i);
      }
    }
  }
  if (x == 12345.5f || sum == 12345) out[0] = x;
}

template <int kind>
void measure_leaving(int use, int blocks, int length, float* out) {
  const double us = graph_times_us(50, 0, 8, [&](cudaStream_t stream) {
    use_and_leave<kind><<<blocks, 256, 0, stream>>>(0, use, length, out);
  })[0];
  constexpr const char* names[] = {"no_local", "local_unused", "stored", "stored_and_loaded"};
  std::printf("leave,%s,%d,%d,,%d,%.1f\n", names[kind], 8, blocks, length, 1e3 * us);
}

template <Traffic traffic>
void all_among(int all, char* memory, unsigned* out) {
  for (const int shared : {16, 100, 164, 200, 226}) {
    for (const int kilobytes : {0, 8, 32, 64, 128}) {
      if (traffic == nothing && kilobytes > 0) continue;
      if (traffic != nothing && kilobytes == 0) continue;
      measure_among<traffic>(kilobytes, shared * 1024, 0, all, memory, out);
      if (shared == 16 || shared == 200)
        measure_among<traffic>(kilobytes, shared * 1024, 1, all, memory, out);
    }
  }
}

int main() {
  auto* const out = device_room<unsigned>(1 << 22);
  auto* const memory = device_room<char>(132LL << 19, 0);
  auto* const sums = device_room<float>(4096);
  const int all = std::min(132, sm_count());
  std::printf("what,among,warps,sms,shared_kib,kib_between,cycles_or_ns\n");
  for (const int shared : {0, 200 * 1024}) {
    for (const int warps : {1, 4, 8, 16, 32}) {
      measure_alone<chase>(warps, 1, shared, out);
      for (const int sms : {1, all}) {
        measure_alone<stores>(warps, sms, shared, out);
      }
    }
  }
  all_among<nothing>(all, memory, out);
  all_among<global_load>(all, memory, out);
  all_among<copy_4>(all, memory, out);
  all_among<copy_16>(all, memory, out);
  all_among<copy_16_past_l1>(all, memory, out);
  all_among<global_store>(all, memory, out);
  all_behind<global_load>(all, memory, out);
  all_behind<copy_4>(all, memory, out);
  all_behind<copy_16>(all, memory, out);
  all_behind<copy_16_past_l1>(all, memory, out);
  all_behind<global_store>(all, memory, out);
  auto* const far = device_room<char>(1LL << 29);
  all_behind_misses<local_hit>(all, memory, far, out);
  all_behind_misses<local_miss>(all, memory, far, out);
  all_behind_misses<global_in_l2>(all, memory, far, out);
  for (const int blocks : {132, 264}) {
    for (const int length : {16, 1000}) {
      measure_leaving<0>(0, blocks, length, sums);
      measure_leaving<1>(0, blocks, length, sums);
      measure_leaving<2>(1, blocks, length, sums);
      measure_leaving<3>(1, blocks, length, sums);
    }
  }
  return 0;
}
