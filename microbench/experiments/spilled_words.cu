// What of its spilled registers does L1 keep? Warps keep `words` registers in local memory, a line of 128
// bytes each; then `kib` of other accesses pass, by all warps of the SM; then each warp loads its registers
// again, one after the other. Cycles a load, the first time (words that have been stored and never loaded)
// and the last of four times: 29 where L1 has them, about 250 where L2 has. L1 has what the shared memory
// (`shared_kib`) leaves. CSV to standard output.
//   nvcc -O3 -arch=sm_90a -o spilled_words spilled_words.cu && ./spilled_words
#include <cstdio>

#include "experiment.hpp"

enum Traffic { nothing, copy_4, copy_16, global_store, traffic_kinds };
constexpr const char* traffic_names[] = {"nothing", "copy_4", "copy_16", "global_store"};

// stored_again: the words are stored again before the other accesses, as a register is that changes from
// round to round.
template <int words, Traffic traffic>
__global__ void __launch_bounds__(1024)
    use(unsigned offset, int bytes, int stored_again, char* memory, unsigned* out) {
  extern __shared__ char shared[];
  unsigned array[words];
  const unsigned at = local_address(array, offset);
  for (int i = 0; i < words; ++i)
    store_local(at + 4 * i, at + 4 * ((i + 1) % words));
  const auto target = shared_address(shared) + 16 * threadIdx.x;
  constexpr int each = traffic == copy_16 ? 16 : 4;
  char* const own = memory + static_cast<std::size_t>(blockIdx.x) * (1 << 19) + each * threadIdx.x;
  unsigned v = at, cycles = 0, first = 0;
#pragma unroll 1
  for (int time = 0; time < 4; ++time) {
    char* from = own + static_cast<std::size_t>(time % 2) * (1 << 18);
    if (stored_again) {
#pragma unroll
      for (int i = 0; i < words; ++i)
        store_local(at + 4 * i, at + 4 * ((i + 1) % words));
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < bytes; i += each * blockDim.x, from += each * blockDim.x) {
      if (traffic == copy_4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(from) : "memory");
      if (traffic == copy_16)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(target), "l"(from) : "memory");
      if (traffic == global_store) asm volatile("st.global.u32 [%0], %1;" ::"l"(from), "r"(time) : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    const unsigned begin = now();
#pragma unroll
    for (int i = 0; i < words; ++i)
      v = load_local(v);
    cycles = now() - begin + (v == 12345 ? 1 : 0);
    if (time == 0) first = cycles;
    __syncthreads();
  }
  if (threadIdx.x % 32 == 0) {
    out[2 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32)] = first;
    out[2 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) + 1] = cycles;
  }
}

template <int words, Traffic traffic>
void measure(int warps, int blocks_an_sm, int shared_kib, int kib, int stored_again, char* memory,
             unsigned* out) {
  constexpr int sms = 132;
  const int blocks = sms * blocks_an_sm, shared = shared_kib / blocks_an_sm * 1024;
  allow_shared(use<words, traffic>, shared);
  CHECK(cudaFuncSetAttribute(use<words, traffic>, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared));
  for (int time = 0; time < 2; ++time)
    use<words, traffic><<<blocks, 32 * warps, shared>>>(0, kib * 1024, stored_again, memory, out);
  const auto host = to_host(out, static_cast<std::size_t>(2 * blocks * warps));
  double first = 0, last = 0;
  for (std::size_t i = 0; i < host.size(); i += 2) {
    first += host[i];
    last += host[i + 1];
  }
  const double loads = static_cast<double>(host.size() / 2) * words;
  std::printf("%s,%d,%d,%d,%d,%d,%d,%.2f,%.2f\n", traffic_names[traffic], words, warps, blocks_an_sm,
              shared_kib, kib, stored_again, first / loads, last / loads);
}

template <int words>
void all(char* memory, unsigned* out) {
  for (const int warps : {1, 4, 8, 16, 32})
    measure<words, nothing>(warps, 1, 200, 0, 0, memory, out);
  for (const int again : {0, 1}) {
    for (const int kib : {2, 4, 8, 16, 32, 64}) {
      for (const int warps : {4, 8}) {
        measure<words, copy_4>(warps, 1, 200, kib, again, memory, out);
        measure<words, copy_16>(warps, 1, 200, kib, again, memory, out);
        measure<words, global_store>(warps, 1, 200, kib, again, memory, out);
      }
    }
  }
  for (const int blocks : {2, 4, 8})
    measure<words, nothing>(4, blocks, 200, 0, 0, memory, out);
}

int main() {
  auto* const memory = device_room<char>(static_cast<std::size_t>(132 * 8 + 1) << 19, 0);
  auto* const out = device_room<unsigned>(1 << 20);
  std::printf(
      "among,words,warps,blocks_an_sm,shared_kib,kib_between,stored_again,cycles_first,cycles_last\n");
  all<1>(memory, out);
  all<2>(memory, out);
  all<4>(memory, out);
  all<8>(memory, out);
  all<12>(memory, out);
  all<16>(memory, out);
}
