#pragma once
// Compiles in the background what a run will need, in the order of need, so that the GPU does not wait.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "kernels/runtime/compile.hpp"

namespace tilecast {

class CompileAhead {
 public:
  // `codes` may repeat; each is compiled once. Starts `jobs` threads (at least one).
  CompileAhead(std::span<const Specialisation> codes, std::span<const EmbeddedFile> sources,
               Architecture target, int jobs);
  ~CompileAhead();  // what is being compiled is finished, the rest is dropped
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;
  std::size_t size() const { return codes_.size(); }
  // Waits until `code`, one of those given, is compiled. Valid until this object ends.
  const CompileOutcome& get(const Specialisation& code);

 private:
  void work();
  std::vector<Specialisation> codes_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<CompileOutcome> outcomes_;
  std::vector<char> ready_;
  std::span<const EmbeddedFile> sources_;
  Architecture target_;
  std::size_t next_ = 0;
  bool stop_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::jthread> threads_;  // last: they end before what they use
};

}  // namespace tilecast
