// NVML. Its functions and the few structures used are declared here as its API reference states them, so that
// neither its header nor its library is needed to build.
#include <fmt/format.h>

#include "kernels/runtime/library.hpp"
#include "microbench/gpu_state.hpp"

namespace tilecast {

namespace {

using Device = void*;
constexpr int success = 0;
constexpr int clock_memory = 2, temperature_gpu = 0;  // NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU

struct PciInfo {  // nvmlPciInfo_t
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
struct ProcessInfo {  // nvmlProcessInfo_t of nvmlDeviceGetComputeRunningProcesses_v3
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance, compute_instance;
};
struct Utilization {
  unsigned gpu, memory;
};

const DynamicLibrary& nvml() {
  static const DynamicLibrary library = open_library({"libnvidia-ml.so.1"});
  return library;
}

// The value of an "out" parameter, or nothing where the function is missing or refuses.
template <class T, class... Arguments>
std::optional<T> ask(const char* name, Device device, Arguments... arguments) {
  const auto function = nvml().find<int (*)(Device, Arguments..., T*)>(name);
  T value{};
  if (!function || function(device, arguments..., &value) != success) return std::nullopt;
  return value;
}

std::optional<bool> mode(const char* name, Device device) {
  const auto function = nvml().find<int (*)(Device, unsigned*, unsigned*)>(name);
  unsigned current = 0, pending = 0;
  if (!function || function(device, &current, &pending) != success) return std::nullopt;
  return current != 0;
}

std::optional<int> compute_processes(Device device) {
  const auto function =
      nvml().find<int (*)(Device, unsigned*, ProcessInfo*)>("nvmlDeviceGetComputeRunningProcesses_v3");
  ProcessInfo list[64];
  unsigned count = 64;
  if (!function || function(device, &count, list) != success) return std::nullopt;
  return static_cast<int>(count);
}

std::optional<double> scaled(std::optional<unsigned> value, double by) {
  if (!value) return std::nullopt;
  return *value * by;
}

}  // namespace

GpuMonitor::GpuMonitor(const std::string& uuid) {
  try {
    if (nvml().symbol<int (*)()>("nvmlInit_v2")() != success) throw UnavailableError("nvmlInit_v2 failed");
    const auto by_uuid = nvml().symbol<int (*)(const char*, Device*)>("nvmlDeviceGetHandleByUUID");
    if (by_uuid(uuid.c_str(), &device_) != success) {
      device_ = nullptr;
      throw UnavailableError("it does not know this GPU's UUID (a MIG slice?)");
    }
  } catch (const UnavailableError& error) {
    conditions_.warnings.push_back(fmt::format(
        "NVML: {}: reasons for a lower clock, power, memory clock, ECC, MIG and other processes are "
        "unknown",
        error.what()));
    return;
  }
  if (const auto pci = ask<PciInfo>("nvmlDeviceGetPciInfo_v3", device_))
    conditions_.pci_id = fmt::format("{:04x}:{:04x}", pci->pci_device_id & 0xffff, pci->pci_device_id >> 16);
  conditions_.ecc = mode("nvmlDeviceGetEccMode", device_);
  conditions_.mig = mode("nvmlDeviceGetMigMode", device_);
  conditions_.power_limit_w = scaled(ask<unsigned>("nvmlDeviceGetEnforcedPowerLimit", device_), 1e-3);
  if (conditions_.mig.value_or(false))
    conditions_.warnings.push_back(
        "MIG is on: SMs, L2 and memory are those of a slice, the neighbours' load is not seen");
  const auto utilization = ask<Utilization>("nvmlDeviceGetUtilizationRates", device_);
  for (auto& warning :
       neighbour_warnings(compute_processes(device_),
                          utilization ? std::optional(static_cast<int>(utilization->gpu)) : std::nullopt))
    conditions_.warnings.push_back(std::move(warning));
}

GpuState GpuMonitor::state() const {
  GpuState state;
  if (!device_) return state;
  state.memory_clock_hz = scaled(ask<unsigned>("nvmlDeviceGetClockInfo", device_, clock_memory), 1e6);
  state.power_w = scaled(ask<unsigned>("nvmlDeviceGetPowerUsage", device_), 1e-3);
  state.temperature_c = scaled(ask<unsigned>("nvmlDeviceGetTemperature", device_, temperature_gpu), 1);
  auto bits = ask<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons", device_);
  if (!bits) bits = ask<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", device_);
  if (bits) state.throttled = throttle_reasons(*bits);
  return state;
}

Conditions GpuMonitor::conditions() const {
  return conditions_;
}

}  // namespace tilecast
