#include "validation/work_list.hpp"

#include <algorithm>
#include <set>

#include "model/device/load.hpp"
#include "model/paper/partitions.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"
#include "validation/measurement_store.hpp"

using namespace tilecast;

namespace {

// A family of its own, so that the order of work is tested apart from any kernel: P = 1..20, odd ones do not
// fit, one channel only.
const KernelFamily toy{
    .name = "toy",
    .summary = "",
    .supports = [](const ConvShape& s) -> std::optional<Unsupported> {
      if (s.C != 1) return Unsupported{"one channel only"};
      return std::nullopt;
    },
    .configs =
        [](const ConvShape&, const DeviceProfile&) {
          std::vector<Config> configs;
          for (std::int64_t P = 1; P <= 20; ++P)
            configs.push_back({{"P", P}});
          return configs;
        },
    .feasible = [](const ConvShape&, const Config& c, const DeviceProfile&) -> std::optional<Unsupported> {
      if (c["P"] % 2) return Unsupported{"odd"};
      return std::nullopt;
    },
    .plan = nullptr,
    .describe = nullptr};

std::vector<SuiteLayer> three_layers() {
  const Suite a{"a",
                {{"a1", "", {.C = 1, .H = 8, .W = 8, .M = 1, .K = 3}},
                 {"a2", "", {.C = 2, .H = 8, .W = 8, .M = 1, .K = 3}}}};
  const Suite b{"b",
                {{"b1", "", {.C = 1, .H = 8, .W = 8, .M = 1, .K = 3}},  // a1 again
                 {"b2", "", {.C = 1, .H = 9, .W = 9, .M = 1, .K = 3}}}};
  return distinct_layers(std::vector{a, b});
}

std::vector<std::string> keys(const WorkList& list) {
  std::vector<std::string> keys;
  for (const auto& group : list.groups) {
    for (const auto& config : group.configs)
      keys.push_back(std::to_string(group.layer) + ' ' + describe_config(config));
  }
  return keys;
}

const auto nothing_done = [](const MeasuredRow&) { return false; };
const KernelFamily* const families[] = {&toy};

}  // namespace

TEST_CASE("distinct_layers: a problem that two suites share is taken once", "[work]") {
  const auto layers = three_layers();
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].suite == "a");
  CHECK(layers[2].layer.id == "b2");
}

TEST_CASE("plan_work: feasible configs of supported layers, everything else counted", "[work]") {
  const auto list = plan_work(three_layers(), families, DeviceProfile{}, {.order = WorkOrder::layer_by_layer},
                              nothing_done);
  CHECK(list.configs == 20);
  CHECK(list.infeasible == 20);
  CHECK(list.unsupported == 1);
  REQUIRE(list.groups.size() == 2);
  CHECK(keys(list).front() == "0 P=2");
  CHECK(keys(list).back() == "2 P=20");
}

TEST_CASE("plan_work: interleaving reorders the same work and reaches every layer in each round", "[work]") {
  const auto layers = three_layers();
  const auto straight =
      plan_work(layers, families, DeviceProfile{}, {.order = WorkOrder::layer_by_layer}, nothing_done);
  const auto rounds = plan_work(layers, families, DeviceProfile{},
                                {.order = WorkOrder::interleaved, .rounds = 3}, nothing_done);
  CHECK(rounds.groups.size() == 6);
  CHECK(rounds.configs == straight.configs);
  auto a = keys(straight), b = keys(rounds);
  CHECK(b[4] == "2 P=2");  // four of ten configs of the first layer, then the next layer
  std::ranges::sort(a);
  std::ranges::sort(b);
  CHECK(a == b);
}

