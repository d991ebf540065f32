// compare and validate as a user calls them: compare on a small file of measurements, validate as far as it
// goes without a GPU.

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli_test_support.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "kernels/family.hpp"
#include "model/analytic/analytic.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"
#include "validation/measurement_store.hpp"
#include "validation/work_list.hpp"
#ifdef TILECAST_WITH_CUDA
#  include "kernels/runtime/gpu.hpp"
#endif

using namespace tilecast;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

Outcome run(const std::vector<std::string>& arguments) {
  return run_tilecast(arguments);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const ConvShape layer{.C = 64, .H = 28, .W = 28, .M = 64, .K = 3};

// Rows of `count` configs whose time is `factor` times what the model says, so that every score is known.
void write_rows(const std::string& path, double factor, std::size_t count) {
  const auto device = load_device("h100");
  const auto& family = family_by_name("chang_multi");
  MeasurementWriter writer(path, {"S_bytes", "M_tile", "Wx_tile"}, {"made by a test"});
  for (const auto& config : family.configs(layer, device)) {
    if (family.feasible(layer, config, device)) continue;
    if (count-- == 0) return;
    MeasuredRow row;
    row.family = "chang_multi";
    row.layer = "a";
    row.suite = "made";
    row.problem = layer;
    row.config = config_text(config);
    row.time = factor * analytic::predict(describe_kernel(family, layer, config, device), device).time;
    writer.append(row);
  }
}

}  // namespace

TEST_CASE("compare: a model that is off by a constant factor has that error and no regret", "[cli]") {
  const Folder folder("validation_factor");
  write_rows(folder / "m.csv", 2, 12);
  const auto outcome = run({"compare", "-d", "h100", "-m", folder / "m.csv", "--format", "json"});
  REQUIRE(outcome.code == 0);
  const auto scores = json::parse(outcome.out);
  REQUIRE(scores.size() == 1);
  const auto& s = scores[0];
  CHECK(s["model"] == "analytic");
  CHECK(s["family"] == "chang_multi");
  CHECK(s["suite"] == "made");
  CHECK(s["n"] == 12);
  for (const char* error : {"median_abs_error", "mean_abs_error", "p90_abs_error", "max_abs_error"})
    CHECK(s[error].get<double>() == Approx(0.5));
  CHECK(s["mean_signed_error"].get<double>() == Approx(-0.5));
  CHECK(s["spearman"].get<double>() == Approx(1));
  for (const char* regret :
       {"top1_regret_mean", "top1_regret_max", "top1_regret_over_10", "top3_regret_mean"})
    CHECK(s[regret].get<double>() == 0);
  CHECK(has(outcome.err, "feasible configs of these layers are not measured"));
}

TEST_CASE("compare: what a prediction costs is beside the scores, or instead of them", "[cli]") {
  const Folder folder("validation_cost");
  write_rows(folder / "m.csv", 1, 4);
  CHECK(has(run({"compare", "-d", "h100", "-m", folder / "m.csv"}).out, "p90 [ms]"));
  const auto outcome = run({"compare", "-d", "h100", "-m", folder / "m.csv", "--format", "json", "--cost"});
  REQUIRE(outcome.code == 0);
  const auto rows = json::parse(outcome.out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["model"] == "analytic");
  CHECK(rows[0]["p90_s"].get<double>() >= rows[0]["median_s"].get<double>());
  CHECK(rows[0]["median_s"].get<double>() > 0);
  CHECK(rows[0]["mean_s"].get<double>() > 0);
  CHECK(rows[0]["mean_s"].get<double>() <= rows[0]["max_s"].get<double>());
}

TEST_CASE("compare: the gate exits with 4 above its share, and only there", "[cli]") {
  const Folder folder("validation_gate");
  write_rows(folder / "m.csv", 2, 5);
  const auto with = [&](const char* share) {
    return run({"compare", "-d", "h100", "-m", folder / "m.csv", "--fail-over", share});
  };
  CHECK(with("51%").code == 0);
  CHECK(with("0.51").code == 0);
  const auto failed = with("49%");
  CHECK(failed.code == 4);
  CHECK(has(failed.err, "chang_multi on made: median error 50.0 % is over 49 %"));
  CHECK(has(failed.out, "chang_multi"));  // the scores are printed all the same
  CHECK(with("much").code == 2);
  CHECK(with("-3%").code == 2);
}

