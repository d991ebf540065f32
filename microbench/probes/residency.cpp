// Blocks that an SM holds at once, counted on the SMs, over threads and shared memory, and over threads and
// registers: what the occupancy rule of the models is checked against.
#include <algorithm>

#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"

namespace tilecast {

namespace {

// The most over all SMs: a block that leaves is gone from the count before its place is free, so no count is
// ever above the truth, and one SM that was full shows it.
double most_at_once(const ProbeContext& context, const ProbeKernel& kernel, DeviceBuffer& counts,
                    const DeviceBuffer& values, int threads, int shared_bytes) {
  const GpuInfo& gpu = context.gpu.info();
  const auto sms = static_cast<std::size_t>(gpu.sm_count);
  const std::vector<unsigned> zeros(2 * sms);
  counts.upload(zeros.data(), zeros.size() * sizeof(unsigned));
  // Twice the most that can be resident: the grid's rear finds every SM full.
  const std::int64_t blocks = 2LL * gpu.sm_count * gpu.max_blocks_per_sm;
  run_probe(context, kernel, {blocks, threads, shared_bytes}, ResidentParams{100'000, 0x7fffffffU},
            values.address(), 0, counts.address());
  const auto found = fetch<unsigned>(counts, 2 * sms);
  unsigned most = 0;
  for (std::size_t sm = 0; sm < sms; ++sm)
    most = std::max(most, found[2 * sm + 1]);
  return most;
}

}  // namespace

ProbeResult probe_residency(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  DeviceBuffer counts(static_cast<std::size_t>(gpu.sm_count) * 2 * sizeof(unsigned));
  DeviceBuffer values(1024);
  fill_random(context, values, 7);
  const std::string method =
      "each block adds itself to the count of its %smid, stays 100 us and leaves; the most over all SMs, a "
      "grid "
      "of twice the blocks that fit";
  ProbeTable shared{
      "resident_blocks_over_threads_and_shared", method, {32, 64, 96, 128, 256, 512, 1024}, {}, {}};
  const auto most_shared = static_cast<double>(gpu.shared_per_block);
  for (const double bytes : {1024.0, 6000.0, 15.0 * 1024, 31.0 * 1024, 47.0 * 1024, 75.0 * 1024}) {
    if (bytes < most_shared) shared.columns.push_back(bytes);
  }
  shared.columns.push_back(most_shared);
  const ProbeKernel light = load_probe(context, {"probes/residency.cu", "residency", {{"REGISTERS", 0}}});
  for (const double threads : shared.rows) {
    for (const double bytes : shared.columns)
      shared.samples.push_back(
          {most_at_once(context, light, counts, values, static_cast<int>(threads), static_cast<int>(bytes))});
  }

  ProbeTable registers{"resident_blocks_over_threads_and_registers",
                       method + "; registers as the compiler counts them",
                       {32, 64, 96, 160, 256},
                       {},
                       {}};
  std::vector<ProbeKernel> kernels;
  for (const int kept : {24, 48, 80, 110, 150, 200}) {
    ProbeKernel kernel = load_probe(context, {"probes/residency.cu", "residency", {{"REGISTERS", kept}}});
    if (!registers.columns.empty() && static_cast<double>(kernel.registers) <= registers.columns.back())
      continue;
    registers.columns.push_back(static_cast<double>(kernel.registers));
    kernels.push_back(std::move(kernel));
  }
  for (const double threads : registers.rows) {
    for (const ProbeKernel& kernel : kernels)
      registers.samples.push_back(
          {most_at_once(context, kernel, counts, values, static_cast<int>(threads), 0)});
  }
  ProbeResult result;
  result.tables = {shared, registers};
  return result;
}

}  // namespace tilecast
