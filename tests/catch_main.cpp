// Catch2 2.13 compiles its main here, once for all test programs; Catch2 3 brings its own.
#ifndef TILECAST_CATCH3
#  define CATCH_CONFIG_MAIN
#  include <catch2/catch.hpp>
#endif
