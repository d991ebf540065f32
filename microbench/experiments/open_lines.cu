// How long an SM holds what stores have filled of a line in part, for others that fill the rest: each warp
// stores 128 bytes, 4 a lane, to each of `rows` rows one after the other, from the second word of a line on,
// then the 128 bytes behind those in the same order, eight times, with nothing between. Alone each store
// sends five sectors, one that joins the one before it in its row four more. `lanes`: of the warp store, 4
// bytes each, so that a piece is shorter; `then`: of every other piece.
// For the profiler: the n-th line of the output is the n-th launch.
//   nvcc -O3 -arch=sm_90a -o open_lines open_lines.cu
//   x=l1tex__m_l1tex2xbar; m=${x}_req_cycles_active.sum,${x}_write_sectors.sum
//   ncu --csv --page raw --replay-mode application --metrics $m ./open_lines
#include <cstdio>

#include "experiment.hpp"

constexpr int pieces = 8, rounds = 16;
constexpr int row_bytes = 2048, most_rows = 32, most_warps = 16;

template <int rows, int lanes, int then>
__global__ void store(char* data, float value) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  char* own = data +
              (static_cast<long long>(blockIdx.x) * most_warps + warp) * rounds * most_rows * row_bytes +
              4 * (lane + 1);
  for (int round = 0; round < rounds; ++round, own += most_rows * row_bytes) {
#pragma unroll
    for (int piece = 0; piece < pieces; ++piece) {
#pragma unroll
      for (int row = 0; row < rows; ++row)
        if (lane < (piece % 2 ? then : lanes))
          asm volatile("st.global.f32 [%0], %1;" ::"l"(own + row * row_bytes +
                                                       4 * (piece / 2 * (lanes + then) + piece % 2 * lanes)),
                       "f"(value));
    }
  }
}

template <int rows, int lanes = 32, int then = lanes>
void launch(char* data) {
  for (const int sms : {1, 132})
    for (const int warps : {1, 4, 16}) {
      store<rows, lanes, then><<<sms, 32 * warps>>>(data, 1.0F);
      CHECK(cudaDeviceSynchronize());
      std::printf("%d,%d,%d,%d,%d,%d\n", rows, lanes, then, sms, warps, sms * warps * rounds * rows * pieces);
    }
}

int main() {
  auto* const data = device_room<char>(132LL * most_warps * rounds * most_rows * row_bytes + (1 << 20), 0);
  std::printf("rows,lanes,then,sms,warps,stores\n");
  launch<1>(data);
  launch<2>(data);
  launch<3>(data);
  launch<4>(data);
  launch<5>(data);
  launch<6>(data);
  launch<7>(data);
  launch<8>(data);
  launch<10>(data);
  launch<12>(data);
  launch<16>(data);
  launch<24>(data);
  launch<32>(data);
  launch<1, 8>(data);
  launch<2, 8>(data);
  launch<4, 8>(data);
  launch<1, 16>(data);
  launch<2, 16>(data);
  launch<4, 16>(data);
  launch<8, 16>(data);
  launch<1, 24>(data);
  launch<2, 24>(data);
  launch<4, 24>(data);
  launch<8, 24>(data);
  launch<1, 32, 16>(data);
  launch<2, 32, 16>(data);
  launch<4, 32, 16>(data);
  launch<8, 32, 16>(data);
  launch<12, 32, 16>(data);
  launch<1, 32, 8>(data);
  launch<2, 32, 8>(data);
  launch<4, 32, 8>(data);
  launch<8, 32, 8>(data);
  return 0;
}
