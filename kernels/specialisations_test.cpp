#include "kernels/specialisations.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// Does odd K only; tiles 1 to 4, of which 3 does not fit; code depends on K and on the tile's parity.
const KernelFamily sample_family{
    .name = "sample",
    .summary = "",
    .supports = [](const ConvShape& shape) -> std::optional<Unsupported> {
      if (shape.K % 2 == 0) return Unsupported{"even K"};
      return std::nullopt;
    },
    .configs = [](const ConvShape&, const DeviceProfile&) -> std::vector<Config> {
      return {{{"tile", 1}}, {{"tile", 2}}, {{"tile", 3}}, {{"tile", 4}}};
    },
    .feasible = [](const ConvShape&, const Config& config,
                   const DeviceProfile&) -> std::optional<Unsupported> {
      if (config["tile"] == 3) return Unsupported{"too large"};
      return std::nullopt;
    },
    .plan = [](const ConvShape& shape, const Config& config, const DeviceProfile&) -> LaunchPlan {
      return {.code = {"s/s.cu", "s", {{"K", shape.K}, {"ODD", config["tile"] % 2}}}};
    },
    .describe = nullptr,
};

}  // namespace

TEST_CASE("specialisations: every feasible config of every supported layer, each code once, sorted") {
  const ConvShape layers[] = {{.C = 8, .H = 9, .W = 9, .K = 3},
                              {.C = 4, .H = 9, .W = 9, .K = 2},
                              {.C = 2, .H = 9, .W = 9, .K = 1},
                              {.C = 1, .H = 5, .W = 5, .K = 3}};
  std::vector<std::string> keys;
  for (const auto& code : needed_specialisations(std::span(&sample_family, 1), layers, DeviceProfile{}))
    keys.push_back(code.key());
  CHECK(keys == std::vector<std::string>{"s/s.cu:s K=1 ODD=0", "s/s.cu:s K=1 ODD=1", "s/s.cu:s K=3 ODD=0",
                                         "s/s.cu:s K=3 ODD=1"});
}
