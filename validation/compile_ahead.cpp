#include "validation/compile_ahead.hpp"

#include <algorithm>
#include <exception>

namespace tilecast {

CompileAhead::CompileAhead(std::span<const Specialisation> codes, std::span<const EmbeddedFile> sources,
                           Architecture target, int jobs)
    : sources_(sources), target_(target) {
  for (const auto& code : codes) {
    if (index_.emplace(code.key(), codes_.size()).second) codes_.push_back(code);
  }
  outcomes_.resize(codes_.size());
  ready_.resize(codes_.size(), 0);
  for (int i = 0; i < std::max(1, jobs); ++i)
    threads_.emplace_back([this] { work(); });
}

CompileAhead::~CompileAhead() {
  const std::scoped_lock lock(mutex_);
  stop_ = true;
}

const CompileOutcome& CompileAhead::get(const Specialisation& code) {
  const auto i = index_.at(code.key());
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ready_[i] != 0; });
  return outcomes_[i];
}

void CompileAhead::work() {
  while (true) {
    std::size_t i = 0;
    {
      const std::scoped_lock lock(mutex_);
      if (stop_ || next_ == codes_.size()) return;
      i = next_++;
    }
    CompileOutcome outcome;
    try {
      outcome.code = compile(codes_[i], sources_, target_);
    } catch (const std::exception& error) {
      outcome.problem = error.what();
    }
    {
      const std::scoped_lock lock(mutex_);
      outcomes_[i] = std::move(outcome);
      ready_[i] = 1;
    }
    changed_.notify_all();
  }
}

}  // namespace tilecast
