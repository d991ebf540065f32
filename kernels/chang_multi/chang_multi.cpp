#include "kernels/chang_multi/chang_multi.hpp"

#include <fmt/format.h>

#include <array>

#include "kernels/chang_multi/arrangement.hpp"
#include "kernels/needs_capability.hpp"
#include "model/device/occupancy.hpp"

namespace tilecast::chang_multi {
namespace {

constexpr std::array<std::int64_t, 3> s_bytes_values{32, 64, 128};  // the paper's two, and Tan et al.'s
constexpr std::int64_t most_filters = 256;  // of a tile; above it no Wx_tile is left that registers allow
// Multiples of 128 bytes, as the paper asks; above 512 pixels no M_tile is left that registers allow and that
// reuses a pixel often.
constexpr std::array<std::int64_t, 12> wx_tile_values{32,  64,  96,  128, 160, 192,
                                                      224, 256, 320, 384, 448, 512};

// The listed values of M_tile; any integer from 1 to most_filters runs. In between, the same code computes
// the next multiple of its thread and lane tiles and stores less of it.
std::vector<std::int64_t> m_tile_values(std::int64_t filters) {
  std::vector<std::int64_t> values{4};
  for (std::int64_t m = 8; values.back() < filters && m <= most_filters; m += m < 128 ? 8 : 16)
    values.push_back(m);
  return values;
}

Tile tile_of(const Config& config) {
  return {config["S_bytes"], config["M_tile"], config["Wx_tile"]};
}

}  // namespace

std::optional<Unsupported> supports(const ConvShape& shape) {
  if (const std::string problem = shape_problem(shape); !problem.empty()) return Unsupported{problem};
  if (shape.stride != 1) return Unsupported{fmt::format("stride {}: only 1", shape.stride)};
  if (shape.pad != 0) return Unsupported{fmt::format("pad {}: only 0", shape.pad)};
  if (shape.dilation != 1) return Unsupported{fmt::format("dilation {}: only 1", shape.dilation)};
  if (shape.K != 1 && shape.K != 3 && shape.K != 5 && shape.K != 7)
    return Unsupported{fmt::format("K {}: only 1, 3, 5 and 7", shape.K)};
  // Device code counts elements within an image and within the filters in 32 bits; a tile may reach beyond
  // the end by up to 256 filters or K lines.
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const std::int64_t taps = shape.C * shape.K * shape.K;
  if (shape.input_elements() / shape.N > most || (shape.M + most_filters) * taps > most ||
      shape.output_elements() / shape.N > most)
    return Unsupported{"an image's input, its output or the filters exceed 2^30 elements"};
  return std::nullopt;
}

std::vector<Config> configs(const ConvShape& shape, const DeviceProfile&) {
  std::vector<Config> all;
  for (const auto s : s_bytes_values) {
    for (const auto m : m_tile_values(shape.M)) {
      for (const auto wx : wx_tile_values) {
        all.push_back({{"S_bytes", s}, {"M_tile", m}, {"Wx_tile", wx}});
        if (wx >= virtual_pixels(shape)) break;
      }
    }
  }
  return all;
}

std::optional<Unsupported> feasible(const ConvShape& shape, const Config& config,
                                    const DeviceProfile& device) {
  if (auto refusal = supports(shape)) return refusal;
  const Tile tile = tile_of(config);
  if ((tile.S_bytes != 32 && tile.S_bytes != 64 && tile.S_bytes != 128) || tile.M_tile < 1 ||
      tile.M_tile > most_filters || tile.Wx_tile < 32 || tile.Wx_tile > 512 || tile.Wx_tile % 32 != 0)
    return Unsupported{
        "S_bytes must be 32, 64 or 128, M_tile 1 to 256, and Wx_tile a multiple of 32 from 32 to 512"};
  if (auto refusal =
          needs_capability(device, async_copy_capability, "every config copies by cp.async", "none can run"))
    return refusal;
  const auto arranged = arrange(shape, tile, limits_of(device));
  if (const auto* refusal = std::get_if<Unsupported>(&arranged)) return *refusal;
  return std::nullopt;
}

LaunchPlan plan(const ConvShape& shape, const Config& config, const DeviceProfile& device) {
  const auto arranged = std::get<Arrangement>(arrange(shape, tile_of(config), limits_of(device)));
  const Geometry& g = arranged.geometry;
  LaunchPlan launch;
  launch.code.source = "chang_multi/chang_multi.cu";
  launch.code.entry = "chang_multi_kernel";
  launch.code.defines = {{"K_SIZE", g.K},
                         {"S_BYTES", 4 * g.segment},
                         {"M_TILE", g.M_tile},
                         {"WX_TILE", g.Wx_tile},
                         {"THREAD_M", g.thread_m},
                         {"THREAD_P", g.thread_p},
                         {"LANES_M", g.lanes_m},
                         {"LANES_P", g.lanes_p},
                         {"SLICES", g.slices},
                         {"STAGES", g.stages},
                         {"LINE_VEC", g.vector},
                         {"PASS_ROWS", g.pass_rows},
                         {"MIN_BLOCKS", arranged.min_blocks}};
  launch.grid_x = arranged.grid_x;
  launch.grid_y = arranged.grid_y;
  launch.grid_z = arranged.grid_z;
  launch.threads = g.threads;
  launch.min_blocks = arranged.min_blocks;
  launch.dynamic_shared_bytes = 4 * std::int64_t{shared_floats(g)};
  launch.params = as_params(arranged.params);
  return launch;
}

std::vector<Define> code_traits(const Specialisation& code) {
  constexpr std::int64_t registers_per_sm = 65536;  // compute capability 5.0 and later
  const std::int64_t threads = code.value("M_TILE") / code.value("THREAD_M") *
                               (code.value("WX_TILE") / code.value("THREAD_P")) * code.value("SLICES");
  return {{"REGISTERS", most_registers(code.value("MIN_BLOCKS"), threads, registers_per_sm)}};
}

}  // namespace tilecast::chang_multi
