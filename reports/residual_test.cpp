#include "reports/residual.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// issue limits: 10 us; 12 us in all with the launch.
const std::vector<NamedTime> bounds{{"fma", "A1", Seconds{5e-6}},
                                    {"issue", "A2", Seconds{10e-6}},
                                    {"l2", "A4", Seconds{8e-6}},
                                    {"launch", "A8", Seconds{2e-6}}};

std::optional<double> factor(const std::vector<ResidualTerm>& terms, const std::string& bound) {
  for (const auto& t : terms) {
    if (t.bound == bound) return t.factor;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("residual: too fast, every bound may be the reason, the limiter by the least change", "[reports]") {
  const auto terms = residual_terms(bounds, Seconds{12e-6}, Seconds{15e-6});
  REQUIRE(terms.size() == 4);
  CHECK(terms[0].bound == "issue");
  CHECK(*factor(terms, "issue") == Approx(1.3));    // 13 for 10
  CHECK(*factor(terms, "l2") == Approx(13.0 / 8));  // must first reach what issue takes
  CHECK(*factor(terms, "fma") == Approx(2.6));
  CHECK(*factor(terms, "launch") == Approx(2.5));  // 5 for 2
  CHECK(residual_text(terms, 1) == "issue x 1.3");
}

TEST_CASE("residual: too slow, only the limiter or what adds up can be less, down to the next bound",
          "[reports]") {
  const auto little = residual_terms(bounds, Seconds{12e-6}, Seconds{11e-6});
  CHECK(little[0].bound == "issue");
  CHECK(*factor(little, "issue") == Approx(0.9));
  CHECK(*factor(little, "launch") == Approx(0.5));
  CHECK_FALSE(factor(little, "l2"));
  CHECK_FALSE(factor(little, "fma"));
  // 3 us less: issue could give 2 until l2 limits, the launch has 2.
  const auto much = residual_terms(bounds, Seconds{12e-6}, Seconds{9e-6});
  CHECK_FALSE(factor(much, "issue"));
  CHECK_FALSE(factor(much, "launch"));
  CHECK(residual_text(much, 2).empty());
}
