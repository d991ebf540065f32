#include <set>

#include "kernels/family.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("families: each has a name of its own, a summary and all its functions") {
  std::set<std::string_view> names;
  for (const auto& family : kernel_families()) {
    INFO(family.name);
    CHECK(names.insert(family.name).second);
    CHECK(!family.summary.empty());
    CHECK((family.supports && family.configs && family.feasible && family.plan && family.describe));
    CHECK(&family_by_name(family.name) == &family);
  }
}

TEST_CASE("families: an unknown name is a usage error that quotes it") {
  CHECK_THROWS_AS(family_by_name("chang_mulit"), InputError);
  CHECK_THROWS_WITH(family_by_name("chang_mulit"), "no kernel family 'chang_mulit'");
}
