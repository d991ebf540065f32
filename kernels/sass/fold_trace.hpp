#pragma once
// A long sequence of numbers with its repetitions folded: 1 2 3 2 3 2 3 4 becomes 1, 3 x (2 3), 4.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tilecast::sass {

struct FoldedItem {
  int token = 0;  // when `body` is empty
  std::vector<FoldedItem> body;
  std::int64_t trips = 1;
};

// Greedy, from the front, bodies of at most `longest` items; nested. Keeps the order exactly.
class TraceFolder {
 public:
  explicit TraceFolder(int longest = 64) : longest_(longest) {}

  void push(int token);
  std::vector<FoldedItem> folded() const { return expand(items_); }

 private:
  struct Loop {
    std::vector<int> body;  // item numbers
    std::int64_t trips = 1;
  };
  // Items are numbers: tokens are 2 t, loops 2 i + 1, equal where they are equal.
  int loop_item(std::vector<int> body, std::int64_t trips);
  bool fold_once();
  std::vector<FoldedItem> expand(const std::vector<int>& items) const;

  int longest_;
  std::vector<int> items_;
  std::vector<Loop> loops_;
  std::map<std::pair<std::vector<int>, std::int64_t>, int> known_;
};

}  // namespace tilecast::sass
