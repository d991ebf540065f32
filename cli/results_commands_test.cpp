// plot, report and demo as a user calls them, on a shipped profile and on a small file of measurements.

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/cli_test_support.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "model/support/csv.hpp"
#include "reports/gnuplot.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
namespace fs = std::filesystem;

namespace {

Outcome run(const std::vector<std::string>& arguments) {
  return run_tilecast(arguments);
}

// Catch2 2 cannot skip: CTest runs each case alone and takes this exit code for "skipped".
void need_gnuplot() {
  if (!find_gnuplot()) std::exit(77);
}

}  // namespace

TEST_CASE("plot: --list names the figures without a device", "[cli]") {
  const auto listed = run({"plot", "--list"});
  CHECK(listed.code == 0);
  CHECK(listed.out.find("parity") != std::string::npos);
  CHECK(listed.out.find("tile_heatmap") != std::string::npos);
}

TEST_CASE("plot: an unknown figure exits with 3, an unknown format with 2, each with the nearest", "[cli]") {
  CHECK(run({"plot", "-d", "h100"}).code == 2);
  const auto figure = run({"plot", "parrity", "-d", "h100"});
  CHECK(figure.code == 3);
  CHECK(figure.err.find("parity") != std::string::npos);
  const auto format = run({"plot", "parity", "-d", "h100", "--format", "pfd"});
  CHECK(format.code == 2);
  CHECK(format.err.find("pdf") != std::string::npos);
}

TEST_CASE("plot: a layer that is not among the results is invalid input", "[cli]") {
  const Folder folder("results_layer");
  const auto outcome =
      run({"plot", "time_over_p", "-d", "h100", "--layer", "nowhere", "-o", folder / "figures"});
  CHECK(outcome.code == 3);
  CHECK_FALSE(fs::exists(folder / "figures"));
  const auto no_s =
      run({"plot", "tile_heatmap", "-d", "h100", "-l", "chang-multi", "--S", "33", "-o", folder / "figures"});
  CHECK(no_s.code == 3);
  CHECK(no_s.err == "error: --S 33: no config has it, expected 32, 64, 128\n");
}

TEST_CASE("plot: a figure that the data do not allow exits with 5 and says why", "[cli]") {
  const Folder folder("results_nothing");
  const auto outcome =
      run({"plot", "parity", "-d", "gtx-titan-x", "-l", "chang-single", "-o", folder / "figures"});
  CHECK(outcome.code == 5);
  CHECK(outcome.err.find("no measured configs") != std::string::npos);
}

TEST_CASE("report: a broken file of measurements is invalid input, and no page is written", "[cli]") {
  const Folder folder("results_broken");
  write_file(folder / "bad.csv", "family,layer\nx\n");
  const auto outcome = run({"report", "-d", "h100", "-m", folder / "bad.csv", "-o", folder / "report.html"});
  CHECK(outcome.code == 3);
  CHECK(outcome.err.find("bad.csv") != std::string::npos);
  CHECK_FALSE(fs::exists(folder / "report.html"));
}

TEST_CASE("demo: without recorded measurements it predicts and says that nothing checks it", "[cli]") {
  need_gnuplot();
  const Folder folder("results_demo");
  const auto outcome = run({"demo", "-d", "gtx-1080-ti", "-l", "chang-single", "-o", folder / "demo"});
  CHECK(outcome.code == 0);
  CHECK(outcome.out.find("No measurements") != std::string::npos);
  const auto page = read_file(folder / "demo/report.html");
  CHECK(page.find("GTX 1080 Ti") != std::string::npos);
  CHECK(page.find("everything here is predicted") != std::string::npos);
  CHECK(page.find("<svg") != std::string::npos);
  CHECK(fs::exists(folder / "demo/tables/device.tex"));
  CHECK(fs::exists(folder / "demo/tables/results.csv"));
}
