// How much of its stores an SM still holds when the last of them is issued: the warps of one block an SM
// begin together on all SMs and store so many times each in one of several forms; a barrier says when the
// last is issued, fences behind it when L2 has taken them all. CSV to standard output: cycles, medians over
// SMs and rounds, until the last is issued and from there until all are taken, and what the same fences take
// behind one store of the first warp.
//   nvcc -O3 -arch=sm_90a -o stores_left stores_left.cu && ./stores_left
#include <algorithm>
#include <cstdio>
#include <vector>

#include "experiment.hpp"

namespace {

constexpr int rounds = 12, warming = 2, most_sms = 132;
constexpr int window = 128 * 1024;  // of an SM: all of them stay in L2

// `group` lanes beside each other, `lane_step` bytes apart, groups 256 bytes apart. Of `rows` (a gemm's
// without vectors) the next store fills the words beside, until a row has 256 bytes; of others it is behind
// the last.
struct Form {
  const char* name;
  int width, lane_step, group, packets;
  bool rows() const { return group < 32; }
};

struct Places {
  int words, places, place_step;  // store i is at i % words * 4 + i / words % places * place_step

  __device__ int at(int i) const { return (i & (words - 1)) * 4 + (i / words & (places - 1)) * place_step; }
};

template <int width>
__global__ void __launch_bounds__(1024) stores_left(char* data, unsigned* arrived, unsigned* out, Form form,
                                                    Places places, int stores, int warp_bytes, bool base) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  char* const mine = data + (blockIdx.x * (blockDim.x / 32) + warp) * static_cast<long long>(warp_bytes) +
                     lane % form.group * form.lane_step + lane / form.group * 256;
  const int count = base ? warp == 0 : stores;
  for (int round = 0; round < rounds; ++round) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(arrived, 1);
      while (*reinterpret_cast<volatile unsigned*>(arrived) < gridDim.x * (round + 1)) {
      }
    }
    __syncthreads();
    const unsigned begin = clock();
#pragma unroll 4
    for (int i = 0; i < count; ++i) {
      char* const at = mine + places.at(i);
      if (width == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(round) : "memory");
      if (width == 16)
        asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(round) : "memory");
    }
    __syncthreads();
    const unsigned issued = clock();
    __threadfence();
    __syncthreads();
    const unsigned taken = clock();
    if (threadIdx.x == 0) {
      out[(round * gridDim.x + blockIdx.x) * 2] = issued - begin;
      out[(round * gridDim.x + blockIdx.x) * 2 + 1] = taken - issued;
    }
  }
}

}  // namespace

int main() {
  auto* const data = device_room<char>(most_sms * 2 * window);
  auto* const arrived = device_room<unsigned>(4);
  auto* const out = device_room<unsigned>(8 * rounds * most_sms);
  const Form forms[] = {{"whole", 16, 16, 32, 16},         {"line", 4, 4, 32, 4},
                        {"words 16 apart", 4, 16, 32, 20}, {"words 32 apart", 4, 32, 32, 40},
                        {"words 64 apart", 4, 64, 32, 48}, {"words 128 apart", 4, 128, 32, 64},
                        {"rows of 2", 4, 16, 2, 32},       {"rows of 4", 4, 16, 4, 24},
                        {"rows of 8", 4, 16, 8, 20}};
  std::printf("form,packets_a_store,sms,warps,stores,issued,left,base\n");
  for (const int sms : {132, 1})
    for (const auto& form : forms)
      for (const int warps : {1, 2, 4, 8, 16, 32})
        for (const int all : {256, 512}) {
          const int stores = all / warps;
          const int warp_bytes =
              std::max(32 * form.lane_step, form.rows() ? 32 / form.group * 256 : window / warps);
          const auto places =
              form.rows() ? Places{4, 256 / (form.group * form.lane_step), form.group * form.lane_step}
                          : Places{1, std::max(1, warp_bytes / (32 * form.lane_step)), 32 * form.lane_step};
          double cycles[2][2];
          for (const bool base : {false, true}) {
            CHECK(cudaMemset(arrived, 0, 4));
            const auto kernel = form.width == 16 ? stores_left<16> : stores_left<4>;
            kernel<<<sms, 32 * warps>>>(data, arrived, out, form, places, stores, warp_bytes, base);
            const auto h = to_host(out, 2 * rounds * sms);
            for (int k = 0; k < 2; ++k) {
              std::vector<unsigned> v;
              for (int i = warming * sms; i < rounds * sms; ++i)
                v.push_back(h[2 * i + k]);
              cycles[base][k] = median(v);
            }
          }
          std::printf("%s,%d,%d,%d,%d,%.0f,%.0f,%.0f\n", form.name, form.packets, sms, warps, stores,
                      cycles[0][0], cycles[0][1], cycles[1][1]);
        }
  return 0;
}
