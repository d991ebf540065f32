#include "kernels/chang_single/chang_single.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/chang_single/division.hpp"
#include "kernels/needs_capability.hpp"

namespace tilecast::chang_single {
namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 28;  // H, W, M, N and H * W: the kernel's ints
constexpr std::int64_t launch_bound = 512;                    // __launch_bounds__ of the kernel
constexpr std::int64_t grid_limit_yz = 65535;

Unsupported because(std::string reason) {
  return {std::move(reason)};
}

// Values that are wrong by themselves, on any device.
std::optional<Unsupported> config_problem(const ConvShape& shape, const Config& config) {
  struct Limit {
    std::string_view axis;
    std::int64_t low, high;
  };
  const std::array limits{
      Limit{"method", 1, 3},       Limit{"P", 1, shape.out_h()},      Limit{"Q", 1, shape.M},
      Limit{"grid_m", 1, shape.M}, Limit{"grid_y", 1, shape.out_h()}, Limit{"threads", 32, launch_bound}};
  for (const auto& limit : limits) {
    const std::int64_t value = config[limit.axis];
    if (value < limit.low || value > limit.high)
      return because(fmt::format("{}={}, expected {} to {}", limit.axis, value, limit.low, limit.high));
  }
  const std::int64_t method = config["method"];
  if (method == 1 && (config["Q"] != 1 || config["grid_y"] != 1))
    return because("method 1 divides filters only: Q and grid_y must be 1");
  if (method == 2 && (config["P"] != 1 || config["grid_m"] != 1))
    return because("method 2 divides map rows only: P and grid_m must be 1");
  const auto threads = static_cast<std::uint64_t>(config["threads"]);
  if (!std::has_single_bit(threads))
    return because(fmt::format("threads={}, expected a power of two", threads));
  const std::int64_t bytes = config["load_bytes"], loads = config["loads_in_flight"];
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return because(fmt::format("load_bytes={}, expected 4, 8 or 16", bytes));
  if (loads != 0 && loads != 1 && loads != 2 && loads != 4 && loads != 8)
    return because(fmt::format("loads_in_flight={}, expected 0 (prefetch), 1, 2, 4 or 8", loads));
  if (loads == 0 && bytes != 16)
    return because(fmt::format("load_bytes={}, expected 16 for the prefetch method (cp.async)", bytes));
  return std::nullopt;
}

}  // namespace

std::optional<Unsupported> supports(const ConvShape& shape) {
  if (shape.C != 1) return because(fmt::format("C={}, expected 1", shape.C));
  if (shape.stride != 1) return because(fmt::format("stride={}, expected 1", shape.stride));
  if (shape.pad != 0) return because(fmt::format("pad={}, expected 0", shape.pad));
  if (shape.dilation != 1) return because(fmt::format("dilation={}, expected 1", shape.dilation));
  if (shape.K != 1 && shape.K != 3 && shape.K != 5 && shape.K != 7)
    return because(fmt::format("K={}, expected 1, 3, 5 or 7", shape.K));
  if (shape.N > largest_size || shape.M > largest_size || shape.H > largest_size || shape.W > largest_size ||
      shape.H * shape.W > largest_size)
    return because(fmt::format("N, M and H * W must not exceed {}", largest_size));
  return std::nullopt;
}

std::optional<Unsupported> feasible(const ConvShape& shape, const Config& config,
                                    const DeviceProfile& device) {
  if (auto no = supports(shape)) return no;
  if (auto no = config_problem(shape, config)) return no;
  const Division d = divide_problem(shape, config);
  if (d.prefetch()) {
    if (auto no = needs_capability(device, async_copy_capability, "the prefetch method uses cp.async",
                                   "expected loads_in_flight of 1, 2, 4 or 8"))
      return no;
  }
  if (d.threads > device.max_threads_per_block.get())
    return because(
        fmt::format("{} threads a block, the device has {}", d.threads, device.max_threads_per_block.get()));
  const auto shared = static_cast<std::int64_t>(device.shared_per_block.get().value());
  if (d.shared_bytes() > shared)
    return because(fmt::format(
        "{} B shared memory a block ({} x {} B map, {} x {} B filters), the device has {}", d.shared_bytes(),
        d.map_buffers, 4 * d.map_buffer_words, d.filter_buffers, 4 * d.filter_buffer_words, shared));
  if (d.grid_y > grid_limit_yz)
    return because(fmt::format("{} blocks along y, the grid has {}", d.grid_y, grid_limit_yz));
  return std::nullopt;
}

