#pragma once
// Runs probes in order and puts what they find into a profile. Knows no GPU: the caller says how to run one.

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/profile_assembly.hpp"

namespace tilecast {

// The probes of a comma-separated list ("latency,fma") in the order of `known`; all for an empty list. Throws
// InputError with the nearest name for one that is not known.
std::vector<const Probe*> select_probes(std::string_view list, std::span<const Probe> known);

struct Measurement {
  DeviceProfile profile;
  std::vector<ProbeOutcome> outcomes;
  std::vector<std::string> problems;  // what is missing and why; empty: complete
};

// What runs a probe; `known` is what the probes before it found.
using ProbeRunner = std::function<ProbeResult(const Probe& probe, const DeviceProfile& known)>;

// Probe by probe, on top of `profile`. A probe that throws leaves its reason among the problems and the
// others go on. Each one's duration is printed to `progress`.
Measurement run_probes(std::span<const Probe* const> selected, DeviceProfile profile, std::string_view date,
                       const ProbeRunner& run, std::ostream& progress);

}  // namespace tilecast
