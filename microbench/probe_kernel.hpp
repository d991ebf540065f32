#pragma once
// What every probe does around its kernels: compile and load one, launch it, fetch what it left behind.

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/launch_plan.hpp"
#include "kernels/runtime/gpu.hpp"
#include "microbench/probe.hpp"
#include "microbench/probes/params.hpp"
#include "model/support/embedded.hpp"

namespace tilecast {

// The device code of the probes, paths relative to microbench/.
std::span<const EmbeddedFile> probe_sources();

struct ProbeKernel {
  Specialisation code;
  Kernel kernel;
  std::int64_t static_shared_bytes = 0;
  std::int64_t registers = 0;  // a thread
};

// Throws what compile() and Kernel throw, and Interrupted.
ProbeKernel load_probe(const ProbeContext& context, Specialisation code);

// The same in two steps, for what looks at the machine code or changes it in between. What is loaded is noted
// in context.code, so that it is checked as every probe's code is.
CompiledCode compile_probe(const ProbeContext& context, const Specialisation& code);
ProbeKernel load_compiled(const ProbeContext& context, Specialisation code, const CompiledCode& compiled);

// Throws Interrupted when the run was; for probes to call between launches of their own.
void stop_if_interrupted(const ProbeContext& context);

// Bytes of device memory that a probe may use: nine tenths of what is free now, at most context.memory_limit.
std::size_t usable_memory(const ProbeContext& context);

struct ProbeLaunch {
  std::int64_t blocks = 1, threads = 32, dynamic_shared_bytes = 0;
};

template <class Params>
LaunchPlan probe_plan(const ProbeKernel& kernel, const ProbeLaunch& launch, const Params& params) {
  LaunchPlan plan;
  plan.code = kernel.code;
  plan.grid_x = launch.blocks;
  plan.threads = launch.threads;
  plan.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  plan.params = as_params(params);
  return plan;
}

// Launches with the addresses a, b, c and waits.
template <class Params>
void run_probe(const ProbeContext& context, const ProbeKernel& kernel, const ProbeLaunch& launch,
               const Params& params, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  stop_if_interrupted(context);
  const std::uint64_t tensors[] = {a, b, c};
  context.gpu.launch(kernel.kernel, probe_plan(kernel, launch, params), tensors);
  context.gpu.synchronize();
}

template <class T>
std::vector<T> fetch(const DeviceBuffer& buffer, std::size_t count) {
  std::vector<T> host(count);
  buffer.download(host.data(), count * sizeof(T));
  return host;
}

// Blocks of `warps_per_sm / blocks_per_sm` warps, one grid of blocks_per_sm on each SM; shared memory is
// asked for so that not one more fits.
ProbeLaunch spread(const GpuInfo& gpu, int warps_per_sm, int blocks_per_sm,
                   std::int64_t static_shared_bytes = 0);

// Random nonzero words.
void fill_random(const ProbeContext& context, const DeviceBuffer& buffer, unsigned seed);

// The two multipliers of the FMA loops (fma.cu and others): near -1, so that values stay finite and flip sign
// at each step; and small.
DeviceBuffer fma_multipliers();

// FMAs on all SMs for that long; the SM clock of each 20 ms of it, in Hz, by the in-kernel clocks.
std::vector<double> burn(const ProbeContext& context, double seconds);

}  // namespace tilecast
