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

TEST_CASE("code: configs that the target cannot run are refused with what they need; others are chosen") {
  const auto refusal = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"code", "-d", "h200", "--conv", "1,64,14,14,64,3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = run_tilecast(arguments);
    CHECK(outcome.code == 3);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK(refusal({"--target", "sm_75", "-f", "chang_multi"}) ==
        "error: code: chang_multi: every config copies by cp.async: needs compute capability 8.0, not 7.5; "
        "none can run\n");
  CHECK(refusal({"--target", "sm_75", "--config", "async=1"}) ==
        "error: code: implicit_gemm: async=1 copies by cp.async: needs compute capability 8.0, not "
        "7.5; expected async=0 and split_k=1\n");
  CHECK(refusal({"--target", "sm_89", "--config", "split_k=2"}) ==
        "error: code: implicit_gemm: split_k above 1 takes thread-block clusters: needs compute "
        "capability 9.0, not 8.9; expected split_k=1\n");
  // Without NVRTC the choice is made, and named, all the same.
  for (const auto* device : {"h200", "gtx-1080-ti"}) {
    const auto chosen =
        run_tilecast({"code", "-d", device, "--conv", "1,64,14,14,64,3", "--target", "sm_75"}).err;
    CHECK_THAT(chosen, contains_text("implicit_gemm "));
    CHECK_THAT(chosen, contains_text(" async=0 "));
    CHECK_THAT(chosen, contains_text(" split_k=1: predicted to be the fastest of "));
  }
  CHECK_THAT(run_tilecast({"code", "-d", "gtx-1080-ti", "--conv", "1,64,14,14,64,3", "--config",
                           "async=1,split_k=2", "--target", "sm_90"})
                 .err,
             contains_text(" split_k=2: predicted to be the fastest of "));
}
