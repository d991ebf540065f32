#include "microbench/chase_bench.hpp"

#include <fmt/format.h>

#include "microbench/access_times.hpp"
#include "microbench/probes/permutation.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

namespace {

constexpr std::size_t result_bytes = 1 << 16;
// Where each kernel's record lies: their claims must not overwrite each other.
constexpr std::size_t walk_at = 0, chase_at = 1024, timed_at = 2048;
static_assert(timed_at + sizeof(TimedRecord) + (most_timed_steps + 1) * sizeof(unsigned) <= result_bytes);
// Far more blocks than SMs: each SM gets one sooner or later, and the first on the target SM does the work.
constexpr int blocks_per_sm = 16;

Error no_block(std::int64_t sm) {
  return {ExitCode::failure, fmt::format("no block ran on SM {}", sm)};
}

}  // namespace

ChaseBench::ChaseBench(const ProbeContext& context, std::size_t most_bytes)
    : context_(context),
      ring_(most_bytes / node_bytes * node_bytes),
      result_(result_bytes),
      build_(load_probe(context, {"probes/latency.cu", "ring_build", {{"CACHE", 1}}})),
      walk_(load_probe(context, {"probes/latency.cu", "ring_walk", {{"CACHE", 1}}})),
      chase_l1_(load_probe(context, {"probes/latency.cu", "chase", {{"CACHE", 0}}})),
      chase_l2_(load_probe(context, {"probes/latency.cu", "chase", {{"CACHE", 1}}})),
      timed_(load_probe(context, {"probes/latency.cu", "timed_chase", {{"CACHE", 1}}})) {
  result_.fill32(0);
}

void ChaseBench::build(std::size_t nodes, std::size_t step, unsigned seed, std::int64_t sm) {
  if (nodes < 2 || step < node_bytes || step % node_bytes != 0 || nodes * step > ring_.bytes()) {
    throw Error(ExitCode::failure,
                fmt::format("a ring of {} nodes, {} bytes apart, does not go into {} bytes", nodes, step,
                            ring_.bytes()));
  }
  ring_params_ = {nodes, step, seed};
  touch(build_, {ring_params_, sm, 1, ++turn_}, ring_);
}

std::size_t ChaseBench::offset(std::size_t position) const {
  return node_offset(position, ring_params_.nodes, ring_params_.node_bytes, ring_params_.seed);
}

ProbeLaunch ChaseBench::for_one_sm(std::int64_t threads) const {
  return {context_.gpu.info().sm_count * blocks_per_sm, threads};
}

void ChaseBench::touch(const ProbeKernel& kernel, const WalkParams& params, const DeviceBuffer& memory) {
  const bool all = params.sm == any_sm;
  const ProbeLaunch launch = all ? ProbeLaunch{context_.gpu.info().sm_count * 2, 512} : for_one_sm(1024);
  run_probe(context_, kernel, launch, params, memory.address(), 0, result_.address() + walk_at);
  unsigned turn = 0;
  if (!all) result_.download(&turn, sizeof turn, walk_at);
  if (!all && turn != params.turn) throw no_block(params.sm);
}

void ChaseBench::warm(std::int64_t sm, unsigned passes) {
  touch(walk_, {ring_params_, sm, passes, ++turn_}, ring_);
}

void ChaseBench::flush() {
  if (other_.bytes() == 0) {
    other_ = DeviceBuffer(4 * context_.gpu.info().l2_bytes / node_bytes * node_bytes);
    other_.fill32(0);
  }
  touch(walk_, {{other_.bytes() / node_bytes, node_bytes, 1}, any_sm, 1, ++turn_}, other_);
}

ChaseSample ChaseBench::chase(ChaseCache cache, std::int64_t sm, std::size_t first, const ChaseSteps& steps) {
  const ChaseParams params{offset(first), sm, steps.warm, steps.short_window, steps.long_window, ++turn_};
  run_probe(context_, cache == ChaseCache::l1 ? chase_l1_ : chase_l2_, for_one_sm(1), params, ring_.address(),
            0, result_.address() + chase_at);
  ChaseRecord record{};
  result_.download(&record, sizeof record, chase_at);
  if (record.turn != turn_) throw no_block(sm);
  ChaseSample sample;
  sample.cycles = slope(steps.short_window, static_cast<double>(record.short_cycles), steps.long_window,
                        static_cast<double>(record.long_cycles));
  const auto ns = static_cast<double>(record.short_ns + record.long_ns);
  if (ns > 1e5) sample.sm_clock_hz = static_cast<double>(record.short_cycles + record.long_cycles) / ns * 1e9;
  return sample;
}

std::vector<double> ChaseBench::timed(std::int64_t sm, std::size_t first, unsigned steps) {
  const TimedParams params{offset(first), sm, steps, ++turn_};
  run_probe(context_, timed_, for_one_sm(1), params, ring_.address(), 0, result_.address() + timed_at);
  TimedRecord record{};
  result_.download(&record, sizeof record, timed_at);
  if (record.turn != turn_) throw no_block(sm);
  std::vector<std::uint32_t> readings(steps + 1);
  result_.download(readings.data(), readings.size() * sizeof(std::uint32_t), timed_at + sizeof record);
  return access_times(readings);
}

}  // namespace tilecast
