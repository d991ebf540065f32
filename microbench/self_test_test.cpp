#include "microbench/self_test.hpp"

#include <algorithm>
#include <set>

#include "model/device/check.hpp"
#include "tests/catch.hpp"

namespace tilecast {

TEST_CASE("self-test: nothing objects to a sound measurement") {
  for (const auto& objection : objections(sound_evidence()))
    UNSCOPED_INFO(objection);
  CHECK(objections(sound_evidence()).empty());
}

TEST_CASE("self-test: each published mistake is caught by the guard that is for it") {
  const auto results = self_test();
  REQUIRE(results.size() == mistakes().size() + 1);
  for (const auto& result : results) {
    INFO(result.mistake << ": expected '" << result.expected << "', caught by '" << result.caught_by << "'");
    CHECK(result.passed);
  }
}

TEST_CASE("self-test: every expected guard exists, and every mistake has a name of its own") {
  std::set<std::string_view> guards = {"spread", "machine-code", "reference", "unusable"}, names;
  for (const auto& check : device_checks())
    guards.insert(check.name);
  for (const auto& mistake : mistakes()) {
    CHECK(guards.count(mistake.expected) == 1);
    CHECK(names.insert(mistake.name).second);
    CHECK_FALSE(mistake.published.empty());
  }
}

TEST_CASE("self-test: a mistake that nothing catches fails") {
  CHECK_FALSE(judged("x", "y", "dram-peak", {"slope"}).passed);
  CHECK(judged("x", "y", "dram-peak", {"dram-peak", "slope"}).passed);
  CHECK_FALSE(judged("none", "", "", {"slope"}).passed);
  CHECK(judged("none", "", "", {}).passed);
}

}  // namespace tilecast
