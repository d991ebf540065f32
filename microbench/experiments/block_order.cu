// Which of an SM's blocks goes first, where its warps sit, and when a block's place is free again. CSV to
// standard output: of every warp of the blocks of two SMs.
//   order: blocks of FFMAs, three or five at once on an SM and more waiting: physical warp (%warpid), clock
//     when it begins, after half of its work and at its end. A block that keeps its scheduler to itself until
//     it is done has priority.
//   leave: blocks of one after the other that stay 6000 cycles and then store `stores` times `width` bytes a
//     lane, lanes `stride` bytes apart, and leave: clock at begin and at the last store's issue. `stores` 0:
//     nothing at all.
//   nvcc -O3 -arch=sm_90a -o block_order block_order.cu && ./block_order
#include <cstdio>

#include "experiment.hpp"

__device__ __forceinline__ void note(unsigned* out, unsigned a, unsigned b, unsigned c) {
  if (threadIdx.x % 32) return;
  unsigned* const to = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 8;
  to[0] = sm_id(), to[1] = warp_place(), to[2] = a, to[3] = b, to[4] = c;
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
  const unsigned at = shared_address(words + threadIdx.x);
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
  const auto rows = to_host(out, static_cast<std::size_t>(blocks) * warps * 8);
  for (int s = 0; s < 2; ++s)
    rows_of_sm(rows, 8, rows[static_cast<std::size_t>(s * 13) * warps * 8],
               [&](int i, const unsigned* row, unsigned zero) {
                 std::printf("%s,%d,%d,%d,%d,%d,%u,%d,%d,%u,%d,%d,%d\n", what, threads, resident, a, b, c,
                             row[0], i / warps, i % warps, row[1], static_cast<int>(row[2] - zero),
                             row[3] ? static_cast<int>(row[3] - zero) : 0, static_cast<int>(row[4] - zero));
               });
}

int main() {
  const int sms = sm_count();
  auto* const numbers = device_room<float>(4096, 0);
  auto* const sums = device_room<float>(1 << 24);
  auto* const out = device_room<unsigned>(1 << 24);
  auto* const data = device_room<char>(1 << 29);
  std::printf("what,threads,resident,a,b,c,sm,block,warp,place,begin,half,end\n");
  constexpr int most = 227 * 1024;
  const auto shared = [&](int resident) { return most / resident / 1024 * 1024 - 1024; };
  allow_shared(order<false>, most);
  allow_shared(order<true>, most);
  allow_shared(leave<4>, most);
  allow_shared(leave<16>, most);
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
