#include "cli/explanation.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/analytic/analytic.hpp"
#include "model/analytic/analytic_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// 16 us of shared-memory wavefronts (50 trips of 320 cycles at 1 GHz) after 1 us of launch.
const auto kernel = round_kernel(10, 50);

double elasticity_of(const Explanation& e, std::string_view key) {
  const auto found = std::ranges::find(e.sensitivities, key, &Sensitivity::key);
  return found == e.sensitivities.end() ? 0 : found->elasticity;
}

}  // namespace

TEST_CASE("explain: bounds in order, each with the time without it", "[cli]") {
  const auto e = explain(kernel, round_device(), {});
  CHECK(e.prediction.time.value() == Approx(17e-6));
  REQUIRE(e.bounds.size() == e.prediction.bounds.size());
  CHECK(e.bounds[0].bound.name == "shared");
  CHECK(e.bounds[0].bound.time.value() == Approx(16e-6));
  CHECK(e.bounds[0].without.value() == Approx(1e-6 + 50 * 260e-9));  // then issue limits
  CHECK(e.bounds[1].bound.name == "issue");
  CHECK(e.bounds[1].without.value() == Approx(17e-6));
}

TEST_CASE("explain: sensitivities are logarithmic derivatives", "[cli]") {
  const auto e = explain(kernel, round_device(), {});
  CHECK(elasticity_of(e, "sm_clock_hz") == Approx(-16.0 / 17).epsilon(1e-3));
  CHECK(elasticity_of(e, "launch_graph_s") == Approx(1.0 / 17).epsilon(1e-3));
  CHECK(elasticity_of(e, "dram_peak_bytes_per_s") == 0);
  CHECK(e.sensitivities.front().key == "sm_clock_hz");
}

TEST_CASE("explain: text and JSON carry time, limiter and launch", "[cli]") {
  const auto e = explain(kernel, round_device(), {});
  const auto text = explanation_text(kernel, e);
  CHECK(text.find("17 us (17 us to 17 us), limited by shared") != std::string::npos);
  CHECK(text.find("10 blocks of 256 threads, 32 registers a thread (code: estimated)") != std::string::npos);
  const auto json = nlohmann::json::parse(explanation_json(kernel, e));
  CHECK(json["limiter"] == "shared");
  CHECK(json["launch"]["blocks_per_sm"] == 2);
  CHECK(json["bounds"][0]["time_without_s"].get<double>() == Approx(14e-6));
  CHECK(json["sensitivities"][0]["parameter"] == "sm_clock_hz");
}

TEST_CASE("explain: waves are those of the model, with the room that clusters find (A9)", "[cli]") {
  auto device = round_device();  // ten SMs, two blocks each
  const auto waves = [&](const KernelDescription& k) {
    const auto text = explanation_text(k, explain(k, device, {}));
    const auto begin = text.find("shared: ") + 8;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  CHECK(waves(round_kernel(7, 1)) == "2 a SM (limit: blocks), 1 wave");
  CHECK(waves(round_kernel(40, 1)) == "2 a SM (limit: blocks), 2 waves");
  CHECK(waves(round_kernel(53, 1)) ==
        "2 a SM (limit: blocks), 3 waves: 2 of 20 blocks and a tail of 13, 2 on the busiest SM");
  // Clusters of four: one block a SM on eight SMs.
  device.cluster_blocks_over_cluster_and_fit = {{4, 8}, {1}, {8, 8}};
  auto clusters = round_kernel(20, 1);
  clusters.launch.cluster = 4;
  CHECK(waves(clusters) ==
        "1 a SM (2 fit, limit: blocks; clusters of 4), 3 waves: 2 of 8 blocks and a tail of 4, 1 on the "
        "busiest SM");
  const auto json = nlohmann::json::parse(explanation_json(clusters, explain(clusters, device, {})));
  CHECK(json["launch"]["blocks_per_sm"] == 1);
  CHECK(json["launch"]["blocks_that_fit"] == 2);
  CHECK(json["launch"]["waves"] == 3);
  CHECK(json["launch"]["tail_blocks"] == 4);
}

TEST_CASE(
    "explain: a recorded measurement shows what could carry the error, recorded counters what was counted",
    "[cli]") {
  auto e = explain(kernel, round_device(), {});
  MeasuredRow row;
  row.family = "round";
  row.problem = {.H = 8, .W = 8};
  row.config = {{"Q", "2"}, {"P", "1"}};  // another order
  row.time = Seconds{20e-6};
  const Config config{{"P", 1}, {"Q", 2}};
  const std::vector rows{row};
  CHECK_FALSE(recorded_of(kernel, analytic::Options{}, {}, config, round_device(), rows).measured);
  CHECK_FALSE(
      recorded_of(kernel, analytic::Options{}, row.problem, Config{{"P", 1}, {"Q", 3}}, round_device(), rows)
          .measured);
  e.recorded = recorded_of(kernel, analytic::Options{}, row.problem, config, round_device(), rows);
  CHECK(e.recorded.measured == Seconds{20e-6});
  REQUIRE(e.recorded.residual.size() == e.bounds.size());
  CHECK(e.recorded.residual[0].bound == "shared");  // 19 us instead of 16
  CHECK(*e.recorded.residual[0].factor == Approx(19.0 / 16));
  CHECK(e.recorded.counts.empty());  // no profiler has seen it
  CHECK(e.recorded.launch.empty());
  e.recorded.counts = {{"instructions", 1000, 1000, 100, 110}};
  e.recorded.launch = {{"bytes read from DRAM", 64, 32}};
  const auto text = explanation_text(kernel, e);
  CHECK(text.find("measured 20 us: the prediction is 15.0 % too fast") != std::string::npos);
  std::istringstream lines(text);
  std::vector<std::string> table;  // words of the lines with counts
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("instructions") && !line.starts_with("bytes")) continue;
    std::istringstream words(line);
    std::string joined;
    for (std::string word; words >> word;)
      joined += word + ' ';
    table.push_back(joined);
  }
  CHECK(table ==
        std::vector<std::string>{"instructions 1000 1000 100 110 10 ", "bytes read from DRAM 64 32 "});
  const auto json = nlohmann::json::parse(explanation_json(kernel, e));
  CHECK(json["measured_s"].get<double>() == 20e-6);
  CHECK(json["residual"][0]["bound"] == "shared");
  CHECK(json["counts"][0]["busiest_block"].get<double>() == 100);
  CHECK(json["counts"][0]["described"].get<double>() == 110);
  CHECK(json["launch_counts"][0]["predicted"].get<double>() == 32);
}