LaunchPlan plan(const ConvShape& shape, const Config& config, const DeviceProfile&) {
  const Division d = divide_problem(shape, config);
  LaunchPlan launch;
  launch.code = {.source = "chang_single/chang_single.cu",
                 .entry = "chang_single",
                 .defines = {{"K", d.k},
                             {"WIDTH", shape.W},
                             {"TILE_X", d.tile_x},
                             {"TILE_Y", d.tile_y},
                             {"ALIGN", d.align},
                             {"PERIOD", d.period},
                             {"THREADS", d.threads},
                             {"LOAD_BYTES", d.load_bytes},
                             {"LOADS_IN_FLIGHT", d.loads_in_flight},
                             {"ONE_STEP", d.one_step ? 1 : 0}}};
  if (d.one_step) {
    // A last block with fewer filters is all that the code would need the number of filters for.
    const std::int64_t filters = shape.M % d.filters_per_block == 0 ? d.filters_per_block : shape.M;
    const Define sizes[] = {{"MAP_HEIGHT", shape.H},
                            {"FILTERS", filters},
                            {"BLOCK_FILTERS", d.filters_per_block},
                            {"BLOCK_ROWS", d.rows_per_block},
                            {"UNIT_WARPS_LOG2", d.unit_warps_log2}};
    launch.code.defines.insert(launch.code.defines.end(), std::begin(sizes), std::end(sizes));
  }
  launch.grid_x = d.grid_m;
  launch.grid_y = d.grid_y;
  launch.grid_z = d.images_in_grid;
  launch.threads = d.threads;
  launch.min_blocks = 512 / d.threads;  // __launch_bounds__ of chang_single.cu
  launch.dynamic_shared_bytes = d.shared_bytes();
  launch.params = as_params(make_params(shape, d));
  return launch;
}

// As the kernel's own constants are (chang_single.cu).
std::vector<Define> code_traits(const Specialisation& code) {
  const auto value = [&](std::string_view name) { return static_cast<int>(code.value(name)); };
  const int k = value("K"), width = value("WIDTH"), tile_x = value("TILE_X"), tile_y = value("TILE_Y");
  const int out_width = width - k + 1;
  std::vector<Define> traits{{"PREFETCH", value("LOADS_IN_FLIGHT") == 0},
                             {"GROUP", group_words(out_width, tile_x)},
                             {"FOURS", width % 4 == 0}};
  if (value("ONE_STEP") == 0) {
    traits.push_back({"LINES", copies_begin_lines(width)});
    return traits;
  }
  const int out_height = value("MAP_HEIGHT") - k + 1, rows = value("BLOCK_ROWS"), align = value("ALIGN");
  const int filters = value("BLOCK_FILTERS"), threads = value("THREADS"),
            warps_log2 = value("UNIT_WARPS_LOG2");
  const int warps = threads / 32;
  const bool aligned = tile_y > 1 || (out_height * out_width % align == 0 && rows * out_width % align == 0);
  const int outputs = band_outputs(rows, tile_y, out_width), unit = unit_words(tile_x);
  const auto rounds = [](int words, int at_once) {
    constexpr int most_unrolled = 4;
    return std::min(ceil_divide(words, at_once), most_unrolled + 1);
  };
  traits.push_back({"ALIGNED", aligned});
  traits.push_back({"ONE_UNIT", outputs + (aligned ? 0 : align - 1) <= unit << warps_log2});
  traits.push_back({"IDLE", filters < warps >> warps_log2 || outputs <= unit * ((1 << warps_log2) - 1)});
  traits.push_back({"MAP_ROUNDS", rounds((rows + k - 1) * width + 3, 4 * threads)});
  traits.push_back({"FILTER_ROUNDS", rounds(filters * k * k, threads)});
  traits.push_back({"LINES", copies_begin_lines(rows < out_height ? rows * width : 0)});
  return traits;
}

}  // namespace tilecast::chang_single
