#include "cli/evaluation.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// A family with one axis, 1 to 4, of which 4 does not fit. Its description carries the axis as the number of
// blocks, and the toy model reads that: a time of `P` seconds.
std::optional<Unsupported> supports(const ConvShape& shape) {
  if (shape.C != 1) return Unsupported{"several channels"};
  return std::nullopt;
}
std::vector<Config> configs(const ConvShape&, const DeviceProfile&) {
  return {Config{{"P", 1}}, Config{{"P", 2}}, Config{{"P", 3}}, Config{{"P", 4}}};
}
std::optional<Unsupported> feasible(const ConvShape&, const Config& config, const DeviceProfile&) {
  if (config["P"] > 3) return Unsupported{"does not fit"};
  return std::nullopt;
}
LaunchPlan plan(const ConvShape&, const Config&, const DeviceProfile&) {
  return {};
}
KernelDescription describe(const ConvShape&, const Config& config, const DeviceProfile&, const CodeRecord*) {
  KernelDescription kernel;
  kernel.launch.blocks = config["P"];
  return kernel;
}

constexpr KernelFamily toy{"toy", "a toy", supports, configs, feasible, plan, describe};

Prediction toy_model(const KernelDescription& kernel, const DeviceProfile&) {
  const Seconds t{static_cast<double>(kernel.launch.blocks)};
  return {.time = t, .low = 0.5 * t, .high = 2.0 * t, .limiter = "blocks", .bounds = {{"blocks", "T1", t}}};
}

MeasuredRow row(std::string family, std::string layer, std::string p, std::optional<double> seconds) {
  MeasuredRow r{
      .family = std::move(family), .layer = std::move(layer), .suite = "s", .problem = {.H = 8, .W = 8}};
  r.config = {{"P", std::move(p)}};
  if (seconds)
    r.time = Seconds{*seconds};
  else
    r.status = "wrong result";
  return r;
}

Evaluation run(const std::vector<MeasuredRow>& rows, std::vector<Suite> suites, unsigned threads = 1) {
  const std::vector<KernelFamily> families = {toy};
  return evaluate(
      DeviceProfile{}, rows,
      {.families = families, .predict = toy_model, .suites = std::move(suites), .threads = threads});
}

}  // namespace

TEST_CASE("evaluate: a layer without measurements has every feasible config", "[cli]") {
  const auto e = run({}, {{"s", {{"one", "", {.H = 8, .W = 8}}, {"two", "", {.C = 2, .H = 8, .W = 8}}}}});
  REQUIRE(e.points.size() == 3);  // P = 4 does not fit; the family does not do layer two
  CHECK(e.points[2].config == Config{{"P", 3}});
  CHECK(e.points[2].predicted == Seconds{3});
  CHECK(e.points[2].low == Seconds{1.5});
  CHECK(e.points[2].limiter == "blocks");
  CHECK(e.points[2].bounds.at(0).equation == "T1");
  CHECK(e.measured == 0);
  CHECK(score_lines(e).empty());
}

TEST_CASE("evaluate: a measured layer has its measured configs, and what cannot be joined is counted",
          "[cli]") {
  const auto e =
      run({row("toy", "one", "2", 4.0), row("toy", "one", "3", std::nullopt), row("toy", "one", "4", 1.0),
           row("toy", "one", "x", 1.0), row("cudnn_graph", "one", "7", 8.0)},
          {});
  REQUIRE(e.points.size() == 1);
  CHECK(e.points[0].config == Config{{"P", 2}});
  CHECK(e.points[0].measured == Seconds{4});
  CHECK(e.points[0].signed_error() == Approx(-0.5));
  CHECK(e.measured == 1);
  CHECK(e.not_timed == std::map<std::string, std::size_t>{{"wrong result", 1}});
  CHECK(e.unpredicted ==
        std::map<std::string, std::size_t>{{"does not fit", 1}, {"not a config of the family", 1}});
  REQUIRE(e.baselines.size() == 1);
  CHECK(e.baselines[0].algorithm == "7");
  CHECK(e.baselines[0].measured == Seconds{8});

  const auto scores = score_lines(e);
  REQUIRE(scores.size() == 1);
  CHECK(scores[0].family == "toy");
  CHECK(scores[0].median_abs_error == Approx(0.5));
  CHECK(scores[0].interval_coverage == Approx(1.0));  // 1 to 4 seconds
}

TEST_CASE("evaluate: measured layers outside the suites are added after them", "[cli]") {
  const auto e = run({row("toy", "extra", "1", 1.0)}, {{"s", {{"one", "", {.H = 8, .W = 8}}}}});
  REQUIRE(e.points.size() == 4);
  CHECK(e.points[0].layer == "one");
  CHECK(e.points[3].layer == "extra");
  CHECK(e.points[3].suite == "s");
}

TEST_CASE("evaluate: any number of threads gives the same points in the same order", "[cli]") {
  std::vector<Layer> layers;
  for (int i = 0; i < 40; ++i)
    layers.push_back({"layer" + std::to_string(i), "", {.H = 8 + i, .W = 8}});
  const auto one = run({}, {{"s", layers}}, 1), many = run({}, {{"s", layers}}, 4);
  REQUIRE(one.points.size() == 120);
  REQUIRE(many.points.size() == 120);
  for (std::size_t i = 0; i < 120; ++i) {
    CHECK(one.points[i].layer == many.points[i].layer);
    CHECK(one.points[i].config == many.points[i].config);
  }
}

TEST_CASE("evaluate: what a family throws in a thread reaches the caller", "[cli]") {
  const std::vector<KernelFamily> families = {toy};
  const auto broken = [](const KernelDescription&, const DeviceProfile&) -> Prediction {
    throw UnavailableError("no 'dram_latency_cycles'");
  };
  const std::vector<Suite> suites = {{"s", {{"one", "", {.H = 8, .W = 8}}}}};
  CHECK_THROWS_AS(evaluate(DeviceProfile{}, {},
                           {.families = families, .predict = broken, .suites = suites, .threads = 3}),
                  UnavailableError);
}
