#include "model/support/nearest.hpp"

#include <vector>

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("edit_distance: one substitution, one insertion, empty", "[support]") {
  CHECK(edit_distance("h100", "h200") == 1);
  CHECK(edit_distance("a10", "a100") == 1);
  CHECK(edit_distance("", "abc") == 3);
}

TEST_CASE("nearest_hint: a near miss is named, a far one lists what is known", "[support]") {
  const std::vector<std::string> known{"a100", "h200", "gtx-1080-ti"};
  CHECK(nearest_hint("gtx-1080ti", known) == "did you mean 'gtx-1080-ti'?");
  CHECK(nearest_hint("zzzzzzzzzz", known) == "known: a100, h200, gtx-1080-ti");
  const std::vector<std::string> many(272, "layer");
  const auto hint = nearest_hint("zzzzzzzzzz", many);
  CHECK(hint.starts_with("known: layer, layer, "));
  CHECK(hint.ends_with(", layer and 232 more"));
}
