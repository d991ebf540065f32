#include "kernels/sass/fold_trace.hpp"

#include "tests/catch.hpp"

using namespace tilecast::sass;

namespace {

std::vector<FoldedItem> fold(const std::vector<int>& tokens) {
  TraceFolder folder;
  for (const int t : tokens)
    folder.push(t);
  return folder.folded();
}

void unfold(const std::vector<FoldedItem>& items, std::vector<int>& out) {
  for (const auto& item : items) {
    if (item.body.empty()) {
      out.push_back(item.token);
    } else {
      for (std::int64_t t = 0; t < item.trips; ++t)
        unfold(item.body, out);
    }
  }
}

}  // namespace

TEST_CASE("fold: a loop between what comes before and after it", "[sass]") {
  const auto folded = fold({1, 2, 3, 2, 3, 2, 3, 4});
  REQUIRE(folded.size() == 3);
  CHECK(folded[0].token == 1);
  CHECK(folded[1].trips == 3);
  CHECK(folded[1].body.size() == 2);
  CHECK(folded[2].token == 4);
}

TEST_CASE("fold: loops in loops", "[sass]") {
  std::vector<int> tokens;
  for (int outer = 0; outer < 100; ++outer) {
    tokens.push_back(1);
    for (int inner = 0; inner < 5; ++inner)
      tokens.push_back(2);
    tokens.push_back(3);
  }
  const auto folded = fold(tokens);
  REQUIRE(folded.size() == 1);
  CHECK(folded[0].trips == 100);
  REQUIRE(folded[0].body.size() == 3);
  CHECK(folded[0].body[1].trips == 5);
}

TEST_CASE("fold: the order is kept exactly, whatever it is", "[sass]") {
  unsigned state = 1;
  for (int run = 0; run < 50; ++run) {
    std::vector<int> tokens, back;
    for (int i = 0; i < 300; ++i) {
      state = state * 1664525U + 1013904223U;
      tokens.push_back(static_cast<int>(state >> 24) % 3);
    }
    unfold(fold(tokens), back);
    CHECK(back == tokens);
  }
}
