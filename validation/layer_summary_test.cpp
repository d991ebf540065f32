#include "validation/layer_summary.hpp"

#include "model/paper/partitions.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"
#include "validation/recorded_predictions.hpp"
#include "validation/work_list.hpp"

using namespace tilecast;

namespace {

const ConvShape multi{.C = 64, .H = 56, .W = 56, .M = 64, .K = 3};
const ConvShape single{.C = 1, .H = 224, .W = 224, .M = 64, .K = 3};

// What the paper's rules read, after its Table 1 (GTX 1080 Ti).
DeviceProfile paper_device() {
  DeviceProfile d;
  d.sm_count.set(28);
  d.fp32_lanes_per_sm.set(128);
  d.registers_per_sm.set(65536);
  d.shared_per_sm.set(Bytes{96 * 1024});
  d.base_clock.set(Frequency{1.48e9});
  d.dram_peak.set(Bandwidth{484e9});
  d.dram_latency.set(Cycles{258});
  return d;
}

Comparison pair_of(const ConvShape& problem, const std::string& family, const std::string& config,
                   double measured, double predicted) {
  Comparison c;
  c.family = family;
  c.suite = "s";
  c.layer = "l";
  c.problem = problem;
  c.config = config;
  c.measured = Seconds{measured};
  c.predicted = Seconds{predicted};
  return c;
}

MeasuredRow baseline(const std::string& family, const std::string& algorithm, double time) {
  MeasuredRow row;
  row.family = family;
  row.problem = multi;
  row.config = {{"algorithm", algorithm}};
  if (time > 0) row.time = Seconds{time};
  if (time <= 0) row.status = "CUDNN_STATUS_NOT_SUPPORTED";
  return row;
}

}  // namespace

TEST_CASE("summarise_layers: best, the model's choice, and the best of all cuDNN rows", "[summary]") {
  const std::vector<Comparison> pairs{pair_of(multi, "chang_multi", "S_bytes=32 M_tile=1 Wx_tile=32", 4, 1),
                                      pair_of(multi, "chang_multi", "S_bytes=32 M_tile=2 Wx_tile=32", 2, 3)};
  const std::vector<MeasuredRow> rows{baseline("cudnn_legacy", "GEMM", 5), baseline("cudnn_legacy", "FFT", 0),
                                      baseline("cudnn_graph", "plan", 3), baseline("cublas_sgemm", "D", 1)};
  const auto summaries = summarise_layers(pairs, rows, DeviceProfile{});
  REQUIRE(summaries.size() == 1);
  const auto& s = summaries[0];
  CHECK(s.n == 2);
  CHECK(s.best.config == "S_bytes=32 M_tile=2 Wx_tile=32");
  CHECK(s.best.regret == 0);
  CHECK(s.model.time == Seconds{4});
  CHECK(s.model.regret == Approx(1));
  REQUIRE(s.cudnn);
  CHECK(s.cudnn->config == "cudnn_graph algorithm=plan");
  CHECK(*s.speedup_over_cudnn() == Approx(1.5));
  CHECK(s.sgemm->regret == Approx(-0.5));
  // The empty profile has not what the paper's rules read: a reason, not a failure.
  CHECK_FALSE(s.paper);
  CHECK(s.paper_reason.find("profile has no") != std::string::npos);
}

TEST_CASE("summarise_layers: the paper's choice is looked up by the axes that it fixes", "[summary]") {
  const auto device = paper_device();
  const auto choice = paper::chosen_partition(multi, paper::device_constants(device));
  const std::vector<Comparison> pairs{pair_of(multi, "chang_multi", describe_config(choice.config), 3, 9),
                                      pair_of(multi, "chang_multi", "S_bytes=128 M_tile=1 Wx_tile=1", 2, 1)};
  const auto s = summarise_layers(pairs, {}, device)[0];
  REQUIRE(s.paper);
  CHECK(s.paper->regret == Approx(0.5));
  CHECK_FALSE(s.cudnn);
  CHECK_FALSE(s.speedup_over_cudnn());

  const auto missing = summarise_layers(std::vector{pairs[1]}, {}, device)[0];
  CHECK_FALSE(missing.paper);
  CHECK(missing.paper_reason == "not measured: " + describe_config(choice.config));
  auto strided = pairs;
  strided[0].problem.stride = 2;
  CHECK_FALSE(summarise_layers(strided, {}, device)[0].paper);
}

TEST_CASE("summarise_layers: prefetching or volume is part of the paper's choice", "[summary]") {
  const auto device = paper_device();
  const auto choice = paper::chosen_partition(single, paper::device_constants(device));
  const auto fixed = describe_config(choice.config);
  const auto prefetch = fixed + " threads=128 loads_in_flight=0",
             volume = fixed + " threads=128 loads_in_flight=4";
  const auto s = summarise_layers(std::vector{pair_of(single, "chang_single", prefetch, 3, 1),
                                              pair_of(single, "chang_single", volume, 2, 1)},
                                  {}, device)[0];
  REQUIRE(s.paper);
  CHECK(s.paper->config == (choice.hides_latency ? prefetch : volume));
}

