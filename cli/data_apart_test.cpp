#include "cli/data_apart.hpp"

#include <algorithm>

#include "cli/cli_test_support.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

MeasuredRow row_of(int config, double time) {
  MeasuredRow row;
  row.family = "toy";
  row.problem = {.H = 8, .W = 8};
  row.config = {{"P", std::to_string(config)}};
  row.time = Seconds{time};
  return row;
}

}  // namespace

TEST_CASE("data_apart: a calibration's rows and the others are scored apart", "[cli]") {
  const KernelFamily toy{.name = "toy"};
  const KernelFamily* const families[] = {&toy};
  std::vector<MeasuredRow> rows;
  std::vector<PredictedRow> predictions;
  for (int i = 1; i <= 9; ++i) {
    rows.push_back(row_of(i, i));
    predictions.push_back({.family = "toy",
                           .problem = rows.back().problem,
                           .config = rows.back().config,
                           .time = Seconds{1.0 * i},
                           .low = Seconds{0.9 * i},
                           .high = Seconds{1.1 * i}});
  }
  Calibration calibration;
  CHECK(rows_apart(rows, rows, families, calibration).development.size() == 9);
  CHECK(what_data_are_for(calibration)[0].find("not known which") != std::string::npos);
  calibration.sample = {4, 1};
  const auto apart = rows_apart(rows, rows, families, calibration);
  CHECK(apart.calibration.size() == 4);
  CHECK(apart.development.size() == 5);
  const auto scores = scores_apart("analytic", apart, predictions);
  REQUIRE(scores.size() == 2);
  CHECK(scores[0].data == "calibration");
  CHECK(scores[0].scores.n == 4);
  CHECK(scores[1].data == "development");
  CHECK(scores[1].scores.n == 5);
  CHECK(scores[1].scores.interval_coverage == 1);
  CHECK(what_data_are_for(calibration)[0].find("the 4 configs drawn of each layer and family (seed 1)") !=
        std::string::npos);
}

TEST_CASE("compare: calibration, development and evaluation rows apart", "[cli]") {
  const auto table = run_tilecast({"compare", "-d", "h200", "-f", "sgemm", "-q"});
  CHECK(table.code == 0);
  for (const char* text :
       {"calibration: the 3 configs drawn", "development: all other", "evaluation: predictions"})
    CHECK(table.out.find(text) != std::string::npos);
  const auto csv =
      run_tilecast({"compare", "-d", "h200", "-f", "sgemm", "--by-data", "--format", "csv", "-q"});
  CHECK(csv.code == 0);
  CHECK(csv.out.starts_with("model,family,data,"));
  for (const char* data : {"\nanalytic,sgemm,calibration,1227,", "\nanalytic,sgemm,development,",
                           "\nanalytic,sgemm,evaluation,"})
    CHECK(csv.out.find(data) != std::string::npos);
  CHECK(run_tilecast({"compare", "-d", "h200", "--by-data", "--code", "similar"}).code == 2);
}
