#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli_test_support.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

Outcome run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "predict");
  return run_tilecast(arguments);
}

nlohmann::json rows(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const auto outcome = run(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return nlohmann::json::parse(outcome.out);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// "name   value" with any run of spaces between.
bool has_constant(const std::string& text, const std::string& name, const std::string& value) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name + "  ")) continue;
    std::istringstream rest(line.substr(name.size()));
    std::string first;
    rest >> first;
    return first == value;
  }
  return false;
}

}  // namespace

TEST_CASE("predict --model paper: the GTX 1080 Ti's constants above the table", "[cli]") {
  const auto shown = run({"-d", "gtx-1080-ti", "-l", "chang-single", "--model", "paper"});
  REQUIRE(shown.code == 0);
  CHECK(has_constant(shown.out, "N_FMA", "66048"));
  CHECK(has_constant(shown.out, "transfer rate", "327"));
  CHECK(has_constant(shown.out, "data requirement", "84366"));
  CHECK(has_constant(shown.out, "threads a SM", "768"));
  CHECK(has_constant(shown.out, "warps a SM", "24"));
  CHECK(has_constant(shown.out, "data requirement a SM", "3072"));
  CHECK(has_constant(shown.out, "V_s", "86016"));
  CHECK(has(shown.out, "chang-sc-28-m512-k1"));
}

TEST_CASE("predict --model paper --all: every P and Q, every S, M' and W'x", "[cli]") {
  const auto single =
      rows({"-d", "gtx-1080-ti", "--conv", "1,1,1024,1024,32,3", "--model", "paper", "--all"});
  REQUIRE(single.size() == 1024 + 32);
  CHECK(single[46]["config"]["P"] == 47);
  CHECK(single[46]["chosen"] == true);
  CHECK(single[46]["shared_bytes"] == 98376);
  CHECK(has(single[45]["reason"].get<std::string>(), "below its lower bound 47"));
  const auto multi = rows({"-d", "gtx-1080-ti", "--conv", "1,64,56,56,64,3", "--model", "paper", "--all"});
  CHECK(multi.size() == 3 * 64 * 4);
  CHECK(std::ranges::count_if(multi, [](const auto& row) { return row["chosen"] == true; }) == 1);
}

TEST_CASE("predict --model paper: readings change the answer", "[cli]") {
  const std::vector<std::string> layer{"-d",      "gtx-1080-ti", "--conv", "1,1,1024,1024,32,3",
                                       "--model", "paper"};
  const auto with = [&](std::string quirk) {
    auto arguments = layer;
    arguments.push_back(std::move(quirk));
    return arguments;
  };
  CHECK(rows(layer)[0]["config"]["P"] == 47);
  CHECK(rows(with("--lower-bound=exact"))[0]["config"]["P"] == 49);
  CHECK(has_constant(run(with("--fma-count=fmas")).out, "N_FMA", "33024"));
  CHECK(has_constant(run(with("--latency=alternative")).out, "global-memory latency", "415"));
  CHECK(has_constant(run(with("--registers=resident")).out, "registers a thread", "64"));
  CHECK(rows({"-d", "gtx-1080-ti", "-l", "chang-single", "--model", "paper", "--pairing", "full-grid"})
            .size() == 72);
}

TEST_CASE("predict --model paper: one layer of several channels shows its divisions over SMs", "[cli]") {
  const std::vector<std::string> layer{"-d", "h100", "--conv", "1,256,56,56,256,3", "--model", "paper"};
  CHECK(has(run(layer).out, "channels: no, 25088 B of partial sums"));  // 56 x 56 x ceil(256/132) x 4
  auto clusters = layer;
  clusters.push_back("--channel-split=clusters");
  CHECK(has(run(clusters).out, "channels: yes"));
}

TEST_CASE("predict: the analytic model chooses one config a family and lists its bounds", "[cli]") {
  const std::vector<std::string> layer{"-d", "h100", "--conv", "1,64,28,28,64,3", "-f", "chang_multi"};
  const auto best = rows(layer);
  REQUIRE(best.size() == 1);
  CHECK(best[0]["chosen"] == true);
  for (const char* axis : {"S_bytes", "M_tile", "Wx_tile"})
    CHECK(best[0]["config"].contains(axis));
  CHECK(best[0]["time_s"].get<double>() > 0);
  auto all = layer;
  all.push_back("--all");
  double fastest = 1;
  for (const auto& row : rows(all)) {
    CHECK(row["feasible"].get<bool>() != row.contains("reason"));
    if (row["feasible"] == true) fastest = std::min(fastest, row["time_s"].get<double>());
  }
  CHECK(fastest == best[0]["time_s"].get<double>());
}

