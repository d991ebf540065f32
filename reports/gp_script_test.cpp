#include "reports/gp_script.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("gp::verbatim: a name shows as it is in each terminal", "[reports]") {
  const auto label = gp::verbatim("chang_single 50% {a}");
  CHECK(label.enhanced == "chang\\_single 50% \\{a\\}");
  CHECK(label.latex == "chang\\_single 50\\% \\{a\\}");
}

TEST_CASE("gp::text: single quotes are doubled, so that no label ends its string", "[reports]") {
  CHECK(gp::text({"M' (filters)", "$M'$"}) == "T('M'' (filters)', '$M''$')");
  CHECK(gp::text({"a\nb", "a"}) == "T('a b', 'a')");
}

TEST_CASE("gp::log_tics: 1-2-5 over a few decades, every digit within one, decades over many", "[reports]") {
  CHECK(gp::log_tics("x", {1, 20}).find("'2' 2, '' 3 1") != std::string::npos);
  CHECK(gp::log_tics("x", {1, 20}).find("'20' 20") != std::string::npos);
  CHECK(gp::log_tics("y", {4, 9}) == "set ytics ('4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)\n");
  CHECK(gp::log_tics("x", {1, 200}).find("'50' 50") != std::string::npos);
  const auto three_decades = gp::log_tics("x", {1, 1000});
  CHECK(three_decades.find("'200' 200") != std::string::npos);
  CHECK(three_decades.find("'500' 500") == std::string::npos);
  const auto long_range = gp::log_tics("x", {1, 1e6});
  CHECK(long_range.find("'2' 2") == std::string::npos);
  CHECK(long_range.find("'1000' 1000") != std::string::npos);
}

TEST_CASE("gp::binary_tics: powers of two with binary prefixes", "[reports]") {
  CHECK(gp::binary_tics("x", {512, 4096}, true) ==
        "set xtics ('512' 512, '1K' 1024, '2K' 2048, '4K' 4096)\n");
  // 20 octaves and at most nine tics: every third power.
  CHECK(gp::binary_tics("x", {1024, 1 << 30}, true) ==
        "set xtics ('4K' 4096, '32K' 32768, '256K' 262144, '2M' 2097152, '16M' 16777216, '128M' 134217728, "
        "'1G' 1073741824)\n");
}

TEST_CASE("gp::series: eight colours, each with its own shape", "[reports]") {
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      CHECK(gp::series(i).colour != gp::series(j).colour);
      CHECK(gp::series(i).shape != gp::series(j).shape);
    }
  }
  CHECK(gp::series(8).colour == gp::series(0).colour);
}

TEST_CASE("gp: marks with error bars have no blank box around them", "[reports]") {
  // gnuplot takes 0 for 1, three marks wide: lines and bands under many marks would vanish.
  CHECK(gp::head("name", "title", 3, 2).find("set pointintervalbox 0.01\n") != std::string::npos);
}
