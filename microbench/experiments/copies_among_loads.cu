// How long copies through L1 keep the registers of their addresses where shared loads come before and after
// them, as in a step of a gemm: behind a barrier every warp makes `before` loads of 16 bytes a lane, `copies`
// copies of 4 bytes a lane, takes the registers of their addresses for the next step's, makes `after` loads,
// and `ffmas` multiply-adds; then the group is committed, the fourth last is waited for. lanes: beside each
// other in a row that is copied; `stride`: floats between rows (and between steps' rows). Loads are of two
// wavefronts
// (`wavefronts` 2: lanes share words) or four. One block, 28 KB of L1, data in L2. CSV to standard output,
// means of the last 100 of 120 steps: cycles of the mean warp from its first copy until all its registers are
// free, and of a step; the least of three runs.
//   nvcc -O3 -std=c++17 -arch=sm_90a -o copies_among_loads copies_among_loads.cu && ./copies_among_loads
#include <cstdio>

#include "experiment.hpp"

constexpr int ahead = 4, steps = 120, first = 20;

struct Params {
  int stride, ffmas, load_stride;
};

template <int warps, int copies, int before, int after, int lanes>
__global__ void run(const float* data, const float*, long long* cycles, Params params) {
  extern __shared__ float buffer[];
  constexpr int rows = 32 / lanes, tile = rows * copies * warps, pitch = tile + 4,
                stage = lanes == 32 ? 32 * copies * warps : lanes * pitch;
  const auto [stride, ffmas, load_stride] = params;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column = lane % lanes,
            row = warp * rows + lane / lanes;
  const float* from[copies];
  for (int c = 0; c < copies; ++c)
    from[c] = data + static_cast<long long>(row + c * rows * warps) * stride + column;
  const unsigned to = shared_address(buffer);
  const unsigned place = 4 * (lanes == 32 ? threadIdx.x : column * pitch + row);
  const unsigned apart = 4 * (lanes == 32 ? 32 : rows) * warps;
  const unsigned loads_from = to + lane * load_stride + warp * 512;
  float x[8];
  for (int i = 0; i < 8; ++i)
    x[i] = static_cast<float>(threadIdx.x + i);
  long long passed = 0, begin = 0;
  for (int s = 0; s < steps; ++s) {
    if (s == first) begin = clock64(), passed = 0;
    float4 v[before + after > 0 ? before + after : 1];
#pragma unroll
    for (int l = 0; l < before; ++l)
      asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(v[l].x), "=f"(v[l].y), "=f"(v[l].z), "=f"(v[l].w)
                   : "r"(loads_from + 2048 * l)
                   : "memory");
    const long long asked = clock64();
    const unsigned stage_at = to + 4 * (s % ahead) * stage;
#pragma unroll
    for (int c = 0; c < copies; ++c)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(stage_at + place + c * apart),
                   "l"(from[c])
                   : "memory");
#pragma unroll
    for (int c = 0; c < copies; ++c)
      asm volatile("add.s64 %0, %0, %1;"
                   : "+l"(from[c])
                   : "l"(lanes == 32 ? 4LL * 64 * stride : 32LL)
                   : "memory");
    passed += clock64() - asked;
#pragma unroll
    for (int l = before; l < before + after; ++l)
      asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(v[l].x), "=f"(v[l].y), "=f"(v[l].z), "=f"(v[l].w)
                   : "r"(loads_from + 2048 * l)
                   : "memory");
    for (int l = 0; l < before + after; ++l)
      x[l % 8] += v[l].x + v[l].y + v[l].z + v[l].w;
    for (int f = 0; f < ffmas; f += 8)
#pragma unroll
      for (int i = 0; i < 8; ++i)
        asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(x[i]) : "f"(1.5f));
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group %0;" ::"n"(ahead - 2) : "memory");
    __syncthreads();
  }
  const long long end = clock64();
  float sum = 0;
  for (const float value : x)
    sum += value;
  if (lane == 0) cycles[2 * warp] = sum == 0 ? 0 : end - begin, cycles[2 * warp + 1] = passed;
}

template <int warps, int copies, int before, int after, int lanes>
void one(const float* data, long long* cycles) {
  const auto kernel = run<warps, copies, before, after, lanes>;
  const int bytes =
      4 * ahead * (lanes == 32 ? 32 * copies * warps : lanes * (32 / lanes * copies * warps + 4));
  const int all = std::max(bytes, 2048 * (before + after + 1) + 512 * warps);
  allow_shared(kernel, all);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  for (const int stride : {1152, 1157})
    for (const int load_stride : {0, 16})
      for (const int ffmas : {0, 512}) {
        double least = 0, passed = 0;
        for (int i = 0; i < 3; ++i) {
          kernel<<<1, 32 * warps, all>>>(data, nullptr, cycles, Params{stride, ffmas, load_stride});
          CHECK(cudaDeviceSynchronize());
          const double a_step = static_cast<double>(cycles[0]) / (steps - first);
          if (i > 0 && a_step >= least) continue;
          least = a_step, passed = 0;
          for (int w = 0; w < warps; ++w)
            passed += static_cast<double>(cycles[2 * w + 1]) / (steps - first) / warps;
        }
        std::printf("%d,%d,%d,%d,%d,%d,%d,%d,%.1f,%.1f\n", warps, copies, before, after, lanes, stride,
                    load_stride == 0 ? 1 : 4, ffmas, passed, least);
      }
}

template <int warps, int lanes>
void all(const float* data, long long* cycles) {
  one<warps, 4, 0, 0, lanes>(data, cycles);
  one<warps, 4, 4, 4, lanes>(data, cycles);
  one<warps, 8, 0, 0, lanes>(data, cycles);
  one<warps, 8, 0, 4, lanes>(data, cycles);
  one<warps, 8, 4, 0, lanes>(data, cycles);
  one<warps, 8, 4, 4, lanes>(data, cycles);
  one<warps, 8, 8, 8, lanes>(data, cycles);
  one<warps, 16, 4, 4, lanes>(data, cycles);
}

int main() {
  const auto cycles = managed_room<long long>(64 * sizeof(long long));
  const auto data = device_room<float>((std::size_t{64} * 130 + 600) * 1160 * sizeof(float), 0);
  std::printf("warps,copies,before,after,lanes,stride,wavefronts,ffmas,until_registers,cycles_a_step\n");
  all<4, 8>(data, cycles);
  all<8, 8>(data, cycles);
  all<16, 8>(data, cycles);
  all<4, 32>(data, cycles);
  all<8, 32>(data, cycles);
  all<16, 32>(data, cycles);
}
