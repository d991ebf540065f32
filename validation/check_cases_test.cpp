#include "validation/check_cases.hpp"

#include <set>

#include "model/device/load.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("check_cases: every family has cases, and most of them run on a large GPU", "[work]") {
  const auto device = load_device("h100");
  for (const auto& family : kernel_families()) {
    const KernelFamily* const one[] = {&family};
    const auto cases = check_cases(one);
    CHECK(cases.size() >= 10);
    std::size_t runs = 0;
    std::set<std::int64_t> sizes;
    for (const auto& c : cases) {
      CAPTURE(describe_shape(c.shape), describe_config(c.config));
      CHECK(shape_problem(c.shape) == "");
      CHECK_FALSE(family.supports(c.shape));
      runs += !family.feasible(c.shape, c.config, device);
      sizes.insert(c.shape.K);
    }
    CHECK(4 * runs >= 3 * cases.size());
    // Of filters up to 7 x 7, each that the family does.
    for (const std::int64_t k : {1, 3, 5, 7}) {
      CAPTURE(family.name, k);
      CHECK(sizes.contains(k) == !family.supports({.C = 1, .H = 28, .W = 28, .M = 8, .K = k}));
    }
  }
  KernelFamily unknown = kernel_families()[0];
  unknown.name = "unknown";
  const KernelFamily* const none[] = {&unknown};
  CHECK_THROWS_WITH(check_cases(none), "no test cases of the family 'unknown'");
}
