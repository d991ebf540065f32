#include "model/units/quantity.hpp"

#include <type_traits>

#include "tests/catch.hpp"

using namespace tilecast;

static_assert(std::is_same_v<decltype(Cycles{} / Frequency{}), Seconds>);
static_assert(std::is_same_v<decltype(Bytes{} / Bandwidth{}), Seconds>);
static_assert(std::is_same_v<decltype(Bandwidth{} / Frequency{}), BytesPerCycle>);
static_assert(std::is_same_v<decltype(Bytes{} / Bytes{}), double>);
static_assert(!std::is_convertible_v<double, Seconds>);

TEST_CASE("quantity: 84366 bytes at 327 B/cycle take 258 cycles", "[units]") {
  CHECK((Bytes{84366} / BytesPerCycle{327}).value() == Approx(258));
}

TEST_CASE("quantity: 1480 cycles at 1480 MHz are a microsecond", "[units]") {
  CHECK((Cycles{1480} / Frequency{1480e6}).value() == Approx(1e-6));
}
