#pragma once
// Launch parameters of the sgemm kernel. No other header may be included here: this file is also compiled by
// NVRTC.

namespace tilecast::sgemm {

// C (rows x columns) = A (rows x depth) B (depth x columns), all row major, B and C once for each image.
struct Params {
  int rows, columns, depth;
  int tiles_m;  // tiles along the rows
  int parts;    // blocks that share a tile's reduction
};

}  // namespace tilecast::sgemm