TEST_CASE("compare: layers of a suite, tables of layers and of the worst configs", "[cli]") {
  const Folder folder("validation_views");
  write_rows(folder / "m.csv", 1.25, 6);
  {
    MeasurementWriter writer(folder / "cudnn_legacy.csv", {"algorithm"}, {});
    MeasuredRow row;
    row.family = "cudnn_legacy";
    row.problem = layer;
    row.config = {{"algorithm", "GEMM"}};
    row.time = Seconds{1};
    writer.append(row);
  }
  const std::vector<std::string> both{
      "compare", "-d", "h100", "-m", folder / "m.csv", "-m", folder / "cudnn_legacy.csv"};
  auto arguments = both;
  arguments.insert(arguments.end(), {"--format", "json", "--by-layer"});
  const auto layers = json::parse(run(arguments).out);
  REQUIRE(layers.size() == 1);
  CHECK(layers[0]["cudnn"] == "cudnn_legacy algorithm=GEMM");
  CHECK(layers[0]["speedup_over_cudnn"].get<double>() == Approx(1 / layers[0]["best_time_s"].get<double>()));
  CHECK(layers[0]["model_regret"] == 0);

  arguments = both;
  arguments.insert(arguments.end(), {"--format", "json", "--worst", "2"});
  const auto worst = json::parse(run(arguments).out);
  REQUIRE(worst.size() == 2);
  CHECK(worst[0]["signed_error"].get<double>() == Approx(-0.2));
  // The others are asked about these rows alone; a gate asks them about all, and says the same of these.
  arguments.insert(arguments.end(), {"--model", "analytic,roofline,triton"});
  const auto alone = run(arguments);
  CHECK(alone.code == 0);
  arguments.insert(arguments.end(), {"--fail-over", "1000"});
  const auto gated = run(arguments);
  CHECK(gated.code == 0);
  CHECK(alone.out == gated.out);

  arguments = both;
  arguments.insert(arguments.end(), {"--conv", "1,64,28,28,64,3", "--format", "json"});
  CHECK(json::parse(run(arguments).out)[0]["suite"] == "command-line");
  arguments = both;
  arguments.insert(arguments.end(), {"-l", "chang-single"});
  CHECK(run(arguments).code == 5);  // no row of that suite
  CHECK(has(run(both).out, "best cuDNN [us]"));
  const std::vector<std::string> many{"compare", "-d", "h200", "-f", "sgemm", "--configs", "sample:1"};
  CHECK(has(run(many).out, "--by-layer lists every layer: 409 rows\n"));
  arguments = many;
  arguments.emplace_back("--by-layer");
  CHECK(has(run(arguments).out, "best cuDNN [us]"));
}

TEST_CASE("compare: wrong requests and broken files", "[cli]") {
  const Folder folder("validation_broken");
  write_file(folder / "bad.csv", "family,layer\nx,y\n");
  const auto broken = run({"compare", "-d", "h100", "-m", folder / "bad.csv"});
  CHECK(broken.code == 3);
  CHECK(has(broken.err, "bad.csv"));
  CHECK(run({"compare"}).code == 2);
  CHECK(run({"compare", "-d", "h100", "--model", "analytik"}).code == 2);
  const auto unrecorded = run({"compare", "-d", "gtx-titan-x"});
  CHECK(unrecorded.code == 5);
  CHECK(has(unrecorded.err, "no measurements are recorded for 'gtx-titan-x'"));

  write_rows(folder / "cut.csv", 2, 3);
  const auto text = read_file(folder / "cut.csv");
  write_file(folder / "cut.csv", std::string_view(text).substr(0, text.size() - 4));
  const auto cut = run({"compare", "-d", "h100", "-m", folder / "cut.csv", "--format", "json"});
  CHECK(cut.code == 0);
  CHECK(has(cut.err, "cut.csv: its last line is incomplete"));
  CHECK(json::parse(cut.out)[0]["n"] == 2);
}

TEST_CASE("validate: a dry run lists the work, a sample of it, and needs no GPU", "[cli]") {
  const auto all = run({"validate", "--dry-run", "-d", "h100", "--conv", "1,64,28,28,64,3"});
  CHECK(all.code == 0);
  CHECK(has(all.out, "chang_multi"));
  CHECK_FALSE(has(all.out, "chang_single"));  // the layer has 64 channels
  const auto sample = run({"validate", "--dry-run", "-d", "h100", "-f", "implicit_gemm", "--conv",
                           "1,64,28,28,64,3", "--configs", "sample:7"});
  CHECK(sample.err.starts_with("7 configs;"));
  CHECK(run({"validate", "--dry-run"}).code == 2);
}

TEST_CASE("validate: wrong options are told before the GPU is asked", "[cli]") {
  CHECK(run({"validate", "--configs", "sample:0"}).code == 2);
  CHECK(run({"validate", "--configs", "sample"}).code == 2);
  CHECK(run({"validate", "--configs", "sample:3x"}).code == 2);
  CHECK(run({"validate", "--order", "random"}).code == 2);
  const auto family = run({"validate", "-f", "chang_mult"});
  CHECK(family.code == 3);
  CHECK(has(family.err, "chang_multi"));
  CHECK(run({"validate", "-l", "chang-singl"}).code == 3);
#ifdef TILECAST_WITH_CUDA
  CHECK(run({"validate", "--target-ms", "0"}).code == 2);
  if (gpu_problem().empty()) return;  // with a GPU it would run
#endif
  const Folder folder("validation_none");
  const auto without = run({"validate", "--conv", "1,1,8,8,1,3", "-o", folder / "rows"});
  CHECK(without.code == 5);
  CHECK_FALSE(fs::exists(folder / "rows"));  // nothing is written
}

// Make it anew by the command in its head after a model has changed:
// validation/recorded/nvidia-h200/calibration.csv
TEST_CASE("compare: calibrated intervals hold about nine in ten of the recorded rows", "[cli][calibration]") {
  const auto coverage = [](const char* interval) {
    const auto outcome = run({"compare", "-d", "h200", "--model", "fast", "--by-family", "--interval",
                              interval, "--format", "json", "-q"});
    REQUIRE(outcome.code == 0);
    return json::parse(outcome.out);
  };
  for (const auto& row : coverage("calibrated")) {
    if (row["model"] == "paper") continue;
    INFO(row["model"] << " " << row["family"]);
    CHECK(row["interval_coverage"].get<double>() > 0.82);
    CHECK(row["interval_coverage"].get<double>() < 0.97);
  }
  // Without it the profile's own spread is all there is; the predicted times are the same.
  const auto plain = coverage("parameters"), wide = coverage("calibrated");
  REQUIRE(plain.size() == wide.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain[i]["model"] == "analytic")
      CHECK(plain[i]["interval_coverage"].get<double>() < wide[i]["interval_coverage"].get<double>());
    CHECK(plain[i]["median_abs_error"] == wide[i]["median_abs_error"]);
  }
}
