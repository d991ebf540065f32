#include "microbench/code_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "kernels/runtime/hash.hpp"
#include "microbench/disassembly.hpp"
#include "microbench/expected_code.hpp"

namespace tilecast {

namespace {

struct Examined {
  bool counted = false;
  std::string problem;  // of the code
  std::string failure;  // why it could not be looked at
};

Examined examine(const LoadedCode& loaded, const std::string& nvdisasm) {
  const ExpectedCode* expected = find_expected_code(loaded.code.source, loaded.code.entry);
  if (!expected || !expected->loops) return {};
  try {
    return {true, code_problem(loaded.code, *expected, disassemble(nvdisasm, loaded.cubin)), ""};
  } catch (const std::exception& error) {
    return {false, "", error.what()};
  }
}

}  // namespace

std::string code_hash_of(const CodeLog& log) {
  std::set<std::string> hashes;
  for (const auto& loaded : log)
    hashes.insert(loaded.record.code_hash);
  if (hashes.empty()) return "";
  Fnv1a all;
  for (const auto& hash : hashes)
    all.add_field(hash);
  return fmt::format("{:016x}", all.value());
}

std::vector<CodeVerdict> examine_code(std::span<const CodeLog> logs,
                                      const std::optional<std::string>& nvdisasm, int jobs) {
  // Kernels that several probes share are looked at once. The hash is of the code, not of its entry.
  const auto key_of = [](const LoadedCode& loaded) {
    return fmt::format("{}:{} {}", loaded.code.source, loaded.code.entry, loaded.record.code_hash);
  };
  std::map<std::string, std::pair<const LoadedCode*, Examined>> kernels;
  for (const auto& log : logs) {
    for (const auto& loaded : log)
      kernels.emplace(key_of(loaded), std::pair(&loaded, Examined{}));
  }
  if (nvdisasm) {
    std::vector<std::pair<const LoadedCode*, Examined>*> work;
    for (auto& [key, kernel] : kernels)
      work.push_back(&kernel);
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> workers;
    for (int j = 0; j < std::max(jobs, 1); ++j) {
      workers.emplace_back([&] {
        for (std::size_t i = next++; i < work.size(); i = next++)
          work[i]->second = examine(*work[i]->first, *nvdisasm);
      });
    }
  }
  std::vector<CodeVerdict> verdicts;
  for (const auto& log : logs) {
    CodeVerdict verdict;
    std::set<std::string> seen;
    int counted = 0, without_loop = 0;
    std::string undeclared, failure;
    for (const auto& loaded : log) {
      if (!seen.insert(key_of(loaded)).second) continue;
      const Examined& found = kernels.at(key_of(loaded)).second;
      const ExpectedCode* expected = find_expected_code(loaded.code.source, loaded.code.entry);
      if (!expected) {
        undeclared += fmt::format("{}{}", undeclared.empty() ? "" : ", ", loaded.code.entry);
      } else if (!expected->loops) {
        ++without_loop;
      }
      if (found.counted) ++counted;
      if (verdict.problem.empty()) verdict.problem = found.problem;
      if (failure.empty()) failure = found.failure;
    }
    if (log.empty()) {
      verdict.state = "no machine code";
    } else if (!nvdisasm) {
      verdict.state = "not checked: nvdisasm was not found";
    } else if (!verdict.problem.empty()) {
      verdict.state = "not as declared: " + verdict.problem;
    } else {
      verdict.state = fmt::format("as declared: {} kernels, {} without a timed loop", counted, without_loop);
      if (!undeclared.empty()) verdict.state += "; not declared: " + undeclared;
      if (!failure.empty()) verdict.state += "; not checked: " + failure;
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace tilecast
