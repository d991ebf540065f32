#pragma once
// Where the lanes of a warp go in shared memory: byte offsets, as the kernels of shared_access.cu and
// load_mix.cu read them. Pure.

#include <array>

namespace tilecast {

using LaneOffsets = std::array<unsigned, 32>;

// Lane l at vector `stride` l of `width` bytes. Of 4 bytes and a stride that divides 32: as many wavefronts.
inline LaneOffsets strided(unsigned width, unsigned stride) {
  LaneOffsets offsets{};
  for (unsigned lane = 0; lane < 32; ++lane)
    offsets[lane] = lane * stride * width;
  return offsets;
}

// `different` vectors in a row, each wanted by 32 / different lanes: by neighbours, or by every so-manieth
// lane.
inline LaneOffsets shared_by(unsigned width, unsigned different, bool neighbours) {
  LaneOffsets offsets{};
  for (unsigned lane = 0; lane < 32; ++lane)
    offsets[lane] = (neighbours ? lane * different / 32 : lane % different) * width;
  return offsets;
}

}  // namespace tilecast
