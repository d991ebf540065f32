#pragma once
// The mixes of compiled code (kernels/code_mix.hpp), many at a time: each is disassembled and executed on
// paper.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/code_mix.hpp"
#include "kernels/launch_plan.hpp"

namespace tilecast {

struct MixTask {
  const LaunchPlan* plan = nullptr;  // of one launch of the code
  std::span<const char> cubin;
  std::string code_hash;
};

// Adds to `mixes`, `jobs` tasks at a time; what could not be read is returned, as "key: why". `progress` is
// called after each task, by one thread at a time. Throws UnavailableError where there is no nvdisasm.
std::vector<std::string> add_mixes(CodeMixes& mixes, std::span<const MixTask> tasks, int jobs,
                                   const std::function<void(std::size_t done)>& progress);

}  // namespace tilecast
