#pragma once
// A microbenchmark: one question, one file, one line in probes.cpp. It returns values and curves under the
// keys of the device profile (model/device/parameters.cpp), each with its samples, or the reason for having
// none. What has another key is kept in the raw samples only. The reduction of samples to values is host code
// (microbench/reduction.hpp), tested without a GPU.

#include <atomic>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/runtime/gpu.hpp"
#include "microbench/code_log.hpp"
#include "model/device/device_profile.hpp"

namespace tilecast {

struct ProbeContext {
  Gpu& gpu;
  bool quick = false;                       // fewer points and repeats
  const DeviceProfile& known;               // what earlier probes of this run found
  CodeLog* code = nullptr;                  // load_probe() notes here what it loaded
  const std::atomic<bool>* stop = nullptr;  // set by an interrupt: the next launch throws Interrupted
  std::optional<std::size_t>
      memory_limit;  // bytes of device memory to use at most; nothing: all that is free
};

// Ends a probe whose run was interrupted; what the probes before it found is kept.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

struct ProbeValue {
  std::string key;                         // profile key, e.g. "dram_latency_cycles"
  std::string method;                      // one line: how it was measured
  std::vector<double> samples;             // base units
  SourceKind kind = SourceKind::measured;  // `method` is the source where it is not
};

struct ProbeCurve {
  std::string key;  // e.g. "latency_over_footprint"
  std::string method;
  std::vector<double> x;
  std::vector<std::vector<double>> samples;  // samples[i] belong to x[i]
};

struct ProbeTable {
  std::string key;
  std::string method;
  std::vector<double> rows, columns;
  std::vector<std::vector<double>> samples;  // samples[i * columns.size() + j] belong to rows[i], columns[j]
};

struct ProbeResult {
  std::vector<ProbeValue> values;
  std::vector<ProbeCurve> curves;
  std::vector<ProbeTable> tables;
  std::string reason;  // why it, or a part of it, could not be measured; empty when all of it was
};

// One more reason for what is missing.
inline void add_reason(ProbeResult& result, const std::string& reason) {
  if (reason.empty()) return;
  result.reason += (result.reason.empty() ? "" : "; ") + reason;
}

struct Probe {
  std::string_view name;               // measure --only NAME
  std::string_view question;           // what it answers, one line
  std::vector<std::string_view> keys;  // profile keys it fills
  ProbeResult (*run)(const ProbeContext&);
};

// In the order they run: later ones may read what earlier ones found.
std::span<const Probe> probes();

}  // namespace tilecast
