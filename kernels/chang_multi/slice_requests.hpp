#pragma once
// A22. What chang_multi's copies ask of L2's slices: requests of at most two sectors of a line.

#include <cstdint>

#include "kernels/chang_multi/chang_multi_index.hpp"
#include "model/units/quantity.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast::chang_multi {

// Requests for `asked` bytes of the map, which all blocks ask for together.
double input_lookups(const ConvShape& shape, const Geometry& geometry, Bytes asked);

// Requests for `asked` bytes of filters of `taps` weights each; `once`: the same without what is asked for
// again in the next step.
double filter_lookups(std::int64_t taps, const Geometry& geometry, Bytes asked, Bytes once);

}  // namespace tilecast::chang_multi
