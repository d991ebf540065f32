#pragma once
// What the driver's management library (NVML, opened at run time) tells of one GPU: clocks, power and what
// holds them back while something runs, and the conditions of a measurement: ECC, MIG, power limit, other
// processes. Clocks by NVML are a second opinion beside the in-kernel ones; the rest is known to nobody else.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "microbench/gpu_state.hpp"

namespace tilecast {

// The part of NVML that is used: the C functions by their names without "nvml", with the types of nvml.h,
// whose numbers and layouts are NVML's stable interface (the header does not come with every toolkit). Any
// but the first three may be missing. A test hands in functions of its own: a GPU that throttles, a slice, a
// library too old.
struct NvmlFunctions {
  using Return = int;  // 0: success
  using Device = void*;
  struct PciInfo {
    char bus_id_legacy[16];
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
    char bus_id[32];
  };
  struct ProcessInfo {  // of nvmlDeviceGetComputeRunningProcesses_v3
    unsigned pid;
    unsigned long long used_memory;
    unsigned gpu_instance, compute_instance;
  };
  struct Utilization {
    unsigned gpu, memory;
  };
  struct FieldValue {
    unsigned field, scope;
    long long timestamp, latency_us;
    int type;
    Return result;
    union {
      unsigned u32;
      unsigned long long u64;
    } value;
  };

  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  Return (*handle_by_uuid)(const char*, Device*) = nullptr;
  Return (*parent_of_slice)(Device, Device*) = nullptr;  // the GPU that a MIG slice belongs to
  Return (*clock)(Device, unsigned type, unsigned* megahertz) = nullptr;
  Return (*power)(Device, unsigned* milliwatts) = nullptr;  // an average over up to a second
  Return (*fields)(Device, int count, FieldValue*) = nullptr;
  Return (*temperature)(Device, unsigned sensor, unsigned* celsius) = nullptr;
  Return (*event_reasons)(Device, unsigned long long* bits) = nullptr;
  Return (*pci)(Device, PciInfo*) = nullptr;
  Return (*ecc)(Device, unsigned* current, unsigned* pending) = nullptr;
  Return (*mig)(Device, unsigned* current, unsigned* pending) = nullptr;
  Return (*power_limit)(Device, unsigned* milliwatts) = nullptr;
  Return (*utilization)(Device, Utilization*) = nullptr;
  Return (*processes)(Device, unsigned* count, ProcessInfo*) = nullptr;
};

// Those of the installed library. Throws UnavailableError where there is none, or one without the first
// three.
NvmlFunctions nvml_functions();

struct NvmlSample {
  std::optional<double> sm_clock_hz, memory_clock_hz, power_w, temperature_c;
  std::optional<std::uint64_t> event_reasons;  // bits of nvmlClocksEventReasons (throttle_reasons())
};

struct NvmlSummary {
  std::vector<double> sm_clock_hz, memory_clock_hz, power_w, temperature_c;  // those that were told, in order
  std::optional<std::uint64_t> event_reasons;  // any of the samples'; bit 1 left out
};

// Pure. Being idle between two launches holds nothing back, so that bit says nothing of a load.
NvmlSummary summarise_nvml(std::span<const NvmlSample> samples);

// What a run notes of a sample. Pure.
GpuState state_of(const NvmlSample& sample);

// One GPU through NVML.
class Nvml {
 public:
  // `uuid` as GpuInfo has it, of a GPU or of a MIG slice. Throws UnavailableError where NVML does not start
  // or does not know it.
  Nvml(const NvmlFunctions& functions, const std::string& uuid);
  ~Nvml();
  Nvml(Nvml&& other) noexcept;
  Nvml& operator=(Nvml&&) = delete;

  // What cannot be read is absent.
  NvmlSample sample() const;
  // Those that last, and in `warnings` what of them casts doubt on a measurement. To be asked before the GPU
  // is put to work: whether somebody else uses it shows then.
  Conditions conditions() const;

 private:
  NvmlFunctions functions_;
  NvmlFunctions::Device device_ = nullptr;
  bool slice_ = false, started_ = false;
};

// The GPU by the installed library; nothing where that is not to be had, and `why`.
std::optional<Nvml> open_nvml(const std::string& uuid, std::string& why);

// What a measurement without NVML says of itself.
Conditions conditions_without_nvml(const std::string& why);

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
