// How long reads wait while other SMs write. A block of 8 warps an SM.
// `few`: four SMs chase lines (ld.cg; burst_kb 0) or copy bursts (cp.async, 16 bytes a lane past L1) and wait
// for them; they read again and again what L2 has (`l2`) or what nobody has read lately (`dram`), maybe
// `delay` cycles behind a tile of `own` KB that they store. Of all other SMs each `write`s (or copies:
// `read`) tiles of 16 KB, one after the other through `set_mb`, at its share of `rate` TB/s, until the end or
// (`then_none`) until the readers begin. `all`: every SM copies a burst, waits for it, computes for `delay`
// cycles, stores a tile of `own` KB and
// (`fence`) waits until it is taken. `step`: all SMs meet, store a tile, wait `delay` cycles, copy a burst.
// CSV to standard output: what the others (or all) moved, TB/s; cycles of a read, p10, median, p90; medians
// of the stores, the fence and the round.
//   nvcc -O3 -arch=sm_90a -o reads_beside_writes reads_beside_writes.cu && ./reads_beside_writes
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "experiment.hpp"

enum Others { none, write, read, then_none };
enum class Mode { few, all, step };
enum From { l2, dram };
constexpr int row_bytes = 1024, warps = 8, readers = 4, chased = 16, records = 1024, stepped = 32,
              sms_most = 256;
constexpr unsigned pause = 2000;                                  // of `few`, between two bursts
constexpr long long read_bytes = 1LL << 30, l2_bytes = 64 << 10;  // the last of each SM

// Tiles of `rows` KB that follow each other.
struct Tiles {
  int rows;
  unsigned count;
  __host__ __device__ long long at(unsigned tile, int row) const {
    return (static_cast<long long>(tile) * rows + row) * row_bytes;
  }
};
Tiles tiles_of(long long bytes, int rows) {
  return {rows, static_cast<unsigned>(bytes / row_bytes / rows)};
}

struct Work {
  bool all, step, l2, chase, fenced;
  Others others;
  unsigned every;                               // cycles between two tiles of another SM
  unsigned delay, read_from, write_until, end;  // cycles
  Tiles burst, tile, own;
  unsigned first_burst, first_tile;  // where this launch goes on
};

struct Record {
  unsigned wait, stores, fence, round;
};

__device__ __forceinline__ void store_tile(char* to, const Tiles& tiles, unsigned tile, unsigned value) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int row = warp; row < tiles.rows; row += warps) {
    char* const at = to + tiles.at(tile, row) + 16 * lane;
#pragma unroll
    for (int half = 0; half < 2; ++half)
      asm volatile("st.global.v4.b32 [%0], {%1, %2, %1, %2};" ::"l"(at + 512 * half), "r"(value),
                   "r"(lane + 1)
                   : "memory");
  }
}
__device__ __forceinline__ void copy_tile(const char* from, const Tiles& tiles, unsigned tile,
                                          unsigned shared) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int row = warp; row < tiles.rows; row += warps) {
    const char* const at = from + tiles.at(tile, row) + 16 * lane;
#pragma unroll
    for (int half = 0; half < 2; ++half)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared + row * row_bytes + 512 * half +
                                                                     16 * lane),
                   "l"(at + 512 * half)
                   : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
}
__device__ __forceinline__ void wait_until(unsigned begin, unsigned cycles) {
  while (now() - begin < cycles) {
  }
}
__device__ __forceinline__ unsigned scatter(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

__global__ void fill(unsigned* to, long long words) {
  for (long long i = blockIdx.x * 1024LL + threadIdx.x; i < words; i += 1024LL * gridDim.x)
    to[i] = (scatter(static_cast<unsigned>(i)) & 0x7fffffffu) | 1u;
}

// All blocks, for the time that makes so many of them.
__device__ void meet(unsigned* met, unsigned all) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(met, 1);
    while (*static_cast<volatile unsigned*>(met) < all) {
    }
  }
  __syncthreads();
}

// One thread's loads, each behind the one before: words have no bit 31, which the next address needs.
__device__ void chase(const char* from, const Work& w, unsigned at, Record* out) {
  unsigned carried = 0;
  for (int i = 0; i < chased; ++i) {
    const unsigned begin = now();
    // Of 32 MB, for the sake of the translation of addresses.
    const unsigned line = w.l2 ? i * 37 % chased : scatter(at * chased + i) % (32u << 13);
    unsigned v;
    asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(v) : "l"(from + 128LL * (line + carried)) : "memory");
    carried = v >> 31;
    asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 1; @p trap;}" ::"r"(carried) : "memory");
    out[i].wait = now() - begin;
  }
}

