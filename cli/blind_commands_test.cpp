// The blind protocol as a user calls it, as far as it goes without a GPU.

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/cli_test_support.hpp"
#include "cli/freeze.hpp"
#include "cli/models.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"
#include "validation/blind/folder.hpp"
#include "validation/blind/frozen.hpp"
#include "validation/blind/partial.hpp"
#ifdef TILECAST_WITH_CUDA
#  include "kernels/runtime/gpu.hpp"
#endif

using namespace tilecast;
namespace fs = std::filesystem;

TEST_CASE("validate --freeze: predictions are written once, and what was touched is refused",
          "[cli][blind]") {
  const Folder folder("blind_freeze");
  const auto run_dir = folder / "run";
  const auto freeze = run_tilecast({"validate", "--freeze", run_dir, "-d", "h200", "-l", "chang-single", "-f",
                                    "chang_single", "--configs", "sample:2", "--model", "analytic", "-q"});
  INFO(freeze.err);
  REQUIRE(freeze.code == 0);
  const auto path = run_dir + "/predictions.csv";
  const auto text = read_file(path);
  const auto frozen = parse_frozen(text, path);
  CHECK(freeze.out.find(frozen.sha256) != std::string::npos);
  // Those layers are recorded: development data, of which two configs each are drawn.
  REQUIRE(frozen.rows.size() >= 36);
  CHECK(freeze.out.find("chang_single: 0 of evaluation, " + std::to_string(frozen.rows.size())) !=
        std::string::npos);
  for (const auto& row : frozen.rows)
    CHECK(row.development);
  CHECK(parse_frozen(text, path).rows.at(0).code_hash.size() == 16);

  const auto again = run_tilecast({"validate", "--freeze", run_dir, "-d", "h200", "-l", "chang-single"});
  CHECK(again.code == 3);
  CHECK(again.err.find("exists; frozen predictions are never written over") != std::string::npos);
  CHECK(read_file(path) == text);

  const auto scored = run_tilecast({"compare", "--blind", run_dir, "--format", "json"});
  REQUIRE(scored.code == 0);
  CHECK(scored.out.find("\"data\":\"development\"") != std::string::npos);
  CHECK(scored.out.find("\"model\":\"analytic_similar\"") != std::string::npos);
  CHECK(scored.out.find("\"model\":\"analytic_read_3\"") != std::string::npos);
  CHECK(scored.out.find("\"n\":" + std::to_string(frozen.rows.size())) != std::string::npos);

  SECTION("one digit of one prediction") {
    auto other = text;
    const auto digit = other.rfind("e-0") - 1;
    other[digit] = other[digit] == '1' ? '2' : '1';
    write_file(path, other);
    for (const auto& command :
         {std::vector<std::string>{"compare", "--blind", run_dir}, {"validate", "--blind", run_dir}}) {
      const auto refused = run_tilecast(command);
      CHECK(refused.code == 3);
      CHECK(refused.err.find("it was changed") != std::string::npos);
    }
  }
  SECTION("rows that were measured for other predictions") {
    fs::create_directories(run_dir + "/measured");
    const std::string header =
        "family,layer,suite,N,C,H,W,M,K,stride,pad,P,status,time_s,time_p10_s,time_p90_s,samples,max_rel_"
        "error,"
        "sm_clock_hz,code_hash,tool_version\n";
    write_file(run_dir + "/measured/chang_single.csv",
               "# measured for predictions.csv with sha256 0123456789\n" + header);
    const auto refused = run_tilecast({"compare", "--blind", run_dir});
    CHECK(refused.code == 3);
    CHECK(refused.err.find("was not measured for these predictions") != std::string::npos);
    write_file(run_dir + "/measured/chang_single.csv", "# measured for predictions.csv with sha256 " +
                                                           parse_frozen(text, path).sha256 + "\n" + header);
    CHECK(run_tilecast({"compare", "--blind", run_dir}).code == 0);
  }
  SECTION("another device profile") {
    auto device = load_device("h200");
    device.driver = "another";
    const auto changed = folder / "h200.json";
    write_file(changed, format_device(device));
    const auto refused = run_tilecast({"validate", "--blind", run_dir, "-d", changed});
    CHECK(refused.code == 3);
    CHECK(refused.err.find("the profile was changed after the predictions were frozen") != std::string::npos);
  }
  SECTION("without a GPU there is nothing to measure on") {
#ifdef TILECAST_WITH_CUDA
    if (gpu_problem().empty()) return;
#endif
    CHECK(run_tilecast({"validate", "--blind", run_dir}).code == 5);
    CHECK_FALSE(fs::exists(run_dir + "/measured"));
  }
}

