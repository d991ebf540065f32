#include "cli/read_codes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "cli/code_mixes.hpp"
#include "model/support/errors.hpp"
#ifdef TILECAST_WITH_CUDA
#  include "kernels/runtime/compile.hpp"
#endif

namespace tilecast {
namespace {

#ifdef TILECAST_WITH_CUDA

std::vector<CompileOutcome> compile_plans(const std::map<std::string, const LaunchPlan*>& plans,
                                          const DeviceProfile& device, int jobs,
                                          const std::function<void(std::size_t)>& progress) {
  std::vector<Specialisation> list;
  for (const auto& [_, plan] : plans)
    list.push_back(plan->code);
  const Architecture target{device.compute_capability_major, device.compute_capability_minor};
  return compile_all(list, kernel_sources(), target, jobs, progress);
}

#else

struct CompiledCode {
  std::vector<char> cubin;
  CodeRecord record;
};
struct CompileOutcome {
  std::optional<CompiledCode> code;
  std::string problem;
};

std::string compiler_version() {
  return {};
}

std::vector<CompileOutcome> compile_plans(const std::map<std::string, const LaunchPlan*>& plans,
                                          const DeviceProfile&, int,
                                          const std::function<void(std::size_t)>&) {
  throw UnavailableError(
      fmt::format("{} kernels have no committed code record, and this tilecast was built without the CUDA "
                  "toolkit's headers",
                  plans.size()),
      "install the CUDA toolkit 12 or later and build again");
}

#endif

}  // namespace

ReadCodes::ReadCodes(const DeviceProfile& device, std::string command, int jobs, std::ostream& err)
    : device_(device),
      command_(std::move(command)),
      jobs_(jobs),
      err_(err),
      committed_(committed_code_records(device.compute_capability_major, device.compute_capability_minor)),
      compiler_(committed_.all().empty() ? "" : committed_.compiler) {}

void ReadCodes::read(const std::vector<LaunchPlan>& plans) {
  std::map<std::string, const LaunchPlan*> missing;
  for (const auto& plan : plans) {
    auto key = plan.code.key();
    if (known_.contains(key)) continue;
    if (const auto* record = committed_.find(key))
      known_.emplace(std::move(key), record);
    else
      missing.emplace(std::move(key), &plan);
  }
  if (missing.empty()) return;
  const auto here = compiler_version();
  if (!compiler_.empty() && !here.empty() && compiler_ != here) {
    throw UnavailableError(fmt::format("{}: {} kernels have no committed code, which is of {}; here is {}",
                                       command_, missing.size(), compiler_, here),
                           "use that compiler (TILECAST_LIBRARY_PATH), or commit records by another "
                           "('tilecast compile')");
  }
  compiler_ = here;
  const auto outcomes = compile_plans(missing, device_, jobs_, [&](std::size_t done) {
    const std::size_t step = std::max<std::size_t>(missing.size() / 10, 20);
    if (done % step == 0 || done == missing.size())
      err_ << fmt::format("{}: compiled {} of {}\n", command_, done, missing.size());
  });
  std::vector<MixTask> tasks;
  std::size_t i = 0;
  for (const auto& [key, plan] : missing) {
    const auto& outcome = outcomes[i++];
    if (outcome.code)
      tasks.push_back({plan, outcome.code->cubin, outcome.code->record.code_hash});
    else
      err_ << fmt::format("skipped: {}: {}\n", key, outcome.problem);
  }
  for (const auto& problem : add_mixes(mixes_, tasks, jobs_, {}))
    err_ << fmt::format("{}: counted by the family's formulas: {}\n", command_, problem);
  i = 0;
  for (const auto& [key, _] : missing) {
    const auto& outcome = outcomes[i++];
    const CodeRecord* known = nullptr;
    if (outcome.code) {
      auto& record = compiled_[key] = outcome.code->record;
      record.mix = mixes_.find(record.code_hash);
      known = &record;
    }
    known_.emplace(key, known);
  }
}

const CodeRecord* ReadCodes::find(const std::string& key) const {
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : found->second;
}

}  // namespace tilecast
