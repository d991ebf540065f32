#include "microbench/chase_bench.hpp"

#include <fmt/format.h>

#include "microbench/probes/permutation.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

namespace {

constexpr std::size_t result_bytes = 1 << 16;
// Far more blocks than SMs: each SM gets one sooner or later, and the first on the target SM does the work.
constexpr int blocks_per_sm = 16;

}  // namespace

ChaseBench::ChaseBench(const ProbeContext& context, std::size_t most_bytes)
    : context_(context),
      ring_(most_bytes / node_bytes * node_bytes),
      result_(result_bytes),
      build_(load_probe(context, {"probes/latency.cu", "ring_build", {{"CACHE", 1}}})),
      self_(load_probe(context, {"probes/latency.cu", "ring_of_self", {{"CACHE", 1}}})),
      walk_(load_probe(context, {"probes/latency.cu", "ring_walk", {{"CACHE", 1}}})),
      chase_l1_(load_probe(context, {"probes/latency.cu", "chase", {{"CACHE", 0}}})),
      chase_l2_(load_probe(context, {"probes/latency.cu", "chase", {{"CACHE", 1}}})),
      lines_(load_probe(context, {"probes/latency.cu", "line_latency", {{"CACHE", 1}}})) {
  const std::vector<char> zeros(result_bytes);
  result_.upload(zeros.data(), zeros.size());
}

void ChaseBench::build(std::size_t bytes, unsigned seed) {
  params_ = {bytes / node_bytes, node_bytes, seed, 2};
  const ProbeLaunch wide{context_.gpu.info().sm_count * 2, 512};
  run_probe(context_, build_, wide, params_, 0, 0, ring_.address());
  run_probe(context_, walk_, wide, params_, ring_.address(), 0, result_.address());
}

void ChaseBench::build_self(std::size_t bytes) {
  params_ = {bytes / node_bytes, node_bytes, 0, 1};
  const ProbeLaunch wide{context_.gpu.info().sm_count * 2, 512};
  run_probe(context_, self_, wide, params_, 0, 0, ring_.address());
}

ChaseSample ChaseBench::chase(bool through_l1, std::size_t first, unsigned short_steps, unsigned long_steps,
                              std::int64_t sm) {
  ChaseParams params{};
  params.start = permuted(first % params_.nodes, params_.nodes, params_.seed) * node_bytes;
  params.sm = sm;
  params.warm_steps = through_l1 ? static_cast<unsigned>((params_.nodes + 15) / 16 * 16) : 0;
  params.short_steps = short_steps;
  params.long_steps = long_steps;
  params.turn = ++turn_;
  const ProbeLaunch launch{sm < 0 ? 1 : context_.gpu.info().sm_count * blocks_per_sm, 1};
  run_probe(context_, through_l1 ? chase_l1_ : chase_l2_, launch, params, ring_.address(), 0,
            result_.address());
  const ChaseRecord record = fetch<ChaseRecord>(result_, 1).front();
  if (record.turn != turn_) throw Error(ExitCode::failure, fmt::format("no block ran on SM {}", sm));
  ChaseSample sample;
  sample.cycles = slope(short_steps, static_cast<double>(record.short_cycles), long_steps,
                        static_cast<double>(record.long_cycles));
  const auto ns = static_cast<double>(record.short_ns + record.long_ns);
  if (ns > 1e5) sample.sm_clock_hz = static_cast<double>(record.short_cycles + record.long_cycles) / ns * 1e9;
  return sample;
}

std::vector<double> ChaseBench::lines(unsigned lines, unsigned seed, std::int64_t sm) {
  const LinesParams params{params_.nodes, node_bytes, seed, lines, sm, ++turn_};
  const ProbeLaunch launch{context_.gpu.info().sm_count * blocks_per_sm, 1};
  // The header has the same place as a chase's, the turn does not.
  constexpr std::size_t offset = 4096;
  run_probe(context_, lines_, launch, params, ring_.address(), 0, result_.address() + offset);
  LinesRecord header{};
  result_.download(&header, sizeof header, offset);
  if (header.turn != turn_) throw Error(ExitCode::failure, fmt::format("no block ran on SM {}", sm));
  std::vector<double> cycles(lines);
  result_.download(cycles.data(), lines * sizeof(double), offset + sizeof header);
  return cycles;
}

}  // namespace tilecast
