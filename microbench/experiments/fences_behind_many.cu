// What a fence for the whole GPU and a cluster's barrier cost behind more and more accesses to global memory
// that are long done. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o fences_behind_many fences_behind_many.cu && ./fences_behind_many
#include <cstdio>

#include "experiment.hpp"

enum Access { loads, copies4, copies16, stores };
constexpr const char* names[] = {"loads", "copies4", "copies16", "stores"};

__device__ __forceinline__ void meet(int barrier) {
  if (barrier)
    cluster_barrier();
  else
    fence();
}

// A round: every warp makes so many accesses, 16 bytes a lane (copies4: 4) side by side, each elsewhere in
// 24 MB, waits for them and 1000 cycles longer, and meets. Blocks from first_beside on, one more on each SM,
// only make accesses, one of each warp at a time, with pauses of `beside` cycles.
__global__ void __launch_bounds__(1024, 1) meets(float* data, int* out, int access, int times, int barrier,
                                                 int rounds, int beside, int first_beside) {
  extern __shared__ float4 memory[];
  constexpr unsigned window = 24 << 20;
  const unsigned mine = (blockIdx.x * blockDim.x + threadIdx.x) * 16, step = gridDim.x * blockDim.x * 16;
  const auto target = shared_address(memory + threadIdx.x);
  float sum = 0;
  const auto touch = [&](int i) {
    float* const at = data + (mine + i * step) % window / 4;
    if (access == loads) {
      float4 v;
      asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                   : "l"(at)
                   : "memory");
      sum += v.x;
    }
    if (access == copies4)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(at) : "memory");
    if (access == copies16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(at) : "memory");
    if (access == stores) *reinterpret_cast<volatile float*>(at) = i;
  };
  if (static_cast<int>(blockIdx.x) >= first_beside) {
    const long long until = clock64() + 8000LL * rounds;
    for (int i = 0; clock64() < until; ++i) {
      touch(i);
      asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
      const long long next = clock64() + beside;
      while (clock64() < next) {
      }
    }
    if (barrier) meet(1);
    if (sum == 1.2345f) data[0] = 1;
    return;
  }
  long long taken = 0;
  for (int r = 0; r < rounds; ++r) {
    for (int i = 0; i < times; ++i)
      touch(r * times + i);
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    asm volatile("" ::"f"(sum) : "memory");
    if (sum == 1.2345f) out[1] = 1;  // loads have come
    __syncthreads();
    const long long until = clock64() + 1000;
    while (clock64() < until) {
    }
    const long long a = clock64();
    meet(barrier);
    const long long b = clock64();
    if (r > 0) taken += b - a;
    __syncthreads();
  }
  if (barrier) meet(1);
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<int>(taken / (rounds - 1));
  if (sum == 1.2345f) data[0] = 1;
}

int main() {
  auto* const data = device_room<float>(32 << 20, 0);
  auto* const out = device_room<int>(4 * 2000);
  allow_clusters(meets);
  allow_shared(meets, 227 * 1024);
  std::printf("what,cluster,threads,access,times,beside_pause,cycles_p10,cycles,cycles_p90\n");
  const auto one = [&](int barrier, int cluster, int threads, int access, int times, int beside) {
    const int sms = sms_of_clusters(cluster);
    const Grid grid{beside < 0 ? sms : 2 * sms, threads, beside < 0 ? 120000 : 100000, cluster};
    for (int i = 0; i < 2; ++i) {
      launch_grid(meets, grid, data, out, access, times, barrier, 9, beside, sms);
      CHECK(cudaDeviceSynchronize());
    }
    const auto h = sorted(to_host(out, sms));
    std::printf("%s,%d,%d,%s,%d,%d,%d,%d,%d\n", barrier ? "barrier" : "fence", cluster, threads,
                names[access], times, beside, h[sms / 10], h[sms / 2], h[sms * 9 / 10]);
  };
  for (const int cluster : {2, 16})
    for (const int barrier : {0, 1})
      for (const int threads : {32, 128, 256, 512, 1024})
        for (const int access : {0, 1, 2, 3})
          for (const int times : {1, 4, 16, 64})
            if (cluster == 2 || barrier) one(barrier, cluster, threads, access, times, -1);
  for (const int cluster : {2, 8, 16})
    for (const int barrier : {0, 1})
      for (const int threads : {32, 128, 256})
        for (const int access : {0, 1, 2, 3})
          for (const int beside : {0, 300, 1000, 3000})
            if (cluster == 2 || barrier) one(barrier, cluster, threads, access, 16, beside);
  return 0;
}
