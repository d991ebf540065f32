#include "kernels/implicit_gemm/implicit_gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kernels/gemm_tile/describe_tile.hpp"
#include "kernels/gemm_tile/tile.hpp"
#include "kernels/implicit_gemm/implicit_gemm_index.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::implicit_gemm {
namespace {

using gemm_tile::Geometry;
using gemm_tile::Product;
using gemm_tile::Tile;
using gemm_tile::Vectors;

// Integer instructions of a warp, estimates as at the head of describe_tile.cpp: of a copy the address, the
// test of its window and what the compiler puts between a table's load and the copy; of a step the table's
// entries, written by one warp of the block. The 128 x 128 x 8 tile by cp.async has about 95 a step in all.
constexpr double integer_per_copy = 8, integer_per_table = 30;

std::int64_t out_pixels(const ConvShape& shape) {
  return shape.out_h() * shape.out_w();
}

Product product_of(const ConvShape& shape) {
  return {shape.M, shape.N * out_pixels(shape), shape.C * shape.K * shape.K};
}

Vectors vectors_of(const ConvShape& shape) {
  return {shape.C * shape.K * shape.K % 4 == 0 ? 4 : 1, 1, out_pixels(shape) % 4 == 0 ? 4 : 1};
}

// A filter of one weight has nothing that could be apart.
bool is_dilated(const ConvShape& shape) {
  return shape.dilation > 1 && shape.K > 1;
}

// Rows of the map that the windows of `outputs` consecutive rows of the output touch (or columns): the
// distinct numbers out * stride + i * dilation with 0 <= i < K. With s and d for stride and dilation over
// their greatest common divisor, window `out` begins on new rows if out < d, and else shares all but its last
// min(s, K) with window out - d.
double touched(const ConvShape& shape, double outputs) {
  const auto divisor = std::gcd(shape.stride, shape.dilation);
  const auto step = static_cast<double>(std::min(shape.stride / divisor, shape.K));
  const double apart = std::min(outputs, static_cast<double>(shape.dilation / divisor));
  return (outputs - apart) * step + apart * static_cast<double>(shape.K);
}

// Elements of one channel that the windows of `pixels` consecutive pixels touch: the rows they span, and of
// these the columns.
double window_elements(const ConvShape& shape, double pixels) {
  const auto out_w = static_cast<double>(shape.out_w()), out_h = static_cast<double>(shape.out_h());
  const double images = std::max(1.0, pixels / (out_w * out_h));
  const double rows = std::min(out_h, std::max(1.0, pixels / out_w));
  const double columns = std::min(out_w, pixels);
  return images * std::min(static_cast<double>(shape.H), touched(shape, rows)) *
         std::min(static_cast<double>(shape.W), touched(shape, columns));
}

gemm_tile::OperandB gathered(const Geometry& g, const ConvShape& shape) {
  gemm_tile::OperandB b;
  // A warp's copy: 32 pixels, `stride` floats apart, in as many pieces as rows of the output begin among
  // them.
  const double pieces = 1 + 31.0 / static_cast<double>(shape.out_w());
  const double sectors = std::min(32.0, 4.0 * static_cast<double>(shape.stride) + 0.875 * pieces);
  b.sectors = static_cast<double>(g.BK) * g.BN / 32 * sectors;
  // Rows and columns that windows share are in L1 when the next weight asks for them.
  const double taps = static_cast<double>(shape.K * shape.K);
  const double pixels =
      std::min<double>(g.BN, static_cast<double>(shape.N) * static_cast<double>(out_pixels(shape)));
  b.fetched = Bytes{4.0 * std::min(window_elements(shape, pixels) / taps, pixels) * g.BK};
  b.integer_per_copy = integer_per_copy;
  b.integer_per_step = integer_per_table * 32 / g.threads;
  b.table_loads = b_copies_k(g);
  b.barriers_at_start = g.async ? g.stages - 1 : 1;
  return b;
}

}  // namespace

std::optional<Unsupported> supports(const ConvShape& shape) {
  if (const std::string problem = shape_problem(shape); !problem.empty()) return Unsupported{problem};
  if (shape.K > most_filter_rows)
    return Unsupported{fmt::format("K {}: at most {}", shape.K, most_filter_rows)};
  // Device code counts elements in 32 bits; a window may begin before the map, and a tile end behind the last
  // pixel.
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (shape.input_elements() > most || shape.output_elements() > most || shape.filter_elements() > most ||
      (shape.out_w() + shape.out_h()) * shape.stride > most)
    return Unsupported{"input, filters or output exceed 2^30 elements"};
  if (shape.H + 2 * shape.pad > most / (shape.W + 2 * shape.pad))
    return Unsupported{"the padded map exceeds 2^30 elements"};
  return std::nullopt;
}

