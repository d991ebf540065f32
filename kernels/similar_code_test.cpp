#include "kernels/similar_code.hpp"

#include <map>
#include <string_view>
#include <vector>

#include "kernels/chang_multi/chang_multi.hpp"
#include "kernels/chang_single/chang_single.hpp"
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
  LaunchMixes mixes;
  mixes.add({});
  CodeRecords records;
  const auto add = [&](const Specialisation& of, std::int64_t registers) {
    records.set(of.key(), {.registers = registers, .mixes = &mixes});
  };
  add(code(32, 4, 0), 1);
  add(code(32, 4, 1), 2);
  add(code(32, 1, 1), 3);
  add(code(64, 1, 0), 4);
  records.set(code(32, 1, 0).key(), {.registers = 5});  // its code was not read
  const SimilarCodes similar(records, "toy/", {may_differ});
  // The nearest, and the two next.
  const auto registers = [](const std::vector<const CodeRecord*>& found) {
    std::vector<std::int64_t> all;
    for (const auto* record : found)
      all.push_back(record->registers);
    return all;
  };
  using All = std::vector<std::int64_t>;
  CHECK(registers(similar.find(code(32, 4, 0), 64)) == All{2, 3});     // not itself
  CHECK(registers(similar.find(code(32, 1, 0), 64)) == All{3, 1, 2});  // VEC before SPLIT
  CHECK(registers(similar.find(code(32, 2, 0), 64)) == All{3, 1, 2});  // 3 / 2 is nearer than 5 / 3
  CHECK(registers(similar.find(code(64, 4, 1), 64)) == All{4});
  CHECK(similar.find(code(64, 1, 0), 64).empty());   // there is only the code itself
  CHECK(similar.find(code(128, 1, 0), 64).empty());  // another tile
  CHECK(SimilarCodes(records, "other/", {may_differ}).find(code(32, 4, 0), 64).empty());
  // A constant that a specialisation lacks counts as 0.
  CHECK(registers(similar.find({"toy/toy.cu", "toy", {{"TILE", 32}, {"VEC", 4}}}, 64)) == All{2, 3});
  CHECK(similar.find({"toy/toy.cu", "other", {{"TILE", 32}, {"VEC", 4}, {"SPLIT", 0}}}, 64).empty());
  // Two are taken where they are as near in the first constants.
  const SimilarCodes alike(records, "toy/", {may_differ, 1});
  CHECK(registers(alike.find(code(32, 4, 0), 64)) == All{2});
  CHECK(registers(alike.find(code(32, 4, 2), 64)) == All{2, 1});
}

TEST_CASE("similar code: launches that were read, and what loops depend on", "[code]") {
  const auto read_at = [](double ffma) {
    CodeMix mix;
    mix[MixPart::core].times = ffma;
    LaunchMixes mixes;
    mixes.add(mix);
    return mixes;
  };
  const auto few = read_at(64), many = read_at(4096);
  CodeRecords records;
  records.set(code(32, 4, 1).key(), {.registers = 1, .mixes = &few});
  records.set(code(32, 1, 1).key(), {.registers = 2, .mixes = &many});
  constexpr std::string_view launch_first[] = {launch_that_was_read, "VEC", "SPLIT"};
  const SimilarCodes similar(records, "toy/", {launch_first, 1});
  CHECK(similar.find(code(32, 4, 0), 64).front()->registers == 1);
  CHECK(similar.find(code(32, 4, 0), 4000).front()->registers == 2);
  CHECK(similar.find(code(32, 1, 0), 500).front()->registers == 1);  // 7.8 times, not 8.2
  CHECK(similar.find(code(32, 1, 0), 512).size() == 2);              // as far from both
  CHECK(similar.find(code(32, 1, 0), 512).front()->registers == 2);
  CHECK(few.apart(90) == 1);
  CHECK(few.apart(128) == 2);

  constexpr std::string_view odd_first[] = {"ODD", "VEC", "SPLIT"};
  const auto traits = [](const Specialisation& of) {
    return std::vector<Define>{{"ODD", of.defines[1].value % 2}};
  };
  const SimilarCodes by_trait(records, "toy/", {odd_first, 1, traits});
  CHECK(by_trait.find(code(32, 3, 1), 64).front()->registers == 2);  // 4 is nearer, but even
  CHECK(by_trait.find(code(32, 3, 1), 64).size() == 1);
  CHECK(by_trait.find(code(32, 2, 1), 64).front()->registers == 1);
}

