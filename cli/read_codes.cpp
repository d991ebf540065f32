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

std::vector<CompileOutcome> compile_codes(const std::vector<Specialisation>& codes,
                                          const DeviceProfile& device, int jobs,
                                          const std::function<void(std::size_t)>& progress) {
  const Architecture target{device.compute_capability_major, device.compute_capability_minor};
  return compile_all(codes, kernel_sources(), target, jobs, progress);
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

std::vector<CompileOutcome> compile_codes(const std::vector<Specialisation>& codes, const DeviceProfile&, int,
                                          const std::function<void(std::size_t)>&) {
  throw UnavailableError(
      fmt::format(
          "{} kernels are to be compiled, and this tilecast was built without the CUDA toolkit's headers",
          codes.size()),
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

void ReadCodes::read(const std::vector<CodeLaunch>& launches) {
  const auto todo = unread(launches);
  if (todo.empty()) return;
  try {
    compile_and_read(todo);
  } catch (const UnavailableError& error) {
    const bool all_have_records =
        std::ranges::all_of(todo, [&](const auto& one) { return known_.contains(one.first); });
    if (!all_have_records) throw;
    err_ << fmt::format(
        "{}: {} kernels are counted by other launches of their code, whose loops go round more or less "
        "often, their own cannot be read: {}\n",
        command_, todo.size(), error.what());
  }
}

std::map<std::string, ReadCodes::Launches> ReadCodes::unread(const std::vector<CodeLaunch>& launches) {
  std::map<std::string, Launches> by_key;
  for (const auto& launch : launches)
    by_key[launch.plan.code.key()].push_back(&launch);
  std::map<std::string, Launches> todo;
  for (auto& [key, of_key] : by_key) {
    if (const auto* record = committed_.find(key)) known_.try_emplace(key, *record);
    const auto known = known_.find(key);
    const LaunchMixes* mixes = nullptr;
    if (known != known_.end()) {
      if (!known->second || !known->second->mixes) continue;  // cannot be compiled, or read
      mixes = known->second->mixes;
    }
    auto missing = new_launches(std::move(of_key), mixes);
    if (!missing.empty()) todo.emplace(key, std::move(missing));
  }
  return todo;
}

void ReadCodes::compile_and_read(const std::map<std::string, Launches>& unread) {
  const auto here = compiler_version();
  if (!compiler_.empty() && !here.empty() && compiler_ != here) {
    throw UnavailableError(fmt::format("{}: {} kernels have no committed code, which is of {}; here is {}",
                                       command_, unread.size(), compiler_, here),
                           "use that compiler (TILECAST_LIBRARY_PATH), or commit records by another "
                           "('tilecast compile')");
  }
  std::vector<Specialisation> codes;
  for (const auto& [_, launches] : unread)
    codes.push_back(launches.front()->plan.code);
  const auto outcomes = compile_codes(codes, device_, jobs_, [&](std::size_t done) {
    const std::size_t step = std::max<std::size_t>(codes.size() / 10, 20);
    if (done % step == 0 || done == codes.size())
      err_ << fmt::format("{}: compiled {} of {}\n", command_, done, codes.size());
  });
  compiler_ = here;
  std::vector<MixTask> tasks;
  std::size_t i = 0;
  for (const auto& [key, launches] : unread) {
    const auto& outcome = outcomes[i++];
    if (!outcome.code) {
      err_ << fmt::format("skipped: {}: {}\n", key, outcome.problem);
      continue;
    }
    const auto& hash = outcome.code->record.code_hash;
    for (const auto* launch : launches)
      tasks.push_back(mix_task(*launch, outcome.code->cubin, outcome.code->record, device_));
    const auto known = known_.find(key);
    if (mixes_.find(hash) || known == known_.end() || known->second->code_hash != hash) continue;
    for (const auto& mix : known->second->mixes->all())
      mixes_.add(hash, mix);
  }
  for (const auto& problem : add_mixes(mixes_, tasks, jobs_, {}))
    err_ << fmt::format("{}: counted by the family's formulas: {}\n", command_, problem);
  i = 0;
  for (const auto& [key, _] : unread) {
    auto& known = known_[key];
    known.reset();
    if (const auto& outcome = outcomes[i++]; outcome.code) {
      known = outcome.code->record;
      known->mixes = mixes_.find(known->code_hash);
    }
  }
}

const CodeRecord* ReadCodes::find(const std::string& key) const {
  const auto found = known_.find(key);
  return found == known_.end() || !found->second ? nullptr : &*found->second;
}

}  // namespace tilecast
