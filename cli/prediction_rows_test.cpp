#include "cli/prediction_rows.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/analytic/analytic_test_device.hpp"
#include "model/paper/paper_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// A family of two axes: P = 1..5, of which 5 does not fit, and time falls as P grows.
const KernelFamily falling{
    .name = "falling",
    .summary = "for tests",
    .supports = [](const ConvShape& s) -> std::optional<Unsupported> {
      if (s.stride != 1) return Unsupported{"stride 2: only 1"};
      return std::nullopt;
    },
    .configs =
        [](const ConvShape&, const DeviceProfile&) {
          std::vector<Config> all;
          for (std::int64_t P = 1; P <= 5; ++P)
            all.push_back({{"P", P}, {"Q", 1}});
          return all;
        },
    .feasible = [](const ConvShape&, const Config& c, const DeviceProfile&) -> std::optional<Unsupported> {
      if (c["P"] > 4) return Unsupported{"P above 4"};
      return std::nullopt;
    },
    .plan = [](const ConvShape&, const Config&, const DeviceProfile&) { return LaunchPlan{}; },
    .describe = [](const ConvShape&, const Config& c, const DeviceProfile&,
                   const CodeRecord*) { return round_kernel(10, 12.0 / static_cast<double>(c["P"])); },
};

const std::vector<Suite> one_layer{
    {"mine", {{"a \"b\"", "here", {.C = 1, .H = 28, .W = 28, .M = 512, .K = 3}}}}};

std::vector<PredictionRow> predict(RowSelection selection, const std::vector<Suite>& suites = one_layer) {
  return analytic_rows(suites, round_device(), {&falling, 1}, selection, {});
}

}  // namespace

TEST_CASE("analytic rows: the fastest feasible config alone", "[cli]") {
  const auto rows = predict({});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].config["P"] == 4);
  CHECK(rows[0].chosen);
  CHECK(rows[0].feasible);
  CHECK(rows[0].prediction->time.value() == Approx(1e-6 + 3 * 320e-9));
}

TEST_CASE("analytic rows: the fastest few in order, or all in the family's order", "[cli]") {
  const auto top = predict({.top = 2});
  REQUIRE(top.size() == 2);
  CHECK(top[0].config["P"] == 4);
  CHECK(top[1].config["P"] == 3);
  CHECK_FALSE(top[1].chosen);
  const auto all = predict({.all = true});
  REQUIRE(all.size() == 5);
  CHECK(all[0].config["P"] == 1);
  CHECK(all[3].chosen);
  CHECK_FALSE(all[4].feasible);
  CHECK(all[4].reason == "P above 4");
  CHECK_FALSE(all[4].prediction);
}

TEST_CASE("analytic rows: a layer that no family does is one row with the reason", "[cli]") {
  auto strided = one_layer;
  strided[0].layers[0].shape.stride = 2;
  for (const auto& selection : {RowSelection{}, RowSelection{.families = {"falling"}}}) {
    const auto rows = predict(selection, strided);
    REQUIRE(rows.size() == 1);
    CHECK_FALSE(rows[0].feasible);
    CHECK(rows[0].reason.find("stride 2: only 1") != std::string::npos);
  }
}

TEST_CASE("analytic rows: JSON has every key of the interface", "[cli]") {
  const auto json = nlohmann::json::parse(format_rows(predict({.all = true}), Format::json));
  REQUIRE(json.size() == 5);
  const auto& row = json[3];
  CHECK(row["model"] == "analytic");
  CHECK(row["family"] == "falling");
  CHECK(row["layer"] == "a \"b\"");
  CHECK(row["problem"] ==
        nlohmann::json::parse(R"({"N":1,"C":1,"H":28,"W":28,"M":512,"K":3,"stride":1,"pad":0})"));
  CHECK(row["config"] == nlohmann::json::parse(R"({"P":4,"Q":1})"));
  CHECK(row["feasible"] == true);
  CHECK_FALSE(row.contains("reason"));
  CHECK(row["chosen"] == true);
  CHECK(row["limiter"] == "launch");  // 1 us against 3 x 320 ns
  CHECK(row["code"] == "estimated");
  CHECK(row["time_s"].get<double>() == Approx(1.96e-6));
  CHECK(row["time_lo_s"].get<double>() <= row["time_s"].get<double>());
  CHECK(row["time_hi_s"].get<double>() >= row["time_s"].get<double>());
  REQUIRE(row["bounds"].size() == analytic::bound_names().size());
  CHECK(row["bounds"][0]["name"] == "fma");
  CHECK(row["bounds"][0]["equation"] == "A1");
  CHECK(row["bounds"][0]["time_s"].get<double>() == Approx(600e-9));
  CHECK(json[4]["feasible"] == false);
  CHECK(json[4]["reason"] == "P above 4");
  CHECK_FALSE(json[4].contains("time_s"));
}

