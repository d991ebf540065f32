#pragma once
// The configs of the two families that are tiled matrix products, sgemm and implicit_gemm: which there are,
// which fit a device, and the geometry that follows from each. Axes:
//   BM, BN    rows and columns of C that a block computes: 32, 64, 128, 256
//   BK        step along the reduction: 8, 16, 32
//   TM, TN    rows and columns that a thread computes: 4, 8, 16
//   async     0: copies pass through registers; 1: cp.async
//   stages    buffers in shared memory: 1 or 2 through registers, 2 to 5 of cp.async
//   split_k   blocks that share one tile's reduction: 1, 2, 4, 8, 16. They are a thread-block cluster and add
//             their sums up through each other's shared memory, in order: the result is the same every time.

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/family.hpp"
#include "kernels/gemm_tile/gemm_tile_index.hpp"

namespace tilecast::gemm_tile {

// C (rows x columns) = A (rows x depth) B (depth x columns).
struct Product {
  std::int64_t rows = 1, columns = 1, depth = 1;
};

// A config's axes.
struct Tile {
  std::int64_t BM, BN, BK, TM, TN, async, stages, split_k;
  friend bool operator==(const Tile&, const Tile&) = default;
};
Tile tile_of(const Config& config);

// Floats of a copy of A and B and of a store of C, as their alignment allows.
struct Vectors {
  int a = 1, b = 1, c = 1;
};

// The whole grid, feasible or not, in the order of the axes, the last fastest: tiles up to the first that
// covers the product, splits up to one step of BK a block.
std::vector<Config> tile_configs(const Product& product);

// Why this tile cannot run, if so. `table_floats`: shared memory that the family needs beside the tiles,
// for each k of a step.
std::optional<Unsupported> tile_refusal(const Product& product, const Tile& tile, const Vectors& vectors,
                                        std::int64_t table_floats, const DeviceProfile& device);

// Requires that nothing but the device refuses it. A is copied a float at a time by cp.async, which cannot
// transpose a vector: vectors.a counts for copies through registers only.
Geometry tile_geometry(const Tile& tile, const Vectors& vectors);

// The constants that the device code is compiled with; the inverse of TILECAST_GEOMETRY in the .cu files.
std::vector<Define> tile_defines(const Geometry& geometry);

// Registers of a thread that hold accumulators, two sets of fragments, copies on their way and, 24 of them,
// addresses: what the compiler needs at least in order not to spill (13.0, sm_90; 160 sampled configs).
std::int64_t registers_needed(const Geometry& geometry);
// What it takes for lack of a code record: usually 16 more, where a block's threads can have them.
std::int64_t registers_estimate(const Geometry& geometry);

}  // namespace tilecast::gemm_tile
