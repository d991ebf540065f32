#include "microbench/stream_bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microbench/warp_records.hpp"

namespace tilecast {

namespace {

constexpr std::size_t granule_bytes = stream_granule_vectors * stream_vector_bytes;

}  // namespace

StreamBench::StreamBench(const ProbeContext& context, std::size_t footprint, bool with_target)
    : context_(context), source_(footprint / granule_bytes * granule_bytes) {
  const GpuInfo& gpu = context.gpu.info();
  fill_random(context, source_, 0x2545f491U);
  if (with_target) {
    target_ = DeviceBuffer(source_.bytes());
    fill_random(context, target_, 0x9e3779b9U);
  }
  const auto warps = static_cast<std::size_t>(gpu.sm_count) * (gpu.max_threads_per_sm / 32);
  records_ = DeviceBuffer(warps * sizeof(WarpRecord));
  vectors_ = source_.bytes() / stream_vector_bytes;
  clock_hz_ = context.gpu.sm_clock_hz();
}

void StreamBench::limit(std::size_t footprint) {
  vectors_ = footprint / granule_bytes * granule_bytes / stream_vector_bytes;
  next_ = 0;
}

const ProbeKernel& StreamBench::kernel(const StreamShape& shape) {
  const std::pair key{static_cast<int>(shape.mode), shape.loads};
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  return kernels_
      .emplace(key,
               load_probe(context_,
                          {"probes/stream.cu", "stream", {{"MODE", key.first}, {"IN_FLIGHT", shape.loads}}}))
      .first->second;
}

bool StreamBench::fits(const StreamShape& shape) {
  const ProbeLaunch launch = spread(context_.gpu.info(), shape.warps_per_sm, shape.blocks_per_sm);
  return kernel(shape).kernel.resident_blocks(launch.threads, launch.dynamic_shared_bytes) >=
         shape.blocks_per_sm;
}

StreamSample StreamBench::run(const StreamShape& shape, double seconds) {
  const GpuInfo& gpu = context_.gpu.info();
  if (!fits(shape)) {
    // The blocks left over would run after the others, and the bytes in flight would be fewer than stated.
    throw Error(ExitCode::failure, fmt::format("{} warps of {} accesses do not fit on one SM at once",
                                               shape.warps_per_sm, shape.loads));
  }
  const ProbeLaunch launch = spread(gpu, shape.warps_per_sm, shape.blocks_per_sm);
  const auto blocks = static_cast<std::size_t>(launch.blocks),
             warps = static_cast<std::size_t>(launch.threads / 32);
  StreamParams params = stream_params(shape, blocks, warps, vectors_, next_);
  params.cycles = static_cast<unsigned long long>(seconds * clock_hz_);
  const int active = shape.active_sms > 0 ? shape.active_sms : gpu.sm_count;
  params.active_sms = static_cast<unsigned>(active);
  const std::uint64_t target = shape.mode == StreamMode::read ? 0
                               : target_.bytes() > 0          ? target_.address()
                                                              : source_.address();
  run_probe(context_, kernel(shape), launch, params, source_.address(), target, records_.address());

  const auto records = fetch<WarpRecord>(records_, blocks * warps);
  if (const std::string problem = spread_problem(records, active, shape.warps_per_sm); !problem.empty()) {
    throw Error(ExitCode::failure, "blocks did not spread evenly: " + problem);
  }
  const double batches_per_s = batches_per_second(records);
  const double bytes = 32.0 * shape.loads * stream_vector_bytes * (shape.mode == StreamMode::copy ? 2 : 1);
  unsigned long long batches = 0;
  for (const WarpRecord& record : records)
    batches = std::max(batches, record.batches);
  next_ = next_start(params, batches);
  return {batches_per_s * bytes, clock_of(records)};
}

}  // namespace tilecast