__global__ void __launch_bounds__(32 * warps)
    run(char* written, const char* read_from, const char* kept, Work w, Record* out, unsigned* counts,
        unsigned* moved, unsigned* sum, unsigned* met) {
  extern __shared__ __align__(128) char buffer[];
  const unsigned shared = shared_address(buffer);
  const unsigned begin = now();
  const int spread = gridDim.x / readers;
  const bool reads = w.all || (blockIdx.x % spread == 0 && blockIdx.x / spread < readers);
  const unsigned reader = w.all ? blockIdx.x : blockIdx.x / spread, all_readers = w.all ? gridDim.x : readers;
  unsigned n = 0, tiles = 0;
  Record* const own = out + blockIdx.x * static_cast<long long>(records);
  if (reads) {
    __shared__ volatile bool more;
    const char* const from = w.l2 ? kept + blockIdx.x * l2_bytes : read_from;
    copy_tile(kept + blockIdx.x * l2_bytes, Tiles{32, 1}, 0, shared);
    wait_until(begin, w.read_from);
    while (true) {
      __syncthreads();
      if (threadIdx.x == 0) more = w.step ? n < stepped : now() - begin < w.end && n + chased <= records;
      __syncthreads();
      if (!more) break;
      const unsigned tile = (w.first_tile + tiles * all_readers + reader) % w.own.count;
      if (w.chase) {
        if (threadIdx.x == 0)
          chase(w.l2 ? from : from + (w.first_burst % 32) * (32LL << 20), w,
                (w.first_burst * all_readers + reader) * records / chased + n / chased, own + n);
        __syncthreads();
        n += chased;
        wait_until(now(), pause);
        continue;
      }
      unsigned before = 0;
      if (w.step) meet(met, (n + 1) * gridDim.x);
      if ((!w.all || w.step) && w.own.rows > 0) {
        const unsigned from_here = now();
        store_tile(written, w.own, tile, n + 1), ++tiles;
        __syncthreads();
        before = now() - from_here;
        wait_until(now(), w.delay);
      }
      const unsigned t0 = now();
      copy_tile(from, w.burst, w.l2 ? 0 : (w.first_burst + n * all_readers + reader) % w.burst.count, shared);
      __syncthreads();
      const unsigned t1 = now();
      wait_until(t1, w.all && !w.step ? w.delay : pause);
      const unsigned t2 = now();
      if (w.all && !w.step) store_tile(written, w.own, tile, n + 1), ++tiles;
      __syncthreads();
      const unsigned t3 = now();
      if (w.fenced) {
        fence();
        __syncthreads();
      }
      const unsigned t4 = now();
      if (threadIdx.x == 0) own[n] = {t1 - t0, before + t3 - t2, t4 - t3, t4 - t0};
      ++n;
    }
  } else if (w.others != none) {
    unsigned next = scatter(blockIdx.x) % w.every;
    const unsigned others = gridDim.x;
    while (next < w.write_until && now() - begin < w.write_until) {
      wait_until(begin, next);
      __syncthreads();
      const unsigned tile = (w.first_tile + tiles * others + blockIdx.x) % w.tile.count;
      if (w.others == read)
        copy_tile(written, w.tile, tile, shared);
      else
        store_tile(written, w.tile, tile, tiles + 1);
      ++tiles;
      next += w.every;
    }
  }
  __syncthreads();
  atomicAdd(sum, reinterpret_cast<const unsigned*>(buffer)[threadIdx.x] & 1u);
  if (threadIdx.x == 0) {
    counts[blockIdx.x] = n, moved[blockIdx.x] = tiles;
  }
}

