#pragma once
// KernelDescription of a tiled matrix product. What the source says is counted from the geometry: FFMA,
// loads, stores, copies, barriers, with wavefronts from the kernel's own index functions. Address arithmetic
// is what the compiler makes of it: estimates, at the head of describe_tile.cpp.

#include "kernels/family.hpp"
#include "kernels/gemm_tile/tile.hpp"

namespace tilecast::gemm_tile {

struct Tiles {
  std::int64_t m = 1, n = 1;
};
Tiles tiles_of(const Product& product, const Geometry& geometry);

// Why the grid of blocks is too large, if so.
std::optional<Unsupported> grid_refusal(const Product& product, const Tile& tile);

// How one block fetches its columns of B, in one step of BK.
struct OperandB {
  double sectors = 0;           // 32-byte sectors of its copies
  Bytes fetched{};              // asked of L2
  double integer_per_copy = 0;  // instructions of a warp besides the copy
  double integer_per_step = 0;
  double table_loads = 0;  // 64-bit shared loads of a warp
  double barriers_at_start = 0;
};
// B is a matrix of rows of `columns` floats (sgemm).
OperandB matrix_rows(const Geometry& geometry, const Product& product);

struct TileWork {
  Product product;
  std::int64_t images = 1;  // products that the grid does
  std::int64_t split = 1;
  double fma_useful = 0;
  OperandB b;
  Bytes input_unique{};
  std::int64_t row_stride = 1;    // floats between two rows of C
  std::int64_t table_floats = 0;  // shared memory beside the tiles, for each k of a step
};

// All but the family's name.
KernelDescription describe_tile(const Geometry& geometry, const TileWork& work, const CodeRecord* code);

}  // namespace tilecast::gemm_tile
