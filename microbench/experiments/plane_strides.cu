// Do planes a power of two apart cost more? Each block takes a tile of T bytes at the same place of 128
// planes, reads them (and, where asked, writes such tiles of 128 others), as a layer of 1 x 1 filters does
// with its channels. The planes lie 1 MiB apart, or that and a little more; all together they are more than
// L2 keeps. Question behind the mechanism "planes-a-power-of-two-apart"
// (validation/mechanisms/mechanisms.csv). CSV on stdout: bytes moved over the time of a kernel. Build: nvcc
// -O3 -arch=sm_90a -cudart static -o plane_strides plane_strides.cu

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Block b: tile b mod tiles; `together` planes at a time are in flight in a thread, 16 bytes each.
template <int together, bool writes>
__global__ void planes_of_tiles(const float4* in, float4* out, long stride_vectors, int planes,
                                int tile_vectors, float never) {
  const long tile = static_cast<long>(blockIdx.x) * tile_vectors;
  float4 sum{};
  for (int p = 0; p < planes; p += together) {
    for (int i = threadIdx.x; i < tile_vectors; i += blockDim.x) {
      float4 v[together];
#pragma unroll
      for (int u = 0; u < together; ++u)
        v[u] = __ldcg(in + (p + u) * stride_vectors + tile + i);
#pragma unroll
      for (int u = 0; u < together; ++u) {
        if (writes) __stwb(out + (p + u) * stride_vectors + tile + i, v[u]);
        sum.x += v[u].x, sum.y += v[u].y, sum.z += v[u].z, sum.w += v[u].w;
      }
    }
  }
  if (sum.x + sum.y + sum.z + sum.w == never) out[0] = sum;
}

template <class Launch>
double microseconds(Launch launch) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  launch();
  double best = 1e30;
  for (int r = 0; r < 7; ++r) {
    check(cudaEventRecord(begin));
    for (int i = 0; i < 4; ++i)
      launch();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    best = best < 1e3 * ms / 4 ? best : 1e3 * ms / 4;
  }
  return best;
}

template <int together, bool writes>
void run(const float4* in, float4* out, long pad_bytes, int tile_bytes) {
  constexpr long plane_bytes = 1 << 20;
  constexpr int planes = 128, threads = 128;
  const int tile_vectors = tile_bytes / 16;
  const int blocks = static_cast<int>(plane_bytes / tile_bytes);
  const double us = microseconds([&] {
    planes_of_tiles<together, writes>
        <<<blocks, threads>>>(in, out, (plane_bytes + pad_bytes) / 16, planes, tile_vectors, -1.0F);
    check(cudaGetLastError());
  });
  const double bytes = static_cast<double>(planes) * blocks * tile_bytes * (writes ? 2 : 1);
  std::printf("%s,%d,%ld,%d,%d,%.3f,%.4f\n", writes ? "copy" : "read", together, pad_bytes, tile_bytes,
              blocks, us, bytes / us * 1e-6);
}

}  // namespace

int main() {
  constexpr std::size_t room = 128UL * ((1 << 20) + (1 << 17));
  float4 *in = nullptr, *out = nullptr;
  check(cudaMalloc(&in, room));
  check(cudaMalloc(&out, room));
  check(cudaMemset(in, 0x3d, room));
  check(cudaMemset(out, 0, room));
  std::printf("what,planes_in_flight,pad_bytes,tile_bytes,blocks,us,terabytes_per_s\n");
  for (const long pad : {0L, 256L, 4096L, 8192L, 65536L, 4096L * 5}) {
    for (const int tile : {512, 640, 1024, 1280, 1792, 2048, 4096}) {
      run<1, false>(in, out, pad, tile);
      run<8, false>(in, out, pad, tile);
      run<1, true>(in, out, pad, tile);
      run<8, true>(in, out, pad, tile);
    }
  }
}
