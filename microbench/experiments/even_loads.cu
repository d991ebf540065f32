// How evenly the warps of a scheduler get on where shared loads are waited for: B blocks of W warps on each
// SM run the same loop; each warp notes its clock when it begins and when it ends. `chain`: a load of so many
// words every so many FFMAs, used as many FFMAs later (chain_FFMAS_WORDS). `product`: a thread's tile,
// fragments read one k ahead; with `barrier` one a trip (product_TILE_STEPS_BARRIER). CSV to standard output,
// all of it twice: of each of one SM's blocks every fourth warp, which share a scheduler.
//   nvcc -O3 -arch=sm_90a -o even_loads even_loads.cu && ./even_loads
#include <cstdio>

#include "experiment.hpp"

constexpr int trips = 24, notes = 4;  // SM, %warpid, begin, end

struct Notes {
  unsigned* to;
  __device__ explicit Notes(unsigned* out)
      : to(out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * notes) {
    const unsigned sm = sm_id(), place = warp_place();
    if (threadIdx.x % 32 == 0) to[0] = sm, to[1] = place, to[2] = now();
  }
  __device__ void end() const {
    if (threadIdx.x % 32 == 0) to[3] = now();
  }
};

template <int ffmas, int words, int pieces>
__global__ void __launch_bounds__(1024, 1) chain(const float* numbers, unsigned* out, float* sums) {
  __shared__ float data[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x)
    data[i] = numbers[i % 32];
  float x[16];
  for (int i = 0; i < 16; ++i)
    x[i] = numbers[i];
  const float b = numbers[17];
  const unsigned at = shared_address(data) + threadIdx.x % 32 / 4 * 4 * words;
  float w[2][4] = {};
  __syncthreads();
  const Notes note(out);
#pragma unroll 1
  for (int t = 0; t < trips; ++t) {
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      float* const v = w[p % 2];
      if (words == 1) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v[0]) : "r"(at + p * 256));
      if (words == 2)
        asm volatile("ld.volatile.shared.v2.f32 {%0,%1}, [%2];" : "=f"(v[0]), "=f"(v[1]) : "r"(at + p * 256));
      if (words == 4)
        asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                     : "r"(at + p * 256));
      const float* const u = w[1 - p % 2];
#pragma unroll
      for (int i = 0; i < ffmas; ++i)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % 16]) : "f"(u[i % words]), "f"(b));
    }
  }
  note.end();
  float sum = w[0][0] + w[1][0];
  for (int i = 0; i < 16; ++i)
    sum += x[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int TM, int TN, int steps, bool barrier>
__global__ void __launch_bounds__(TM* TN >= 64 ? 512 : 768, 1)
    product(const float* numbers, unsigned* out, float* sums) {
  __shared__ float a[steps + 1][64], b[steps + 1][64];
  for (int i = threadIdx.x; i < (steps + 1) * 64; i += blockDim.x) {
    a[i / 64][i % 64] = numbers[i % 32];
    b[i / 64][i % 64] = numbers[i % 31];
  }
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
  __syncthreads();
  const Notes note(out);
  read(0, 0);
#pragma unroll 1
  for (int t = 0; t < trips; ++t) {
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      if (k + 1 == steps && barrier) __syncthreads();
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
  note.end();
  float sum = x[0][0] + y[0][0];
  for (int m = 0; m < TM; ++m)
    for (int n = 0; n < TN; ++n)
      sum += s[m][n];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class K>
void measure(int run, const char* name, K kernel, int warps, int blocks_an_sm, const float* numbers,
             unsigned* out, float* sums) {
  const int blocks = blocks_an_sm * sm_count();
  for (int time = 0; time < 3; ++time) {  // the last one counts: its code is cached
    kernel<<<blocks, 32 * warps>>>(numbers, out, sums);
    CHECK(cudaDeviceSynchronize());
  }
  const auto rows = to_host(out, static_cast<std::size_t>(blocks) * warps * notes);
  rows_of_sm(rows, notes, rows[0], [&](int i, const unsigned* row, unsigned zero) {
    if (i % warps % 4) return;
    std::printf("%d,%s,%d,%d,%d,%d,%u,%d,%d\n", run, name, warps, blocks_an_sm, i / warps, i % warps, row[1],
                static_cast<int>(row[2] - zero), static_cast<int>(row[3] - zero));
  });
}

#define CHAIN(N, W, P) measure(run, "chain_" #N "_" #W, chain<N, W, P>, w, b, numbers, out, sums)
#define PRODUCT(M, N, K, S) \
  measure(run, "product_" #M "x" #N "_" #K "_" #S, product<M, N, K, S>, w, b, numbers, out, sums)

int main() {
  auto* const numbers = device_room<float>(4096, 0);
  auto* const sums = device_room<float>(1 << 22);
  auto* const out = device_room<unsigned>(1 << 23);
  std::printf("run,code,warps,blocks_an_sm,block,warp,warpid,begin,end\n");
  const int shapes[][2] = {{4, 1}, {4, 2}, {4, 3}, {4, 4}, {4, 6}, {8, 2}, {16, 1}, {1, 1}};
  for (const int run : {1, 2})
    for (const auto& [w, b] : shapes) {
      CHAIN(8, 4, 32);
      CHAIN(12, 4, 32);
      CHAIN(16, 4, 16);
      CHAIN(20, 4, 16);
      CHAIN(24, 4, 16);
      CHAIN(32, 4, 8);
      CHAIN(48, 4, 8);
      CHAIN(16, 2, 16);
      CHAIN(32, 2, 8);
      CHAIN(16, 1, 16);
      PRODUCT(4, 8, 8, false);
      PRODUCT(8, 4, 8, false);
      PRODUCT(4, 8, 16, false);
      PRODUCT(4, 8, 32, true);
      PRODUCT(4, 8, 16, true);
      PRODUCT(8, 4, 16, true);
      PRODUCT(4, 4, 8, false);
      PRODUCT(8, 8, 8, false);
      PRODUCT(8, 8, 16, true);
    }
  return 0;
}
