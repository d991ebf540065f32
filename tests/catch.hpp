#pragma once
// One include for Catch2 2.13 (Debian 12) and 3.x (Debian 13).
#ifdef TILECAST_CATCH3
#  include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#  include <catch2/catch.hpp>
#endif

#include <string>

// For CHECK_THAT and CHECK_THROWS_WITH: the text has this part.
inline auto contains_text(const std::string& part) {
#ifdef TILECAST_CATCH3
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}
