#include "kernels/gemm_tile/tile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/needs_capability.hpp"

namespace tilecast::gemm_tile {
namespace {

constexpr std::array<std::int64_t, 4> block_sizes{32, 64, 128, 256};
constexpr std::array<std::int64_t, 3> k_steps{8, 16, 32};
constexpr std::array<std::int64_t, 3> thread_sizes{4, 8, 16};
constexpr std::array<std::int64_t, 5> splits{1, 2, 4, 8, 16};

struct Staging {
  std::int64_t async, stages;
};
constexpr std::array<Staging, 6> stagings{{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {1, 4}, {1, 5}}};

template <std::size_t count>
bool among(const std::array<std::int64_t, count>& values, std::int64_t value) {
  return std::ranges::find(values, value) != values.end();
}

bool known_values(const Tile& tile) {
  const bool staged = std::ranges::any_of(
      stagings, [&](const Staging& s) { return s.async == tile.async && s.stages == tile.stages; });
  return staged && among(block_sizes, tile.BM) && among(block_sizes, tile.BN) && among(k_steps, tile.BK) &&
         among(thread_sizes, tile.TM) && among(thread_sizes, tile.TN) && among(splits, tile.split_k);
}

int as_int(std::int64_t value) {
  return static_cast<int>(value);
}

}  // namespace

std::vector<Config> tile_configs(const Product& product) {
  std::vector<Config> all;
  for (const auto bm : block_sizes) {
    for (const auto bn : block_sizes) {
      for (const auto bk : k_steps) {
        for (const auto tm : thread_sizes) {
          for (const auto tn : thread_sizes) {
            for (const auto& staging : stagings) {
              for (const auto split : splits) {
                if (split > 1 && split * bk > product.depth) break;
                all.push_back({{"BM", bm},
                               {"BN", bn},
                               {"BK", bk},
                               {"TM", tm},
                               {"TN", tn},
                               {"async", staging.async},
                               {"stages", staging.stages},
                               {"split_k", split}});
              }
            }
          }
        }
      }
      if (bn >= product.columns) break;
    }
    if (bm >= product.rows) break;
  }
  return all;
}

Tile tile_of(const Config& config) {
  return {.BM = config["BM"],
          .BN = config["BN"],
          .BK = config["BK"],
          .TM = config["TM"],
          .TN = config["TN"],
          .async = config["async"],
          .stages = config["stages"],
          .split_k = config["split_k"]};
}

std::optional<Unsupported> tile_refusal(const Product& product, const Tile& tile, const Vectors& vectors,
                                        std::int64_t table_floats, const DeviceProfile& device) {
  if (!known_values(tile))
    return Unsupported{
        "expected BM, BN of 32, 64, 128, 256; BK of 8, 16, 32; TM, TN of 4, 8, 16; stages 1, 2 of async 0 or "
        "2 to 5 of async 1; split_k of 1, 2, 4, 8, 16"};
  if (tile.TM == 16 && tile.TN == 16)
    return Unsupported{"16 x 16 outputs a thread: more than its registers hold"};
  if (lanes_along_m(as_int(tile.BM), as_int(tile.BN), as_int(tile.TM), as_int(tile.TN)) == 0)
    return Unsupported{fmt::format("a warp's {} x {} threads do not divide a tile of {} x {}",
                                   tile.BM / tile.TM, tile.BN / tile.TN, tile.BM, tile.BN)};
  const Geometry g = tile_geometry(tile, vectors);
  if (g.async) {
    if (auto refusal = needs_capability(device, async_copy_capability, "async=1 copies by cp.async",
                                        "expected async=0 and split_k=1"))
      return refusal;
  }
  if (g.threads > device.max_threads_per_block.get())
    return Unsupported{
        fmt::format("{} threads: a block has at most {}", g.threads, device.max_threads_per_block.get())};
  // The compiler spills rather than exceed what a block's threads can have.
  const std::int64_t registers =
      std::min(device.max_registers_per_thread.get(), device.registers_per_sm.get() / g.threads / 8 * 8);
  if (registers_needed(g) > registers)
    return Unsupported{fmt::format("{} threads of {} x {} outputs: more than {} registers each", g.threads,
                                   tile.TM, tile.TN, registers)};
  const auto shared = 4 * (std::int64_t{tile_floats(g)} + table_floats * g.BK);
  const auto limit = static_cast<std::int64_t>(device.shared_per_block.get().value());
  if (shared > limit)
    return Unsupported{fmt::format("{} bytes of shared memory: a block has at most {}", shared, limit)};
  if (tile.split_k > 1) {
    if (auto refusal = needs_capability(device, cluster_capability,
                                        "split_k above 1 takes thread-block clusters", "expected split_k=1"))
      return refusal;
    const auto steps = (product.depth + g.BK - 1) / g.BK;
    if (tile.split_k > steps)
      return Unsupported{fmt::format("split_k {}: only {} steps of BK", tile.split_k, steps)};
  }
  return std::nullopt;
}

Geometry tile_geometry(const Tile& tile, const Vectors& vectors) {
  return make_geometry(as_int(tile.BM), as_int(tile.BN), as_int(tile.BK), as_int(tile.TM), as_int(tile.TN),
                       as_int(tile.async), as_int(tile.stages), tile.split_k > 1 ? 1 : 0,
                       tile.async ? 1 : vectors.a, vectors.b, vectors.c);
}

std::vector<Define> tile_defines(const Geometry& g) {
  return {{"TILE_M", g.BM},   {"TILE_N", g.BN},   {"TILE_K", g.BK},     {"THREAD_M", g.TM},
          {"THREAD_N", g.TN}, {"ASYNC", g.async}, {"STAGES", g.stages}, {"SPLIT", g.split},
          {"VEC_A", g.vec_a}, {"VEC_B", g.vec_b}, {"VEC_C", g.vec_c}};
}

std::int64_t registers_needed(const Geometry& g) {
  const int staged =
      g.async ? 0 : a_copies_m(g) * a_copies_k(g) * g.vec_a + b_copies_n(g) * b_copies_k(g) * g.vec_b;
  return g.TM * g.TN + 2 * (g.TM + g.TN) + staged + 24;
}

std::int64_t registers_estimate(const Geometry& g) {
  // 65,536 registers of an SM, in the eights of a thread that they are granted in; 255 are the most.
  const std::int64_t most_of_block = std::min(255, 65536 / g.threads / 8 * 8);
  return std::min(most_of_block, registers_needed(g) + 16);
}

}  // namespace tilecast::gemm_tile
