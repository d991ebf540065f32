#include "kernels/similar_code.hpp"

#include <string_view>
#include <vector>

#include "kernels/family.hpp"
#include "model/device/load.hpp"
#include "model/device/occupancy.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

constexpr std::string_view may_differ[] = {"VEC", "SPLIT"};

Specialisation code(std::int64_t tile, std::int64_t vec, std::int64_t split) {
  return {"toy/toy.cu", "toy", {{"TILE", tile}, {"VEC", vec}, {"SPLIT", split}}};
}

}  // namespace

TEST_CASE("similar code: same tile, then the constant that matters most, then the next", "[code]") {
  const LaunchMixes mixes{};
  CodeRecords records;
  const auto add = [&](const Specialisation& of, std::int64_t registers) {
    records.set(of.key(), {.registers = registers, .mixes = &mixes});
  };
  add(code(32, 4, 0), 1);
  add(code(32, 4, 1), 2);
  add(code(32, 1, 1), 3);
  add(code(64, 1, 0), 4);
  records.set(code(32, 1, 0).key(), {.registers = 5});  // its code was not read
  const SimilarCodes similar(records, "toy/", may_differ);
  CHECK(similar.find(code(32, 4, 0))->registers == 2);  // not itself
  CHECK(similar.find(code(32, 1, 0))->registers == 3);  // VEC before SPLIT
  CHECK(similar.find(code(32, 2, 0))->registers == 3);  // (1 + 2) / (1 + 1) is nearer than (1 + 4) / (1 + 2)
  CHECK(similar.find(code(64, 4, 1))->registers == 4);
  CHECK_FALSE(similar.find(code(64, 1, 0)));   // there is only the code itself
  CHECK_FALSE(similar.find(code(128, 1, 0)));  // another tile
  CHECK_FALSE(SimilarCodes(records, "other/", may_differ).find(code(32, 4, 0)));
  // A constant that a specialisation lacks counts as 0.
  CHECK(similar.find({"toy/toy.cu", "toy", {{"TILE", 32}, {"VEC", 4}}})->registers == 2);
  CHECK_FALSE(similar.find({"toy/toy.cu", "other", {{"TILE", 32}, {"VEC", 4}, {"SPLIT", 0}}}));
}

TEST_CASE("describe_kernel: own code, else a similar one's, else the family's formulas", "[code]") {
  const auto h200 = load_device("h200");
  const auto& family = family_by_name("sgemm");
  const auto layer = [](std::int64_t pixels) {
    return ConvShape{.N = 1, .C = 512, .H = pixels, .W = pixels, .M = 512, .K = 1};
  };
  const auto described = [&](std::int64_t pixels, CodeSource best) {
    const auto configs = family.configs(layer(pixels), h200);
    for (const auto& config : configs) {
      if (family.feasible(layer(pixels), config, h200)) continue;
      const auto own = describe_kernel(family, layer(pixels), config, h200);
      if (own.code == CodeSource::own) return describe_kernel(family, layer(pixels), config, h200, best);
    }
    throw std::runtime_error("no config has a committed code");
  };
  const auto own = described(56, CodeSource::own), similar = described(56, CodeSource::similar),
             estimated = described(56, CodeSource::estimated);
  CHECK(own.code == CodeSource::own);
  CHECK(own.phases[0].code.has_value());
  CHECK(similar.code == CodeSource::similar);
  CHECK(similar.core_paces.empty());
  CHECK(similar.phases[0].code.has_value());
  CHECK(estimated.code == CodeSource::estimated);
  CHECK_FALSE(estimated.phases[0].code.has_value());
  CHECK(similar.fma_executed == own.fma_executed);
  // A device without records has formulas alone.
  const auto config = family.configs(layer(56), h200).front();
  CHECK(describe_kernel(family, layer(56), config, load_device("v100")).code == CodeSource::estimated);
}

TEST_CASE("similar code: sizes that no suite has are counted from code of sm_90 all the same", "[code]") {
  const auto h200 = load_device("h200");
  const auto known = [&](const char* name, const ConvShape& shape) {
    const auto& family = family_by_name(name);
    std::size_t feasible = 0, without = 0;
    const auto configs = family.configs(shape, h200);
    for (std::size_t i = 0; i < configs.size(); i += 7) {  // of thousands
      if (family.feasible(shape, configs[i], h200)) continue;
      ++feasible;
      without += describe_kernel(family, shape, configs[i], h200).code == CodeSource::estimated;
    }
    INFO(name);
    CHECK(feasible > 50);
    CHECK(without == 0);
  };
  known("sgemm", {.N = 3, .C = 77, .H = 31, .W = 45, .M = 203, .K = 1});
  known("implicit_gemm", {.N = 3, .C = 77, .H = 31, .W = 45, .M = 203, .K = 3});
  known("implicit_gemm", {.N = 1, .C = 6, .H = 70, .W = 70, .M = 32, .K = 5, .stride = 2, .dilation = 2});
  known("chang_multi", {.N = 1, .C = 77, .H = 31, .W = 45, .M = 203, .K = 3});
}

TEST_CASE("similar code: its registers are those that the launch bounds allow", "[code]") {
  const auto h200 = load_device("h200");
  const auto& family = family_by_name("sgemm");
  const ConvShape shape{.N = 3, .C = 77, .H = 31, .W = 45, .M = 203, .K = 1};
  for (const auto& config : family.configs(shape, h200)) {
    if (family.feasible(shape, config, h200)) continue;
    const auto kernel = describe_kernel(family, shape, config, h200);
    if (kernel.code == CodeSource::similar) {
      const auto fit = occupancy(kernel.launch, h200);
      INFO(describe_config(config));
      CHECK((fit.blocks_per_sm >= 1 || fit.limiter != "registers"));
    }
  }
}
