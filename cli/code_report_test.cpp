#include "cli/code_report.hpp"

#include <nlohmann/json.hpp>

#include "cli/cli_test_support.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

struct Params {
  int rows, width;
};

LaunchPlan plan() {
  return {.code = {"tile_sum.cu", "tile_sum", {}},
          .grid_x = 2,
          .threads = 128,
          .params = as_params(Params{7, 100})};
}

sass::Program tile_sum() {
  const std::string path = TILECAST_SOURCE_DIR "/kernels/sass/fixtures/tile_sum.sm_90.sass";
  return sass::read_listing(read_file(path), "tile_sum", path);
}

}  // namespace

TEST_CASE("code: the loop, its trips and the mix of a launch, as json") {
  const auto program = tile_sum();
  const auto json = nlohmann::json::parse(code_json(code_report(program, plan()), true));
  CHECK(json["target"] == "sm_90");
  CHECK(json["listing"].size() == program.instructions.size());
  bool found = false;
  for (const auto& row : json["loops"]) {
    if (row["ffma"] != 1) continue;
    found = true;
    CHECK(row["trips"] == 7);
    CHECK(row["entries"] == 1);
  }
  CHECK(found);
  for (const auto& row : json["mix"]) {
    if (row["class"] == "ffma") CHECK(row["executed"] == 2 * 4 * 7);  // blocks x warps x rows
  }
}

TEST_CASE("code: the table names what was executed") {
  const auto program = tile_sum();
  const auto text = code_text(code_report(program, plan()), false);
  CHECK(text.find("sm_90") != std::string::npos);
  CHECK(text.find("2 of 2 blocks executed") != std::string::npos);
  CHECK(text.find("shared_load") != std::string::npos);
}

TEST_CASE("code: what is no single layer, family or target is refused") {
  CHECK(run_tilecast({"code", "-d", "h200"}).code == 2);
  CHECK(run_tilecast({"code", "-d", "h200", "--conv", "1,1,28,28,32,3", "-f", "chang_singel"}).code == 3);
  CHECK(run_tilecast({"code", "-d", "h200", "--conv", "1,1,28,28,32,3", "--format", "csv"}).code == 2);
  CHECK(run_tilecast({"code", "-d", "h200", "--conv", "1,1,28,28,32,3", "--config", "Z=1"}).code == 2);
}