TEST_CASE("similar code: what chang_single's loops depend on", "[code]") {
  const auto traits = [](std::int64_t width, std::vector<Define> more) {
    more.insert(more.end(), {{"K", 3}, {"WIDTH", width}, {"TILE_X", 4}, {"TILE_Y", 1}, {"THREADS", 128}});
    std::map<std::string_view, std::int64_t> values;
    for (const auto& trait : chang_single::code_traits({"", "", more}))
      values[trait.name] = trait.value;
    return values;
  };
  using Values = std::map<std::string_view, std::int64_t>;
  CHECK(traits(226, {{"ONE_STEP", 0}}) == Values{{"PREFETCH", 1}, {"GROUP", 4}, {"FOURS", 0}, {"LINES", 0}});
  CHECK(traits(224, {{"ONE_STEP", 0}}) == Values{{"PREFETCH", 1}, {"GROUP", 2}, {"FOURS", 1}, {"LINES", 1}});
  CHECK(traits(225, {{"ONE_STEP", 0}})["GROUP"] == 1);
  // 6 rows of 30 outputs: 8 rows of 32 words of the map in one round of 128 x 4, 20 filters of 9 words in two
  // of 128.
  const std::vector<Define> one_step{{"ONE_STEP", 1},       {"MAP_HEIGHT", 32}, {"ALIGN", 2},
                                     {"BLOCK_FILTERS", 20}, {"BLOCK_ROWS", 6},  {"UNIT_WARPS_LOG2", 1}};
  CHECK(traits(32, one_step) == Values{{"PREFETCH", 1},
                                       {"GROUP", 2},
                                       {"FOURS", 1},
                                       {"ALIGNED", 1},
                                       {"ONE_UNIT", 1},
                                       {"IDLE", 0},
                                       {"MAP_ROUNDS", 1},
                                       {"FILTER_ROUNDS", 2},
                                       {"LINES", 1}});
}

TEST_CASE("similar code: the registers that chang_multi's launch bounds leave", "[code]") {
  const auto registers = [](std::int64_t slices, std::int64_t blocks) {
    const Specialisation of{"",
                            "",
                            {{"M_TILE", 64},
                             {"WX_TILE", 128},
                             {"THREAD_M", 8},
                             {"THREAD_P", 8},
                             {"SLICES", slices},
                             {"MIN_BLOCKS", blocks}}};
    return chang_multi::code_traits(of).front().value;
  };
  CHECK(registers(1, 1) == 255);  // 128 threads
  CHECK(registers(1, 4) == 128);
  CHECK(registers(2, 3) == 80);  // 6 warps a quarter of the SM, 16,384 registers in 256s
  CHECK(registers(2, 1) == 255);
}

TEST_CASE("mean_of_codes: the mean of what several codes issue", "[code]") {
  const auto by = [](double issued, double instructions) {
    KernelDescription kernel;
    kernel.code_instructions = instructions;
    kernel.phases.resize(2);
    kernel.phases[1].cycles_until_wait = 2 * issued;
    kernel.phases[1].code = CodeSegments{{.issued = issued}, {.ffma = 1}};
    return kernel;
  };
  auto other = by(1000, 1000);
  other.phases.resize(1);
  const std::vector kernels{by(10, 100), by(20, 300), other};
  const auto mean = mean_of_codes(kernels);
  CHECK(mean.code_instructions == Approx(200));
  CHECK_FALSE(mean.phases[0].code);
  CHECK(mean.phases[1].cycles_until_wait == Approx(30));
  CHECK(mean.phases[1].code->around.issued == Approx(15));
  CHECK(mean.phases[1].code->compute.ffma == Approx(1));
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
