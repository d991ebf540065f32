// Copies into shared memory (cp.async, 16 bytes a lane) that begin in the middle of a sector, so that
// neighbouring warps' copies, or one warp's next one, meet in a sector. Blocks of W warps, R at once on an
// SM, copy B bytes from `offset` bytes behind a line on, wait and meet at a barrier; `same`: all blocks the
// same bytes, else each others. By way: cp.async.cg, cp.async.ca, or loads of 16 bytes past L1. CSV to
// standard output: cycles of a block, the median and the most.
//   nvcc -O3 -arch=sm_90a -o split_sectors split_sectors.cu && ./split_sectors
#include <cstdio>

#include "experiment.hpp"

enum Way { cg, ca, load };

template <int way>
__global__ void copy(const char* data, int bytes, int of_block, int stride, unsigned long long* cycles) {
  extern __shared__ float4 buffer[];
  const char* const from = data + static_cast<long long>(blockIdx.x) * of_block;
  // The launch's first access is another one's.
  const float first = *reinterpret_cast<const volatile float*>(data + 32000000 + blockIdx.x % 8 * 4);
  if (first != 0) buffer[0].x = first;
  __syncthreads();
  const long long begin = clock64();
  for (int n = threadIdx.x; n * 16 < bytes; n += blockDim.x) {
    // `stride` lanes' gap between what two warps copy.
    const int at = n * 16 + n / 32 * stride;
    const unsigned to = shared_address(buffer + n);
    if (way == cg)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + at) : "memory");
    else if (way == ca)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + at) : "memory");
    else
      buffer[n] = __ldcg(reinterpret_cast<const float4*>(from + at));
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = static_cast<unsigned long long>(clock64() - begin);
}

int main() {
  auto* const data = device_room<char>(1LL << 26, 0);
  auto* const cycles = managed_room<unsigned long long>(8 * 4096);
  std::printf("way,sms,resident,warps,same,bytes,offset,gap,median,most\n");
  const char* const names[] = {"cg", "ca", "load"};
  for (int way = 0; way < 3; ++way)
    for (const int sms : {1, 33, 132})
      for (const int resident : {1, 4})
        for (const int warps : {16})
          for (const bool same : {true, false})
            for (const int bytes : {512, 1024, 2048, 4096, 8192, 32768})
              for (const int offset : {0, 16, 32, 48, 64, 112})
                for (const int gap : {0, 16}) {
                  if (gap > 0 && offset != 16 && offset != 0) continue;
                  if (resident == 4 && (bytes > 8192 || sms == 33)) continue;
                  auto* const kernel = way == cg ? copy<cg> : way == ca ? copy<ca> : copy<load>;
                  const int shared = resident == 4 ? 50000 : 120000, blocks = sms * resident;
                  allow_shared(kernel, shared);
                  double median = 0, most = 0;
                  for (int time = 0; time < 5; ++time) {
                    kernel<<<blocks, 32 * warps, shared>>>(data + offset, bytes, same ? 0 : 34048, gap,
                                                           cycles);
                    CHECK(cudaDeviceSynchronize());
                    if (time < 2) continue;
                    const auto all = sorted(to_host(cycles, blocks));
                    median += static_cast<double>(all[all.size() / 2]) / 3;
                    most += static_cast<double>(all.back()) / 3;
                  }
                  std::printf("%s,%d,%d,%d,%d,%d,%d,%d,%.0f,%.0f\n", names[way], sms, resident, warps, same,
                              bytes, offset, gap, median, most);
                }
  return 0;
}
