// What a burst of asynchronous copies, each to a place of its own, leaves of an SM's memory pipe to other
// warps. The first W warps of a block make `accesses` each, one right behind the other, each of a row of its
// own; lanes lie `apart` bytes apart, the first row `shift` bytes behind a line's begin, each other row
// `step` bytes behind the one before, and write places that are `places` bytes apart, each `place_step` bytes
// behind the one before. R more warps, on the next schedulers in turn, load from shared memory meanwhile, one
// load at a time (`single`) or four 16-byte ones of lanes that share words (`four`), and note when each is
// back. CSV to standard output: cycles from the begin until the first and the last of the W warps has issued
// its last access, and until all has come; loads (or fours) of the R warps back by the last issue, what each
// of them took on average, and the longest of any. The launch of four that is soonest done, by its last
// issue.
//   nvcc -O3 -arch=sm_90a -o bursts_beside bursts_beside.cu && ./bursts_beside
#include <algorithm>
#include <cstdio>
#include <vector>

#include "experiment.hpp"

constexpr int lanes_of_warp = 32, accesses = 32, reads = 96, room_of_warp = 512 * accesses;
constexpr int most_warps = 16, words_of_warp = reads + 4;

enum Kind { none, cg16, ca4 };
constexpr const char* names[] = {"none", "cg16", "ca4"};
enum Beside { single, four };

struct Rows {
  unsigned apart, shift, step, places, place_step;
};

template <int kind>
__device__ __forceinline__ void burst(const char* from, unsigned step, unsigned to, unsigned place_step,
                                      unsigned* notes, unsigned begin) {
#pragma unroll
  for (int n = 0; n < accesses; ++n) {
    if constexpr (kind == cg16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
    from += step, to += place_step;
  }
  const unsigned issued = now();
  asm volatile("cp.async.wait_all;" ::: "memory");
  const unsigned come = now();
  notes[0] = begin, notes[1] = issued, notes[2] = come;
}

template <int beside>
__device__ __forceinline__ void read(unsigned at, unsigned* notes, unsigned begin) {
  unsigned back[reads];
#pragma unroll
  for (int n = 0; n < reads; ++n) {
    // What is loaded is 0; it is waited for before the clock is read.
    if constexpr (beside == single) {
      unsigned v;
      asm volatile("ld.volatile.shared.u32 %0, [%1];\nadd.u32 %1, %1, %0;" : "=r"(v), "+r"(at)::"memory");
    } else {
      unsigned v[4][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v[i][0]), "=r"(v[i][1]), "=r"(v[i][2]), "=r"(v[i][3])
                     : "r"(at + i * 128)
                     : "memory");
#pragma unroll
      for (int i = 0; i < 4; ++i)
        asm volatile("add.u32 %0, %0, %1;" : "+r"(at) : "r"(v[i][0] + v[i][3]) : "memory");
    }
    back[n] = now();
  }
  notes[0] = begin;
#pragma unroll
  for (int n = 0; n < reads; ++n)
    notes[4 + n] = back[n];
}

// Warps [0, writers) burst, the others read.
template <int kind, int beside>
__global__ void run(const char* data, Rows rows, int writers, unsigned* out) {
  extern __shared__ char buffer[];
  const int lane = threadIdx.x % lanes_of_warp, warp = threadIdx.x / lanes_of_warp;
  const unsigned base = shared_address(buffer);
  const unsigned to = base + 1024 + warp * room_of_warp + lane * rows.places;
  for (int n = threadIdx.x; n < 256; n += blockDim.x)
    reinterpret_cast<unsigned*>(buffer)[n] = 0;
  unsigned notes[words_of_warp];
#pragma unroll 1
  for (int time = 0; time < 2; ++time) {  // first of all, the code is there
    const char* const from = data + (time == 0 ? 0 : (size_t{1} << 27) + rows.shift) + lane * rows.apart +
                             (time == 0 ? size_t{0} : size_t{rows.step} * accesses * warp);
    __syncthreads();
    const unsigned begin = now();
    if (warp < writers) {
      if constexpr (kind != none)
        burst<kind>(from, time == 0 ? 0 : rows.step, to, rows.place_step, notes, begin);
    } else {
      read<beside>(base + (beside == single ? lane * 4 : lane % 8 * 16), notes, begin);
    }
  }
  if (lane == 0)
    for (int n = 0; n < words_of_warp; ++n)
      out[warp * words_of_warp + n] = notes[n];
}

