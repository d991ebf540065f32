// chang_single's stores alone: blocks that each have a strip of some filters' planes, a warp's units of 512
// bytes beginning where the address is a multiple of `align` words, piece by piece with a barrier between
// (kernels/chang_single/chang_single_index.hpp, WarpWork), so many cycles between a warp's stores. CSV to
// standard output: microseconds of a launch in replays of a graph; with an argument only few launches of
// each, for a profiler:
//   nvcc -O3 -arch=sm_90a -o strip_stores strip_stores.cu && ./strip_stores
#include <cstdio>

#include "experiment.hpp"

struct Work {
  const char* name;
  int plane, strip, filters, block_filters, images, align, threads, unit_log2, period, pieces;
};

template <bool first_out>
__global__ void strips(float* out, Work p, int wait) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lanes = (blockDim.x / 32) >> p.unit_log2, step = max(lanes, p.period);
  const int unit_step = 1 << p.unit_log2, first_unit = warp & (unit_step - 1);
  const int first_row = blockIdx.y * p.strip, words = min(p.strip, p.plane - first_row);
  const int first_filter = blockIdx.x * p.block_filters;
  const int filters = min(p.block_filters, p.filters - first_filter);
  const int piece = (filters + p.pieces - 1) / p.pieces;
  long long until = clock64() + wait;
  for (int begin = 0; begin < filters; begin += piece) {
    const int end = min(filters, begin + piece);
    __syncthreads();
    for (int first = begin + (warp >> p.unit_log2); first < begin + step && first < end; first += lanes) {
      float* const base = out + (blockIdx.z * (long long)p.filters + first_filter) * p.plane + first_row;
      const int lead = (int)((base + (long long)first * p.plane - out) & (p.align - 1));
      for (int unit = first_unit; unit * 128 - lead < words; unit += unit_step)
        for (int filter = first; filter < end; filter += step) {
          const int at = unit * 128 + 4 * lane - lead;
          float* const to = base + (long long)filter * p.plane + at;
          const float x = (float)filter;
          if (wait) {
            while (clock64() < until) {
            }
            until = clock64() + wait;
          }
          const bool whole = at >= 0 && at + 4 <= words && (p.plane % 4 == 0 || p.align >= 4);
          if (whole) {
            if (first_out)
              __stcs(reinterpret_cast<float4*>(to), make_float4(x, x, x, x));
            else
              *reinterpret_cast<float4*>(to) = make_float4(x, x, x, x);
          } else {
            for (int i = 0; i < 4; ++i)
              if (at + i >= 0 && at + i < words) to[i] = x;
          }
        }
    }
  }
}

int main(int argc, char**) {
  const bool profile = argc > 1;
  auto* const out = device_room<float>(160 << 20);
  const Work works[] = {
      {"370 words", 136900, 1110, 240, 240, 1, 8, 512, 4, 2, 1},
      {"370 sectors", 136776, 1112, 240, 240, 1, 8, 512, 4, 1, 1},
      {"370 lines", 136640, 1120, 240, 240, 1, 8, 512, 4, 1, 1},
      {"370 words 28", 136900, 1110, 240, 240, 1, 8, 512, 4, 2, 28},
      {"1022 words", 1044484, 8176, 32, 32, 1, 8, 512, 4, 2, 1},
      {"1022 sectors", 1045992, 8172 - 4, 32, 32, 1, 8, 512, 4, 1, 1},
      {"1022 lines", 1048576, 8192, 32, 32, 1, 8, 512, 4, 1, 1},
      {"1022 words 9", 1044484, 8176, 32, 32, 1, 8, 512, 4, 2, 9},
      {"1022 words 511", 1044484, 2044, 32, 32, 1, 8, 256, 3, 2, 1},
      {"1022 lines 511", 1048576, 2048, 32, 32, 1, 8, 256, 3, 1, 1},
      {"447 words", 199809, 1788, 168, 168, 1, 8, 512, 4, 8, 1},
      {"447 lines", 200704, 1792, 168, 168, 1, 8, 512, 4, 1, 1},
      {"222 words", 49284, 4662, 192, 16, 3, 8, 512, 4, 2, 1},
      {"222 lines", 51392, 4672, 192, 16, 3, 8, 512, 4, 1, 1},
      {"222 words 128", 49284, 4662, 192, 16, 3, 8, 128, 2, 2, 1},
      {"222 lines 128", 51392, 4672, 192, 16, 3, 8, 128, 2, 1, 1},
      {"159 words", 25281, 318, 304, 304, 1, 8, 512, 2, 8, 1},
      {"159 lines", 25600, 320, 304, 304, 1, 8, 512, 2, 1, 1},
      {"159 words of 23 x 11", 25281, 1113, 304, 28, 1, 8, 512, 4, 8, 1},
  };
  if (!profile) std::printf("work,evicted_first,wait_cycles,mb,us,tb_per_s\n");
  for (const Work& w : works)
    for (const int hint : {1, 0})
      for (const int wait : {0, 60, 120, 180, 240, 300, 400}) {
        if (profile && (hint == 0 || (wait != 0 && wait != 240))) continue;
        const dim3 grid((w.filters + w.block_filters - 1) / w.block_filters,
                        (w.plane + w.strip - 1) / w.strip, w.images);
        const auto launch = [&](cudaStream_t s) {
          if (hint)
            strips<true><<<grid, w.threads, 0, s>>>(out, w, wait);
          else
            strips<false><<<grid, w.threads, 0, s>>>(out, w, wait);
        };
        const double mb = 4e-6 * w.plane * w.filters * w.images;
        if (profile) {
          std::fprintf(stderr, "%s,%d,%d,%.1f\n", w.name, hint, wait, mb);
          for (int i = 0; i < 5; ++i)
            launch(nullptr);
          CHECK(cudaDeviceSynchronize());
          continue;
        }
        const double us = graph_time_us(20, 5, launch);
        std::printf("%s,%d,%d,%.1f,%.2f,%.3f\n", w.name, hint, wait, mb, us, mb / us);
      }
  CHECK(cudaDeviceSynchronize());
  return 0;
}