TEST_CASE("predict: says whose machine code times rest on", "[cli]") {
  const std::vector<std::string> layer{"-d", "h200",        "--conv", "1,96,35,35,200,1",
                                       "-f", "chang_multi", "--top",  "200"};
  std::map<std::string, int> count;
  for (const auto& row : rows(layer))
    ++count[row["code"].get<std::string>()];
  CHECK(count["own"] > 0);
  CHECK(count["similar"] > 0);  // no suite has maps of 35 x 35
  const auto text = run(layer).out;
  CHECK(has(text, fmt::format("{} times rest on the code of a similar kernel", count["similar"])));
}

TEST_CASE("predict --read-code: the fastest configs are those whose own code was read", "[cli]") {
  const auto read = run({"-d", "h200", "--conv", "1,96,35,35,200,1", "-f", "chang_multi", "--top", "2",
                         "--read-code", "2", "--format", "json", "-q"});
  if (read.code == 5) {
    SUCCEED("NVRTC or nvdisasm is not here: " << read.err);
    return;
  }
  INFO(read.err);
  REQUIRE(read.code == 0);
  const auto fastest = nlohmann::json::parse(read.out);
  REQUIRE(fastest.size() == 2);
  for (const auto& row : fastest)
    CHECK(row["code"] == "own");
  CHECK(run({"-d", "h200", "--gemm", "64,64,64", "--read-code", "0"}).code == 2);
  for (const auto* model : {"sim", "both"})
    CHECK(run({"-d", "h200", "--gemm", "64,64,64", "--model", model, "--read-code", "1"}).code == 2);
}

TEST_CASE("predict --model both: between what sim and analytic say of a kernel's own code", "[cli][B1]") {
  const auto said = [](const std::string& model, std::vector<std::string> further) {
    std::vector<std::string> words{"-d",          "h200",  "--conv",     "1,8,4,4,4,1", "-f",
                                   "chang_multi", "--all", "--model",    model,         "--format",
                                   "json",        "-q",    "--interval", "parameters"};
    words.insert(words.end(), further.begin(), further.end());
    return run(words);
  };
  const auto both = said("both", {});
  if (both.code == 5) {
    SUCCEED("NVRTC or nvdisasm is not here: " << both.err);
    return;
  }
  INFO(both.err);
  REQUIRE(both.code == 0);
  const auto rows = nlohmann::json::parse(both.out);
  const auto sim = nlohmann::json::parse(said("sim", {}).out);
  const auto analytic = nlohmann::json::parse(said("analytic", {"--read-code", "100"}).out);
  REQUIRE(rows.size() == sim.size());
  REQUIRE(rows.size() == analytic.size());
  std::size_t feasible = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i]["feasible"] == false) continue;
    ++feasible;
    for (const auto* time : {"time_s", "time_lo_s", "time_hi_s"}) {
      const double a = sim[i][time], b = analytic[i][time];
      CHECK(rows[i][time].get<double>() == Approx(std::sqrt(a * b)));
    }
    CHECK(rows[i]["code"] == "own");
    CHECK(rows[i]["limiter"] == analytic[i]["limiter"]);
  }
  CHECK(feasible == 3);
}

TEST_CASE("predict --model paper: layers that it has no answer for say why", "[cli]") {
  const auto all = rows({"-d", "gtx-1080-ti", "-l", "resnet50", "--model", "paper"});
  CHECK(all[0]["feasible"] == false);
  CHECK(all[0]["reason"] == "the paper's model has stride 1, not 2");
}

TEST_CASE("predict: mistakes on the command line exit with 2, unknown names with 3", "[cli]") {
  CHECK(
      run_tilecast({"predict", "-d", "h200", "--conv", "1,64,14,14,64,3", "--read-code", "1", "--jobs", "-1"})
          .code == 2);
  const std::vector<std::string> layer{"-d", "gtx-1080-ti", "--conv", "1,1,28,28,32,3"};
  const auto code = [&](std::vector<std::string> more) {
    more.insert(more.begin(), layer.begin(), layer.end());
    return run(more).code;
  };
  CHECK(code({"--model", "papper"}) == 2);
  CHECK(code({"--model", "paper", "--without", "fma"}) == 2);
  CHECK(code({"--model", "paper", "--latency", "dram"}) == 2);
  CHECK(code({"--latency", "alternative"}) == 2);  // the analytic model would ignore it
  CHECK(code({"--all", "--top", "3"}) == 2);
  CHECK(code({"--top", "0"}) == 2);
  CHECK(code({"--family", "chang_singel"}) == 3);
  CHECK(run({"-d", "gtx-1080", "--conv", "1,1,28,28,32,3"}).code == 3);
  CHECK(run({"-d", "gtx-1080-ti", "-l", "chang-singel"}).code == 3);
}
