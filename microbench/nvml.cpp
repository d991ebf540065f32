#include "microbench/nvml.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "kernels/runtime/library.hpp"
#include "model/support/errors.hpp"

namespace tilecast {

namespace {

// The part of nvml.h that is used here; its numbers and layouts are NVML's stable interface. The header does
// not come with every toolkit.
using NvmlReturn = int;
using NvmlDevice = void*;
constexpr unsigned clock_sm = 1, clock_memory = 2, sensor_gpu = 0;
constexpr unsigned field_power_instant = 186;  // mW, NVML_FI_DEV_POWER_INSTANT

struct FieldValue {
  unsigned field, scope;
  long long timestamp, latency_us;
  int type;
  NvmlReturn result;
  union {
    unsigned u32;
    unsigned long long u64;
  } value;
};

}  // namespace

struct Nvml::Functions {
  explicit Functions(const DynamicLibrary& library)
      : shutdown(library.find<NvmlReturn (*)()>("nvmlShutdown")),
        clock(library.find<NvmlReturn (*)(NvmlDevice, unsigned, unsigned*)>("nvmlDeviceGetClockInfo")),
        power(library.find<NvmlReturn (*)(NvmlDevice, unsigned*)>("nvmlDeviceGetPowerUsage")),
        fields(library.find<NvmlReturn (*)(NvmlDevice, int, FieldValue*)>("nvmlDeviceGetFieldValues")),
        temperature(
            library.find<NvmlReturn (*)(NvmlDevice, unsigned, unsigned*)>("nvmlDeviceGetTemperature")),
        // Its older name; the newer one came with driver 535.
        reasons(library.find<NvmlReturn (*)(NvmlDevice, unsigned long long*)>(
            "nvmlDeviceGetCurrentClocksThrottleReasons")) {}
  NvmlReturn (*shutdown)();
  NvmlReturn (*clock)(NvmlDevice, unsigned, unsigned*);
  NvmlReturn (*power)(NvmlDevice, unsigned*);
  NvmlReturn (*fields)(NvmlDevice, int, FieldValue*);
  NvmlReturn (*temperature)(NvmlDevice, unsigned, unsigned*);
  NvmlReturn (*reasons)(NvmlDevice, unsigned long long*);
};

NvmlSummary summarise_nvml(std::span<const NvmlSample> samples) {
  constexpr std::uint64_t idle = 1;
  NvmlSummary summary;
  const auto keep = [](const std::optional<double>& value, std::vector<double>& to) {
    if (value) to.push_back(*value);
  };
  for (const NvmlSample& sample : samples) {
    keep(sample.sm_clock_hz, summary.sm_clock_hz);
    keep(sample.memory_clock_hz, summary.memory_clock_hz);
    keep(sample.power_w, summary.power_w);
    keep(sample.temperature_c, summary.temperature_c);
    if (sample.event_reasons) {
      summary.event_reasons = summary.event_reasons.value_or(0) | (*sample.event_reasons & ~idle);
    }
  }
  return summary;
}

Nvml::Nvml(const std::string& uuid) {
  const DynamicLibrary library = open_library({"libnvidia-ml.so.1"});
  const auto init = library.symbol<NvmlReturn (*)()>("nvmlInit_v2");
  const auto find = library.symbol<NvmlReturn (*)(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByUUID");
  functions_ = std::make_unique<Functions>(library);
  if (const NvmlReturn result = init(); result != 0) {
    throw UnavailableError(fmt::format("NVML does not start (error {})", result));
  }
  if (const NvmlReturn result = find(uuid.c_str(), &device_); result != 0) {
    if (functions_->shutdown) functions_->shutdown();
    throw UnavailableError(fmt::format("NVML does not know {} (error {})", uuid, result));
  }
}

Nvml::~Nvml() {
  if (functions_->shutdown) functions_->shutdown();
}

NvmlSample Nvml::sample() const {
  NvmlSample sample;
  const auto megahertz = [&](unsigned which) -> std::optional<double> {
    unsigned value = 0;
    if (!functions_->clock || functions_->clock(device_, which, &value) != 0) return std::nullopt;
    return value * 1e6;
  };
  sample.sm_clock_hz = megahertz(clock_sm);
  sample.memory_clock_hz = megahertz(clock_memory);
  FieldValue field{};
  field.field = field_power_instant;
  unsigned value = 0;
  if (functions_->fields && functions_->fields(device_, 1, &field) == 0 && field.result == 0) {
    sample.power_w = field.value.u32 * 1e-3;
  } else if (functions_->power && functions_->power(device_, &value) == 0) {
    sample.power_w = value * 1e-3;  // an average over up to a second
  }
  if (functions_->temperature && functions_->temperature(device_, sensor_gpu, &value) == 0)
    sample.temperature_c = value;
  unsigned long long reasons = 0;
  if (functions_->reasons && functions_->reasons(device_, &reasons) == 0) sample.event_reasons = reasons;
  return sample;
}

struct NvmlWatch::Thread {
  std::vector<NvmlSample> samples;
  std::jthread thread;
};

NvmlWatch::NvmlWatch(const Nvml& nvml) : thread_(std::make_unique<Thread>()) {
  thread_->thread = std::jthread([&nvml, this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      thread_->samples.push_back(nvml.sample());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
}

NvmlWatch::~NvmlWatch() = default;

std::vector<NvmlSample> NvmlWatch::stop() {
  thread_->thread.request_stop();
  if (thread_->thread.joinable()) thread_->thread.join();
  return std::move(thread_->samples);
}

}  // namespace tilecast
