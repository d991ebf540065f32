#include "model/analytic/residual.hpp"

#include "model/analytic/analytic_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

namespace {

std::optional<double> factor(const std::vector<ResidualTerm>& terms, std::string_view bound) {
  for (const auto& t : terms) {
    if (t.bound == bound) return t.factor;
  }
  return std::nullopt;
}

}  // namespace

// round_kernel(10, 50): launch 1 us, 50 trips of shared 320 ns, issue 260 ns, fma 200 ns: 17 us
// (predict_test).
TEST_CASE("residual: too fast, every bound may be the reason, the limiter by the least change",
          "[analytic]") {
  const auto terms = residual_terms(round_kernel(10, 50), round_device(), {}, Seconds{21e-6});
  CHECK(terms[0].bound == "shared");
  CHECK(*factor(terms, "shared") == Approx(20.0 / 16));
  CHECK(*factor(terms, "issue") == Approx(20.0 / 13));  // must first reach what shared takes
  CHECK(*factor(terms, "fma") == Approx(2));
  CHECK(*factor(terms, "launch") == Approx(5));
  CHECK(residual_text(terms, 2) == "shared x 1.2, issue x 1.5");
}

TEST_CASE("residual: too slow, only what limits or adds up can be less, down to the next bound",
          "[analytic]") {
  const auto little = residual_terms(round_kernel(10, 50), round_device(), {}, Seconds{16.2e-6});
  CHECK(little[0].bound == "shared");
  CHECK(*factor(little, "shared") == Approx(15.2 / 16));
  CHECK(*factor(little, "launch") == Approx(0.2));
  CHECK_FALSE(factor(little, "issue"));
  // 4 us less: shared could give 3 until issue limits, the launch has 1.
  const auto much = residual_terms(round_kernel(10, 50), round_device(), {}, Seconds{13e-6});
  for (const auto& term : much)
    CHECK_FALSE(term.factor);
  CHECK(residual_text(much, 2).empty());
}

TEST_CASE("residual: a bound that is switched off carries nothing", "[analytic]") {
  const auto terms =
      residual_terms(round_kernel(10, 50), round_device(), {.without = {"shared"}}, Seconds{21e-6});
  CHECK(terms[0].bound == "issue");
  CHECK(*factor(terms, "issue") == Approx(20.0 / 13));
  CHECK_FALSE(factor(terms, "shared"));
}
