#include "model/workload/config.hpp"

#include <stdexcept>
#include <string>

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("Config: values keep their order and are found by name", "[workload]") {
  Config c{{"P", 4}, {"Q", 1}};
  c.set("P", 7);
  CHECK(c["P"] == 7);
  CHECK(c[std::string("P")] == 7);  // by its characters, wherever they are
  CHECK_FALSE(c.find("S_bytes").has_value());
  CHECK_FALSE(c.find("").has_value());
  c.set("grid_y", 2);
  CHECK_FALSE(c.find("gray_y").has_value());  // as long, with the same ends
  c.set("grid_y", 3);
  CHECK(describe_config(c) == "P=7 Q=1 grid_y=3");
  CHECK_THROWS_AS(c["S_bytes"], std::out_of_range);
}
