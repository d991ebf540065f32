// What a line of chang_multi's reduction takes: the kernel's own source, by one block alone on its SM, with
// its copies (`full`), without them (`no_copies`) and without its barriers, too (`loops`), so that what the
// SM's core does with the compiler's products of shared operands stands alone. Cycles a line, the difference
// of two depths. One geometry a program, by -D; chang_rounds.sh makes and runs those of chang_rounds.csv.
//   nvcc -O3 -std=c++17 -arch=sm_90a -I kernels -I . -DK_SIZE=3 -DS_BYTES=128 ... -o chang_rounds
//   chang_rounds.cu && ./chang_rounds
#include <cstdio>
#include <vector>

#include "chang_multi/chang_multi_index.hpp"
#include "chang_rounds.hpp"
#include "experiment.hpp"

#if !defined(K_SIZE)
#  define K_SIZE 3
#  define S_BYTES 128
#  define M_TILE 32
#  define WX_TILE 128
#  define THREAD_M 8
#  define THREAD_P 8
#endif
// A slice as wide as the block, so that every number of warps can be had.
#define LANES_M 4
#define LANES_P 8
#define SLICES 1
#define STAGES 3
#define LINE_VEC 4
#define PASS_ROWS 2
#define MIN_BLOCKS 1

namespace instructions {
#include "chang_multi/async_copy.hpp"
}

// The kernel as a function: its own launch bounds stand at the kernels below, and what TILECAST_EMULATED
// leaves out comes from one of the namespaces.
#define TILECAST_EMULATED
#pragma push_macro("__launch_bounds__")
#pragma push_macro("__global__")
#undef __launch_bounds__
#undef __global__
#define __launch_bounds__(...)
#define __global__ __device__ __forceinline__

namespace with_copies {
using namespace instructions;
#define chang_multi_kernel block_with_copies
#include "chang_multi/chang_multi.cu"
#undef chang_multi_kernel
}  // namespace with_copies

namespace without_copies {
using instructions::commit;
using instructions::dynamic_shared;
using instructions::shared_address;
using instructions::slice_barrier;
using instructions::store_if;
using instructions::wait_all_but;
template <int floats>
__device__ __forceinline__ void copy_async_if(bool, unsigned, const float*) {}
#define chang_multi_kernel block_without_copies
#include "chang_multi/chang_multi.cu"
#undef chang_multi_kernel
}  // namespace without_copies

namespace without_barriers {
using instructions::dynamic_shared;
using instructions::shared_address;
using instructions::store_if;
using without_copies::copy_async_if;
__device__ __forceinline__ void commit() {}
template <int pending>
__device__ __forceinline__ void wait_all_but() {}
template <int slice_threads, int slices>
__device__ __forceinline__ void slice_barrier(int) {
  asm volatile("" ::: "memory");
}
#define chang_multi_kernel block_without_barriers
#include "chang_multi/chang_multi.cu"
#undef chang_multi_kernel
}  // namespace without_barriers

#pragma pop_macro("__global__")
#pragma pop_macro("__launch_bounds__")

namespace {
using tilecast::chang_multi::Params;
constexpr auto geometry = tilecast::chang_multi::make_geometry(TILECAST_GEOMETRY);
using tilecast::chang_rounds::width;
constexpr int room_for_clocks = 1024;  // floats in front of the output
}  // namespace

// Named by the geometry, which cli/simulate_loops.cpp reads there. Each warp notes when it begins and ends.
#define NAME_(what, k, s, m, w, tm, tp) rounds_##what##_##k##_##s##_##m##_##w##_##tm##_##tp
#define NAME(what, k, s, m, w, tm, tp) NAME_(what, k, s, m, w, tm, tp)
#define KERNEL(what) NAME(what, K_SIZE, S_BYTES, M_TILE, WX_TILE, THREAD_M, THREAD_P)
#define DEFINE_KERNEL(what, block)                                                     \
  extern "C" __global__ void __launch_bounds__(geometry.threads, MIN_BLOCKS)           \
      KERNEL(what)(const float* __restrict__ input, const float* __restrict__ filters, \
                   float* __restrict__ output, const Params params) {                  \
    const unsigned begin = now();                                                      \
    block(input, filters, output + room_for_clocks, params);                           \
    const unsigned end = now();                                                        \
    if (threadIdx.x % 32 == 0) {                                                       \
      reinterpret_cast<unsigned*>(output)[threadIdx.x / 16] = begin;                   \
      reinterpret_cast<unsigned*>(output)[threadIdx.x / 16 + 1] = end;                 \
    }                                                                                  \
  }
DEFINE_KERNEL(full, with_copies::block_with_copies)
DEFINE_KERNEL(no_copies, without_copies::block_without_copies)
DEFINE_KERNEL(loops, without_barriers::block_without_barriers)

int main() {
  namespace rounds = tilecast::chang_rounds;
  constexpr int few = rounds::few_channels(K_SIZE), many = rounds::many_channels(K_SIZE);
  constexpr int shared = 4 * shared_floats(geometry), warps = geometry.threads / 32;
  const float* const input = random_numbers((many + 2) * width * width);
  const float* const filters = random_numbers(M_TILE * many * K_SIZE * K_SIZE);
  float* const output = device_room<float>(sizeof(float) * (room_for_clocks + M_TILE * width * width));
  struct Variant {
    const char* name;
    void (*kernel)(const float*, const float*, float*, Params);
  };
  for (const auto& v : {Variant{"full", KERNEL(full)}, Variant{"no_copies", KERNEL(no_copies)},
                        Variant{"loops", KERNEL(loops)}}) {
    allow_shared(v.kernel, shared);
    const auto cycles = [&](int channels) {
      return least_of_warps(warps, output, [&] {
        v.kernel<<<1, geometry.threads, shared>>>(input, filters, output,
                                                  rounds::params_of(K_SIZE, M_TILE, channels));
      });
    };
    std::printf("%s,%d,%d,%d,%d,%d,%d,%d,%.3f\n", v.name, K_SIZE, S_BYTES, M_TILE, WX_TILE, THREAD_M,
                THREAD_P, warps,
                static_cast<double>(cycles(many) - cycles(few)) / rounds::lines_between(K_SIZE));
  }
}
