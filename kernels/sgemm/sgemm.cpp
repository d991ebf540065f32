#include "kernels/sgemm/sgemm.hpp"

#include <fmt/format.h>

#include "kernels/gemm_tile/describe_tile.hpp"
#include "kernels/gemm_tile/tile.hpp"
#include "kernels/sgemm/sgemm_params.hpp"

namespace tilecast::sgemm {
namespace {

using gemm_tile::Geometry;
using gemm_tile::Product;
using gemm_tile::Tile;
using gemm_tile::Vectors;

Product product_of(const ConvShape& shape) {
  return {shape.M, shape.H * shape.W, shape.C};
}

Vectors vectors_of(const Product& product) {
  const int columns = product.columns % 4 == 0 ? 4 : 1;
  return {product.depth % 4 == 0 ? 4 : 1, columns, columns};
}

}  // namespace

std::optional<Unsupported> supports(const ConvShape& shape) {
  if (const std::string problem = shape_problem(shape); !problem.empty()) return Unsupported{problem};
  if (shape.K != 1) return Unsupported{fmt::format("K {}: only 1", shape.K)};
  if (shape.stride != 1) return Unsupported{fmt::format("stride {}: only 1", shape.stride)};
  if (shape.pad != 0) return Unsupported{fmt::format("pad {}: only 0", shape.pad)};
  // Any dilation: a filter of one weight has none to be apart from.
  // Device code counts rows, columns and tiles in 32 bits, and images in a grid's y.
  constexpr std::int64_t most = std::int64_t{1} << 30, most_images = 65535;
  if (shape.M > most || shape.C > most || shape.H * shape.W > most)
    return Unsupported{"rows, columns or depth exceed 2^30"};
  if (shape.N > most_images) return Unsupported{fmt::format("N {}: at most {}", shape.N, most_images)};
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
  if (auto refusal = gemm_tile::tile_refusal(product, tile, vectors_of(product), 0, device)) return refusal;
  return gemm_tile::grid_refusal(product, tile);
}

LaunchPlan plan(const ConvShape& shape, const Config& config, const DeviceProfile&) {
  const Product product = product_of(shape);
  const Tile tile = gemm_tile::tile_of(config);
  const Geometry g = gemm_tile::tile_geometry(tile, vectors_of(product));
  const std::int64_t split = tile.split_k;
  const auto tiles = gemm_tile::tiles_of(product, g);
  LaunchPlan launch;
  launch.code = {"sgemm/sgemm.cu", "sgemm_kernel", gemm_tile::tile_defines(g)};
  launch.grid_x = tiles.m * tiles.n * split;
  launch.grid_y = shape.N;
  launch.cluster_x = split;
  launch.tiles_in_row = tiles.m;
  launch.threads = g.threads;
  launch.dynamic_shared_bytes = 4 * std::int64_t{gemm_tile::tile_floats(g)};
  launch.params = as_params(Params{.rows = static_cast<int>(product.rows),
                                   .columns = static_cast<int>(product.columns),
                                   .depth = static_cast<int>(product.depth),
                                   .tiles_m = static_cast<int>(tiles.m),
                                   .parts = static_cast<int>(split)});
  return launch;
}

KernelDescription describe(const ConvShape& shape, const Config& config, const DeviceProfile&,
                           const CodeRecord* code) {
  const Product product = product_of(shape);
  const Tile tile = gemm_tile::tile_of(config);
  const Geometry g = gemm_tile::tile_geometry(tile, vectors_of(product));
  gemm_tile::TileWork work;
  work.product = product;
  work.images = shape.N;
  work.split = tile.split_k;
  work.fma_useful = static_cast<double>(shape.fmas());
  // B's rows of `columns` floats; tiles begin at multiples of 32.
  work.b = gemm_tile::matrix_rows(g, product);
  work.input_unique = Bytes{4.0 * static_cast<double>(shape.input_elements())};
  work.row_stride = product.columns;
  auto description = gemm_tile::describe_tile(g, work, code);
  description.family = "sgemm";
  return description;
}

}  // namespace tilecast::sgemm
