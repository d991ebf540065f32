// Limits as the driver states them, and the few that it does not tell, from the vendor's documents.
#include <fmt/format.h>

#include "microbench/probes/probes.hpp"

namespace tilecast {

namespace {

// CUDA C++ Programming Guide, tables "Throughput of Native Arithmetic Instructions" (32-bit fused
// multiply-add a cycle and SM) and "Technical Specifications per Compute Capability" (warp schedulers of an
// SM).
struct SmUnits {
  int lanes, schedulers;
};

SmUnits sm_units(Architecture architecture) {
  const int capability = architecture.major * 10 + architecture.minor;
  const bool half =
      capability == 60 || capability == 70 || capability == 72 || capability == 75 || capability == 80;
  return {half ? 64 : 128, capability == 60 ? 2 : 4};
}

// CUDA occupancy calculator, "GPU data": from compute capability 8.0 on shared memory is granted in units of
// 128 bytes, before in 256; registers in units of 256 a warp since 3.0; 255 registers a thread since 3.5.
constexpr int register_unit = 256, registers_per_thread = 255;

int shared_unit(Architecture architecture) {
  return architecture.major >= 8 ? 128 : 256;
}

}  // namespace

ProbeResult probe_limits(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  ProbeResult result;
  const auto driver = [&](std::string key, double value) {
    if (value > 0) result.values.push_back({std::move(key), "driver", {value}, SourceKind::measured});
  };
  driver("sm_count", gpu.sm_count);
  driver("max_threads_per_sm", gpu.max_threads_per_sm);
  driver("max_threads_per_block", gpu.max_threads_per_block);
  driver("max_blocks_per_sm", gpu.max_blocks_per_sm);
  driver("registers_per_sm", gpu.registers_per_sm);
  driver("shared_per_sm_bytes", static_cast<double>(gpu.shared_per_sm));
  driver("shared_per_block_bytes", static_cast<double>(gpu.shared_per_block));
  // Zero is a true answer here: before compute capability 8.0 nothing is reserved.
  result.values.push_back({"shared_reserved_per_block_bytes",
                           "driver",
                           {static_cast<double>(gpu.shared_reserved_per_block)},
                           SourceKind::measured});
  driver("l2_size_bytes", static_cast<double>(gpu.l2_bytes));
  driver("dram_size_bytes", static_cast<double>(gpu.dram_bytes));

  const auto document = [&](std::string key, double value, std::string source) {
    result.values.push_back({std::move(key), std::move(source), {value}, SourceKind::datasheet});
  };
  const SmUnits units = sm_units(gpu.architecture);
  const std::string guide = fmt::format("CUDA C++ Programming Guide, compute capability {}.{}",
                                        gpu.architecture.major, gpu.architecture.minor);
  document("fp32_lanes_per_sm", units.lanes, guide + ", fp32 fused multiply-adds a cycle and SM");
  document("schedulers_per_sm", units.schedulers, guide + ", warp schedulers of an SM");
  document("max_registers_per_thread", registers_per_thread, guide);
  document("register_allocation_unit", register_unit, "CUDA occupancy calculator, registers of a warp");
  document("shared_allocation_unit_bytes", shared_unit(gpu.architecture), "CUDA occupancy calculator");
  if (gpu.sm_clock_hz > 0) {
    document("boost_clock_hz", gpu.sm_clock_hz, "driver, highest SM clock (a label, not a measurement)");
  }
  if (gpu.memory_clock_hz > 0 && gpu.memory_bus_bits > 0) {
    // Two transfers a clock on each line, in every memory type the driver reports a clock for.
    result.values.push_back({"dram_peak_bytes_per_s",
                             fmt::format("driver: memory clock {:.0f} MHz x 2 transfers x {} bits",
                                         gpu.memory_clock_hz * 1e-6, gpu.memory_bus_bits),
                             {gpu.memory_clock_hz * 2 * gpu.memory_bus_bits / 8},
                             SourceKind::derived});
  } else {
    result.reason = "the driver tells no memory clock or bus width: dram_peak_bytes_per_s stays unknown";
  }
  return result;
}

}  // namespace tilecast
