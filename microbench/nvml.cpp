#include "microbench/nvml.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "model/support/errors.hpp"

namespace tilecast {

namespace {

using Device = NvmlFunctions::Device;

constexpr unsigned clock_sm = 1, clock_memory = 2, sensor_gpu = 0;
constexpr unsigned field_power_instant = 186;  // mW, NVML_FI_DEV_POWER_INSTANT

// What `function` writes to its last argument; nothing where it is missing or refuses.
template <class T, class Function, class... Arguments>
std::optional<T> ask(Function function, Device device, Arguments... arguments) {
  T value{};
  if (!function || function(device, arguments..., &value) != 0) return std::nullopt;
  return value;
}

template <class Function>
std::optional<bool> mode(Function function, Device device) {
  unsigned current = 0, pending = 0;
  if (!function || function(device, &current, &pending) != 0) return std::nullopt;
  return current != 0;
}

std::optional<double> scaled(std::optional<unsigned> value, double by) {
  if (!value) return std::nullopt;
  return *value * by;
}

}  // namespace

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

GpuState state_of(const NvmlSample& sample) {
  GpuState state;
  state.memory_clock_hz = sample.memory_clock_hz;
  state.power_w = sample.power_w;
  state.temperature_c = sample.temperature_c;
  if (sample.event_reasons) state.throttled = throttle_reasons(*sample.event_reasons);
  return state;
}

Nvml::Nvml(const NvmlFunctions& functions, const std::string& uuid) : functions_(functions) {
  if (const auto result = functions_.init(); result != 0)
    throw UnavailableError(fmt::format("NVML does not start (error {})", result));
  auto result = functions_.handle_by_uuid(uuid.c_str(), &device_);
  if (result != 0 && uuid.starts_with("GPU-")) {
    // CUDA names a MIG slice as it does a GPU, NVML does not. A slice has neither clocks nor power of its
    // own.
    Device slice = nullptr;
    if (functions_.handle_by_uuid(("MIG-" + uuid.substr(4)).c_str(), &slice) == 0) {
      slice_ = true;
      if (functions_.parent_of_slice) result = functions_.parent_of_slice(slice, &device_);
    }
  }
  if (result != 0) {
    functions_.shutdown();
    throw UnavailableError(fmt::format("NVML does not know {} (error {})", uuid, result));
  }
  started_ = true;
}

Nvml::Nvml(Nvml&& other) noexcept
    : functions_(other.functions_),
      device_(other.device_),
      slice_(other.slice_),
      started_(std::exchange(other.started_, false)) {}

Nvml::~Nvml() {
  if (started_) functions_.shutdown();
}

NvmlSample Nvml::sample() const {
  NvmlSample sample;
  sample.sm_clock_hz = scaled(ask<unsigned>(functions_.clock, device_, clock_sm), 1e6);
  sample.memory_clock_hz = scaled(ask<unsigned>(functions_.clock, device_, clock_memory), 1e6);
  NvmlFunctions::FieldValue field{};
  field.field = field_power_instant;
  if (functions_.fields && functions_.fields(device_, 1, &field) == 0 && field.result == 0) {
    sample.power_w = field.value.u32 * 1e-3;
  } else {
    sample.power_w = scaled(ask<unsigned>(functions_.power, device_), 1e-3);
  }
  sample.temperature_c = scaled(ask<unsigned>(functions_.temperature, device_, sensor_gpu), 1);
  if (const auto bits = ask<unsigned long long>(functions_.event_reasons, device_))
    sample.event_reasons = *bits;
  return sample;
}

Conditions Nvml::conditions() const {
  Conditions conditions;
  if (const auto pci = ask<NvmlFunctions::PciInfo>(functions_.pci, device_))
    conditions.pci_id = fmt::format("{:04x}:{:04x}", pci->pci_device_id & 0xffff, pci->pci_device_id >> 16);
  conditions.ecc = mode(functions_.ecc, device_);
  conditions.mig = slice_ ? std::optional(true) : mode(functions_.mig, device_);
  conditions.power_limit_w = scaled(ask<unsigned>(functions_.power_limit, device_), 1e-3);
  if (conditions.mig.value_or(false)) {
    conditions.warnings.push_back(
        "MIG is on: SMs, L2 and memory are those of a slice; clocks and power are those of the whole GPU, "
        "the "
        "neighbours' load is not seen");
  }
  constexpr unsigned most = 64;
  NvmlFunctions::ProcessInfo list[most];
  unsigned count = most;
  const bool counted = functions_.processes && functions_.processes(device_, &count, list) == 0;
  const auto utilization = ask<NvmlFunctions::Utilization>(functions_.utilization, device_);
  for (auto& warning :
       neighbour_warnings(counted ? std::optional(static_cast<int>(count)) : std::nullopt,
                          utilization ? std::optional(static_cast<int>(utilization->gpu)) : std::nullopt))
    conditions.warnings.push_back(std::move(warning));
  return conditions;
}

Conditions conditions_without_nvml(const std::string& why) {
  Conditions conditions;
  conditions.warnings.push_back(fmt::format(
      "NVML: {}: reasons for a lower clock, power, memory clock, ECC, MIG and other processes are "
      "unknown",
      why));
  return conditions;
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
