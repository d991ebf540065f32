// Do planes a power of two apart cost more? Each block takes a tile of T bytes at the same place of all
// planes, reads them (and, where asked, writes such tiles of as many others), as a layer of 1 x 1 filters
// does with its channels. The planes lie 1 MiB apart, or that and a little more; 128 of them are more than L2
// keeps, 12 of them fit. On an H200 they do
// not (results/nvidia-h200/FINDINGS.md). CSV on stdout: bytes moved over the time of a kernel. threads 128:
// all blocks run at once, so that each plane is read as a whole; threads 512: as many blocks an SM as
// `blocks_an_sm`, and a block's threads take several planes at once, so that the blocks that run together
// cover a part of each plane.
//   nvcc -O3 -arch=sm_90a -o plane_strides plane_strides.cu && ./plane_strides

#include <cstdio>

#include "experiment.hpp"

namespace {

constexpr long plane_bytes = 1 << 20;

// Block b: tile b; `together` planes at a time are in flight in a thread, 16 bytes each, and the threads
// beyond a tile's vectors take further planes.
template <int together, bool writes>
__global__ void planes_of_tiles(const float4* in, float4* out, long stride_vectors, int planes,
                                int tile_vectors, float never) {
  const long tile = static_cast<long>(blockIdx.x) * tile_vectors;
  const int rows = blockDim.x > tile_vectors ? blockDim.x / tile_vectors : 1;
  const int row = threadIdx.x / tile_vectors % rows;
  float4 sum{};
  if (threadIdx.x >= rows * tile_vectors && rows > 1) return;
  for (int p = row * together; p < planes; p += rows * together) {
    for (int i = rows > 1 ? threadIdx.x % tile_vectors : threadIdx.x;
         i<tile_vectors; i += rows> 1 ? tile_vectors : blockDim.x) {
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

struct Case {
  const float4* in;
  float4* out;
  long pad_bytes;
  int tile_bytes, planes, threads, blocks_an_sm;
};

template <int together, bool writes>
void run(const Case& c) {
  const int tile_vectors = c.tile_bytes / 16;
  const int blocks = static_cast<int>(plane_bytes / c.tile_bytes);
  // As much shared memory as leaves room for so many blocks.
  const int shared = c.threads == 128 ? 0 : (227 * 1024 / c.blocks_an_sm - 1024) / 128 * 128;
  const auto kernel = planes_of_tiles<together, writes>;
  allow_shared(kernel, 226 * 1024);
  const auto launch = [&] {
    kernel<<<blocks, c.threads, shared>>>(c.in, c.out, (plane_bytes + c.pad_bytes) / 16, c.planes,
                                          tile_vectors, -1.0F);
  };
  launch();
  const double us = times_us(0, 7,
                             [&] {
                               for (int i = 0; i < 4; ++i)
                                 launch();
                             })[0] /
                    4;
  const double bytes = static_cast<double>(c.planes) * blocks * c.tile_bytes * (writes ? 2 : 1);
  std::printf("%s,%d,%d,%d,%d,%ld,%d,%d,%.3f,%.4f\n", writes ? "copy" : "read", c.planes, together, c.threads,
              c.blocks_an_sm, c.pad_bytes, c.tile_bytes, blocks, us, bytes / us * 1e-6);
}

}  // namespace

int main() {
  constexpr std::size_t room = 128UL * ((1 << 20) + (1 << 17));
  auto* const in = device_room<float4>(room, 0x3d);
  auto* const out = device_room<float4>(room, 0);
  std::printf(
      "what,planes,planes_in_flight,threads,blocks_an_sm,pad_bytes,tile_bytes,blocks,us,terabytes_per_s\n");
  for (const long pad : {0L, 256L, 4096L, 8192L, 65536L, 4096L * 5}) {
    for (const int tile : {512, 640, 1024, 1280, 1792, 2048, 4096}) {
      run<1, false>({in, out, pad, tile, 128, 128, 16});
      run<8, false>({in, out, pad, tile, 128, 128, 16});
      run<1, true>({in, out, pad, tile, 128, 128, 16});
      run<8, true>({in, out, pad, tile, 128, 128, 16});
    }
  }
  for (const int planes : {128, 12}) {
    for (const int blocks_an_sm : {1, 2}) {
      for (const long pad : {0L, 256L, 4096L, 8192L, 65536L, 4096L * 5}) {
        for (const int tile : {512, 1024, 2048, 4096}) {
          run<4, false>({in, out, pad, tile, planes, 512, blocks_an_sm});
          run<4, true>({in, out, pad, tile, planes, 512, blocks_an_sm});
        }
      }
    }
  }
}
