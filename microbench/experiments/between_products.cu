// How the warps of two blocks of an SM, one a scheduler of each, get on where one multiplies and adds without
// or with few stalls (`free`, `product`) and the other runs code that waits for fixed latencies, as kernels'
// beginnings do (`chain` of IMADs, `ffmas` that wait for each other, `address` copies and what makes their
// addresses). Either alone, and together, either of them the older one. CSV to standard output.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o between_products between_products.cu && ./between_products
#include <cstdio>

#include "experiment.hpp"

constexpr int notes = 4;  // SM, place in the order of coming, begin, end

enum Role {
  none,
  plain_ffmas,
  product_8x4,
  product_8x8,
  product_4x4,
  imads,
  adds,
  waiting_ffmas,
  mixed,
  loads
};
const char* const names[] = {"none",  "free", "product_8x4",   "product_8x8", "product_4x4",
                             "imads", "adds", "waiting_ffmas", "mixed",       "loads"};

__device__ __forceinline__ float run_free(const float* numbers, int trips) {
  float x[16];
  for (int i = 0; i < 16; ++i)
    x[i] = numbers[i];
  const float b = numbers[17], c = numbers[18];
#pragma unroll 1
  for (int t = 0; t < trips; ++t)
#pragma unroll
    for (int i = 0; i < 256; ++i)
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % 16]) : "f"(b), "f"(c));
  float s = 0;
  for (int i = 0; i < 16; ++i)
    s += x[i];
  return s;
}

template <int TM, int TN, int steps>
__device__ __forceinline__ float run_product(const float (*a)[64], const float (*b)[64], int trips) {
  float s[TM][TN] = {}, x[2][TM], y[2][TN];
  const int lane = threadIdx.x % 32;
  const int m0 = (lane % 2 + lane / 16 * 2) * 4, n0 = lane % 16 / 2 * 4;
  const auto read = [&](int buffer, int k) {
#pragma unroll
    for (int i = 0; i < TM; i += 4)
      load_four(x[buffer] + i, &a[k][(m0 + i * 4) % 64]);
#pragma unroll
    for (int i = 0; i < TN; i += 4)
      load_four(y[buffer] + i, &b[k][n0 + i / 4 * 32]);
  };
  read(0, 0);
#pragma unroll 1
  for (int t = 0; t < trips; ++t) {
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      read((k + 1) % 2, (k + 1) % steps);
#pragma unroll
      for (int m = 0; m < TM; ++m)
#pragma unroll
        for (int i = 0; i < TN; ++i) {
          const int n = m % 2 ? TN - 1 - i : i;
          s[m][n] = fmaf(x[k % 2][m], y[k % 2][n], s[m][n]);
        }
    }
    asm volatile("" ::: "memory");
  }
  float sum = x[0][0] + y[0][0];
  for (int m = 0; m < TM; ++m)
    for (int n = 0; n < TN; ++n)
      sum += s[m][n];
  return sum;
}

__device__ __forceinline__ float run_imads(unsigned u, int trips) {
  const unsigned b = u + 3;
#pragma unroll 1
  for (int t = 0; t < trips; ++t)
#pragma unroll
    for (int i = 0; i < 64; ++i)
      asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(u) : "r"(b), "r"(b));
  return static_cast<float>(u);
}
__device__ __forceinline__ float run_adds(unsigned u, int trips) {
  const unsigned b = u + 3;
#pragma unroll 1
  for (int t = 0; t < trips; ++t)
#pragma unroll
    for (int i = 0; i < 64; ++i)
      asm volatile("xor.b32 %0, %0, %1;\n\tadd.u32 %0, %0, %2;" : "+r"(u) : "r"(b), "r"(b + 7));
  return static_cast<float>(u);
}
__device__ __forceinline__ float run_waiting(float f, int trips) {
  const float b = f + 3;
#pragma unroll 1
  for (int t = 0; t < trips; ++t)
#pragma unroll
    for (int i = 0; i < 64; ++i)
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(f) : "f"(b), "f"(b));
  return f;
}
// Three independent IMADs, compares and selects, then what waits for them.
__device__ __forceinline__ float run_mixed(unsigned u, int trips) {
  unsigned v = u + 1, w = u + 2;
  const unsigned b = u + 3;
#pragma unroll 1
  for (int t = 0; t < trips; ++t)
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(u) : "r"(b), "r"(b));
      asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(v) : "r"(b), "r"(b));
      asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(w) : "r"(b), "r"(b));
      asm volatile("add.u32 %0, %0, %1;" : "+r"(u) : "r"(v));
      asm volatile("xor.b32 %0, %0, %1;" : "+r"(v) : "r"(w));
    }
  return static_cast<float>(u + v + w);
}
__device__ __forceinline__ float run_loads(const float* numbers, unsigned u, int trips) {
  float s = 0;
  const unsigned b = u + 3;
#pragma unroll 1
  for (int t = 0; t < trips; ++t) {
    float f[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(u) : "r"(b), "r"(b));
      asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(f[i]) : "l"(numbers + (u & 63)));
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
      s += f[i];
  }
  return s + static_cast<float>(u);
}

