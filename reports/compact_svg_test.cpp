#include "reports/compact_svg.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("compact_svg: marks that differ in place alone become one path with a marker at each",
          "[reports]") {
  const auto mark = [](const std::string& place, const std::string& colour) {
    return "\t<use xlink:href='#gpPt5' transform='translate(" + place + ") scale(1.35)' color='" + colour +
           "'/>\n";
  };
  const std::string blue = "rgb(  0, 114, 178)", red = "rgb(213,  94,   0)";
  CHECK(compact_svg("<g>\n" + mark("1.50,2.00", blue) + mark("3.25,4.00", blue) + mark("5.00,6.00", blue) +
                    mark("7.00,8.00", red) + "</g>\n") ==
        "<g>\n<marker id='mark1' markerUnits='userSpaceOnUse' overflow='visible' color='#0072b2'><use "
        "xlink:href='#gpPt5' transform='scale(1.35)'/></marker>\n"
        "<path fill='none' stroke='none' marker-start='url(#mark1)' marker-mid='url(#mark1)' "
        "marker-end='url(#mark1)' d='M1.50,2.00 3.25,4.00 5.00,6.00'/>\n"
        "<use xlink:href='#gpPt5' transform='translate(7.00,8.00) scale(1.35)' color='#d55e00'/>\n</g>\n");
}

TEST_CASE("compact_svg: polygons in a row become a path a colour, in the order of the colours", "[reports]") {
  const auto cell = [](const std::string& points, const std::string& colour) {
    return "\t\t<polygon fill = '" + colour + "' points = '" + points + " '/>\n";
  };
  CHECK(compact_svg(cell("1,4 3,4 3,2 1,2", "rgb( 70,  47, 124)") +
                    cell("3,4 5,4 5,2", "rgb( 62,  72, 135)") +
                    cell("5,4 6,4 6,2 5,2", "rgb( 70,  47, 124)")) ==
        "<path fill='#462f7c' d='M1,4H3V2H1zM5,4H6V2H5z'/>\n<path fill='#3e4887' d='M3,4H5V2z'/>\n");
}

TEST_CASE("compact_svg: what it does not know stays, less its indent", "[reports]") {
  const std::string other =
      "<polygon fill = '#111111' fill-opacity = '0.5' points = '1,1 2,2 3,1 '/>\n"
      "<use xlink:href='#gpPt5' id='gpPt6' fill='currentColor'/>\n<text>rgb(red) a  b</text>\n";
  CHECK(compact_svg(other) == other);
  CHECK(compact_svg("\t<g >\n\n  </g>\n") == "<g >\n</g>\n");
  CHECK(compact_svg("").empty());
}
