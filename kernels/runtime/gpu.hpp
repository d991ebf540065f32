#pragma once
// One GPU through the driver API, opened at run time. Everything here throws: UnavailableError when there is
// no driver or no such device, CudaError (call, place, name, text) when a call fails.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/launch_plan.hpp"
#include "kernels/runtime/compile.hpp"
#include "kernels/runtime/cuda_error.hpp"

namespace tilecast {

// Why there is no usable GPU ("no CUDA driver (libcuda.so.1) on this machine", ...); empty when there is one.
std::string gpu_problem();
int gpu_count();  // 0 without a driver

// Device memory, freed with the object. Copies and fills are ordered with the launches of Gpu, as if all
// stood in one queue; a download waits for what came before. A range outside the buffer throws Error.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  std::uint64_t address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  void upload(const void* source, std::size_t bytes, std::size_t offset = 0);
  void download(void* target, std::size_t bytes, std::size_t offset = 0) const;
  // Every 4-byte word. By cuMemsetD32, which makes later launches of the process slower: not before timings.
  void fill32(std::uint32_t pattern);

 private:
  std::uint64_t address_ = 0;
  std::size_t bytes_ = 0;
};

// A loaded kernel. Copyable handle semantics are not needed: move only.
class Kernel {
 public:
  Kernel() = default;
  Kernel(const CompiledCode& code, std::string_view entry);
  ~Kernel();
  Kernel(Kernel&& other) noexcept;
  Kernel& operator=(Kernel&& other) noexcept;
  void* function() const { return function_; }
  // Blocks of this size that one SM holds at once, as the driver counts them.
  int resident_blocks(std::int64_t threads, std::int64_t dynamic_shared_bytes) const;

 private:
  void* module_ = nullptr;
  void* function_ = nullptr;
};

struct GpuInfo {
  std::string name, uuid, driver_version;
  Architecture architecture;
  int sm_count = 0;
  // Everything else the driver tells (cuDeviceGetAttribute), for the profile's limits.
  int max_threads_per_sm = 0, max_threads_per_block = 0, max_blocks_per_sm = 0, registers_per_sm = 0;
  std::size_t shared_per_sm = 0, shared_per_block = 0, shared_reserved_per_block = 0, l2_bytes = 0,
              dram_bytes = 0;
  double sm_clock_hz = 0, memory_clock_hz = 0;  // as the API states them: labels, not measurements
  int memory_bus_bits = 0;
};

// Timings of one kernel, from replays of a CUDA graph that holds it many times over.
struct Timing {
  std::vector<double> samples_s;  // time of one kernel, one value a replay
  double median_s = 0, p10_s = 0, p90_s = 0;
  double sm_clock_hz = 0;  // by in-kernel clocks right after the replays
};

struct TimingOptions {
  double target_s = 2e-3;  // length of one replay
  int replays = 11;
  int warmup_replays = 2;
};

class Gpu {
 public:
  explicit Gpu(int index = 0);  // makes its primary context current on this thread
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  const GpuInfo& info() const { return info_; }
  void* stream() const { return stream_; }

  // Launches once and does not wait. `tensors` are the device addresses that precede Params in the signature.
  void launch(const Kernel& kernel, const LaunchPlan& plan, std::span<const std::uint64_t> tensors);
  // Waits, and throws what the kernels left behind (CudaError).
  void synchronize();
  // Median over replays of a graph of identical launches: short kernels included, nothing subtracted.
  Timing time(const Kernel& kernel, const LaunchPlan& plan, std::span<const std::uint64_t> tensors,
              const TimingOptions& options = {});
  // SM clock now, in Hz: cycles over nanoseconds of a short spinning kernel.
  double sm_clock_hz();

 private:
  GpuInfo info_;
  void* context_ = nullptr;
  void* stream_ = nullptr;
  int device_ = 0;
  Kernel clock_kernel_;
  DeviceBuffer clock_result_;
};

}  // namespace tilecast
