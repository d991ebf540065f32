#include "kernels/launch_plan.hpp"

#include <limits>

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("launch plan: the key names source, entry and constants in the family's order") {
  const Specialisation code{"family/family.cu", "family_kernel", {{"K", 3}, {"S_BYTES", 32}, {"BIAS", -1}}};
  CHECK(code.key() == "family/family.cu:family_kernel K=3 S_BYTES=32 BIAS=-1");
  CHECK(Specialisation{"a.cu", "a", {}}.key() == "a.cu:a");
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  CHECK(Specialisation{"a.cu", "a", {{"K", least}}}.key() == "a.cu:a K=-9223372036854775808");
}

TEST_CASE("launch plan: parameters travel as their bytes") {
  struct Params {
    int rows;
    float scale;
  };
  const auto bytes = as_params(Params{7, 1.5f});
  REQUIRE(bytes.size() == 8);
  Params back{};
  std::memcpy(&back, bytes.data(), sizeof back);
  CHECK(back.rows == 7);
  CHECK(back.scale == 1.5f);
}