std::vector<Config> configs(const ConvShape& shape, const DeviceProfile&) {
  return gemm_tile::tile_configs(product_of(shape));
}

std::optional<Unsupported> feasible(const ConvShape& shape, const Config& config,
                                    const DeviceProfile& device) {
  if (auto refusal = supports(shape)) return refusal;
  const Product product = product_of(shape);
  const Tile tile = gemm_tile::tile_of(config);
  if (auto refusal = gemm_tile::tile_refusal(product, tile, vectors_of(shape), table_floats_per_k, device))
    return refusal;
  return gemm_tile::grid_refusal(product, tile);
}

LaunchPlan plan(const ConvShape& shape, const Config& config, const DeviceProfile&) {
  const Product product = product_of(shape);
  const Tile tile = gemm_tile::tile_of(config);
  const Geometry g = gemm_tile::tile_geometry(tile, vectors_of(shape));
  const std::int64_t split = tile.split_k;
  const auto tiles = gemm_tile::tiles_of(product, g);
  LaunchPlan launch;
  launch.code = {"implicit_gemm/implicit_gemm.cu", "implicit_gemm_kernel", gemm_tile::tile_defines(g)};
  launch.code.defines.push_back({"K_SIZE", shape.K});
  if (is_dilated(shape)) launch.code.defines.push_back({"DILATED", 1});
  launch.grid_x = tiles.m * tiles.n * split;
  launch.cluster_x = split;
  launch.tiles_in_row = tiles.m;
  launch.threads = g.threads;
  launch.dynamic_shared_bytes = 4 * std::int64_t{gemm_tile::tile_floats(g) + table_floats_per_k * g.BK};
  launch.params = as_params(Params{.filters = static_cast<int>(shape.M),
                                   .depth = static_cast<int>(product.depth),
                                   .pixels = static_cast<int>(product.columns),
                                   .out_pixels = static_cast<int>(out_pixels(shape)),
                                   .out_width = static_cast<int>(shape.out_w()),
                                   .height = static_cast<int>(shape.H),
                                   .width = static_cast<int>(shape.W),
                                   .channel_elements = static_cast<int>(shape.H * shape.W),
                                   .image_elements = static_cast<int>(shape.C * shape.H * shape.W),
                                   .stride = static_cast<int>(shape.stride),
                                   .pad = static_cast<int>(shape.pad),
                                   .tiles_m = static_cast<int>(tiles.m),
                                   .parts = static_cast<int>(split),
                                   .dilation = static_cast<int>(shape.dilation)});
  return launch;
}

namespace {

// A5. Of the input what L2 holds of it: rows that filters smaller than the stride pass by are not read, but
// for the lines that they share with those beside them, which begin anywhere.
Bytes input_read(const ConvShape& shape) {
  if (shape.K >= shape.stride) return Bytes{4.0 * static_cast<double>(shape.input_elements())};
  const auto planes = static_cast<double>(shape.N * shape.C);
  const auto runs = static_cast<double>(shape.out_h()), words = static_cast<double>(shape.K * shape.W);
  const double with_lines = runs * (words + line_words - 1);
  return Bytes{4 * planes * std::min(static_cast<double>(shape.H * shape.W), with_lines)};
}

}  // namespace

KernelDescription describe(const ConvShape& shape, const Config& config, const DeviceProfile&,
                           const CodeRecord* code) {
  const Tile tile = gemm_tile::tile_of(config);
  const Geometry g = gemm_tile::tile_geometry(tile, vectors_of(shape));
  gemm_tile::TileWork work;
  work.product = product_of(shape);
  work.split = tile.split_k;
  work.fma_useful = static_cast<double>(shape.fmas());
  work.b = gathered(g, shape);
  work.input_unique = input_read(shape);
  work.row_stride = out_pixels(shape);
  work.table_floats = table_floats_per_k;
  auto description = gemm_tile::describe_tile(g, work, code);
  description.family = "implicit_gemm";
  return description;
}

}  // namespace tilecast::implicit_gemm
