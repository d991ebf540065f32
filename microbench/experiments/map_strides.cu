// What reaches DRAM of maps that kernels write again and again, by where in a line and a sector a map begins.
// By a profiler, mean of the last four of seven launches.
//   nvcc -O3 -arch=sm_90a -o map_strides map_strides.cu
//   ncu --csv --page raw --cache-control none --clock-control none --metrics dram__bytes_write.sum
//   ./map_strides > profile.csv
// The program's own output on stderr names the launches in order.
//
// Blocks of 128 threads wait and then store 128 words of each of 32 maps, as tiles of a convolution do: four
// blocks an SM, 8000 cycles each. `spread`: an SM's first four blocks wait 8000, 10,000, 12,000 and 14,000,
// so that from then on one of them ends every 2000 cycles; else they all end together. A map begins `offset`
// words behind the place in a line at which the one before it begins (a map is a multiple of 128 words and
// `offset`).
//   lines: a warp stores 32 words side by side, the next warp the next 32.
//   words: eight lanes a row of 32 words, four rows at a time; each lane stores its four words one by one.
//   vectors: the same, four words at once (offsets of four words and more).
#include <cstdio>

#include "experiment.hpp"

enum class Form { lines, words, vectors };

template <Form form>
__global__ void __launch_bounds__(128) store(float* to, int tiles, int stride, int sms, int spread) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const long long begin = clock64();
  const int later = spread && blockIdx.x < 4 * sms ? blockIdx.x / sms * 2000 : 0;
  while (clock64() - begin < 8000 + later) {
  }
  float* const first = to + (size_t)(blockIdx.x / tiles) * 32 * stride + blockIdx.x % tiles * 128;
  for (int m = 0; m < 32; m += form == Form::lines ? 1 : 4) {
    float* const row = first + (size_t)(form == Form::lines ? m : m + lane / 8) * stride + warp * 32;
    float* const four = row + lane % 8 * 4;
    if (form == Form::lines)
      row[lane] = 1.f;
    else if (form == Form::vectors)
      *(float4*)four = make_float4(1, 2, 3, 4);
    else
      for (int i = 0; i < 4; ++i)
        four[i] = 1.f;
  }
}

int main() {
  constexpr int launches = 7;
  char* sets[3];
  for (int i = 0; i < 3; ++i) {
    sets[i] = device_room<char>(48 << 20, 1);
    device_room<char>((i * 14 + 6) << 20);  // so that the next set is elsewhere
  }
  const auto run = [&](auto kernel, const char* form, int spread, double mb, int offset) {
    // Maps of about 40 KB, 32 of them a strip of blocks.
    const int tiles = 80, stride = tiles * 128 + offset;
    const int strips = (int)(mb * 1e6 / (32. * tiles * 512) + 0.5);
    allow_shared(kernel, 50000);
    for (int set = 0; set < 3; ++set) {
      for (int i = 0; i < launches; ++i)
        kernel<<<strips * tiles, 128, 50000>>>((float*)sets[set], tiles, stride, sm_count(), spread);
      fprintf(stderr, "%s,%d,%d,%d,%d,%.0f\n", form, spread, offset, set, strips * tiles,
              strips * tiles * 16384.);
    }
  };
  for (double mb : {23.6, 26.2, 27.5, 28.8, 30.1, 31.5, 32.8, 34.1, 36.7, 39.3, 43.3}) {
    run(store<Form::lines>, "lines", 0, mb, 0);
    for (int offset : {0, 1, 4, 16}) {
      run(store<Form::lines>, "lines", 1, mb, offset);
      run(store<Form::words>, "words", 1, mb, offset);
      if (offset % 4 == 0) run(store<Form::vectors>, "vectors", 1, mb, offset);
    }
  }
  CHECK(cudaDeviceSynchronize());
}