TEST_CASE("predict_recorded: predicts what was measured, counts the rest by reason", "[summary]") {
  static const KernelFamily toy{
      .name = "toy",
      .summary = "",
      .supports = [](const ConvShape& s) -> std::optional<Unsupported> {
        if (s.C > 1) return Unsupported{"one channel only"};
        return std::nullopt;
      },
      .configs =
          [](const ConvShape&, const DeviceProfile&) {
            return std::vector<Config>{{{"P", 1}}, {{"P", 2}}, {{"P", 3}}, {{"P", 4}}};
          },
      .feasible = [](const ConvShape&, const Config& c, const DeviceProfile&) -> std::optional<Unsupported> {
        if (c["P"] == 4) return Unsupported{"too large"};
        return std::nullopt;
      },
      .plan = [](const ConvShape&, const Config&, const DeviceProfile&) { return LaunchPlan{}; },
      .describe =
          [](const ConvShape&, const Config& c, const DeviceProfile&, const CodeRecord*) {
            KernelDescription d;
            d.fma_useful = static_cast<double>(c["P"]);
            return d;
          }};
  const KernelFamily* const families[] = {&toy};
  std::vector<MeasuredRow> rows;
  const auto add = [&](std::int64_t P, const ConvShape& shape) {
    MeasuredRow row;
    row.family = "toy";
    row.problem = shape;
    row.config = {{"P", std::to_string(P)}};
    row.time = Seconds{1};
    rows.push_back(row);
  };
  add(2, single);
  add(1, single);
  add(4, single);
  add(1, multi);
  add(3, {.C = 1, .H = 9, .W = 9, .M = 1, .K = 3});
  add(7, single);  // not on the family's list, but it runs
  rows.push_back(rows.back());
  rows.back().config = {{"Q", "7"}};  // no such axis
  auto other = rows[0];
  other.family = "cudnn_legacy";
  rows.push_back(other);
  const BoundModel by_axis{"by axis", [](const ModelQuery& q) -> ModelAnswer {
                             Prediction p;
                             p.time = Seconds{q.kernel.fma_useful};
                             return p;
                           }};
  const BoundModel fails{"fails", [](const ModelQuery& q) -> ModelAnswer {
                           if (q.config["P"] == 7) return Unsupported{"seven"};
                           throw UnavailableError("no latency");
                         }};
  const BoundModel models[] = {by_axis, fails};
  for (const unsigned threads : {1u, 3u}) {
    const auto all = predict_recorded(rows, families, DeviceProfile{}, models, {.threads = threads});
    REQUIRE(all.models.size() == 2);
    const auto& result = all.models[0];
    CHECK(result.model == "by axis");
    REQUIRE(result.rows.size() == 4);
    CHECK(result.rows[0].time == Seconds{2});
    CHECK(result.rows[1].time == Seconds{1});
    CHECK(result.rows[2].time == Seconds{7});
    CHECK(result.rows[3].time == Seconds{3});
    CHECK(result.unpredicted.at("one channel only") == 1);
    CHECK(result.unpredicted.at("not a feasible config of the family on this device") == 2);
    CHECK(join(rows, result.rows).only_measured == 4);
    CHECK(all.models[1].rows.empty());
    CHECK(all.models[1].unpredicted.at("no latency") == 3);
    CHECK(all.models[1].unpredicted.at("seven") == 1);
  }
  // P = 3 of the first layer, P = 1 and 2 of the last.
  CHECK(unrecorded_configs(rows, families, DeviceProfile{}) == 3);
  // What a model prepares for a code is not part of a prediction's cost.
  const auto work = [](double seconds) {
    for (const auto begin = thread_time(); (thread_time() - begin).value() < seconds;) {
    }
  };
  const BoundModel slow{"slow",
                        [work](const ModelQuery&) -> ModelAnswer {
                          work(0.001);
                          return Prediction{};
                        },
                        [work](const ModelQuery&) { work(0.02); }};
  const auto timed = predict_recorded(rows, families, DeviceProfile{}, std::span(&slow, 1), {.sample = 1});
  for (const auto& row : timed.models[0].rows) {
    CHECK(row.cost.value() >= 0.001);
    CHECK(row.cost.value() < 0.02);
  }
  const auto some = predict_recorded(rows, families, DeviceProfile{}, models, {.sample = 1});
  CHECK(some.models[0].rows.size() == 2);  // one of each layer that the family supports ...
  CHECK(some.unsampled == 4);              // ... and of the other layer its only row
}
