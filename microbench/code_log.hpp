#pragma once
// The machine code that a probe loaded: its hash goes into the profile, and it is checked against what the
// probe declares (expected_code.hpp).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/code_record.hpp"
#include "kernels/launch_plan.hpp"

namespace tilecast {

struct LoadedCode {
  Specialisation code;
  std::vector<char> cubin;
  CodeRecord record;
};

using CodeLog = std::vector<LoadedCode>;

// One hash for all kernels of the log, whatever their order; empty for none.
std::string code_hash_of(const CodeLog& log);

struct CodeVerdict {
  std::string state;    // "as declared: 7 kernels", "not checked: nvdisasm was not found", ...
  std::string problem;  // the first kernel whose code is not what it declares; empty: none
};

// The verdict on each log. `nvdisasm`: the program, or nullopt where there is none; `jobs` at a time.
std::vector<CodeVerdict> examine_code(std::span<const CodeLog> logs,
                                      const std::optional<std::string>& nvdisasm, int jobs);

}  // namespace tilecast
