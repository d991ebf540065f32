#pragma once
// One include for Catch2 2.13 (Debian 12) and 3.x (Debian 13).
#ifdef TILECAST_CATCH3
#  include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#  include <catch2/catch.hpp>
#endif
