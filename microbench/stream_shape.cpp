#include "microbench/stream_shape.hpp"

#include <fmt/format.h>

#include "model/support/errors.hpp"

namespace tilecast {

double StreamShape::warp_bytes() const {
  return static_cast<double>(loads) * access_bytes * (mechanism == StreamMechanism::bulk ? 1 : 32);
}

double StreamShape::bytes_in_flight(int sms) const {
  return static_cast<double>(active_sms > 0 ? active_sms : sms) * warps_per_sm * warp_bytes();
}

double StreamShape::batch_traffic_bytes() const {
  if (mode != StreamMode::copy) return warp_bytes();
  return warp_bytes() * (1 + static_cast<double>(write_copies) / write_every);
}

StreamParams stream_params(const StreamShape& shape, std::size_t blocks, std::size_t warps_per_block,
                           std::size_t vectors, std::size_t start) {
  const std::size_t batch = static_cast<std::size_t>(shape.warp_bytes()) / stream_vector_bytes,
                    block = batch * warps_per_block;
  StreamParams params{};
  params.vectors = vectors;
  params.start = start;
  params.batch = batch;
  params.block_step = block;
  params.stride = block * blocks;
  // Whole rounds, so that each warp comes back to its own data and never to what another has just read: a
  // fast warp, once round, would find the data of a slow one in L2.
  if (params.stride <= vectors) params.vectors = vectors / params.stride * params.stride;
  if (shape.walk == StreamWalk::private_part) {
    // Whole rounds, so that the warps of a block never meet in one line.
    params.vectors = vectors / blocks / block * block;
    params.region = params.vectors;
    params.start = 0;
    params.block_step = 0;
    params.stride = block;
  } else if (shape.walk != StreamWalk::shares) {
    params.vectors = vectors / block * block;
    params.start = start / block * block;
    params.block_step = params.vectors / blocks / block * block;
    params.stride = block;
    params.scatter = shape.walk == StreamWalk::scattered ? 1U : 0U;
  }
  if (params.stride > params.vectors || params.vectors == 0) {
    throw Error(ExitCode::failure,
                fmt::format("a footprint of {} bytes is less than one round of {} bytes",
                            params.vectors * stream_vector_bytes, params.stride * stream_vector_bytes));
  }
  params.start %= params.vectors;
  params.fenced = shape.fenced ? 1U : 0U;
  return params;
}

std::size_t next_start(const StreamParams& params, unsigned long long batches) {
  return (params.start + params.stride * (batches + 1)) % params.vectors / stream_granule_vectors *
         stream_granule_vectors;
}

}  // namespace tilecast
