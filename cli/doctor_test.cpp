#include <sstream>

#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("doctor: names every part, and a remedy for each that does not work", "[cli]") {
  std::ostringstream out, err;
  REQUIRE(run_program({"doctor", "--format", "csv"}, commands(), {out, err}) == 0);
  std::istringstream lines(out.str());
  std::string header;
  std::getline(lines, header);
  CHECK(header == "part,works,needed_by,detail,remedy");
  int parts = 0;
  for (std::string line; std::getline(lines, line); ++parts) {
    CAPTURE(line);
    // The remedy is the last field: empty exactly where the part works.
    const bool works = line.find(",yes,") != std::string::npos;
    CHECK(line.ends_with(',') == works);
  }
  CHECK(parts >= 6);
}
