// What asynchronous copies through L1 take from shared loads when their data come: of `again` copies of the
// same sectors, one right behind the other, the first asks L2 and the others find them under way. A warp's 32
// lanes copy 4 or 8 bytes each from `lines` lines, in the same banks of L1 (same) or in different ones
// (apart); what they write meets `ways` times in shared memory's banks. Behind each copy `reads` LDS.128.
//   where: l2 (new sectors each time) or l1 (the same again and again)
// CSV to standard output: cycles of the SM for one copy of one warp with its shared loads, of 16 warps, the
// least of three runs.
//   nvcc -O3 -arch=sm_90a -o arrivals_beside_loads arrivals_beside_loads.cu && ./arrivals_beside_loads
#include <cstdio>

#include "experiment.hpp"

constexpr int lanes_of_warp = 32, warps = 16, rounds = 48;

template <int bytes, int reads, int again>
__global__ void run(const char* data, int lines, int same, int ways, int l1, float* out, long long* cycles) {
  extern __shared__ char buffer[];
  const int lane = threadIdx.x % lanes_of_warp, warp = threadIdx.x / lanes_of_warp;
  const int of_line = lanes_of_warp / lines;
  // The next line is 129 lines away, or begins where the words of this one end.
  const int place = lane / of_line * 129 * 128 + (same ? lane % of_line : lane) * bytes;
  const char* from = data + warp * 65 * 128 * 33 + place;
  const size_t step = l1 ? 0 : 128;
  const auto base = shared_address(buffer);
  // `ways` neighbouring lanes' words lie 128 bytes apart.
  const unsigned to = base + 8192 + warp * 4096 + lane % ways * 128 + lane / ways * bytes;
  float total = 0;
  const auto all = [&] {
    const char* at = from;
#pragma unroll 1
    for (int n = 0; n < rounds; ++n) {
#pragma unroll
      for (int i = 0; i < again; ++i) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to + i * 1024), "l"(at), "n"(bytes)
                     : "memory");
#pragma unroll
        for (int r = 0; r < reads; ++r) {
          float4 x;
          asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                       : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                       : "r"(base + lane * 16 + r % 8 * 512)
                       : "memory");
          total += x.x;
        }
      }
      asm volatile("cp.async.commit_group;" ::: "memory");
      asm volatile("cp.async.wait_group 7;" ::: "memory");
      at += step;
    }
  };
  all();
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  const long long begin = clock64();
  all();
  asm volatile("cp.async.wait_all;" ::: "memory");
  if (total == 12345.0F) out[0] = total;
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
}

template <int bytes, int reads, int again>
void rows(const char* data, float* out, long long* cycles) {
  constexpr int shared = 200 * 1024;  // what is left for L1: 28 KB
  const auto kernel = run<bytes, reads, again>;
  allow_shared(kernel, shared);
  for (const int l1 : {1, 0})
    for (const int lines : {1, 4, 8, 16})
      for (const int same : {0, 1})
        for (const int ways : {1, 2, 4}) {
          if (lines == 1 && same) continue;
          if (ways > 1 && lines > 4) continue;
          const long long least = least_cycles(3, cycles, [&] {
            kernel<<<1, warps * lanes_of_warp, shared>>>(data, lines, same, ways, l1, out, cycles);
          });
          std::printf("%d,%d,%d,%s,%d,%s,%d,%.2f\n", bytes, reads, again, l1 ? "l1" : "l2", lines,
                      same ? "same" : "apart", ways,
                      static_cast<double>(least) / (double(rounds) * again * warps));
        }
}

template <int bytes, int reads>
void again_and_again(const char* data, float* out, long long* cycles) {
  rows<bytes, reads, 1>(data, out, cycles);
  rows<bytes, reads, 2>(data, out, cycles);
  rows<bytes, reads, 4>(data, out, cycles);
}

template <int bytes>
void all(const char* data, float* out, long long* cycles) {
  again_and_again<bytes, 0>(data, out, cycles);
  again_and_again<bytes, 1>(data, out, cycles);
  again_and_again<bytes, 2>(data, out, cycles);
  again_and_again<bytes, 4>(data, out, cycles);
}

int main() {
  auto* const data = device_room<char>(size_t{64} << 20, 0);
  auto* const out = device_room<float>(4096);
  auto* const cycles = managed_room<long long>(8);
  std::printf("bytes,reads,again,where,lines,banks,ways,cycles_a_copy\n");
  all<4>(data, out, cycles);
  all<8>(data, out, cycles);
}
