// How evenly SMs share what L2 takes of stores: blocks of W warps, R of them at once on each SM, all with
// equally much to store (16 bytes a lane, 512 in a row, a region of its own each), and nothing else to do but
// X cycles between two stores of a warp. When each SM's last block ends, beside the median SM: the standard
// deviation, the earliest and the latest of them, of 12 launches. `order`: of the SMs that are in the latest
// tenth of a launch, the share that was there in the launch before, too (0.1 by chance). CSV to standard
// output.
//   nvcc -O3 -arch=sm_90a -o store_fairness store_fairness.cu && ./store_fairness
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "experiment.hpp"

__global__ void store(float4* data, int pieces, int wait, unsigned long long* ends, unsigned* sms) {
  extern __shared__ float room[];
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // A block's warps store side by side; the region of a block is in one piece.
  float4* to = data + (static_cast<long long>(blockIdx.x) * pieces * warps + warp) * 32 + lane;
  const long long begun = clock64();
  const float4 value = make_float4(1, 2, 3, static_cast<float>(pieces));
  for (int n = 0; n < pieces; ++n) {
    if (wait > 0) {
      const int until = static_cast<int>(clock()) + wait;
      while (static_cast<int>(clock()) - until < 0) {
      }
    }
    __stcs(to, value);
    to += warps * 32;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned sm = sm_id();
    ends[blockIdx.x] = clock64() - begun;
    sms[blockIdx.x] = sm;
  }
  if (pieces < 0) room[0] = 1;
}

int main() {
  auto* const data = device_room<float4>(1LL << 28);
  auto* const ends = managed_room<unsigned long long>(8 * 4096);
  auto* const sms = managed_room<unsigned>(4 * 4096);
  allow_shared(store, 200000);
  constexpr int count = 132;
  std::printf("kib_of_sm,warps,resident,wait,median_cycles,bytes_a_cycle,deviation,earliest,latest,order\n");
  for (const int kib : {12, 24, 48, 96, 192, 384, 1024})
    for (const int warps : {4, 8, 16})
      for (const int resident : {1, 2, 4})
        for (const int wait : {0, 200, 400, 600, 800, 1200}) {
          if (warps * resident > 32) continue;
          const int pieces = kib * 2 / (warps * resident);
          if (pieces < 1) continue;
          double deviation = 0, earliest = 0, latest = 0, middle = 0, again = 0;
          std::vector<char> late_before(256, 0);
          constexpr int times = 12;
          for (int time = -2; time < times; ++time) {
            store<<<count * resident, 32 * warps, 200000 / resident>>>(data, pieces, wait, ends, sms);
            CHECK(cudaDeviceSynchronize());
            std::vector<double> of_sm(256, 0);
            for (int b = 0; b < count * resident; ++b)
              of_sm[sms[b]] = std::max(of_sm[sms[b]], static_cast<double>(ends[b]));
            std::vector<double> all;
            for (const double end : of_sm)
              if (end > 0) all.push_back(end);
            std::sort(all.begin(), all.end());
            const double median = all[all.size() / 2], tenth = all[all.size() - all.size() / 10];
            std::vector<char> late(256, 0);
            double same = 0, n = 0, sum = 0;
            for (int sm = 0; sm < 256; ++sm) {
              late[sm] = of_sm[sm] >= tenth;
              same += late[sm] && late_before[sm];
              n += late[sm];
            }
            late_before = late;
            if (time < 0) continue;
            for (const double end : all)
              sum += (end / median - 1) * (end / median - 1);
            deviation += std::sqrt(sum / static_cast<double>(all.size())) / times;
            earliest += all.front() / median / times;
            latest += all.back() / median / times;
            middle += median / times;
            again += same / n / times;
          }
          std::printf("%d,%d,%d,%d,%.0f,%.2f,%.4f,%.3f,%.3f,%.2f\n", kib, warps, resident, wait, middle,
                      512.0 * pieces * warps * resident / middle, deviation, earliest, latest, again);
        }
  return 0;
}
