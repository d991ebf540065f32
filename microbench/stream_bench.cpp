#include "microbench/stream_bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microbench/warp_records.hpp"

namespace tilecast {

namespace {

constexpr std::size_t granule_bytes = stream_granule_vectors * stream_vector_bytes;

}  // namespace

Specialisation stream_code(const StreamShape& shape) {
  if (shape.mechanism != StreamMechanism::plain) {
    return {
        "probes/stream_async.cu",
        "stream_async",
        {{"MECHANISM", shape.mechanism == StreamMechanism::cp_async ? 1 : 2}, {"IN_FLIGHT", shape.loads}}};
  }
  return {"probes/stream.cu",
          "stream",
          {{"MODE", static_cast<int>(shape.mode)},
           {"IN_FLIGHT", shape.loads},
           {"WIDTH", shape.access_bytes},
           {"CACHE", shape.through_l1 ? 0 : 1},
           {"WRITE_EVERY", shape.write_every},
           {"WRITE_COPIES", shape.write_copies}}};
}

StreamBench::StreamBench(const ProbeContext& context, std::size_t footprint, int targets)
    : context_(context), source_(footprint / granule_bytes * granule_bytes) {
  const GpuInfo& gpu = context.gpu.info();
  fill_random(context, source_, 0x2545f491U);
  if (targets > 0) {
    target_ = DeviceBuffer(source_.bytes() * static_cast<std::size_t>(targets));
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
  Specialisation code = stream_code(shape);
  const std::string key = code.key();
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  return kernels_.emplace(key, load_probe(context_, std::move(code))).first->second;
}

bool StreamBench::fits(const StreamShape& shape) {
  const ProbeLaunch launch = spread(context_.gpu.info(), shape.warps_per_sm, shape.blocks_per_sm);
  if (shape.mechanism != StreamMechanism::plain) {
    // The slots, and before those of bulk copies a KiB of barriers.
    const double slots = shape.warp_bytes() * shape.warps_per_sm / shape.blocks_per_sm;
    if (slots + 1024 > static_cast<double>(launch.dynamic_shared_bytes)) return false;
  }
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
  // Fewer SMs go round the same footprint, not each round its own small part of it.
  const bool few = shape.active_sms > 0;
  StreamParams params =
      stream_params(shape, few ? static_cast<std::size_t>(shape.active_sms) : blocks, warps, vectors_, next_);
  params.by_sm = few ? 1U : 0U;
  params.cycles = static_cast<unsigned long long>(seconds * clock_hz_);
  const int active = shape.active_sms > 0 ? shape.active_sms : gpu.sm_count;
  params.active_sms = static_cast<unsigned>(active);
  params.access_bytes = static_cast<unsigned>(shape.access_bytes);
  if (shape.write_copies > 1 && target_.bytes() < 2 * source_.bytes())
    throw Error(ExitCode::failure, "a stream of two copies needs two targets");
  const std::uint64_t target = shape.mode == StreamMode::read ? 0
                               : target_.bytes() > 0          ? target_.address()
                                                              : source_.address();
  run_probe(context_, kernel(shape), launch, params, source_.address(), target, records_.address());

  const auto records = fetch<WarpRecord>(records_, blocks * warps);
  if (const std::string problem = spread_problem(records, active, shape.warps_per_sm); !problem.empty()) {
    throw Error(ExitCode::failure, "blocks did not spread evenly: " + problem);
  }
  const double batches_per_s = batches_per_second(records);
  unsigned long long batches = 0;
  for (const WarpRecord& record : records)
    batches = std::max(batches, record.batches);
  next_ = next_start(params, batches);
  return {batches_per_s * shape.batch_traffic_bytes(), clock_of(records)};
}

}  // namespace tilecast
