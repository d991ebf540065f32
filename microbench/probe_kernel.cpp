#include "microbench/probe_kernel.hpp"

#include <algorithm>

#include "kernels/runtime/compile.hpp"
#include "kernels/runtime/driver.hpp"
#include "microbench/warp_records.hpp"

namespace tilecast {

void stop_if_interrupted(const ProbeContext& context) {
  if (context.stop && *context.stop) throw Interrupted();
}

std::size_t usable_memory(const ProbeContext& context) {
  std::size_t free = 0, total = 0;
  TILECAST_DRIVER(cuMemGetInfo(&free, &total));
  return std::min(free / 10 * 9, context.memory_limit.value_or(free));
}

CompiledCode compile_probe(const ProbeContext& context, const Specialisation& code) {
  stop_if_interrupted(context);
  return compile(code, probe_sources(), context.gpu.info().architecture);
}

ProbeKernel load_probe(const ProbeContext& context, Specialisation code) {
  const CompiledCode compiled = compile_probe(context, code);
  return load_compiled(context, std::move(code), compiled);
}

ProbeKernel load_compiled(const ProbeContext& context, Specialisation code, const CompiledCode& compiled) {
  if (context.code) context.code->push_back({code, compiled.cubin, compiled.record});
  Kernel kernel(compiled, code.entry);
  return {std::move(code), std::move(kernel), compiled.record.static_shared_bytes, compiled.record.registers};
}

ProbeLaunch spread(const GpuInfo& gpu, int warps_per_sm, int blocks_per_sm,
                   std::int64_t static_shared_bytes) {
  const auto share = static_cast<std::int64_t>(gpu.shared_per_sm) / blocks_per_sm -
                     static_cast<std::int64_t>(gpu.shared_reserved_per_block);
  const std::int64_t allowed = std::min(share, static_cast<std::int64_t>(gpu.shared_per_block));
  return {static_cast<std::int64_t>(gpu.sm_count) * blocks_per_sm,
          static_cast<std::int64_t>(warps_per_sm / blocks_per_sm) * 32,
          // Down to a multiple of every GPU's allocation unit.
          (allowed - static_shared_bytes) / 1024 * 1024};
}

void fill_random(const ProbeContext& context, const DeviceBuffer& buffer, unsigned seed) {
  const ProbeKernel fill = load_probe(context, {"probes/fill.cu", "fill", {}});
  const FillParams params{buffer.bytes() / 4, seed};
  run_probe(context, fill, {context.gpu.info().sm_count * 4, 512}, params, 0, 0, buffer.address());
}

DeviceBuffer fma_multipliers() {
  const float multipliers[2] = {-0.99999F, 1e-7F};
  DeviceBuffer buffer(sizeof multipliers);
  buffer.upload(multipliers, sizeof multipliers);
  return buffer;
}

std::vector<double> burn(const ProbeContext& context, double seconds) {
  constexpr double slice_s = 0.02;
  constexpr int body = 512, warps = 32;
  const GpuInfo& info = context.gpu.info();
  const ProbeKernel fma = load_probe(context, {"probes/fma.cu", "fma_chains", {{"ILP", 4}, {"BODY", body}}});
  const DeviceBuffer numbers = fma_multipliers();
  const std::size_t count = static_cast<std::size_t>(info.sm_count) * warps;
  DeviceBuffer records(count * sizeof(WarpRecord));
  std::vector<double> clocks;
  unsigned iterations = 500;
  for (double spent = 0; spent < seconds;) {
    run_probe(context, fma, spread(info, warps, 1), LoopParams{iterations, 0x7fffffffU}, 0, numbers.address(),
              records.address());
    const auto found = fetch<WarpRecord>(records, count);
    const double took =
        std::max(static_cast<double>(found.front().end_ns - found.front().start_ns) * 1e-9, 1e-5);
    // The first, short one only tells how many iterations make a slice.
    if (spent > 0) clocks.push_back(clock_of(found));
    spent += took;
    iterations = static_cast<unsigned>(std::clamp(iterations * slice_s / took, 1.0, 1e6));
  }
  return clocks;
}

}  // namespace tilecast
