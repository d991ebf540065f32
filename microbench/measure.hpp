#pragma once
// Runs probes in order and puts what they find into a profile. Knows no GPU: the caller says how to run one.

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/gpu_state.hpp"
#include "microbench/profile_assembly.hpp"

namespace tilecast {

// The probes of a comma-separated list ("latency,fma") in the order of `known`; all for an empty list. Throws
// InputError with the nearest name for one that is not known.
std::vector<const Probe*> select_probes(std::string_view list, std::span<const Probe> known);

struct Measurement {
  DeviceProfile profile;
  std::vector<ProbeOutcome> outcomes;
  std::vector<std::string> problems;  // what is missing and why; empty: complete
  bool interrupted = false;
};

// What runs a probe; `known` is what the probes before it found, `code` takes note of what it loads.
using ProbeRunner = std::function<ProbeResult(const Probe& probe, const DeviceProfile& known, CodeLog& code)>;

// How to run probes. Whatever is empty is left out: no states, no times, no look at machine code.
struct ProbeSession {
  ProbeRunner run;
  bool quick = false;
  std::function<std::string()> now;                                           // "2026-11-21T10:20:30Z"
  std::function<GpuState()> state;                                            // before and after each probe
  std::function<std::vector<CodeVerdict>(std::span<const CodeLog>)> examine;  // once, after the last probe
  std::function<void(const Measurement&)> after_each;                         // to keep what there is
};

// Probe by probe, on top of `profile`. A probe that throws leaves its reason among the problems and the
// others go on; Interrupted ends the run, and what was measured stays. A probe whose machine code is not what
// it declares is withdrawn with all its values. Each one's duration is printed to `progress`.
Measurement run_probes(std::span<const Probe* const> selected, const DeviceProfile& profile,
                       const ProbeSession& session, std::ostream& progress);

// What casts doubt on a measurement without making it impossible, for people: a clock held down during a
// probe, an interval wider than `wide` of its value (another load on the GPU shows there first).
std::vector<std::string> doubts(const DeviceProfile& profile, double wide = 0.10);

}  // namespace tilecast