template <int kind, int beside>
void rows(const char* data, unsigned* out, Rows r, int writers, int readers) {
  constexpr int shared = 200 * 1024;
  const auto kernel = run<kind, beside>;
  allow_shared(kernel, shared);
  const int warps = writers + readers;
  unsigned first_issued = 0, last_issued = ~0U, come = 0, longest = 0;
  double back = 0, each = 0;
  for (int time = 0; time < 4; ++time) {
    kernel<<<1, warps * lanes_of_warp, shared>>>(data, r, writers, out);
    CHECK(cudaDeviceSynchronize());
    unsigned begin = out[0];
    for (int w = 1; w < warps; ++w)
      begin = soonest(begin, out[w * words_of_warp]);
    unsigned first = ~0U, last = 0, all = 0;
    for (int w = 0; w < writers && kind != none; ++w) {
      const unsigned* const n = out + w * words_of_warp;
      first = std::min(first, n[1] - begin), last = std::max(last, n[1] - begin),
      all = std::max(all, n[2] - begin);
    }
    if (kind != none && last >= last_issued) continue;
    last_issued = kind == none ? 0 : last, first_issued = kind == none ? 0 : first, come = all;
    longest = 0, back = 0, each = 0;
    const unsigned until = kind == none ? ~0U : last;
    for (int w = writers; w < warps; ++w) {
      const unsigned* const n = out + w * words_of_warp;
      unsigned before = n[0] - begin;
      const unsigned from = before;
      int done = 0;
      for (; done < reads && n[4 + done] - begin <= until; ++done) {
        longest = std::max(longest, n[4 + done] - begin - before);
        before = n[4 + done] - begin;
      }
      back += done;
      each += done > 0 ? static_cast<double>(before - from) / done / readers : 0;
    }
  }
  std::printf("%s,%s,%u,%u,%u,%u,%u,%d,%d,%u,%u,%u,%.0f,%.1f,%u\n", names[kind],
              beside == single ? "single" : "four", r.apart, r.shift, r.step, r.places, r.place_step, writers,
              readers, first_issued, last_issued, come, back, each, longest);
  std::fflush(stdout);
}

template <int kind>
void both(const char* data, unsigned* out, Rows r) {
  // Those that read begin on the scheduler behind the last that bursts: four warps of bursts leave none free.
  constexpr int counts[][2] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {1, 1}, {1, 3}, {1, 7},
                               {2, 2}, {2, 6}, {4, 1}, {4, 4}, {4, 8}, {8, 4}};
  for (const auto& c : counts) {
    rows<kind, single>(data, out, r, c[0], c[1]);
    if (c[1] > 0) rows<kind, four>(data, out, r, c[0], c[1]);
  }
}

int main() {
  auto* const data = device_room<char>(size_t{1} << 28, 0);
  auto* const out = managed_room<unsigned>(most_warps * words_of_warp * sizeof(unsigned));
  std::printf(
      "kind,beside,apart,shift,step,places,place_step,bursting,reading,first_issued,last_issued,come,back,"
      "each,longest\n");
  both<none>(data, out, {4, 0, 0, 4, 128});
  constexpr unsigned pitch = 9040;  // a line's 16 bytes further each row
  for (const unsigned shift : {0U, 16U, 64U, 112U})
    both<cg16>(data, out, {16, shift, 512, 16, 512});
  both<cg16>(data, out, {16, 0, pitch, 16, 512});
  for (const unsigned apart : {4U, 8U})
    both<ca4>(data, out, {apart, 0, pitch, 4, 128});
  both<ca4>(data, out, {4, 0, pitch, 132, 4});
  for (const unsigned step : {4U, 128U}) {
    both<ca4>(data, out, {pitch, 0, step, 4, 128});
    both<ca4>(data, out, {pitch, 0, step, 132, 4});
  }
  return 0;
}
