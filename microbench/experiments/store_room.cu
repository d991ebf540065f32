// How many stores an SM holds before a warp must wait to issue the next one (S6, model/EQUATIONS.md), and how
// long a read from DRAM takes while the other SMs write. CSV on stdout.
//   nvcc -O3 -arch=sm_90a -o store_room store_room.cu && ./store_room

#include <cstdio>
#include <vector>

#include "experiment.hpp"

namespace {

// Each warp stores `stores` times, `width` bytes a lane, lanes `stride` bytes apart, and notes when the last
// one was issued: no fence, no barrier behind it. Lines stay in L2.
template <int width>
__global__ void issue(char* data, long long* out, int stores, int stride) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  char* const mine =
      data + (static_cast<long long>(blockIdx.x) * warps + warp) * 64 * 32 * stride + lane * stride;
  long long times = 0;
  for (int round = 0; round < 8; ++round) {
    __threadfence();
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < stores; ++i) {
      char* const at = mine + i * 32 * stride;
      if (width == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(round) : "memory");
      if (width == 16)
        asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(round) : "memory");
    }
    const long long end = clock64();
    if (round > 0) times += end - begin;
  }
  if (lane == 0) out[blockIdx.x * warps + warp] = times / 7;
}

// Block 0 chases through `chain` from entry `from` on (each entry the next one's index, far apart); all
// others write `data` over and over until it is done, for which they look after every store or, without
// pauses, after 32. `idle` cycles between their stores set the load.
__global__ void read_while_writing(const int* chain, char* data, long long bytes, long long* out,
                                   volatile int* done, int from, int idle) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    int at = from;
    const long long begin = clock64();
    for (int i = 0; i < 2000; ++i)
      at = __ldcv(chain + at);
    out[0] = (clock64() - begin) / 2000;
    out[1] = at;
    *done = 1;
    return;
  }
  const long long part = bytes / (gridDim.x - 1) / (blockDim.x * 16) * (blockDim.x * 16);
  char* const own = data + (blockIdx.x - 1) * part;
  long long written = 0;
  long long at = threadIdx.x * 16;
  const int look_every = idle < 500 ? 32 : 1;
  for (int i = 0; i % look_every != 0 || *done == 0; ++i, at += blockDim.x * 16) {
    if (at >= part) at -= part;
    asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(own + at), "r"(int(at)) : "memory");
    written += 16;
    const long long until = clock64() + idle;
    while (idle > 0 && clock64() < until) {
    }
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(out + 2), static_cast<unsigned long long>(written));
}

template <int width>
void run_issue(char* data, long long* out, int blocks, int warps, int stores, int stride) {
  issue<width><<<blocks, 32 * warps>>>(data, out, stores, stride);
  const auto times = sorted(to_host(out, blocks * warps));
  std::printf("issue,%d,%d,%d,%d,%d,%lld,%lld\n", width, stride, blocks, warps, stores,
              times[times.size() / 2], times.back());
}

}  // namespace

int main() {
  constexpr long long bytes = 1LL << 30, entries = 1 << 22;
  auto* const data = device_room<char>(bytes);
  auto* const out = device_room<long long>(1 << 20);
  auto* const chain = device_room<int>(4 * entries * 32);
  auto* const done = device_room<int>(4);
  std::printf("experiment,width,stride,blocks,warps,stores,median_cycles,most_cycles\n");
  for (const int blocks : {1, 132})
    for (const int warps : {1, 4, 16})
      for (int stores = 1; stores <= 64; stores += stores < 8 ? 1 : stores < 24 ? 2 : 8) {
        run_issue<16>(data, out, blocks, warps, stores, 16);  // whole sectors, 16 of them
        run_issue<4>(data, out, blocks, warps, stores, 4);    // 4 whole sectors
        run_issue<4>(data, out, blocks, warps, stores, 16);   // 16 half sectors
      }
  // A chain of lines 128 bytes apart by a step that is odd: none is met again soon.
  std::vector<int> next(entries * 32);
  for (long long i = 0; i < entries; ++i)
    next[i * 32] = static_cast<int>((i + 1664525 * 2 + 1) % entries * 32);
  CHECK(cudaMemcpy(chain, next.data(), 4 * next.size(), cudaMemcpyHostToDevice));
  std::printf("experiment,idle,latency_cycles,written_bytes_a_cycle\n");
  int from = 0;  // each run goes on where the last one stopped: nothing of it is in L2
  for (const int idle : {1 << 20, 8000, 4000, 2000, 1500, 1000, 750, 500, 250, 100, 0}) {
    CHECK(cudaMemset(done, 0, 4));
    CHECK(cudaMemset(out, 0, 64));
    read_while_writing<<<132, 512>>>(chain, data, bytes, out, done, from, idle);
    const auto h = to_host(out, 3);
    from = static_cast<int>(h[1]);
    std::printf("read_while_writing,%d,%lld,%.2f\n", idle, h[0], static_cast<double>(h[2]) / (2000.0 * h[0]));
  }
}