int main() {
  const int sms = sm_count();
  constexpr long long most_written = 404LL << 20;
  auto* const written = device_room<char>(most_written);
  auto* const fresh = device_room<char>(read_bytes);
  auto* const kept = device_room<char>(l2_bytes * sms_most);
  auto* const out = device_room<Record>(sizeof(Record) * records * sms_most);
  auto* const counts = device_room<unsigned>(sizeof(unsigned) * sms_most);
  auto* const moved = device_room<unsigned>(sizeof(unsigned) * sms_most);
  auto* const sum = device_room<unsigned>(4, 0);
  auto* const met = device_room<unsigned>(4);
  fill<<<1024, 1024>>>(reinterpret_cast<unsigned*>(written), most_written / 4);
  fill<<<1024, 1024>>>(reinterpret_cast<unsigned*>(fresh), read_bytes / 4);
  fill<<<1024, 1024>>>(reinterpret_cast<unsigned*>(kept), l2_bytes * sms_most / 4);
  CHECK(cudaDeviceSynchronize());
  allow_shared(run, 160 << 10);
  constexpr double clock_ghz = 1.98;
  constexpr const char* names[] = {"none", "write", "read", "then_none"};
  constexpr const char* modes[] = {"few", "all", "step"};
  constexpr const char* origins[] = {"l2", "dram"};
  unsigned first_burst = 0, first_tile = 0;
  std::printf(
      "mode,from,burst_kb,others,rate,set_mb,own_kb,delay,fence,moved_tb_s,wait_p10,wait_p50,wait_p90,"
      "stores,"
      "fenced,round\n");
  const auto measure = [&](Mode mode, From from, int burst_kb, Others others, double rate, int set_mb,
                           int own_kb, unsigned delay, bool fenced) {
    Work w{};
    w.all = mode != Mode::few, w.step = mode == Mode::step, w.l2 = from == l2, w.chase = burst_kb == 0,
    w.fenced = fenced, w.others = others, w.delay = delay;
    const long long set = std::max(set_mb, 1) * 1000000LL;
    w.tile = tiles_of(set, 16);
    w.own = own_kb > 0 ? tiles_of(set, own_kb) : Tiles{0, 1};
    w.burst = tiles_of(read_bytes, std::max(burst_kb, 1));
    // A tile of 16 KB is so many cycles of a SM's share.
    w.every =
        rate > 0 ? static_cast<unsigned>(16384.0 * (sms - readers) * clock_ghz / (1000 * rate)) : 1000000;
    w.read_from = others == then_none ? 270000 : w.all ? 0 : 50000;
    w.end = others == then_none ? 340000 : 300000;
    w.write_until = others == then_none ? 260000 : w.end;
    std::vector<unsigned> reader_rounds, tiles_moved;
    for (int again = 0; again < 2; ++again) {
      w.first_burst = first_burst, w.first_tile = first_tile;
      CHECK(cudaMemset(met, 0, 4));
      run<<<sms, 32 * warps, 160 << 10>>>(written, fresh, kept, w, out, counts, moved, sum, met);
      reader_rounds = to_host(counts, sms), tiles_moved = to_host(moved, sms);
      unsigned most = 0, tiles = 0;
      for (int b = 0; b < sms; ++b)
        most = std::max(most, reader_rounds[b]), tiles = std::max(tiles, tiles_moved[b]);
      first_burst += w.chase ? 1 : (most + 1) * (w.all ? sms : readers);
      first_tile += (tiles + 1) * sms;
    }
    const auto all_records = to_host(out, static_cast<std::size_t>(sms) * records);
    std::vector<unsigned> wait, stores, fences, rounds;
    double bytes = 0;
    for (int b = 0; b < sms; ++b) {
      const bool reader = w.all || (b % (sms / readers) == 0 && b / (sms / readers) < readers);
      bytes += reader ? (w.all ? 1024.0 * w.own.rows * tiles_moved[b] : 0.0) : 16384.0 * tiles_moved[b];
      // Not the rounds in which all are in step.
      for (unsigned n = w.chase ? 0 : w.all ? 4 : 1; reader && n < reader_rounds[b]; ++n) {
        const Record& r = all_records[b * static_cast<long long>(records) + n];
        wait.push_back(r.wait), stores.push_back(r.stores), fences.push_back(r.fence),
            rounds.push_back(r.round);
      }
    }
    wait = sorted(wait);
    const auto middle = [](const std::vector<unsigned>& v) { return at_share(sorted(v), 0.5); };
    std::printf("%s,%s,%d,%s,%.1f,%d,%d,%u,%d,%.2f,%u,%u,%u,%u,%u,%u\n", modes[static_cast<int>(mode)],
                origins[from], burst_kb, names[others], rate, set_mb, own_kb, delay, fenced ? 1 : 0,
                w.step ? 0.0 : bytes / (w.write_until / clock_ghz) / 1000, at_share(wait, 0.1),
                at_share(wait, 0.5), at_share(wait, 0.9), w.chase ? 0 : middle(stores),
                w.chase ? 0 : middle(fences), w.chase ? 0 : middle(rounds));
  };
  const std::vector<int> sets{20, 57, 130, 400};
  for (const From from : {l2, dram})
    for (const int burst : {0, 8, 20, 40}) {
      measure(Mode::few, from, burst, none, 0, 0, 0, 0, false);
      for (const double rate : {0.5, 1.0, 2.0, 3.0, 4.0, 5.0}) {
        for (const int set : sets)
          measure(Mode::few, from, burst, write, rate, set, 0, 0, false);
        for (const int set : {20, 400})
          measure(Mode::few, from, burst, read, rate, set, 0, 0, false);
      }
      for (const int set : sets)
        measure(Mode::few, from, burst, then_none, 3, set, 0, 0, false);
    }
  // Behind the SM's own stores.
  for (const From from : {l2, dram})
    for (const double rate : {0.0, 2.0})
      for (const int set : {20, 400})
        for (const int own : {16, 64})
          for (const unsigned delay : {0, 1000, 2000})
            measure(Mode::few, from, 20, rate > 0 ? write : none, rate, set, own, delay, false);
  for (const From from : {l2, dram})
    for (const int burst : {8, 20, 40})
      for (const unsigned delay : {0u, 1500u, 3000u, 6000u}) {
        measure(Mode::all, from, burst, none, 0, 20, 0, delay, false);
        for (const int own : {16, 64})
          for (const int set : {20, 130})
            for (const bool fenced : {false, true})
              measure(Mode::all, from, burst, none, 0, set, own, delay, fenced);
      }
  // All in step: behind tiles that all have just stored.
  for (const From from : {l2, dram})
    for (const int burst : {8, 20, 40})
      for (const int own : {0, 16, 32, 64, 128})
        for (const int set : {20, 130})
          for (const unsigned delay : {0u, 500u, 1000u, 1500u, 2000u, 3000u, 6000u})
            if (own > 0 || (set == 20 && delay == 0))
              measure(Mode::step, from, burst, none, 0, set, own, delay, false);
  return 0;
}