TEST_CASE("validate --freeze: one that was stopped keeps the rows it had", "[cli][blind]") {
  const Folder folder("blind_resume");
  const auto freeze = [](const std::string& run, const std::string& seed) {
    return run_tilecast({"validate", "--freeze", run, "-d", "h200", "-l", "chang-single", "-f",
                         "chang_single", "--configs", "sample:2", "--seed", seed, "--model", "analytic"});
  };
  const auto whole = folder / "whole", stopped = folder / "stopped";
  REQUIRE(freeze(whole, "1").code == 0);
  CHECK_FALSE(fs::exists(partial_path(whole)));
  const auto frozen = parse_frozen(read_file(whole + "/predictions.csv"), "whole");
  REQUIRE(frozen.rows.size() > 10);
  auto run = frozen;
  run.rows.clear();
  {
    // As if it had been stopped after ten rows. Their times tell them from rows that are predicted anew.
    PartialPredictions partial(stopped, run, program_sha256());
    for (std::size_t i = 0; i < 10; ++i) {
      auto row = frozen.rows[i];
      row.times[0]->time = Seconds{1.0 + static_cast<double>(i)};
      partial.append(row);
    }
  }
  const auto other = freeze(stopped, "2");
  CHECK(other.code == 3);
  CHECK(other.err.find("begun by another build, or with another profile, seed") != std::string::npos);
  const auto resumed = freeze(stopped, "1");
  INFO(resumed.err);
  REQUIRE(resumed.code == 0);
  CHECK(resumed.err.find("10 rows were predicted before") != std::string::npos);
  CHECK_FALSE(fs::exists(partial_path(stopped)));
  const auto rows = parse_frozen(read_file(stopped + "/predictions.csv"), "stopped").rows;
  REQUIRE(rows.size() == frozen.rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double anew = frozen.rows[i].times[0]->time.value();
    CHECK(rows[i].times[0]->time.value() == (i < 10 ? 1.0 + static_cast<double>(i) : anew));
    CHECK(rows[i].config == frozen.rows[i].config);
  }
}

TEST_CASE("validate --freeze: beside analytic, what predict says of a layer that nobody recorded",
          "[cli][blind]") {
  const Folder folder("blind_unread");
  const auto run_dir = folder / "run";
  const std::vector<std::string> layer{"-d", "h200", "--conv", "1,96,35,35,200,5", "-f", "chang_multi"};
  const auto with = [&](std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), layer.begin(), layer.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tilecast(arguments);
  };
  const auto freeze = with({"validate", "--freeze", run_dir},
                           {"--configs", "sample:6", "--model", "analytic,roofline", "-q"});
  if (freeze.code == 5) {
    SUCCEED("NVRTC or nvdisasm is not here: " << freeze.err);
    return;
  }
  INFO(freeze.err);
  REQUIRE(freeze.code == 0);
  auto frozen = parse_frozen(read_file(frozen_path(run_dir)), "frozen");
  CHECK(frozen.models ==
        std::vector<std::string>{"analytic", "analytic_similar", "analytic_read_3", "roofline"});
  std::erase_if(frozen.rows, [](const FrozenRow& row) { return row.development; });
  REQUIRE(frozen.rows.size() >= 6);

  const auto all = with({"predict"}, {"--all", "--format", "json", "-q"});
  REQUIRE(all.code == 0);
  std::map<std::string, nlohmann::json> predicted;  // by config
  for (auto& row : nlohmann::json::parse(all.out)) {
    std::string config;
    for (const char* axis : {"S_bytes", "M_tile", "Wx_tile"})
      config += fmt::format("{}{}={}", config.empty() ? "" : " ", axis, row["config"][axis].get<int>());
    predicted.emplace(config, std::move(row));
  }
  std::size_t similar = 0, read = 0;
  for (const auto& row : frozen.rows) {
    INFO(row.config);
    REQUIRE(row.times.size() == 4);
    CHECK((*row.times[2] == *row.times[0] || *row.times[2] == *row.times[1]));
    if (!row.drawn) continue;
    const auto& said = predicted.at(row.config);
    CHECK(row.times[1]->time.value() == Approx(said["time_s"].get<double>()));
    CHECK(row.times[1]->low->value() == Approx(said["time_lo_s"].get<double>()));
    CHECK(row.times[1]->high->value() == Approx(said["time_hi_s"].get<double>()));
    similar += said["code"] == "similar";
    read += said["code"] == "similar" && *row.times[2] == *row.times[0];
  }
  CHECK(similar >= 3);
  CHECK(read > 0);
  // Both are ours: ties count against them.
  CHECK(ties_of("analytic_similar") == Ties::against);
  CHECK(ties_of("analytic_read_3") == Ties::against);
  CHECK(run_tilecast({"compare", "-d", "h200", "--model", "analytic_similar"}).code == 2);
}

TEST_CASE("validate --freeze: options that another step has no use for are refused", "[cli][blind]") {
  CHECK(run_tilecast({"validate", "--blind", "x", "-l", "chang-single"}).code == 2);
  CHECK(run_tilecast({"validate", "--blind", "x", "--freeze", "y"}).code == 2);
  CHECK(run_tilecast({"validate", "--freeze", "x", "--check-only"}).code == 2);
  CHECK(run_tilecast({"validate", "--model", "analytic"}).code == 2);
  CHECK(run_tilecast({"validate", "--freeze", "x"}).code == 2);  // no device
  CHECK(run_tilecast({"validate", "--blind", "/nonexistent/blind"}).code == 3);
  CHECK(run_tilecast({"compare", "--blind", "/nonexistent/blind"}).code == 3);
  CHECK(run_tilecast({"compare", "--blind", "x", "-f", "sgemm"}).code == 2);
}

TEST_CASE("validate --freeze: the default layers are those of the evaluation", "[cli][blind]") {
  const auto suites = evaluation_suites(999);
  REQUIRE(suites.size() == 5);
  CHECK(suites[0].name == "resnet50");
  CHECK(suites[3].name == "im2win");
  CHECK(suites[3].layers.size() == 12);
  for (const auto& layer : suites[3].layers)
    CHECK(layer.shape.N == 128);
  CHECK(suites[4].name == "random-999");
  CHECK(suites[4].layers.size() == 40);
}
