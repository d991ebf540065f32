// Which of an SM's blocks goes first, where its warps sit, and when a block's place is free again. CSV to
// standard output: of every warp of the blocks of eight SMs (kept: two).
//   order: blocks of FFMAs, three at once on an SM and more waiting: physical warp (%warpid), clock when it
//   begins, after
//          half of its work and at its end. A block that keeps its scheduler to itself until it is done has
//          priority.
//   leave: blocks of one after the other that stay 6000 cycles and then store `stores` times `width` bytes a
//   lane, lanes
//          `stride` bytes apart, and leave: clock at begin and at the last store's issue. `stores` 0: nothing
//          at all.
//   nvcc -O3 -arch=sm_90a -std=c++17 -cudart static -o block_order block_order.cu && ./block_order
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

__device__ __forceinline__ unsigned now() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}

__device__ __forceinline__ void note(unsigned* out, unsigned a, unsigned b, unsigned c) {
  if (threadIdx.x % 32) return;
  unsigned sm, place;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(place));
  unsigned* const to = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 8;
  to[0] = sm, to[1] = place, to[2] = a, to[3] = b, to[4] = c;
}

// waits: a shared load every 32 FFMAs, which the next ones need: a warp often has to wait, and another goes
// on.
template <bool waits>
__global__ void order(const float* numbers, unsigned* out, float* sums, int rounds) {
  extern __shared__ float words[];
  const unsigned begin = now();
  words[threadIdx.x] = numbers[threadIdx.x % 32];
  float x[16];
  for (int i = 0; i < 16; ++i)
    x[i] = numbers[i];
  const float a = numbers[16], b = numbers[17];
  unsigned half = 0;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x));
  __syncthreads();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    if (r == rounds / 2) half = now();
#pragma unroll
    for (int i = 0; i < 128; ++i) {
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % 16]) : "f"(a), "f"(b));
      if (waits && i % 32 == 31) {
        float w;
        asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(w) : "r"(at));
        x[0] += w;
      }
    }
  }
  float sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += x[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  note(out, begin, half, now());
}

template <int width>
__global__ void leave(char* data, unsigned* out, int stores, int stride) {
  const unsigned begin = now();
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // Blocks begin together only on one SM: all stay equally long, and the last warp notes, before it stores.
  while (now() - begin < 5000) {
  }
  char* const mine =
      data + (static_cast<long long>(blockIdx.x) * warps + warp) * stores * 32 * stride + lane * stride;
  if (stores == 0) note(out, begin, 0, begin + 6000);
  while (now() - begin < 6000) {
  }
  if (stores == 0) return;
  const unsigned from = now();
#pragma unroll 1
  for (int i = 0; i < stores; ++i) {
    char* const at = mine + i * 32 * stride;
    if (width == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
    if (width == 16) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(i) : "memory");
  }
  note(out, begin, from, now());
}

void print(const char* what, int threads, int resident, int a, int b, int c, const unsigned* out,
           int blocks) {
  const int warps = threads / 32;
  std::vector<unsigned> host(static_cast<std::size_t>(blocks) * warps * 8);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), out, 4 * host.size(), cudaMemcpyDeviceToHost));
  for (int s = 0; s < 8; ++s) {
    const unsigned sm = host[static_cast<std::size_t>(s * 13) * warps * 8];
    unsigned zero = 0;
    bool first = true;
    for (int i = 0; i < blocks * warps; ++i) {
      const unsigned* const row = &host[static_cast<std::size_t>(i) * 8];
      if (row[0] != sm) continue;
      if (first || static_cast<int>(row[2] - zero) < 0) zero = row[2];
      first = false;
    }
    for (int i = 0; i < blocks * warps; ++i) {
      const unsigned* const row = &host[static_cast<std::size_t>(i) * 8];
      if (row[0] != sm) continue;
      std::printf("%s,%d,%d,%d,%d,%d,%u,%d,%d,%u,%d,%d,%d\n", what, threads, resident, a, b, c, sm, i / warps,
                  i % warps, row[1], static_cast<int>(row[2] - zero),
                  row[3] ? static_cast<int>(row[3] - zero) : 0, static_cast<int>(row[4] - zero));
    }
  }
}

int main() {
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  const int sms = device.multiProcessorCount;
  float *numbers, *sums;
  unsigned* out;
  char* data;
  CHECK(cudaMalloc(&numbers, 4096));
  CHECK(cudaMemset(numbers, 0, 4096));
  CHECK(cudaMalloc(&sums, 1 << 24));
  CHECK(cudaMalloc(&out, 1 << 24));
  CHECK(cudaMalloc(&data, 1 << 29));
  std::printf("what,threads,resident,a,b,c,sm,block,warp,place,begin,half,end\n");
  constexpr int most = 227 * 1024;
  const auto shared = [&](int resident) { return most / resident / 1024 * 1024 - 1024; };
  CHECK(cudaFuncSetAttribute(order<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  CHECK(cudaFuncSetAttribute(order<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  CHECK(cudaFuncSetAttribute(leave<4>, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  CHECK(cudaFuncSetAttribute(leave<16>, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  for (const int threads : {32, 64, 128, 256})
    for (const int resident : {3, 5})
      for (const bool waits : {false, true}) {
        const int blocks = sms * (resident + 1);
        for (int time = 0; time < 3; ++time) {
          if (waits)
            order<true><<<blocks, threads, shared(resident)>>>(numbers, out, sums, 30);
          else
            order<false><<<blocks, threads, shared(resident)>>>(numbers, out, sums, 30);
        }
        print("order", threads, resident, waits, 0, 0, out, blocks);
      }
  for (const int threads : {64, 256})
    for (const int resident : {1, 2})
      for (const int stores : {0, 1, 4, 8, 16})
        for (const int kind : {0, 1, 2}) {
          const int width = kind == 0 ? 16 : 4, stride = kind == 1 ? 4 : 16, blocks = sms * resident * 4;
          if (stores == 0 && kind > 0) continue;
          for (int time = 0; time < 3; ++time) {
            if (width == 4)
              leave<4><<<blocks, threads, shared(resident)>>>(data, out, stores, stride);
            else
              leave<16><<<blocks, threads, shared(resident)>>>(data, out, stores, stride);
          }
          print("leave", threads, resident, stores, width, stride, out, blocks);
        }
  return 0;
}
