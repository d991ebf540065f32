// Whether shared loads of other warps wait while L1 has no room for lines: `askers` warps, one on each
// scheduler, make 64 copies of 4 bytes a lane through L1 (or loads of as much), eight lanes beside each other
// in each of four rows, every copy of new lines, which L2 has or (`cold`) has lost; four other warps, one on
// each scheduler, go round with a shared load whose address is the last one's result. One block of one SM, 28
// KB of L1. CSV to standard output, medians of nine runs: cycles until the last asker has issued all and
// until its data are there, and of the other warps: their mean load before, the mean and the longest while
// copies are being issued, and the mean of the same warps behind the last data.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o room_beside room_beside.cu && ./room_beside
#include <cstdio>

#include "experiment.hpp"

constexpr int rounds = 1024, asked = 64, stride = 2264, others = 4, words_out = 2 * others * rounds + 64;

template <bool loads>
__global__ void run(const float* data, int askers, int apart, unsigned* out) {
  extern __shared__ unsigned words[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 4096; i += blockDim.x)
    words[i] = 0;
  __syncthreads();
  const unsigned begin = clock();
  if (warp < others) {
    unsigned at = 0, last = clock();
    for (int r = 0; r < rounds; ++r) {
      asm volatile("ld.volatile.shared.u32 %0, [%1];"
                   : "=r"(at)
                   : "r"(shared_address(words) + at + 4 * lane));
      asm volatile("" ::"r"(at) : "memory");
      const unsigned now = clock() + at;
      if (lane == 0)
        out[2 * (warp * rounds + r)] = last - begin, out[2 * (warp * rounds + r) + 1] = now - last;
      last = now;
    }
    return;
  }
  if (warp >= others + askers) return;
  const int asker = warp - others;
  while (clock() - begin < 4000) {
  }
  const float* const from = data + static_cast<long long>(asker * 4 + lane / 8) * stride + lane % 8;
  const unsigned to = shared_address(words) + 16384 + 4 * threadIdx.x;
  float sum = 0;
  const unsigned first = clock();
  if constexpr (loads) {
    float v[asked];
#pragma unroll
    for (int c = 0; c < asked; ++c)
      asm volatile("ld.global.ca.f32 %0, [%1];"
                   : "=f"(v[c])
                   : "l"(from + static_cast<long long>(c) * apart)
                   : "memory");
    const unsigned issued = clock();
#pragma unroll
    for (int c = 0; c < asked; ++c)
      sum += v[c];
    if (lane == 0) out[2 * others * rounds + 3 * asker + 1] = issued - begin;
  } else {
#pragma unroll
    for (int c = 0; c < asked; ++c)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + c % 4 * 4096),
                   "l"(from + static_cast<long long>(c) * apart)
                   : "memory");
    if (lane == 0) out[2 * others * rounds + 3 * asker + 1] = clock() - begin;
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
  const unsigned end = clock();
  if (lane == 0) {
    out[2 * others * rounds + 3 * asker] = first - begin;
    out[2 * others * rounds + 3 * asker + 2] = end - begin + (sum == 1 ? 1 : 0);
  }
}

constexpr std::size_t wiped = std::size_t{256} << 20;

template <bool loads>
void measure(const float* data, float4* other, unsigned* room) {
  allow_shared(run<loads>, 64 * 1024);
  CHECK(cudaFuncSetAttribute(run<loads>, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  for (const bool cold : {false, true})
    for (const int askers : {1, 2, 4, 8}) {
      std::vector<double> numbers[5];
      for (int t = 0; t < 9; ++t) {
        if (cold) wipe<<<264, 1024>>>(other, wiped / sizeof(float4));
        run<loads><<<1, 32 * (others + 8), 64 * 1024>>>(data, askers, askers * 4 * stride, room);
        const auto out = to_host(room, words_out);
        unsigned first = ~0U, issued = 0, come = 0;
        for (int a = 0; a < askers; ++a) {
          const unsigned* const o = out.data() + 2 * others * rounds + 3 * a;
          first = std::min(first, o[0]), issued = std::max(issued, o[1]), come = std::max(come, o[2]);
        }
        double during = 0, longest = 0, behind = 0;
        int n_during = 0, n_behind = 0;
        for (int i = 0; i < others * rounds; ++i) {
          const unsigned at = out[2 * i], took = out[2 * i + 1];
          if (at + took > first && at < issued)
            during += took, ++n_during, longest = std::max<double>(longest, took);
          if (at > come) behind += took, ++n_behind;
        }
        const double row[] = {static_cast<double>(issued - first), static_cast<double>(come - first),
                              during / std::max(1, n_during), longest, behind / std::max(1, n_behind)};
        for (int i = 0; i < 5; ++i)
          numbers[i].push_back(row[i]);
      }
      std::printf("%s,%d,%d", loads ? "loads" : "copies", cold, askers);
      for (const auto& n : numbers)
        std::printf(",%.1f", median(n));
      std::printf("\n");
    }
}

int main() {
  const auto data = device_room<float>(std::size_t{2100} * stride * sizeof(float), 0);
  const auto other = device_room<float4>(wiped);
  const auto out = device_room<unsigned>(words_out * sizeof(unsigned), 0);
  std::printf("what,cold,askers,issued,come,during,longest,behind\n");
  measure<false>(data, other, out);
  measure<true>(data, other, out);
}
