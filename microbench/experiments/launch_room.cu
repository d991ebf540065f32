// What a launch takes besides its blocks' own time, by how many blocks an SM could hold: replays of a graph
// of kernels whose blocks wait for a chain of dependent multiply-adds, and do nothing else (`chain`), store
// behind it (`store`), load before it (`load`), both (`both`), or leave at once (`leave`; `empty` does not
// even read an argument). Room is limited by shared memory or, without any, by registers (`many` has 168).
// Own: cycles from a block's first instruction to its last, of the slowest, by its SM's clock.
// CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o launch_room launch_room.cu && ./launch_room
#include <cstdio>

#include "experiment.hpp"

enum Mode { empty, leave, chain, store, load, both, modes };
const char* const names[] = {"empty", "leave", "chain", "store", "load", "both"};
constexpr unsigned never = 0xffffffffU;

template <int mode, int length, bool notes, bool many>
__global__ void __launch_bounds__(many ? 256 : 1024, 1)
    body(const float* __restrict__ from, float* to, unsigned number) {
  if (mode == empty) return;
  unsigned begin = 0;
  if (notes) begin = now();
  float v = 1;
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (mode == load || mode == both) {
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from + at) : "memory");
  }
  if (mode != leave) {
#pragma unroll
    for (int i = 0; i < length; ++i)
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(v));
  }
  if (mode == store || mode == both) to[at] = v;
  if (notes) {
    if (number != never && threadIdx.x % 32 == 0)
      reinterpret_cast<unsigned*>(to)[(1 << 22) + at / 32] = now() - begin;
  }
  if (number == never) {
    to[0] = v;
    if (many) {
      float x[160];
#pragma unroll
      for (int i = 0; i < 160; ++i)
        x[i] = *(volatile const float*)(from + i * 64 + at);
#pragma unroll
      for (int i = 0; i < 160; ++i)
        *(volatile float*)(to + i * 64 + at) = x[i];
    }
  }
}

float* to;
const float* from;

template <int mode, int length, bool many>
void measure(int threads, int blocks, int shared) {
  const auto kernel = body<mode, length, false, many>;
  const auto noting = body<mode, length, true, many>;
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, kernel));
  if (threads > attributes.maxThreadsPerBlock) return;
  for (const auto k : {kernel, noting}) {
    allow_shared(k, 220 * 1024);
    CHECK(cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  }
  int room = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&room, kernel, threads, shared));
  if (room < 1) return;
  const auto us =
      graph_times_us(200, 2, 7, [&](cudaStream_t s) { kernel<<<blocks, threads, shared, s>>>(from, to, 1); });
  unsigned own = 0;
  if (mode != empty && mode != leave) {
    for (int i = 0; i < 3; ++i)
      noting<<<blocks, threads, shared>>>(from, to, 1);
    const auto all = to_host(reinterpret_cast<const unsigned*>(to) + (1 << 22), blocks * threads / 32);
    own = *std::max_element(all.begin(), all.end());
  }
  std::printf("%s,%d,%d,%d,%d,%d,%d,%d,%.1f,%u\n", names[mode], length, attributes.numRegs, blocks, threads,
              shared, room, many, 1e3 * us[3], own);
}

template <int mode, int length>
void all_rooms() {
  for (const int blocks : {1, 16, 66, 132, 264, 528})
    for (const int threads : {32, 64, 128, 256, 512, 1024})
      for (const int shared : {0, 8, 13, 18, 27, 36, 55, 75, 110, 220}) {
        if (blocks != 132 && shared != 0 && shared != 18 && shared != 55) continue;
        measure<mode, length, false>(threads, blocks, shared << 10);
      }
  for (const int blocks : {132, 264})
    for (const int threads : {32, 64, 128, 256})
      measure<mode, length, true>(threads, blocks, 0);
}

int main() {
  from = device_room<float>(1 << 26, 0);
  to = device_room<float>(1 << 26, 0);
  std::printf("mode,length,registers,blocks,threads,shared_bytes,room,many,ns_a_kernel,own_cycles\n");
  all_rooms<empty, 0>();
  all_rooms<leave, 0>();
  all_rooms<chain, 64>();
  all_rooms<chain, 256>();
  all_rooms<chain, 1024>();
  all_rooms<store, 256>();
  all_rooms<load, 256>();
  all_rooms<both, 256>();
  return 0;
}
