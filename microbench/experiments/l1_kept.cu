// How many lines of global memory does L1 keep beside as much shared memory as there can be (28 KB, 224
// lines), and which? A warp reads `kept` lines, `touches` times; then `others` lines are read or stored; then
// the first are read again, one after the other: of so many it is back before L2 could have sent it. Lines
// lie `kept_apart` and `others_apart` bytes apart. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o l1_kept l1_kept.cu && ./l1_kept
#include <cstdio>

#include "experiment.hpp"

constexpr unsigned found_within = 150;  // cycles: L1's take about 40, L2's 250 and more
constexpr int shared_bytes = 200 * 1024, line_floats = 32;

__device__ __forceinline__ float load(const float* at) {
  float v;
  asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(at));
  return v;
}

__global__ void __launch_bounds__(32)
    use(const float* kept, float* others, int kept_lines, int other_lines, long kept_apart, long others_apart,
        int touches, int stored, int* found, float* out) {
  extern __shared__ float shared[];
  const int lane = threadIdx.x;
  float sum = 0;
  // A value that is waited for: the next access begins when this one has come.
  const auto wait = [&](float value) {
    sum += value;
    if (sum == 1234.5F) shared[lane] = sum;
  };
  for (int t = 0; t < touches; ++t)
    for (int i = 0; i < kept_lines; ++i)
      wait(load(kept + i * kept_apart + lane));
  for (int i = 0; i < other_lines; ++i) {
    float* const at = others + i * others_apart + lane;
    if (stored)
      asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(sum));
    else
      wait(load(at));
  }
  __syncwarp();
  for (const long long begin = clock64(); clock64() - begin < 3000;) {
  }
  unsigned count = 0;
  for (int i = 0; i < kept_lines; ++i) {
    const unsigned begin = clock();
    wait(load(kept + i * kept_apart + lane));
    const unsigned end = clock();
    count += (end - begin) < found_within;
  }
  if (lane == 0) *found = static_cast<int>(count);
  out[lane] = sum;
}

int main() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  auto* const kept = device_room<float>(bytes, 0);
  auto* const others = device_room<float>(bytes, 0);
  auto* const out = device_room<float>(4096);
  auto* const found = managed_room<int>(sizeof(int));
  CHECK(cudaFuncSetAttribute(use, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  CHECK(cudaFuncSetAttribute(use, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  std::printf("stored,touches,kept_apart,others_apart,kept,others,found\n");
  const long near = line_floats, far = 262144;
  for (const int stored : {0, 1})
    for (const int touches : {1, 3})
      for (const long kept_apart : {near, far})
        for (const long others_apart : {near, far})
          for (const int lines : {32, 64, 128, 192})
            for (const int more : {0, 32, 64, 96, 128, 160, 192, 224, 256, 320, 384, 512, 768}) {
              for (int launch = 0; launch < 2; ++launch)
                use<<<1, 32, shared_bytes>>>(kept, others, lines, more, kept_apart, others_apart, touches,
                                             stored, found, out);
              CHECK(cudaDeviceSynchronize());
              std::printf("%d,%d,%ld,%ld,%d,%d,%d\n", stored, touches, 4 * kept_apart, 4 * others_apart,
                          lines, more, *found);
            }
}
