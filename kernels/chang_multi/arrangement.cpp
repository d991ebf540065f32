#include "kernels/chang_multi/arrangement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "model/device/occupancy.hpp"

namespace tilecast::chang_multi {
namespace {

struct ThreadTile {
  int m, p;
  // Threads of one SM that its registers should allow: the accumulators, the window, a column of weights and
  // about 30 for addresses, in steps of 8 registers (128, 80 and 64 a thread of 65,536).
  int threads_per_sm;
};

// Largest first: multiply-adds per shared-memory access grow with the tile (8x8, K = 3: 192 per 9 loads; 4x4:
// 48 per 5). Four filters by eight pixels before eight by four: the window is reused K times, weights are
// not.
constexpr ThreadTile thread_tiles[] = {{8, 8, 512},  {4, 8, 768},  {8, 4, 768}, {4, 4, 1024},
                                       {2, 8, 1024}, {2, 4, 1024}, {1, 4, 1024}};

struct Lanes {
  int m, p;
  std::int64_t M_padded;  // M_tile rounded up to what these lanes cover
};

std::int64_t round_up_to(std::int64_t n, std::int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

// How lanes cover M_tile x Wx_tile outputs. Less than a warp: as they are, if 8 or 16. Else lanes of 4x8,
// where both operands are shared by as many lanes as can be, 2x16, 8x4 and 1x32: those that round M_tile up
// the least, the first of equals.
std::optional<Lanes> lanes_for(const Tile& tile, const ThreadTile& thread) {
  const std::int64_t threads_m = (tile.M_tile + thread.m - 1) / thread.m;
  const std::int64_t threads_p = tile.Wx_tile / thread.p, threads = threads_m * threads_p;
  if (threads < 32) {
    const bool fits = (threads == 8 || threads == 16) && threads_p % 4 == 0;
    if (!fits) return std::nullopt;
    return Lanes{static_cast<int>(threads_m), static_cast<int>(threads_p), threads_m * thread.m};
  }
  std::optional<Lanes> best;
  for (const int m : {4, 2, 8, 1}) {
    if (threads_p % (32 / m) != 0) continue;
    const std::int64_t padded = round_up_to(tile.M_tile, thread.m * m);
    if (!best || padded < best->M_padded) best = Lanes{m, 32 / m, padded};
  }
  return best;
}

std::int64_t power_of_two_up_to(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
}

// Lines that one slice takes. Rounded up so that slices begin at a 32-byte sector of the filters, less where
// that would leave a slice more than an eighth longer than it need be.
std::int64_t lines_per_slice(std::int64_t lines, std::int64_t slices) {
  const std::int64_t least = (lines + slices - 1) / slices;
  if (slices == 1) return least;
  for (const std::int64_t multiple : {8, 4, 2}) {
    const std::int64_t rounded = (least + multiple - 1) / multiple * multiple;
    if (8 * rounded <= 9 * least) return rounded;
  }
  return least;
}

// Widest copies that every line's first pixel is aligned to: tiles begin at multiples of 32 pixels, so only
// the map's width counts, or the channel's size where a channel is one line.
int line_vector(const ConvShape& shape) {
  const std::int64_t step = shape.K == 1 ? shape.H * shape.W : shape.W;
  return step % 4 == 0 ? 4 : step % 2 == 0 ? 2 : 1;
}

struct Choice {
  ThreadTile tile;
  Lanes lanes;
};

// The largest thread tile that rounds M_tile up by no more than an eighth or three filters; else the one that
// rounds it up the least.
std::optional<Choice> choose_thread_tile(const Tile& tile, const Limits& limits, bool& too_many_threads) {
  std::optional<Choice> best;
  for (const ThreadTile& candidate : thread_tiles) {
    const auto lanes = lanes_for(tile, candidate);
    if (!lanes) continue;
    const std::int64_t threads = lanes->M_padded / candidate.m * (tile.Wx_tile / candidate.p);
    if (threads > limits.max_threads_per_block ||
        threads * 65536 > candidate.threads_per_sm * limits.registers_per_sm) {
      too_many_threads = true;
      continue;
    }
    if (lanes->M_padded - tile.M_tile <= std::max<std::int64_t>(3, tile.M_tile / 8))
      return Choice{candidate, *lanes};
    if (!best || lanes->M_padded < best->lanes.M_padded) best = Choice{candidate, *lanes};
  }
  return best;
}

// The geometry by what `arrange` has still to choose.
struct GeometryOf {
  const ConvShape& shape;
  const Tile& tile;
  const Choice& choice;

  Geometry operator()(std::int64_t slices, int stages, int pass_rows) const {
    const auto& [thread_tile, lanes] = choice;
    return make_geometry(static_cast<int>(shape.K), static_cast<int>(tile.S_bytes),
                         static_cast<int>(lanes.M_padded), static_cast<int>(tile.Wx_tile), thread_tile.m,
                         thread_tile.p, lanes.m, lanes.p, static_cast<int>(slices), stages,
                         line_vector(shape), pass_rows);
  }
};

std::int64_t shared_bytes(const Geometry& geometry) {
  return 4 * std::int64_t{shared_floats(geometry)};
}

// Epilogue: as many filters a pass as there are slices, so that every thread sums, if the rings have room.
Geometry with_wide_passes(const Geometry& geometry, const GeometryOf& geometry_of, std::int64_t slices) {
  const auto most = std::min<std::int64_t>(slices, geometry_of.choice.tile.m);
  for (int rows = static_cast<int>(most); rows > 1; rows /= 2) {
    const Geometry more = geometry_of(slices, geometry.stages, rows);
    if (stage_floats(more) <= slices * more.slice_floats) return more;
  }
  return geometry;
}

Params params_of(const ConvShape& shape, const Tile& tile, std::int64_t slices) {
  const std::int64_t lines = shape.C * shape.K;
  Params params;
  params.width = static_cast<int>(shape.W);
  params.channel_elements = static_cast<int>(shape.H * shape.W);
  params.image_elements = static_cast<int>(shape.C * shape.H * shape.W);
  params.lines = static_cast<int>(lines);
  params.lines_per_slice = static_cast<int>(lines_per_slice(lines, slices));
  params.taps = static_cast<int>(lines * shape.K);
  params.filters = static_cast<int>(shape.M);
  params.tile_filters = static_cast<int>(tile.M_tile);
  params.out_height = static_cast<int>(shape.out_h());
  params.out_width = static_cast<int>(shape.out_w());
  return params;
}

}  // namespace

Limits limits_of(const DeviceProfile& device) {
  return {
      .sm_count = *device.sm_count,
      .max_threads_per_block = *device.max_threads_per_block,
      .registers_per_sm = *device.registers_per_sm,
      .shared_per_sm = static_cast<std::int64_t>(device.shared_per_sm.get().value()),
      .shared_per_block = static_cast<std::int64_t>(device.shared_per_block.get().value()),
      .shared_reserved_per_block = static_cast<std::int64_t>(device.shared_reserved_per_block.get().value())};
}

std::variant<Arrangement, Unsupported> arrange(const ConvShape& shape, const Tile& tile,
                                               const Limits& limits) {
  Arrangement result;
  result.grid_x = (virtual_pixels(shape) + tile.Wx_tile - 1) / tile.Wx_tile;
  result.grid_y = (shape.M + tile.M_tile - 1) / tile.M_tile;
  result.grid_z = shape.N;
  if (result.grid_y > 65535 || result.grid_z > 65535)
    return Unsupported{fmt::format("a grid of {} x {} tiles: at most 65535 of filters and of images",
                                   result.grid_y, result.grid_z)};

  bool too_many_threads = false;
  const auto choice = choose_thread_tile(tile, limits, too_many_threads);
  if (!choice && too_many_threads)
    return Unsupported{
        fmt::format("{} outputs a block: more than registers hold", tile.M_tile * tile.Wx_tile)};
  if (!choice)
    return Unsupported{fmt::format("{} x {} outputs: no thread tile covers them with whole warps",
                                   tile.M_tile, tile.Wx_tile)};
  const auto& [thread_tile, lanes] = *choice;
  const int segment = static_cast<int>(tile.S_bytes / 4);
  const std::int64_t slice_threads = lanes.M_padded / thread_tile.m * (tile.Wx_tile / thread_tile.p);

  // Slices: 512 threads where each block has an SM to itself, 256 otherwise, when several blocks share one;
  // no more than leave each at least one round; at least a warp.
  const std::int64_t blocks = result.grid_x * result.grid_y * result.grid_z;
  const std::int64_t threads_wanted = blocks <= limits.sm_count ? 512 : 256;
  const std::int64_t lines_a_round = std::max<std::int64_t>(8, (segment + shape.K - 1) / shape.K);
  std::int64_t slices = power_of_two_up_to(threads_wanted / slice_threads);
  slices = std::min(slices, power_of_two_up_to(shape.C * shape.K / lines_a_round));
  const std::int64_t fewest = std::max<std::int64_t>(1, 32 / slice_threads);
  slices = std::max(slices, fewest);

  // Stages: three (the paper's double buffer holds one round less: L2 of a large GPU is farther away), four
  // where a round is short; fewer stages, then fewer slices, then fewer blocks on an SM where shared memory
  // is short.
  const int stages_wanted = segment * thread_tile.m * thread_tile.p <= 256 ? 4 : 3;
  const GeometryOf geometry_of{shape, tile, *choice};
  std::int64_t bytes = 0;
  for (;; slices /= 2) {
    result.min_blocks = std::clamp<std::int64_t>(thread_tile.threads_per_sm / (slice_threads * slices), 1,
                                                 threads_wanted == 512 ? 1 : 32);
    int stages = stages_wanted;
    result.geometry = geometry_of(slices, stages, 1);
    bytes = shared_bytes(result.geometry);
    while (stages > 2 &&
           (bytes + limits.shared_reserved_per_block) * result.min_blocks > limits.shared_per_sm) {
      result.geometry = geometry_of(slices, --stages, 1);
      bytes = shared_bytes(result.geometry);
    }
    if (bytes <= limits.shared_per_block) break;
    if (slices == fewest)
      return Unsupported{
          fmt::format("{} bytes of shared memory: a block has at most {}", bytes, limits.shared_per_block)};
  }
  result.min_blocks = std::clamp<std::int64_t>(
      limits.shared_per_sm / (bytes + limits.shared_reserved_per_block), 1, result.min_blocks);
  result.geometry = with_wide_passes(result.geometry, geometry_of, slices);
  result.register_limit = most_registers(result.min_blocks, result.geometry.threads, limits.registers_per_sm);
  result.params = params_of(shape, tile, slices);
  return result;
}

}  // namespace tilecast::chang_multi
