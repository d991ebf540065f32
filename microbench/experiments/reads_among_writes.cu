// How fast DRAM takes writes that have a few reads among them: each warp stores `writes` pieces of 512 bytes
// and loads one of so many bytes, over and over, all warps together in a row through 1 GiB that they write
// and 2 GiB of which they read some, so that nothing is in L2. A load is waited for when the next one comes,
// and asks for a word of every 16 bytes, that is for all sectors.
// `apart`: a store's 512 bytes lie in a row, or are lines in four quarters of the memory, each of them beside
// one that is stored 4 MB later. `order`: the pieces loaded follow each other, and so do the loads of all
// warps in time (spread); the pieces lie anywhere (scattered); all warps load at the same time (together).
// CSV to standard output: the median of replays of a graph; `longer`: picoseconds that a byte read takes DRAM
// beyond those that the writes alone take.
//   nvcc -O3 -arch=sm_90a -o reads_among_writes reads_among_writes.cu && ./reads_among_writes
#include <cstdio>

#include "experiment.hpp"

constexpr size_t written = size_t{1} << 30, most_read = size_t{1} << 31;
constexpr int piece = 512;

struct Mix {
  int writes, load_bytes;  // of a turn of one warp
  int turns;
  bool scattered, together, apart;
};

__global__ void mix(float4* to, const char* from, Mix m) {
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const size_t warp = static_cast<size_t>(blockIdx.x) * warps + threadIdx.x / 32,
               all = static_cast<size_t>(gridDim.x) * warps;
  const float4 v = make_float4(lane, warp, blockIdx.x, 1);
  float4 sum = v, read[4] = {};
  const int loads_at = m.together ? 0 : static_cast<int>(warp % m.writes);
  for (int turn = 0; turn < m.turns; ++turn) {
    for (int w = 0; w < m.writes; ++w) {
      if (w == loads_at && m.load_bytes > 0) {
        sum.x += read[0].x + read[1].x + read[2].x + read[3].x;
        size_t place = turn * all + warp;
        if (m.scattered) place = place * 2654435761U % (most_read / m.load_bytes);
        const char* const begin = from + place % (most_read / m.load_bytes) * m.load_bytes;
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (i * piece + 16 * lane < m.load_bytes)
            read[i] = __ldcg(reinterpret_cast<const float4*>(begin + i * piece) + lane);
      }
      const size_t i = (turn * static_cast<size_t>(m.writes) + w) * all + warp;
      if (m.apart) {
        // 8192 warps' lines lie two lines apart; the lines between them come next.
        constexpr size_t round = 8192, quarter = written / 16 / 4, of_line = 8;
        const size_t line = i / (2 * round) * (2 * round) + i % round * 2 + i / round % 2;
        to[lane / of_line * quarter + line * of_line + lane % of_line] = v;
      } else {
        to[i * (piece / 16) + lane] = v;
      }
    }
  }
  sum.x += read[0].x + read[1].x + read[2].x + read[3].x;
  if (sum.x == -1) to[0] = sum;
}

int main() {
  const int sms = sm_count();
  auto* const to = device_room<float4>(written, 0);
  auto* const from = device_room<char>(most_read, 0);
  const char* const orders[] = {"spread", "scattered", "together"};
  std::printf("warps,writes,apart,load_bytes,order,read_percent,us,alone_us,tb_per_s,longer\n");
  for (const int warps : {8, 16, 32})
    for (const int writes : {1, 2, 4, 8, 16, 32, 64, 128})
      for (const bool apart : {false, true})
        for (const int load_bytes : {128, 512, 2048})
          for (const int order : {0, 1, 2}) {
            if (apart && order > 0) continue;
            const size_t all = static_cast<size_t>(sms) * warps;
            const int turns = static_cast<int>(written / piece / all / writes);
            const auto time = [&](int bytes) {
              return graph_time_us(2, 7, [&](cudaStream_t s) {
                mix<<<sms, 32 * warps, 0, s>>>(to, from,
                                               {writes, bytes, turns, order == 1, order == 2, apart});
              });
            };
            const double us = time(load_bytes), alone = time(0);
            const double read = 1.0 * turns * all * load_bytes, write = 1.0 * turns * all * writes * piece;
            std::printf("%d,%d,%d,%d,%s,%.3f,%.2f,%.2f,%.3f,%.3f\n", warps, writes, apart, load_bytes,
                        orders[order], 100 * read / (read + write), us, alone, (read + write) / us * 1e-6,
                        (us - alone) / read * 1e6);
          }
}
