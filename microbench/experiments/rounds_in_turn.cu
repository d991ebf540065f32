// Rounds of products as chang_multi has them (eight lines of 8 x 8, operands by 128-bit shared loads, a
// barrier and copies for a later round), of one or two parties of six warps on an SM, which are two blocks or
// two halves of one. CSV to standard output: cycles a round until the last warp of an SM ends, and when the
// first party ends as a share of that; medians over the SMs.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o rounds_in_turn rounds_in_turn.cu && ./rounds_in_turn
#include <cuda_runtime.h>
#include <cstdio>

#include "experiment.hpp"

constexpr int threads = 192, lines = 8, stages = 3, line_floats = 544, row_floats = 32, notes = 4;
constexpr int stage_floats = lines * (line_floats + row_floats), party_floats = stages * stage_floats;

template <int parties, bool barrier, int copies,
          int apart>  // apart: floats from a lane's fragment to the next
__global__ void __launch_bounds__(threads* parties, 2 / parties)
    run(const float* in, unsigned* out, float* sink, int rounds) {
  extern __shared__ float4 memory[];
  const int party = threadIdx.x / threads, t = threadIdx.x % threads;
  float* const mine = reinterpret_cast<float*>(memory) + party * party_floats;
  for (int i = t; i < party_floats; i += threads)
    mine[i] = static_cast<float>(i);
  __syncthreads();
  const unsigned begin = now();
  const int m = t / 64, p = t % 64;
  float sum[8][8] = {};
  const float* source = in + (blockIdx.x * parties + party) * 8192;
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(mine)) + 16 * t;
  int at = 0, slot = 0, next = 2;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    if (barrier) {
      asm volatile("cp.async.wait_group 1;" ::: "memory");
      asm volatile("bar.sync %0, %1;" ::"r"(1 + party), "n"(threads) : "memory");
    }
#pragma unroll
    for (int c = 0; c < copies; ++c) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target + 4 * (next * stage_floats) +
                                                                     16 * threads * (c % 5)),
                   "l"(source + ((at + 4 * (c * threads + t)) & 8191))
                   : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    at += 4 * copies * threads;
    const float* const x_at = mine + slot * stage_floats + apart * p;
    const float* const w_at = mine + slot * stage_floats + lines * line_floats + 8 * m;
#pragma unroll 1
    for (int l = 0; l < lines; l += 4) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        float x[8], w[8];
#pragma unroll
        for (int i = 0; i < 8; i += 4) {
          const float4 v =
              *reinterpret_cast<const float4*>(x_at + (l + k) * line_floats + (apart == 8 ? i : 64 * i));
          x[i] = v.x, x[i + 1] = v.y, x[i + 2] = v.z, x[i + 3] = v.w;
          const float4 u = *reinterpret_cast<const float4*>(w_at + (l + k) * row_floats + i);
          w[i] = u.x, w[i + 1] = u.y, w[i + 2] = u.z, w[i + 3] = u.w;
        }
#pragma unroll
        for (int i = 0; i < 8; ++i)
#pragma unroll
          for (int j = 0; j < 8; ++j)
            sum[i][j] = fmaf(w[i], x[j], sum[i][j]);
      }
    }
    if (++slot == stages) slot = 0;
    if (++next == stages) next = 0;
  }
  const unsigned end = now();
  float s = 0;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      s += sum[i][j];
  if (s == 1.5F) *sink = s;
  if (threadIdx.x % 32 == 0) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    unsigned* const to = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * notes;
    to[0] = sm, to[1] = begin, to[2] = end, to[3] = blockIdx.x * parties + party;
  }
}

template <int parties, bool barrier, int copies, int apart>
void measure(int on_sm, const float* in, unsigned* out, float* sink) {
  constexpr int rounds = 64;
  const auto kernel = run<parties, barrier, copies, apart>;
  const int bytes = 4 * party_floats * parties;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  const int sms = 132, blocks = sms * on_sm / parties, warps = parties * threads / 32;
  std::vector<double> all, first;
  for (int again = 0; again < 3; ++again) {
    kernel<<<blocks, threads * parties, bytes>>>(in, out, sink, rounds);
    const auto host = to_host(out, static_cast<std::size_t>(blocks) * warps * notes);
    if (again < 1) continue;
    for (unsigned sm = 0; sm < 132; ++sm) {
      unsigned begin = ~0U, end = 0;
      std::vector<std::pair<unsigned, unsigned>> ends;  // of parties
      for (int i = 0; i < blocks * warps; ++i) {
        const auto* const of = &host[static_cast<std::size_t>(i) * notes];
        if (of[0] != sm) continue;
        begin = std::min(begin, of[1]), end = std::max(end, of[2]);
        if (ends.empty() || ends.back().first != of[3]) ends.push_back({of[3], 0});
        ends.back().second = std::max(ends.back().second, of[2]);
      }
      if (static_cast<int>(ends.size()) != on_sm) continue;
      unsigned least = ~0U;
      for (const auto& e : ends)
        least = std::min(least, e.second);
      all.push_back(static_cast<double>(end - begin) / rounds);
      first.push_back(static_cast<double>(least - begin) / (end - begin));
    }
  }
  std::printf("%d,%s,%d,%d,%d,%zu,%.0f,%.0f,%.0f,%.3f\n", on_sm, parties == 1 ? "blocks" : "halves",
              barrier ? 1 : 0, copies, apart, all.size() / 2, median(all),
              *std::min_element(all.begin(), all.end()), *std::max_element(all.begin(), all.end()),
              median(first));
}

template <int apart, bool barrier, int copies>
void all_of(const float* in, unsigned* out, float* sink) {
  measure<1, barrier, copies, apart>(1, in, out, sink);
  measure<1, barrier, copies, apart>(2, in, out, sink);
  measure<2, barrier, copies, apart>(2, in, out, sink);
}

int main() {
  auto* const in = device_room<float>(std::size_t{264} * 8192 * 4 + 65536, 0);
  auto* const out = device_room<unsigned>(std::size_t{264} * 12 * notes * 4);
  auto* const sink = device_room<float>(4);
  std::printf("parties,as,barrier,copies,floats_apart,sms,cycles_a_round,least,most,first_end\n");
  all_of<8, false, 0>(in, out, sink);
  all_of<8, true, 0>(in, out, sink);
  all_of<8, true, 3>(in, out, sink);
  all_of<8, true, 6>(in, out, sink);
  all_of<4, false, 0>(in, out, sink);
  all_of<4, true, 0>(in, out, sink);
  all_of<4, true, 3>(in, out, sink);
  all_of<4, true, 6>(in, out, sink);
}
