// How fast DRAM writes a stream beside few reads: on each SM 16 warps write 512 bytes an instruction,
// together 1 GiB in a row, and one warp reads lines that L2 does not have, one access every `gap` cycles and
// not before the last one has come, of one line (128 bytes) or four, at scattered places. CSV to standard
// output: the median of nine launches; gap -1: no reads.
//   nvcc -O3 -arch=sm_90a -o few_dram_reads few_dram_reads.cu && ./few_dram_reads
#include <algorithm>
#include <cstdio>
#include <vector>

#include "experiment.hpp"

constexpr int writers = 16;                       // warps
constexpr unsigned long long bytes = 1ULL << 30;  // written, and of what is read from

struct Counts {
  unsigned long long reads, cycles;
};

__global__ void __launch_bounds__(32 * (writers + 1))
    stream(float4* to, const float* from, int gap, int lines, Counts* counts) {
  __shared__ int ended;
  const volatile int& done = ended;
  if (threadIdx.x == 0) ended = 0;
  __syncthreads();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp < writers) {
    const unsigned long long step = 32ULL * writers * gridDim.x;
    for (unsigned long long i = 32ULL * (writers * blockIdx.x + warp) + lane; i < bytes / 16; i += step)
      to[i] = make_float4(1, 2, 3, static_cast<float>(lane));
    if (lane == 0) atomicAdd(&ended, 1);
    return;
  }
  if (gap < 0) return;
  unsigned long long reads = 0, cycles = 0;
  unsigned place = blockIdx.x * 2654435761U + 12345;
  float sum = 0;
  long long next = clock64();
  while (done < writers) {
    place = place * 1664525 + 1013904223;
    const long long begin = clock64();
    for (int l = 0; l < lines; ++l)
      sum += __ldcg(from + (place >> 11) * 128ULL + 32 * l + lane);  // 2 Mi pieces of 512 bytes
    if (sum == -1) return;                                           // waits for all of them
    const long long come = clock64();
    cycles += come - begin, ++reads;
    next = max(next + gap, come);
    while (clock64() < next && done < writers) {
    }
  }
  if (lane == 0) counts[blockIdx.x] = {reads, cycles};
}

int main() {
  const int sms = sm_count();
  auto* const to = device_room<float4>(bytes, 0);
  auto* const from = device_room<float>(bytes, 0);
  auto* const counts = device_room<Counts>(sizeof(Counts) * sms, 0);
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::printf("lines,gap,us,written_tb_per_s,read_mb,read_percent,read_cycles\n");
  for (const int lines : {1, 4}) {
    for (const int gap : {-1, 50000, 20000, 10000, 5000, 2000, 1000, 500, 0}) {
      std::vector<float> times;
      std::vector<Counts> of_sm;
      for (int launch = 0; launch < 9; ++launch) {
        CHECK(cudaMemset(counts, 0, sizeof(Counts) * sms));
        CHECK(cudaEventRecord(begin));
        stream<<<sms, 32 * (writers + 1)>>>(to, from, gap, lines, counts);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms = 0;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        times.push_back(ms);
        of_sm = to_host(counts, sms);
      }
      std::sort(times.begin(), times.end());
      Counts all{0, 0};
      for (const auto& c : of_sm)
        all.reads += c.reads, all.cycles += c.cycles;
      const double us = 1e3 * times[4], read = 128.0 * lines * all.reads;
      std::printf("%d,%d,%.2f,%.3f,%.2f,%.2f,%.0f\n", lines, gap, us, bytes / us / 1e6, read / 1e6,
                  100 * read / (read + bytes), all.reads ? static_cast<double>(all.cycles) / all.reads : 0);
    }
  }
}
