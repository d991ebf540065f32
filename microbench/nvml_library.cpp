// NVML as it is installed: the one place that opens it.
#include "kernels/runtime/library.hpp"
#include "microbench/nvml.hpp"

namespace tilecast {

NvmlFunctions nvml_functions() {
  const DynamicLibrary library = open_library({"libnvidia-ml.so.1"});
  NvmlFunctions functions;
  const auto needed = [&]<class Function>(Function& member, const char* name) {
    member = library.symbol<Function>(name);
  };
  const auto wanted = [&]<class Function>(Function& member, const char* name) {
    if (!member) member = library.find<Function>(name);
  };
  needed(functions.init, "nvmlInit_v2");
  needed(functions.shutdown, "nvmlShutdown");
  needed(functions.handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  wanted(functions.parent_of_slice, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle");
  wanted(functions.clock, "nvmlDeviceGetClockInfo");
  wanted(functions.power, "nvmlDeviceGetPowerUsage");
  wanted(functions.fields, "nvmlDeviceGetFieldValues");
  wanted(functions.temperature, "nvmlDeviceGetTemperature");
  wanted(functions.event_reasons, "nvmlDeviceGetCurrentClocksEventReasons");     // since driver 535
  wanted(functions.event_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");  // its older name
  wanted(functions.pci, "nvmlDeviceGetPciInfo_v3");
  wanted(functions.ecc, "nvmlDeviceGetEccMode");
  wanted(functions.mig, "nvmlDeviceGetMigMode");
  wanted(functions.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  wanted(functions.utilization, "nvmlDeviceGetUtilizationRates");
  wanted(functions.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  return functions;
}

std::optional<Nvml> open_nvml(const std::string& uuid, std::string& why) {
  try {
    return std::optional<Nvml>(std::in_place, nvml_functions(), uuid);
  } catch (const UnavailableError& error) {
    why = error.what();
    return std::nullopt;
  }
}

}  // namespace tilecast
