#pragma once
// Published mistakes of microbenchmarks, injected on purpose: each must be caught, by name, by what guards a
// profile. A guard that nothing trips is no guard.

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/probes/params.hpp"
#include "microbench/profile_assembly.hpp"

namespace tilecast {

// All that a run leaves behind for guards to look at.
struct Evidence {
  std::vector<ProbeOutcome> outcomes;  // assembled into the profile that the checks judge
  std::string gpu_name;
  int compute_capability_major = 9, compute_capability_minor = 0;
  std::vector<WarpRecord> records;  // of one kernel that was to have `warps_per_sm` warps on each of `sms`
  int sms = 0, warps_per_sm = 0;
  Specialisation code;  // one kernel and its listing
  std::string listing;
  void (*tamper)(DeviceProfile&) = nullptr;  // with the assembled profile: what assembly itself gets right
};

// A made-up GPU measured without a mistake; nothing may object to it.
Evidence sound_evidence();

// Names of the guards that object: checks of model/device/check.cpp, "spread" (warps over SMs),
// "machine-code", "reference" (published values), "unusable" (samples or tables that assembly refuses).
std::vector<std::string> objections(const Evidence& evidence);

struct Mistake {
  std::string_view name;
  std::string_view published;  // who made it
  std::string_view expected;   // the guard that must object
  void (*inject)(Evidence&);
};

std::span<const Mistake> mistakes();

struct SelfTestResult {
  std::string mistake, published, expected;
  std::string caught_by;  // all guards that objected
  bool passed = false;
};

// First "none": the sound evidence, which must not be objected to; then every mistake.
std::vector<SelfTestResult> self_test();

// The judgement of one: passed when `expected` is among `caught_by`; with an empty `expected`, when nothing
// is.
SelfTestResult judged(std::string_view mistake, std::string_view published, std::string_view expected,
                      const std::vector<std::string>& caught_by);

// Probes that are wrong on purpose, on GPU `index`, and the same done right. In tilecast_probes.
std::vector<SelfTestResult> self_test_on_gpu(int index, std::ostream& progress);

}  // namespace tilecast
