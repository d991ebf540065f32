// What a kernel's first reads of lines of 64 bytes of its arguments take by LDC with the line's own address
// (`by` 0) and by a register's address (1), in replays of a graph: cycles of a warp from the stamp before to
// the stamp behind them, of `lines` lines asked for at once and then waited for: the line that each launch
// reads (`first`), lines that nobody has read, and the same again. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o constant_reads constant_reads.cu && ./constant_reads
#include <cstdio>
#include <vector>

#include "experiment.hpp"

// At 0x218 of the constant bank: words 0 to 4 are in the first arguments' line, then eight a line.
constexpr int first_line_words = 5, line_words = 8, most_lines = 4, stamps = 5;
struct Parameters {
  unsigned long long v[first_line_words + most_lines * line_words];
};

template <int lines, int by>
__device__ __forceinline__ bool reads(const Parameters& p, int first, int word, int zero, unsigned t) {
  unsigned long long sum = 0;
#pragma unroll
  for (int l = 0; l < lines; ++l) {
    const int n = first + l * line_words + word;
    sum ^= by == 1 ? p.v[n + zero] : p.v[n] + static_cast<unsigned long long>(zero) * 4;
  }
  return sum == t;
}

template <int lines, int by>
__global__ void __launch_bounds__(1024, 1) body(unsigned* out, const __grid_constant__ Parameters p) {
  unsigned t[stamps];
  const int zero = static_cast<int>(threadIdx.y);
  if (zero == 77) return;
  t[0] = now();
  if (reads<1, by>(p, 0, 1, zero, t[0])) return;
  t[1] = now();
  if (reads<1, by>(p, 0, 2, zero, t[1])) return;
  t[2] = now();
  if (reads<lines, by>(p, first_line_words, 1, zero, t[2])) return;
  t[3] = now();
  if (reads<lines, by>(p, first_line_words, 2, zero, t[3])) return;
  t[4] = now();
  if (threadIdx.x % 32 == 0) {
    unsigned* const to = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * stamps;
    for (int i = 0; i < stamps; ++i)
      to[i] = t[i];
  }
}

template <int lines, int by>
void measure(int warps, unsigned* out) {
  Parameters p{};
  for (auto& v : p.v)
    v = (1ULL << 62) + static_cast<unsigned long long>(&v - p.v) * (1ULL << 40);
  graph_times_us(20, 0, 2,
                 [&](cudaStream_t stream) { body<lines, by><<<132, 32 * warps, 0, stream>>>(out, p); });
  const auto host = to_host(out, static_cast<std::size_t>(132) * warps * stamps);
  for (int warp = 0; warp < warps; warp += std::max(1, warps - 1)) {
    std::printf("%d,%d,%d,%d", by, lines, warps, warp);
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
  std::printf("by,lines,warps,warp,first,first_again,new,again\n");
  for (const int warps : {1, 2, 4, 8, 16}) {
    measure<1, 0>(warps, out);
    measure<2, 0>(warps, out);
    measure<4, 0>(warps, out);
    measure<1, 1>(warps, out);
    measure<2, 1>(warps, out);
    measure<4, 1>(warps, out);
  }
}