TEST_CASE("plan_work: samples are repeatable, nested and depend on the seed", "[work]") {
  const auto layers = three_layers();
  const auto with = [&](std::size_t count, std::uint64_t seed) {
    const auto k =
        keys(plan_work(layers, families, DeviceProfile{}, {.sample = count, .seed = seed}, nothing_done));
    return std::set<std::string>(k.begin(), k.end());
  };
  CHECK(with(4, 1).size() == 8);
  CHECK(with(4, 1) == with(4, 1));
  CHECK(with(4, 1) != with(4, 2));
  CHECK(std::ranges::includes(with(7, 1), with(4, 1)));
  CHECK(with(100, 1).size() == 20);
}

TEST_CASE("plan_work: a resumed run does what is left of the same sample", "[work]") {
  const auto layers = three_layers();
  const WorkOptions options{.sample = 4};
  const auto whole = plan_work(layers, families, DeviceProfile{}, options, nothing_done);
  std::set<std::string> done;
  std::size_t asked = 0;
  const auto rest = plan_work(layers, families, DeviceProfile{}, options, [&](const MeasuredRow& row) {
    if (asked++ % 2) return false;
    return done.insert(row_key(row)).second;
  });
  CHECK(rest.done == 4);
  CHECK(rest.configs == 4);
  for (const auto& key : keys(rest))
    CHECK(std::ranges::count(keys(whole), key) == 1);
}

TEST_CASE("config_of: the text of a row gives the config back", "[work]") {
  MeasuredRow row;
  row.config = config_text(Config{{"method", 2}, {"Q", 17}});
  CHECK(describe_config(config_of(row)) == "method=2 Q=17");
  row.config = {{"algorithm", "IMPLICIT_GEMM"}};
  CHECK_THROWS_AS(config_of(row), InputError);
}

TEST_CASE("config_axes: the axes of every supported layer", "[work]") {
  CHECK(config_axes(toy, three_layers(), DeviceProfile{}) == std::vector<std::string>{"P"});
}

TEST_CASE("config_axes: the dilation is a column where a supported layer has one", "[work]") {
  const std::vector<std::string> with{"dilation", "P"}, without{"P"};
  const SuiteLayer one{"s", {"l", "", {.C = 1, .H = 9, .W = 9, .K = 3, .dilation = 2}}};
  const SuiteLayer two{"s", {"m", "", {.C = 2, .H = 9, .W = 9, .K = 3, .dilation = 2}}};  // not supported
  const std::vector<SuiteLayer> both{two, one}, unsupported{three_layers()[0], two};
  CHECK(config_axes(toy, both, DeviceProfile{}) == with);
  CHECK(config_axes(toy, unsupported, DeviceProfile{}) == without);
  CHECK(row_columns({"P"}, unsupported) == with);
}

TEST_CASE("work list: the paper's own choice runs too, where the family can") {
  KernelFamily family = toy;
  family.name = "chang_multi";
  family.supports = [](const ConvShape&) -> std::optional<Unsupported> { return std::nullopt; };
  family.configs = [](const ConvShape&, const DeviceProfile&) {
    return std::vector<Config>{{{"S_bytes", 32}, {"M_tile", 64}, {"Wx_tile", 128}}};
  };
  family.feasible = [](const ConvShape&, const Config& c,
                       const DeviceProfile&) -> std::optional<Unsupported> {
    if (c["M_tile"] == 64 || c["M_tile"] > 200) return Unsupported{"no"};
    return std::nullopt;
  };
  const DeviceProfile h200 = load_device("h200");
  const KernelFamily* const only[] = {&family};
  const auto run = [&](std::int64_t M) {
    const std::vector<SuiteLayer> layers{{"s", {"l", "", {.C = 8, .H = 30, .W = 30, .M = M, .K = 3}}}};
    return keys(plan_work(layers, only, h200, {}, nothing_done));
  };
  const auto choice =
      paper::chosen_partition({.C = 8, .H = 30, .W = 30, .M = 512, .K = 3}, paper::device_constants(h200));
  CHECK(run(512) == std::vector<std::string>{"0 " + describe_config(choice.config)});
  CHECK(run(64).empty());  // the choice is M_tile 64, which cannot run here
  CHECK(run(40).size() == 1);
}
