#pragma once
// What the driver's management library (NVML, opened at run time) tells of one GPU while something runs on
// it. Clocks by NVML are a second opinion beside the in-kernel ones; memory clock, power and the reasons for
// which clocks are held back are known to nobody else.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilecast {

struct NvmlSample {
  std::optional<double> sm_clock_hz, memory_clock_hz, power_w, temperature_c;
  // Bits of nvmlClocksEventReasons: 1 idle, 2 application clocks, 4 power cap, 8 hardware slowdown, 32
  // thermal (software), 64 thermal (hardware), 128 power brake.
  std::optional<std::uint64_t> event_reasons;
};

struct NvmlSummary {
  std::vector<double> sm_clock_hz, memory_clock_hz, power_w, temperature_c;  // those that were told, in order
  std::optional<std::uint64_t> event_reasons;  // any of the samples'; bit 1 left out
};

// Pure. Being idle between two launches holds nothing back, so that bit says nothing of a load.
NvmlSummary summarise_nvml(std::span<const NvmlSample> samples);

class Nvml {
 public:
  // `uuid` as GpuInfo has it. Throws UnavailableError where there is no NVML or it does not know the GPU.
  explicit Nvml(const std::string& uuid);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  NvmlSample sample() const;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
  void* device_ = nullptr;
};

// Asks every 20 ms, on a thread of its own, from here until stop() or its end.
class NvmlWatch {
 public:
  explicit NvmlWatch(const Nvml& nvml);
  ~NvmlWatch();
  NvmlWatch(const NvmlWatch&) = delete;
  NvmlWatch& operator=(const NvmlWatch&) = delete;
  std::vector<NvmlSample> stop();

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace tilecast
