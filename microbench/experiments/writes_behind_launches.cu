// Whether DRAM goes on taking what has been stored when a kernel is done: kernels that write `mb` in a row
// (16 bytes a lane, one wave), each followed by one in which all SMs wait for `pause` us. CSV to standard
// output: microseconds of both in replays of a graph, and what that is longer than of the waiting ones alone.
//   nvcc -O3 -arch=sm_90a -o writes_behind_launches writes_behind_launches.cu && ./writes_behind_launches
#include <cstdio>

#include "experiment.hpp"

template <bool first_out>
__global__ void write(float4* out, long long pieces) {
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const long long step = static_cast<long long>(gridDim.x) * warps;
  const float4 v = make_float4(1, 2, static_cast<float>(lane), 3);
  for (long long i = static_cast<long long>(blockIdx.x) * warps + threadIdx.x / 32; i < pieces; i += step) {
    if (first_out)
      __stcs(out + i * 32 + lane, v);
    else
      out[i * 32 + lane] = v;
  }
}

__global__ void pause(unsigned cycles) {
  const unsigned begin = now();
  while (now() - begin < cycles) {
  }
}

int main() {
  const int sms = sm_count();
  auto* const out = device_room<float4>(512 << 20);
  std::printf("first_out,mb,pause,us,longer,tb_per_s\n");
  for (const bool first_out : {false, true})
    for (const int mb : {8, 32, 64, 128, 256, 512}) {
      const long long pieces = static_cast<long long>(mb) << 11;
      for (const int wait : {0, 1, 2, 4, 8, 16, 32}) {
        const auto cycles = static_cast<unsigned>(wait * 1980);
        const double alone = graph_time_us(10, 5, [&](cudaStream_t s) { pause<<<sms, 32, 0, s>>>(cycles); });
        const double us = graph_time_us(10, 5, [&](cudaStream_t s) {
          if (first_out)
            write<true><<<sms, 768, 0, s>>>(out, pieces);
          else
            write<false><<<sms, 768, 0, s>>>(out, pieces);
          pause<<<sms, 32, 0, s>>>(cycles);
        });
        std::printf("%d,%d,%d,%.2f,%.2f,%.3f\n", first_out, mb, wait, us, us - alone,
                    1.048576 * mb / (us - alone));
      }
      const double without = graph_time_us(10, 5, [&](cudaStream_t s) {
        if (first_out)
          write<true><<<sms, 768, 0, s>>>(out, pieces);
        else
          write<false><<<sms, 768, 0, s>>>(out, pieces);
      });
      std::printf("%d,%d,none,%.2f,%.2f,%.3f\n", first_out, mb, without, without, 1.048576 * mb / without);
    }
}