TEST_CASE("analytic rows: a dilation is told where it is not 1", "[cli]") {
  auto dilated = one_layer;
  dilated[0].layers[0].shape.dilation = 2;
  const auto rows = predict({}, dilated);
  const auto json = nlohmann::json::parse(format_rows(rows, Format::json));
  CHECK(json[0]["problem"]["dilation"] == 2);
  const auto csv = format_rows(rows, Format::csv);
  CHECK(csv.find(",stride,pad,dilation,config,") != std::string::npos);
  CHECK(csv.find(",28,28,512,3,1,0,2,P=") != std::string::npos);
  CHECK(format_rows(rows, Format::table).find("K3 s1 p0 d2") != std::string::npos);
  CHECK(format_rows(predict({}), Format::csv).find("dilation") == std::string::npos);
}

TEST_CASE("paper rows: JSON has every key of the interface", "[cli]") {
  const auto device = paper::device_constants(gtx_1080_ti());
  const auto json = nlohmann::json::parse(format_rows(paper_rows(one_layer, device, {}, {}), Format::json));
  REQUIRE(json.size() == 1);
  const auto& row = json[0];
  CHECK(row["model"] == "paper");
  CHECK(row["family"] == "chang_single");
  CHECK(row["config"] == nlohmann::json::parse(R"({"method":1,"P":1,"Q":1})"));
  CHECK(row["feasible"] == true);
  CHECK(row["chosen"] == true);
  CHECK(row["shared_bytes"] == 4044);
  CHECK(row["fma_per_sm"] == 134064);
  CHECK(row["hides_latency"] == true);
  CHECK(row["reaches_v_s"] == true);
}

TEST_CASE("paper rows: every P and Q; refused layers with the reason; families select", "[cli]") {
  const auto device = paper::device_constants(gtx_1080_ti());
  CHECK(paper_rows(one_layer, device, {}, {.all = true}).size() == 28 + 512);
  CHECK(paper_rows(one_layer, device, {}, {.families = {"chang_multi"}}).empty());
  CHECK_THROWS_AS(paper_rows(one_layer, device, {}, {.families = {"chang_mult"}}), InputError);
  auto padded = one_layer;
  padded[0].layers[0].shape.pad = 1;
  const auto rows = paper_rows(padded, device, {}, {.all = true});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].reason == "the paper's model has no padding, not 1");
}

TEST_CASE("prediction rows: CSV has one field a column, JSON lines one row a line", "[cli]") {
  const auto rows = predict({.all = true});
  const auto csv = format_rows(rows, Format::csv);
  CHECK(std::ranges::count(csv, '\n') == 6);
  CHECK(csv.find(",\"a \"\"b\"\"\",1,1,28,28,512,3,1,0,P=4 Q=1,true,,true,,,,") != std::string::npos);
  const auto first_line = csv.substr(0, csv.find('\n'));
  const auto last_line = csv.substr(csv.rfind('\n', csv.size() - 2) + 1);
  CHECK(std::ranges::count(first_line, ',') == std::ranges::count(last_line, ','));
  CHECK(std::ranges::count(format_rows(rows, Format::jsonl), '\n') == 5);
  CHECK(format_rows({}, Format::json) == "[]\n");
}
