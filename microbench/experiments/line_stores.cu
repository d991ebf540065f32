// `store`: stores of 512 bytes in a row, 16 a lane, as chang_single's, that begin `offset` bytes behind a
// line's begin: a block of W warps stores W such pieces side by side in each of M planes, one after the
// other; its neighbour goes on beside it. Bytes a cycle of each of so many SMs, by the median SM and by the
// last one. `read`: a grid of many short blocks which all copy the same B bytes (16 a lane, cp.async) from
// `offset` on, wait, meet at a barrier and leave, R at once on an SM; microseconds of a launch in replays of
// a graph, less one of blocks that copy nothing; `own`: each block copies others. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o line_stores line_stores.cu && ./line_stores
#include <cstdio>

#include "experiment.hpp"

__global__ void store(char* data, int planes, long long plane, int rounds, int offset,
                      unsigned long long* cycles) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float4 value = make_float4(1, 2, 3, 4);
  __syncthreads();
  const long long begin = clock64();
  for (int r = 0; r < rounds; ++r) {
    char* to = data + offset + (static_cast<long long>(blockIdx.x) * rounds + r) * blockDim.x * 16 +
               warp * 512 + lane * 16;
#pragma unroll 4
    for (int m = 0; m < planes; ++m) {
      __stcs(reinterpret_cast<float4*>(to), value);
      to += plane;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = static_cast<unsigned long long>(clock64() - begin);
}

__global__ void read(const float* data, int bytes, int of_block) {
  extern __shared__ float4 buffer[];
  const char* const from =
      reinterpret_cast<const char*>(data) + static_cast<long long>(blockIdx.x) * of_block;
  for (int at = threadIdx.x * 16; at < bytes; at += blockDim.x * 16) {
    const unsigned to = shared_address(reinterpret_cast<char*>(buffer) + at);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + at) : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
}

double replay(int blocks, int threads, int shared, const float* data, int bytes, int of_block) {
  return graph_times_us(40, 0, 4, [&](cudaStream_t stream) {
    read<<<blocks, threads, shared, stream>>>(data, bytes, of_block);
  })[0];
}

int main() {
  auto* const data = device_room<char>(1LL << 27, 0);
  auto* const cycles = managed_room<unsigned long long>(8 * 1024);
  std::printf("case,sms_or_blocks,warps,planes_or_bytes,offset,median,last,unit\n");
  for (const int sms : {1, 33, 132})
    for (const int warps : {4, 8, 16})
      for (const int planes : {1, 16})
        for (const int offset : {0, 16, 32, 48, 64, 96, 112}) {
          const int rounds = planes == 1 ? 96 : 8;
          const long long plane = (static_cast<long long>(132) * rounds * warps * 512 + 4096) / 128 * 128;
          for (int time = 0; time < 3; ++time) {
            store<<<sms, 32 * warps>>>(data, planes, plane, rounds, offset, cycles);
            CHECK(cudaDeviceSynchronize());
          }
          const auto all = sorted(to_host(cycles, sms));
          const double bytes = 512.0 * warps * planes * rounds;
          std::printf("store,%d,%d,%d,%d,%.2f,%.2f,bytes_a_cycle\n", sms, warps, planes, offset,
                      bytes / static_cast<double>(all[all.size() / 2]),
                      bytes / static_cast<double>(all.back()));
        }
  allow_shared(read, 100000);
  for (const int blocks : {132, 528, 1024})
    for (const int warps : {4, 8, 16})
      for (const int bytes : {0, 128, 784, 1568, 1680, 3136, 8192})
        for (const int place : {0, 1456, 128 * 100, 128 * 10001}) {
          if (bytes == 0 && place > 0) continue;
          const float* const from = reinterpret_cast<const float*>(data + place);
          const int shared = warps == 16 ? 100000 : 25000;
          std::printf("read,%d,%d,%d,%d,%.3f,,us\n", blocks, warps, bytes, place,
                      replay(blocks, 32 * warps, shared, from, bytes, 0));
          if (place == 0)
            std::printf("read_own,%d,%d,%d,%d,%.3f,,us\n", blocks, warps, bytes, place,
                        replay(blocks, 32 * warps, shared, from, bytes, 8192));
        }
  return 0;
}
