#include "kernels/sass/fold_trace.hpp"

#include <algorithm>

namespace tilecast::sass {

void TraceFolder::push(int token) {
  items_.push_back(2 * token);
  while (fold_once()) {
  }
}

int TraceFolder::loop_item(std::vector<int> body, std::int64_t trips) {
  const auto [entry, is_new] = known_.try_emplace({body, trips}, static_cast<int>(loops_.size()));
  if (is_new) loops_.push_back({std::move(body), trips});
  return 2 * entry->second + 1;
}

// The last items are the body of the loop in front of them, or the same as those in front of them.
bool TraceFolder::fold_once() {
  const auto size = static_cast<std::ptrdiff_t>(items_.size());
  for (std::ptrdiff_t n = 1; n <= longest_ && n < size; ++n) {
    const auto tail = items_.end() - n;
    const int before = *(tail - 1);
    if (before % 2 == 1) {
      const Loop loop = loops_[static_cast<std::size_t>(before / 2)];
      if (std::equal(tail, items_.end(), loop.body.begin(), loop.body.end())) {
        items_.erase(tail, items_.end());
        items_.back() = loop_item(loop.body, loop.trips + 1);
        return true;
      }
    }
    if (2 * n <= size && std::equal(tail, items_.end(), tail - n)) {
      const std::vector<int> body(tail, items_.end());
      items_.erase(items_.end() - 2 * n, items_.end());
      items_.push_back(loop_item(body, 2));
      return true;
    }
  }
  return false;
}

std::vector<FoldedItem> TraceFolder::expand(const std::vector<int>& items) const {
  std::vector<FoldedItem> out;
  for (const int item : items) {
    if (item % 2 == 0) {
      out.push_back({item / 2, {}, 1});
    } else {
      const auto& loop = loops_[static_cast<std::size_t>(item / 2)];
      out.push_back({0, expand(loop.body), loop.trips});
    }
  }
  return out;
}

}  // namespace tilecast::sass
