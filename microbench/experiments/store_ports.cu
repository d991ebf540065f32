// How SMs share their way to L2: one block on each SM, of which those of some TPCs (pairs of SMs) store or
// load (16 bytes a lane, 16 warps, each SM a region of its own) for a given time, all at the same time. GPCs
// are told apart by the order in which blocks are handed out: SM numbers go up within one. CSV to standard
// output: bytes a cycle of the named TPCs together.
//   each: of all TPCs at work, each of them, by what it does and where.
//   three: three TPCs of a GPC alone: those that share a port get less.
//   gpcs: the first so many GPCs, all of their TPCs.
//   nvcc -O3 -arch=sm_90a -o store_ports store_ports.cu && ./store_ports
#include <cstdio>
#include <string>

#include "experiment.hpp"

enum Access { store_first_out, load };
struct Chosen {
  unsigned sms[8];
};

__device__ unsigned arrived;

__global__ void __launch_bounds__(512)
    work(float4* data, Access access, int pieces, Chosen chosen, unsigned before, unsigned window,
         unsigned* counts, unsigned* sms) {
  extern __shared__ float room[];
  __shared__ unsigned sum;
  const unsigned sm = sm_id();
  if (threadIdx.x == 0) {
    sum = 0;
    sms[blockIdx.x] = sm;
    atomicAdd(&arrived, 1);
    while (*const_cast<volatile unsigned*>(&arrived) < gridDim.x) {
    }
  }
  __syncthreads();
  const unsigned begin = now();
  const int warps = blockDim.x / 32, lane = threadIdx.x % 32;
  float4* const mine = data + static_cast<long long>(sm) * pieces * 32 + lane;
  float4 v = make_float4(1, 2, 3, static_cast<float>(sm));
  unsigned count = 0;
  int at = threadIdx.x / 32;
  const bool active = chosen.sms[sm / 32] >> sm % 32 & 1;
  for (unsigned t = 0; active && t < before + window; t = now() - begin) {
    constexpr int together = 4;
    float4 in[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      if (access == load)
        in[i] = __ldcg(mine + at * 32);
      else
        __stcs(mine + at * 32, v);
      at = at + warps < pieces ? at + warps : at + warps - pieces;
    }
    if (access == load) {
#pragma unroll
      for (int i = 0; i < together; ++i)
        v.x += in[i].x;
    }
    if (t >= before) count += together;
  }
  if (v.x == 12345) room[0] = 1;
  if (lane == 0) atomicAdd(&sum, count);
  __syncthreads();
  if (threadIdx.x == 0) counts[sm] = sum;
}

int main() {
  const int count = sm_count();
  auto* const data = device_room<float4>((static_cast<std::size_t>(count) + 16) << 22, 1);
  auto* const counts = managed_room<unsigned>(4 * 256);
  auto* const sms = managed_room<unsigned>(4 * 256);
  allow_shared(work, 200000);
  // Bytes a cycle of each SM, means of so many launches.
  const auto rates = [&](Access access, int kib, const std::vector<int>& tpcs, int times, unsigned before,
                         unsigned window) {
    Chosen chosen{};
    for (const int t : tpcs)
      chosen.sms[t / 16] |= 3U << t % 16 * 2;
    std::vector<double> rate(count, 0);
    for (int time = -1; time < times; ++time) {
      const unsigned zero = 0;
      CHECK(cudaMemcpyToSymbol(arrived, &zero, sizeof zero));
      work<<<count, 512, 200000>>>(data, access, kib * 2, chosen, before, window, counts, sms);
      CHECK(cudaDeviceSynchronize());
      for (int s = 0; time >= 0 && s < count; ++s)
        rate[s] += 512.0 * counts[s] / window / times;
    }
    return rate;
  };
  const auto together = [](const std::vector<double>& rate, const std::vector<int>& tpcs) {
    double sum = 0;
    for (const int t : tpcs)
      sum += rate[2 * t] + rate[2 * t + 1];
    return sum;
  };
  const char* const names[] = {"store", "load"};
  const auto print = [&](const char* what, Access access, int kib, int gpc, const std::vector<int>& tpcs,
                         double rate) {
    std::string list;
    for (const int t : tpcs)
      list += (list.empty() ? "" : " ") + std::to_string(2 * t);
    std::printf("%s,%s,%d,%d,%s,%.2f\n", what, names[access], kib, gpc, list.c_str(), rate);
  };
  constexpr int in_l2 = 144, beyond = 3968;  // KiB of an SM
  std::vector<int> all;
  for (int t = 0; t < count / 2; ++t)
    all.push_back(t);
  rates(store_first_out, in_l2, all, 1, 1000, 1000);
  std::vector<std::vector<int>> gpcs;
  for (int b = 0; b < count; b += 2) {
    if (b == 0 || sms[b] < sms[b - 2]) gpcs.emplace_back();
    gpcs.back().push_back(static_cast<int>(sms[b] / 2));
  }
  std::printf("what,access,kib_of_sm,gpc,first_sms_of_tpcs,bytes_a_cycle\n");
  for (const Access access : {store_first_out, load})
    for (const int kib : {in_l2, beyond}) {
      const auto rate = rates(access, kib, all, 30, 10000, 30000);
      for (std::size_t g = 0; g < gpcs.size(); ++g)
        for (const int t : gpcs[g])
          print("each", access, kib, static_cast<int>(g), {t}, together(rate, {t}));
    }
  for (const Access access : {store_first_out, load})
    for (std::size_t g = 0; g < gpcs.size(); ++g)
      for (std::size_t a = 0; a < gpcs[g].size(); ++a)
        for (std::size_t b = a + 1; b < gpcs[g].size(); ++b)
          for (std::size_t c = b + 1; c < gpcs[g].size(); ++c) {
            const std::vector<int> three{gpcs[g][a], gpcs[g][b], gpcs[g][c]};
            print("three", access, in_l2, static_cast<int>(g), three,
                  together(rates(access, in_l2, three, 2, 3000, 8000), three));
          }
  for (const Access access : {store_first_out, load})
    for (const int kib : {in_l2, beyond}) {
      std::vector<int> first;
      for (std::size_t g = 0; g < gpcs.size(); ++g) {
        first.insert(first.end(), gpcs[g].begin(), gpcs[g].end());
        print("gpcs", access, kib, static_cast<int>(g), first,
              together(rates(access, kib, first, 5, 10000, 30000), first));
      }
    }
}
