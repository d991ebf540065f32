// Whether a kernel's reads of its parameters by LDC (by a register's address) and as operands or by ULDC find
// each other's lines of 64 bytes of the constant bank, in replays of a graph: cycles of a warp from one stamp
// to the next, between which it reads each line twice, by either way first, on its first and second way
// through the code. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o constant_caches constant_caches.cu && ./constant_caches
#include <cstdio>
#include <vector>

#include "experiment.hpp"

constexpr int lines = 6, words = 16 * lines, passes = 2;
struct Parameters {
  int v[words];
};

constexpr int stamps = 1 + 2 * lines * passes;

// Each word decides whether the warp goes on: no read is moved before the one that it follows.
template <int order>  // 0: operands twice, 1: LDC twice, 2: operands first, 3: LDC first
__global__ void __launch_bounds__(1024, 1) reads(unsigned* out, const __grid_constant__ Parameters p) {
  unsigned t[stamps];
  const int zero = static_cast<int>(threadIdx.x) * p.v[0];
  __syncthreads();
  t[0] = now();
#pragma unroll
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll
    for (int l = 0; l < lines; ++l) {
#pragma unroll
      for (int second = 0; second < 2; ++second) {
        const bool indexed = order == 1 || (order == 2 && second == 1) || (order == 3 && second == 0);
        const int n = 2 * (pass * lines + l) + second;
        const int word = 16 * l + 8 + 2 * pass + second;
        const int value = indexed ? p.v[word + zero] : p.v[word];
        if (static_cast<unsigned>(value) == t[n]) {
          out[0] = l;
          return;
        }
        t[n + 1] = now();
      }
    }
  }
  if (threadIdx.x % 32 == 0) {
    unsigned* const to = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * stamps;
    for (int i = 0; i < stamps; ++i)
      to[i] = t[i];
  }
}

template <int order>
void measure(int warps, unsigned* out) {
  Parameters p{};
  for (int i = 1; i < words; ++i)
    p.v[i] = -1 - i;
  p.v[0] = 0;
  graph_times_us(20, 0, 2,
                 [&](cudaStream_t stream) { reads<order><<<132, 32 * warps, 0, stream>>>(out, p); });
  const auto host = to_host(out, static_cast<std::size_t>(132) * warps * stamps);
  for (int warp = 0; warp < warps; warp += std::max(1, warps - 1)) {
    std::printf("%d,%d,%d", order, warps, warp);
    for (int i = 0; i + 1 < stamps; ++i) {
      std::vector<unsigned> all;
      for (int b = 0; b < 132; ++b) {
        const auto* const of = host.data() + static_cast<std::size_t>(b * warps + warp) * stamps;
        all.push_back(of[i + 1] - of[i]);
      }
      std::printf(",%u", median(all));
    }
    std::printf("\n");
  }
}

int main() {
  auto* const out = device_room<unsigned>(std::size_t{132} * 32 * stamps * 4);
  std::printf("order,warps,warp");
  for (int pass = 1; pass <= passes; ++pass)
    for (int l = 1; l <= lines; ++l)
      std::printf(",pass%d_line%d,pass%d_line%d_again", pass, l, pass, l);
  std::printf("\n");
  for (const int warps : {1, 4, 8, 24}) {
    measure<0>(warps, out);
    measure<1>(warps, out);
    measure<2>(warps, out);
    measure<3>(warps, out);
  }
}
