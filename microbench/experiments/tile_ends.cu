// What a launch takes longer that stores a tile at its end, by blocks and warps: replays of a graph of
// kernels whose warps wait for a chain of 256 dependent multiply-adds and then store, as the gemms store 4 x
// 4 words a thread (four rows of lanes by eight; rows of `stride` words), the first `stores` of the 16. Stay:
// cycles from a warp's begin to behind its last store, of the slowest warp, by the SM's clock, of kernels
// that note it elsewhere. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o tile_ends tile_ends.cu && ./tile_ends
#include <cstdio>

#include "experiment.hpp"

template <int stores, bool notes>
__global__ void __launch_bounds__(512, 1)
    body(float* out, unsigned* stays, const void*, int stride, int warps_m) {
  const unsigned begin = now();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_n = lane / 2 % 8, lane_m = lane % 2 + 2 * (lane / 16);
  const int m = (warp % warps_m) * 16 + 4 * lane_m;
  const int n =
      (static_cast<int>(blockIdx.x) * (blockDim.x / 32 / warps_m) + warp / warps_m) * 32 + 4 * lane_n;
  float v = 1;
#pragma unroll
  for (int i = 0; i < 256; ++i)
    asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(v));
  float* const to = out + static_cast<long long>(m) * stride + n;
#pragma unroll
  for (int s = 0; s < stores; ++s)
    to[(s % 4) * static_cast<long long>(stride) + s / 4] = v;
  if (stores == 0 && v == 3.0f) *to = v;
  if (notes) {
    const unsigned stay = now() - begin;
    if (lane == 0) stays[blockIdx.x * (blockDim.x / 32) + warp] = stay;
  }
}

template <int stores>
void measure(int blocks, int warps, int stride, float* out, unsigned* stays) {
  const auto kernel = body<stores, false>;
  const auto noting = body<stores, true>;
  const int shared = 27 << 10, warps_m = warps > 1 ? 2 : 1;
  allow_shared(kernel, shared);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  const auto us = graph_times_us(1000, 1, 5, [&](cudaStream_t s) {
    kernel<<<blocks, 32 * warps, shared, s>>>(out, stays, nullptr, stride, warps_m);
  });
  for (int i = 0; i < 3; ++i)
    noting<<<blocks, 32 * warps, shared>>>(out, stays, nullptr, stride, warps_m);
  const auto all = to_host(stays, static_cast<std::size_t>(blocks) * warps);
  std::printf("%d,%d,%d,%d,%.1f,%u\n", stride, blocks, warps, stores, 1e3 * us[2],
              *std::max_element(all.begin(), all.end()));
}

int main() {
  auto* const out = device_room<float>(256 << 20, 0);
  auto* const stays = device_room<unsigned>(1 << 20);
  std::printf("stride,blocks,warps,stores,ns_a_kernel,stay\n");
  for (const int stride : {100000, 100001})
    for (const int blocks : {1, 4, 16, 66, 132})
      for (const int warps : {1, 2, 4, 8, 16}) {
        measure<0>(blocks, warps, stride, out, stays);
        measure<1>(blocks, warps, stride, out, stays);
        measure<2>(blocks, warps, stride, out, stays);
        measure<4>(blocks, warps, stride, out, stays);
        measure<8>(blocks, warps, stride, out, stays);
        measure<16>(blocks, warps, stride, out, stays);
      }
}
