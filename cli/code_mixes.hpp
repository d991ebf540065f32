#pragma once
// The mixes of compiled code (kernels/code_mix.hpp), many at a time: each is disassembled and executed on
// paper.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/code_mix.hpp"
#include "kernels/code_record.hpp"
#include "kernels/family.hpp"
#include "kernels/launch_plan.hpp"
#include "kernels/sass/l1_hits.hpp"
#include "model/sim/l1_half.hpp"

namespace tilecast {

// A launch of some code, and the multiply-adds of one of its threads, on average: by these its mix is found.
struct CodeLaunch {
  LaunchPlan plan;
  double thread_fmas = 0;
};
CodeLaunch code_launch(const KernelFamily& family, const ConvShape& shape, const Config& config,
                       const DeviceProfile& device);

// Of launches of one code those that nothing of is known (nullptr: of none), one of each number of
// multiply-adds, those whose threads do most first.
std::vector<const CodeLaunch*> new_launches(std::vector<const CodeLaunch*> launches,
                                            const LaunchMixes* known);

struct MixTask {
  const LaunchPlan* plan = nullptr;  // of one launch of the code
  std::span<const char> cubin;
  std::string code_hash;
  double thread_fmas = 0;
  std::int64_t resident = 1;  // blocks that an SM holds at once
  sass::L1Room l1;            // S15
  sim::InL1Half in_l1_half;   // S4
};
MixTask mix_task(const CodeLaunch& launch, std::span<const char> cubin, const CodeRecord& record,
                 const DeviceProfile& device);

// Adds to `mixes`, `jobs` tasks at a time; what could not be read is returned, as "key: why". `progress` is
// called after each task, by one thread at a time. Throws UnavailableError where there is no nvdisasm.
std::vector<std::string> add_mixes(CodeMixes& mixes, std::span<const MixTask> tasks, int jobs,
                                   const std::function<void(std::size_t done)>& progress);

}  // namespace tilecast
