#include "microbench/stream_shape.hpp"

#include <fmt/format.h>

#include "model/support/errors.hpp"

namespace tilecast {

double StreamShape::bytes_in_flight(int sms) const {
  return static_cast<double>(active_sms > 0 ? active_sms : sms) * warps_per_sm * 32 * loads *
         stream_vector_bytes;
}

StreamParams stream_params(const StreamShape& shape, std::size_t blocks, std::size_t warps_per_block,
                           std::size_t vectors, std::size_t start) {
  const std::size_t batch = 32 * static_cast<std::size_t>(shape.loads), block = batch * warps_per_block;
  StreamParams params{};
  params.vectors = vectors;
  params.start = start;
  params.block_step = shape.same_data ? vectors / blocks / batch * batch : block;
  params.stride = shape.same_data ? block : block * blocks;
  if (params.stride > vectors) {
    throw Error(ExitCode::failure,
                fmt::format("a footprint of {} bytes is less than one round of {} bytes",
                            vectors * stream_vector_bytes, params.stride * stream_vector_bytes));
  }
  params.fenced = shape.fenced ? 1U : 0U;
  return params;
}

std::size_t next_start(const StreamParams& params, unsigned long long batches) {
  return (params.start + params.stride * (batches + 1)) % params.vectors / stream_granule_vectors *
         stream_granule_vectors;
}

}  // namespace tilecast