__global__ void __launch_bounds__(128, 3)
    both(const float* numbers, unsigned* out, float* sums, int first, int second, int wait, unsigned* taken) {
  __shared__ float a[17][64], b[17][64];
  for (int i = threadIdx.x; i < 17 * 64; i += blockDim.x) {
    a[i / 64][i % 64] = numbers[i % 32];
    b[i / 64][i % 64] = numbers[i % 31];
  }
  __shared__ unsigned order;  // in which the SM's blocks come
  if (threadIdx.x == 0) order = atomicAdd(taken + sm_id(), 1U);
  __syncthreads();
  const int role = order == 0 ? first : order == 1 ? second : none;
  const bool waits = role >= imads;
  const unsigned place = order;
  const unsigned came = now();
  if (waits)
    while (now() - came < wait) {
    }
  unsigned* const to = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * notes;
  const unsigned begin = now();
  float s = 0;
  if (role == plain_ffmas) s = run_free(numbers, 64);
  if (role == product_8x4) s = run_product<8, 4, 16>(a, b, 24);
  if (role == product_8x8) s = run_product<8, 8, 8>(a, b, 24);
  if (role == product_4x4) s = run_product<4, 4, 16>(a, b, 48);
  if (role == imads) s = run_imads(__float_as_uint(numbers[3]), 8);
  if (role == adds) s = run_adds(__float_as_uint(numbers[3]), 4);
  if (role == waiting_ffmas) s = run_waiting(numbers[3], 8);
  if (role == mixed) s = run_mixed(__float_as_uint(numbers[3]), 6);
  if (role == loads) s = run_loads(numbers, __float_as_uint(numbers[3]), 8);
  const unsigned end = now();
  sums[blockIdx.x * blockDim.x + threadIdx.x] = s;
  if (threadIdx.x % 32 == 0) to[0] = sm_id(), to[1] = place, to[2] = begin, to[3] = end;
}

void measure(int run, int first, int second, int wait, const float* numbers, unsigned* out, float* sums,
             unsigned* taken) {
  const int blocks = 2 * sm_count();
  for (int time = 0; time < 3; ++time) {
    CHECK(cudaMemset(taken, 0, 4096));
    both<<<blocks, 128>>>(numbers, out, sums, first, second, wait, taken);
    CHECK(cudaDeviceSynchronize());
  }
  const auto rows = to_host(out, static_cast<std::size_t>(blocks) * 4 * notes);
  rows_of_sm(rows, notes, rows[0], [&](int i, const unsigned* row, unsigned zero) {
    std::printf("%d,%s,%s,%u,%d,%d,%d\n", run, names[first], names[second], row[1], i % 4,
                static_cast<int>(row[2] - zero), static_cast<int>(row[3] - zero));
  });
}

int main() {
  auto* const numbers = device_room<float>(4096, 0);
  auto* const sums = device_room<float>(1 << 18);
  auto* const out = device_room<unsigned>(1 << 16);
  auto* const taken = device_room<unsigned>(4096);
  std::printf("run,first,second,place,warp,begin,end\n");
  for (const int run : {1, 2}) {
    for (int b = imads; b <= loads; ++b)
      measure(run, none, b, 600, numbers, out, sums, taken);
    for (int a = plain_ffmas; a <= product_4x4; ++a) {
      measure(run, none, a, 600, numbers, out, sums, taken);
      measure(run, a, a, 600, numbers, out, sums, taken);
      for (int b = imads; b <= loads; ++b) {
        measure(run, a, b, 600, numbers, out, sums, taken);
        measure(run, b, a, 600, numbers, out, sums, taken);
      }
    }
  }
  return 0;
}
