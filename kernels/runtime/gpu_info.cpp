#include "kernels/runtime/gpu_info.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "kernels/runtime/driver.hpp"

namespace tilecast {
namespace {

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  TILECAST_DRIVER(cuDeviceGetAttribute(&value, which, device));
  return value;
}

std::size_t byte_attribute(CUdevice device, CUdevice_attribute which) {
  return static_cast<std::size_t>(attribute(device, which));
}

// "GPU-12345678-1234-1234-1234-123456789abc", as nvidia-smi writes it.
std::string uuid_text(CUdevice device) {
  CUuuid uuid{};
  TILECAST_DRIVER(cuDeviceGetUuid(&uuid, device));
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

// "580.95.05 (CUDA 13.0)"; without the kernel module's file, as in some containers, "CUDA 13.0".
std::string driver_version_text() {
  int version = 0;
  TILECAST_DRIVER(cuDriverGetVersion(&version));
  const std::string api = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  std::string module;
  std::ifstream("/sys/module/nvidia/version") >> module;
  return module.empty() ? api : fmt::format("{} ({})", module, api);
}

}  // namespace

GpuInfo query_gpu(int device) {
  GpuInfo info;
  char name[256] = {};
  TILECAST_DRIVER(cuDeviceGetName(name, sizeof name - 1, device));
  info.name = name;
  info.uuid = uuid_text(device);
  info.driver_version = driver_version_text();
  info.architecture = {attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                       attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)};
  info.sm_count = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.max_threads_per_sm = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  info.max_threads_per_block = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info.max_blocks_per_sm = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  info.registers_per_sm = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  info.shared_per_sm = byte_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info.shared_per_block = byte_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info.shared_reserved_per_block =
      byte_attribute(device, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  info.l2_bytes = byte_attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  TILECAST_DRIVER(cuDeviceTotalMem(&info.dram_bytes, device));
  info.sm_clock_hz = 1e3 * attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);  // the driver says kHz
  info.memory_clock_hz = 1e3 * attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  info.memory_bus_bits = attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  return info;
}

}  // namespace tilecast
