#include "kernels/chang_single/chang_single.hpp"

#include "kernels/chang_single/block_work.hpp"
#include "kernels/chang_single/chang_single_cases.hpp"
#include "kernels/chang_single/division.hpp"
#include "kernels/chang_single/warp_access.hpp"
#include "model/device/load.hpp"
#include "tests/catch.hpp"

namespace tilecast::chang_single {
namespace {

const DeviceProfile& hopper() {
  static const DeviceProfile device = load_device("h200");
  return device;
}

ConvShape layer(std::int64_t size, std::int64_t M, std::int64_t K) {
  return {.N = 1, .C = 1, .H = size, .W = size, .M = M, .K = K, .stride = 1, .pad = 0};
}

Config config_of(std::int64_t method, std::int64_t P, std::int64_t Q, std::int64_t grid_m,
                 std::int64_t grid_y, std::int64_t threads = 512, std::int64_t bytes = 16,
                 std::int64_t in_flight = 0) {
  return {{"method", method},
          {"P", P},
          {"Q", Q},
          {"grid_m", grid_m},
          {"grid_y", grid_y},
          {"threads", threads},
          {"load_bytes", bytes},
          {"loads_in_flight", in_flight}};
}

double ffma_of_block(const KernelDescription& kernel) {
  double sum = 0;
  for (const auto& phase : kernel.phases)
    sum += phase.trips * phase.active_warps * phase.warp.ffma;
  return sum;
}

// A record of code that was read in one launch.
struct CodeOf {
  LaunchMixes mixes;
  CodeRecord record;
  explicit CodeOf(const CodeMix& mix) : record{64, 0, 0, {}, &mixes} { mixes.add(mix); }
};

}  // namespace

TEST_CASE("chang_single: supports one channel, stride 1, no padding, odd K up to 7") {
  CHECK_FALSE(supports(layer(28, 32, 5)));
  auto shape = layer(28, 32, 5);
  shape.C = 3;
  CHECK(supports(shape)->reason == "C=3, expected 1");
  shape = layer(28, 32, 11);
  CHECK(supports(shape)->reason == "K=11, expected 1, 3, 5 or 7");
  shape = layer(28, 32, 5);
  shape.stride = 2;
  CHECK(supports(shape));
  shape = layer(28, 32, 5);
  shape.pad = 1;
  CHECK(supports(shape));
  shape = layer(28, 32, 5);
  shape.dilation = 2;
  CHECK(supports(shape)->reason == "dilation=2, expected 1");
}

TEST_CASE("chang_single: method 1 cuts the map, method 2 the filters, method 3 both") {
  // 224 x 224, K = 3, M = 64: out 222 x 222. Method 1, P = 8: strips of ceil(222 / 8) = 28
  // rows.
  auto d = divide_problem(layer(224, 64, 3), config_of(1, 8, 1, 64, 1));
  CHECK(d.filters_per_block == 1);
  CHECK(d.rows_per_block == 222);
  CHECK(d.rows_per_strip == 28);
  CHECK(d.steps() == 8);
  CHECK(d.map_buffers == 2);
  CHECK(d.filter_buffers == 1);
  CHECK(d.tile_x == 4);  // of two groups of two, since 222 is no multiple of four
  CHECK(d.tile_y == 1);
  CHECK(d.align == 4);  // 12.6 MB of output stay in L2
  CHECK(d.period == 1);
  // Map buffer: 28 + 2 rows of 224 words and up to 3 to keep it aligned; filter: 9 words padded to 12.
  CHECK(d.map_buffer_words == 30 * 224 + 4);
  CHECK(d.shared_bytes() == 4 * (2 * (30 * 224 + 4) + 12));

  // Method 2, Q = 4: ceil(222 / 132) = 2 rows, 111 blocks, pieces of 16 filters.
  d = divide_problem(layer(224, 64, 3), config_of(2, 1, 4, 1, 132));
  CHECK(d.rows_per_block == 2);
  CHECK(d.grid_y == 111);
  CHECK(d.filters_per_piece == 16);
  CHECK(d.map_buffers == 1);
  CHECK(d.filter_buffers == 2);
  CHECK(d.tile_y <= 2);  // no rows wasted

  d = divide_problem(layer(224, 64, 3), config_of(3, 1, 1, 16, 8, 256));
  CHECK(d.filters_per_block == 4);
  CHECK(d.rows_per_block == 28);
  CHECK(d.map_buffers == 1);
  CHECK(d.filter_buffers == 1);
}

TEST_CASE("chang_single: refusals name the numbers") {
  const auto device = hopper();
  // The whole map: 1024 rows of 1024 words, and 4 words align it.
  const auto refusal = feasible(layer(1024, 32, 3), config_of(1, 1, 1, 32, 1), device);
  REQUIRE(refusal);
  CHECK(refusal->reason.find("4194320 B map") != std::string::npos);
  CHECK(refusal->reason.find("232448") != std::string::npos);
  CHECK_FALSE(feasible(layer(1024, 32, 3), config_of(1, 47, 1, 32, 1), device));
  CHECK(feasible(layer(28, 32, 3), config_of(1, 27, 1, 32, 1), device)->reason == "P=27, expected 1 to 26");
  CHECK(feasible(layer(28, 32, 3), config_of(1, 2, 2, 32, 1), device));
  CHECK(feasible(layer(28, 32, 3), config_of(3, 1, 1, 4, 4, 96), device)->reason ==
        "threads=96, expected a power of two");
  CHECK(feasible(layer(28, 32, 3), config_of(3, 1, 1, 4, 4, 128, 4, 0), device));
  CHECK(feasible(layer(28, 32, 3), config_of(3, 1, 1, 4, 4, 128, 4, 3), device));
  CHECK_FALSE(feasible(layer(28, 32, 3), config_of(3, 1, 1, 4, 4, 128, 4, 8), device));
  auto pascal = hopper();
  pascal.compute_capability_major = 6;
  CHECK(feasible(layer(28, 32, 3), config_of(1, 2, 1, 26, 1), pascal));
  CHECK_FALSE(feasible(layer(28, 32, 3), config_of(1, 2, 1, 26, 1, 512, 8, 2), pascal));
}

TEST_CASE("chang_single: every P and Q up to 64, all feasible or refused with a reason, in a fixed order") {
  const auto device = hopper();
  for (const auto& [size, M] : {std::pair{28, 512}, {112, 128}, {224, 64}, {1024, 32}}) {
    for (const int K : {1, 3, 5}) {
      const auto shape = layer(size, M, K);
      INFO(describe_shape(shape));
      const auto all = configs(shape, device);
      CHECK(all.size() >= 300);
      CHECK(all.size() <= 700);
      CHECK(std::ranges::equal(all, configs(shape, device)));
      for (std::int64_t P = 1; P <= std::min<std::int64_t>(64, shape.out_h()); ++P)
        CHECK(std::ranges::count_if(all, [&](const Config& c) {
                return c["method"] == 1 && c["P"] == P && c["loads_in_flight"] == 0;
              }) == 1);
      for (std::int64_t Q = 1; Q <= std::min<std::int64_t>(64, shape.M); ++Q)
        CHECK(std::ranges::count_if(all, [&](const Config& c) {
                return c["method"] == 2 && c["Q"] == Q && c["loads_in_flight"] == 0;
              }) == 1);
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
          if (all[i] == all[j]) FAIL("twice: " << describe_config(all[i]));
        const auto refusal = feasible(shape, all[i], device);
        if (refusal) {
          INFO(describe_config(all[i]) << ": " << refusal->reason);
          CHECK(all[i]["method"] != 3);
          CHECK(refusal->reason.find("shared memory") != std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("chang_single: plan names the code and the grid without idle blocks") {
  // 28 x 28, K = 5, M = 512 over 132 blocks: 4 filters each, so 128 blocks have work.
  const auto launch = plan(layer(28, 512, 5), config_of(1, 1, 1, 132, 1), hopper());
  CHECK(launch.grid_x == 128);
  CHECK(launch.grid_y == 1);
  CHECK(launch.grid_z == 1);
  CHECK(launch.threads == 512);
  CHECK(launch.params.size() == sizeof(Params));
  CHECK(launch.code.source == "chang_single/chang_single.cu");
  const auto value = [](const LaunchPlan& of, std::string_view name) -> std::optional<std::int64_t> {
    const auto found = std::ranges::find(of.code.defines, name, &Define::name);
    return found == of.code.defines.end() ? std::nullopt : std::optional(found->value);
  };
  CHECK(value(launch, "K") == 5);
  CHECK(value(launch, "WIDTH") == 28);
  CHECK(value(launch, "TILE_X") == 4);  // out_w = 24
  CHECK(value(launch, "ONE_STEP") == 1);
  CHECK(value(launch, "BLOCK_FILTERS") == 4);
  // 128 blocks of 4: the code serves any number of filters that 4 divides.
  CHECK(value(launch, "FILTERS") == 4);
  CHECK(plan(layer(28, 256, 5), config_of(1, 1, 1, 64, 1), hopper()).code.key() == launch.code.key());
  CHECK(value(plan(layer(28, 511, 5), config_of(1, 1, 1, 132, 1), hopper()), "FILTERS") == 511);

  // With strips the sizes stay arguments: one code for every P.
  const auto strips = plan(layer(28, 512, 5), config_of(1, 3, 1, 132, 1), hopper());
  CHECK(value(strips, "ONE_STEP") == 0);
  CHECK_FALSE(value(strips, "BLOCK_ROWS"));
  CHECK(strips.code.key() == plan(layer(28, 512, 5), config_of(1, 4, 1, 132, 1), hopper()).code.key());
}

TEST_CASE("chang_single: stores follow each other whatever the width, within registers") {
  // 1022 outputs a row: pairs straddle row ends. 134 MB go to DRAM: units start at sectors, and since a plane
  // is 4 mod 8 words, at other outputs for odd filters.
  auto d = divide_problem(layer(1024, 32, 3), config_of(3, 1, 1, 1, 511, 512));
  CHECK(d.tile_x == 4);
  CHECK(d.tile_y == 1);
  CHECK(d.align == 8);
  CHECK(d.period == 2);
  // 1020: rows of four and their windows are shared by the rows of a tile.
  d = divide_problem(layer(1024, 32, 5), config_of(3, 1, 1, 1, 510, 256));
  CHECK(d.tile_x == 4);
  CHECK(d.tile_y == 2);
  CHECK(d.period == 1);
  // 27 x 27 outputs, K = 3: four windows of one output; planes are odd, so four different alignments.
  d = divide_problem(layer(29, 11, 3), config_of(3, 1, 1, 1, 1, 128));
  CHECK(d.tile_x == 4);
  CHECK(d.period == 4);
  // K = 7: two windows of 7 x 7 would be 98 registers.
  d = divide_problem(layer(33, 11, 7), config_of(3, 1, 1, 1, 1, 128));
  CHECK(d.tile_x == 1);
  CHECK(d.period == 1);
}

TEST_CASE("chang_single: warps share units and filters") {
  // 8 warps, 2 along units and 4 along filters.
  const auto work = warp_work(5, 3, 1, 1);
  CHECK(work.first_unit == 1);
  CHECK(work.unit_step == 2);
  CHECK(work.first_filter == 2);
  CHECK(work.filter_step == 4);
  // All along units, planes of two alignments: each warp takes even filters, then odd ones.
  const auto alternate = warp_work(5, 3, 3, 2);
  CHECK(alternate.first_filter == 0);
  CHECK(alternate.filter_step == 2);
  CHECK(alternate.filter_lanes == 1);
}

TEST_CASE("chang_single: groups that straddle no row") {
  CHECK(group_words(24, 4) == 4);
  CHECK(group_words(26, 4) == 2);
  CHECK(group_words(27, 4) == 1);
  // Rows of 26, K = 3: the pair at output 26 is the start of row 1, word 28 of the map.
  const auto place = place_of(26, 52, 2, 1, 26, 3);
  CHECK(place.row == 1);
  CHECK(place.window == 28);
  CHECK(place.output == 26);
  CHECK(place_of(-2, 52, 2, 1, 26, 3).window == 0);           // before the strip
  CHECK(place_of(54, 52, 2, 1, 26, 3).window == 28 + 24);     // past its end
  CHECK(place_of(28, 48, 4, 2, 24, 5).window == 2 * 28 + 4);  // second band of two rows
}

TEST_CASE("chang_single: wavefronts of lanes side by side, apart, and together") {
  std::array<int, 32> words{};
  const auto spread = [&](int stride) {
    for (int lane = 0; lane < 32; ++lane)
      words[static_cast<std::size_t>(lane)] = lane * stride;
    return std::span<const int>(words);
  };
  CHECK(shared_wavefronts(spread(1), 1) == 1);
  CHECK(shared_wavefronts(spread(2), 1) == 2);
  CHECK(shared_wavefronts(spread(32), 1) == 32);
  CHECK(shared_wavefronts(spread(0), 1) == 1);
  CHECK(shared_wavefronts(spread(2), 2) == 2);  // 256 bytes, 128 a wavefront
  CHECK(shared_wavefronts(spread(4), 2) == 4);
  CHECK(shared_wavefronts(spread(4), 4) == 4);  // 512 bytes
}

TEST_CASE("chang_single: a small layer counted by hand") {
  // 28 x 28, K = 5, M = 4, one filter a block: 24 x 24 outputs. Tiles of 4 x 2: 6 x 12 = 72, 3 units of 32,
  // one item each; tiles of 4 x 1: 144 tiles, 5 units. 16 warps take one item either way, and the flatter
  // item is cheaper.
  const auto shape = layer(28, 4, 5);
  const auto kernel = describe(shape, config_of(1, 1, 1, 4, 1), hopper(), nullptr);
  const auto d = divide_problem(shape, config_of(1, 1, 1, 4, 1));
  REQUIRE(d.tile_x == 4);
  REQUIRE(d.tile_y == 1);
  CHECK(kernel.launch.blocks == 4);
  CHECK(ffma_of_block(kernel) == 5 * 25 * 4);
  CHECK(kernel.fma_executed == 4 * 5 * 32 * 25 * 4);
  CHECK(kernel.fma_useful == 4 * 576 * 25);
  REQUIRE(kernel.phases.size() == 2);
  const auto& step = kernel.phases[1];
  CHECK(step.active_warps == 5);
  CHECK(step.warp.global_store.w128 == 1);
  // 144 tiles of 16 bytes in rows of 6: sectors of 32 bytes, whole: 72 for 5 warps.
  CHECK(step.warp.global_store.sectors == Approx(72.0 / 5));
  // Weights: 6 loads of 4 and one of 1. Window: 5 rows of 8 words by fours.
  CHECK(step.warp.shared_load.w128 == 6 + 10);
  CHECK(step.warp.shared_load.w32 == 1);
  CHECK(step.stored.value() == 4 * 576);
  // The map once for each block, 3136 bytes; each filter once.
  CHECK(kernel.streams[0].requested.value() == 4 * 3136);
  CHECK(kernel.streams[0].unique.value() == 3136);
  CHECK(kernel.streams[1].requested.value() == 400);
  CHECK(kernel.streams[2].requested.value() == 4 * 576 * 4);
}

TEST_CASE("chang_single: the busiest warp and scheduler by hand") {
  // Units of 128 outputs along rows of 128: of 5 rows and 1 filter the first of four warps has two.
  ConvShape shape{.N = 1, .C = 1, .H = 5, .W = 128, .M = 1, .K = 1, .stride = 1, .pad = 0};
  const auto last_of = [&](std::int64_t threads) {
    return describe(shape, config_of(3, 1, 1, 1, 1, threads), hopper(), nullptr).phases.back();
  };
  auto phase = last_of(128);
  REQUIRE(phase.uneven);
  CHECK(phase.active_warps == 4);
  CHECK(phase.uneven->of_warp == Approx(2 / 1.25));
  CHECK(phase.uneven->of_scheduler == Approx(2 / 1.25));
  // Five of eight warps have one each; the first and the fifth are on one scheduler.
  phase = last_of(256);
  CHECK(phase.active_warps == 5);
  CHECK(phase.uneven->of_warp == 1);
  CHECK(phase.uneven->of_scheduler == 2);
}

TEST_CASE("chang_single: a warp's first window comes before what it stores") {
  CodeMix mix;
  mix[MixPart::core].times = 4;  // of each window, K = 1
  mix[MixPart::last].times = 1;
  mix[MixPart::core].unit.issued = 2;
  mix[MixPart::last].unit.issued = 40;  // of each window
  const CodeOf code(mix);
  ConvShape shape{.N = 1, .C = 1, .H = 5, .W = 128, .M = 1, .K = 1, .stride = 1, .pad = 0};
  const auto code_of = [&](std::int64_t threads) {
    return *describe(shape, config_of(3, 1, 1, 1, 1, threads), hopper(), &code.record).phases.back().code;
  };
  CHECK(code_of(128).before_stores.issued == 40);
  CHECK(code_of(128).compute.issued == Approx(1.25 * (40 + 2 * 4)));  // five windows of four warps
  CHECK(code_of(128).windows == 1.25);
  CHECK(code_of(256).before_stores.issued == 40);
  CHECK(code_of(256).compute.issued == Approx(40 + 2 * 4));
}

TEST_CASE("chang_single: a code of one step knows its sizes, others read a line of constants (S17)") {
  CodeMix mix;
  mix[MixPart::core].times = mix[MixPart::start].times = 1;
  const CodeOf code(mix);
  ConvShape shape{.N = 1, .C = 1, .H = 5, .W = 128, .M = 1, .K = 1, .stride = 1, .pad = 0};
  const auto lines = [&](std::int64_t in_flight, const CodeRecord* record) {
    return describe(shape, config_of(3, 1, 1, 1, 1, 128, 16, in_flight), hopper(), record).constant_lines;
  };
  CHECK(lines(0, &code.record) == 0);
  CHECK(lines(1, &code.record) == 1);
  CHECK(lines(1, nullptr) == 0);  // not known
  shape.N = 2;
  CHECK(lines(0, &code.record) == 1);
}

TEST_CASE("chang_single: what a warp does between its copies and the wait for them") {
  CodeMix mix;
  mix[MixPart::core].times = mix[MixPart::start].times = 1;
  mix[MixPart::start].unit.copy_distance = 110;
  const CodeOf code(mix);
  const ConvShape shape{.N = 2, .C = 1, .H = 5, .W = 128, .M = 1, .K = 1, .stride = 1, .pad = 0};
  const auto phases = describe(shape, config_of(3, 1, 1, 1, 1, 128), hopper(), &code.record).phases;
  CHECK(phases.front().cycles_until_wait == 110);
  CHECK(phases.back().cycles_until_wait == 0);
}

TEST_CASE("chang_single: multiply-adds that a code of one step has in front of its loop count once") {
  // A unit of 128 outputs of 9 filters by one warp: the first of them in front of the loop.
  CodeMix mix;
  mix[MixPart::core].times = 8 * 4;
  mix[MixPart::core].unit = {.issued = 2, .ffma = 1};
  mix[MixPart::last].times = 1;
  mix[MixPart::last].unit = {.issued = 50, .ffma = 4};
  const CodeOf code(mix);
  ConvShape shape{.N = 1, .C = 1, .H = 1, .W = 128, .M = 9, .K = 1, .stride = 1, .pad = 0};
  const auto ffma_of = [&](const ConvShape& of) {
    double ffma = 0;
    for (const auto& phase : describe(of, config_of(3, 1, 1, 1, 1, 32), hopper(), &code.record).phases)
      ffma += phase.code->around.ffma + phase.code->compute.ffma;
    return ffma;
  };
  CHECK(ffma_of(shape) == 9 * 4);
  shape.M = 18;  // of which the code has been read for half: a window more
  CHECK(ffma_of(shape) == 18 * 4);
}

TEST_CASE("chang_single: windows that are in the core of a code of one step count there") {
  // Two filters whose planes of 37 x 185 words begin at other places in a sector: two passes of 54 units. The
  // second one's code has its windows beside the 36 multiply-adds of each of them, so that 27 windows of each
  // of the two warps were seen outside of them.
  CodeMix mix;
  mix[MixPart::core].times = 54 * 36;
  mix[MixPart::last].times = 27;
  mix[MixPart::last].unit.issued = 40;
  const CodeOf code(mix);
  const ConvShape shape{.N = 1, .C = 1, .H = 39, .W = 187, .M = 2, .K = 3, .stride = 1, .pad = 0};
  const auto issued = [&](std::int64_t in_flight) {
    const auto config = config_of(3, 1, 1, 1, 1, 64, 16, in_flight);
    return describe(shape, config, hopper(), &code.record).phases.back().code->compute.issued;
  };
  CHECK(issued(0) == Approx(27 * 40));
  CHECK(issued(1) == Approx(54 * 40));  // of several steps: as many as its units
}

TEST_CASE("chang_single: copies of the warp with most, and how many would share all") {
  CodeMix mix;
  mix[MixPart::core].times = mix[MixPart::last].times = 1;
  mix[MixPart::copy].times = 1;
  mix[MixPart::copy].unit.issued = 10;
  const CodeOf code(mix);
  // 5 x 128 words of the map and a filter's one: 161 loads of 16 bytes, a round of two for six of eight
  // warps.
  const ConvShape shape{.N = 1, .C = 1, .H = 5, .W = 128, .M = 1, .K = 1, .stride = 1, .pad = 0};
  const auto& loads =
      *describe(shape, config_of(3, 1, 1, 1, 1, 256, 16, 2), hopper(), &code.record).phases[1].code;
  CHECK(loads.copies.issued == 2 * 10);
  CHECK(loads.copying == Approx(6.0 / 8));
  // Those asked ahead are not waited for.
  CHECK(describe(shape, config_of(3, 1, 1, 1, 1, 256), hopper(), &code.record).phases[1].code->copying == 0);
}

TEST_CASE("chang_single: the loop over images counts once, however many steps were read") {
  ConvShape shape{.N = 1, .C = 1, .H = 8, .W = 128, .M = 8, .K = 1, .stride = 1, .pad = 0};
  // Of four steps; `steps` were read, each with its share of 20 instructions, 125 cycles and a barrier, and
  // in so many trips of a loop.
  const auto chain_of = [&](double steps, double trips = 1) {
    CodeMix mix;
    mix[MixPart::core].times = mix[MixPart::last].times = mix[MixPart::start].times = 1;
    mix[MixPart::step].times = steps * trips;
    mix[MixPart::step].unit = {.issued = (100 + 20 / steps) / trips,
                               .chain_cycles = (300 + 125 / steps) / trips};
    mix[MixPart::step].unit.barriers = (1 + 1 / steps) / trips;
    const CodeOf code(mix);
    CodeCounts all;
    for (const auto& phase : describe(shape, config_of(3, 4, 1, 1, 1, 128), hopper(), &code.record).phases)
      all.add(phase.code->around, phase.trips);
    return all;
  };
  for (const double steps : {1, 2, 4, 64}) {
    CHECK(chain_of(steps).issued == Approx(4 * 100 + 20));
    CHECK(chain_of(steps).chain_cycles == Approx(4 * 300 + 125));
    CHECK(chain_of(steps).barriers == Approx(4 + 1));
    CHECK(chain_of(steps, 7).issued == Approx(4 * 100 + 20));
  }
}

TEST_CASE("chang_single: neighbours read together what is known to begin with a line") {
  const auto neighbours = [](std::int64_t size, std::int64_t strips, std::int64_t grid_y,
                             std::int64_t in_flight) {
    return describe(layer(size, 32, 3), config_of(3, strips, 1, 4, grid_y, 256, 16, in_flight), hopper(),
                    nullptr)
        .streams[0]
        .neighbours;
  };
  CHECK(neighbours(64, 1, 2, 0) == 4);  // 31 rows of two lines
  CHECK(neighbours(64, 2, 2, 0) == 4);
  CHECK(neighbours(28, 1, 2, 0) == 1);  // 13 rows of 112 bytes
  CHECK(neighbours(28, 1, 4, 0) == 1);  // 7 of them
  CHECK(neighbours(28, 1, 1, 0) == 4);  // the whole map
  CHECK(neighbours(34, 1, 2, 0) == 4);  // 16 rows of 136 bytes: 17 lines
  CHECK(neighbours(34, 2, 2, 0) == 1);  // strips of them: their code does not know
  CHECK(neighbours(64, 1, 2, 1) == 1);  // loads, not copies
}

TEST_CASE("chang_single: strips fetch one ahead, volume waits for its loads") {
  const auto shape = layer(224, 64, 5);
  auto kernel = describe(shape, config_of(1, 8, 1, 64, 1), hopper(), nullptr);
  REQUIRE(kernel.phases.size() == 3);
  CHECK(kernel.phases[0].role == PhaseRole::prologue);
  CHECK(kernel.phases[0].exposed_latencies == 1);
  CHECK(kernel.phases[1].trips == 7);
  CHECK(kernel.phases[1].fetch_distance == 1);
  CHECK(kernel.phases[1].exposed_latencies == 0);
  // Seven strips are fetched behind the first: 6 of 28 + 4 rows and the last of 220 - 7 * 28 = 24 + 4 rows.
  CHECK(kernel.phases[1].fetched.value() == Approx((6 * 32 + 28) * 224 * 4 / 7.0));

  // The same in volume mode, 16-byte loads, 8 in flight: a strip of 32 x 224 words is 1792 loads and fits one
  // round of 512 x 8.
  kernel = describe(shape, config_of(1, 8, 1, 64, 1, 512, 16, 8), hopper(), nullptr);
  REQUIRE(kernel.phases.size() == 3);
  CHECK(kernel.phases[2].exposed_latencies == 1);
  CHECK(kernel.phases[2].fetch_distance == 0);
  CHECK(kernel.phases[2].warp.barriers == 2);
  // One 4-byte load in flight: 7168 loads by 512 threads are 14 rounds.
  kernel = describe(shape, config_of(1, 8, 1, 64, 1, 512, 4, 1), hopper(), nullptr);
  CHECK(kernel.phases[2].exposed_latencies > 12);
}

TEST_CASE("chang_single: a code record decides registers") {
  const auto shape = layer(28, 4, 5);
  const CodeRecord code{.registers = 77, .static_shared_bytes = 16, .spill_bytes = 8, .code_hash = "x"};
  const auto kernel = describe(shape, config_of(1, 1, 1, 4, 1), hopper(), &code);
  CHECK(kernel.local_memory.value() == 8);
  CHECK(kernel.code == CodeSource::estimated);  // nobody read what it issues
  CHECK(kernel.launch.registers == 77);
  CHECK(describe(shape, config_of(1, 1, 1, 4, 1), hopper(), nullptr).code == CodeSource::estimated);
}

TEST_CASE("chang_single: parts of tiles at a strip's ends are stored word by word (A4)") {
  // 7 columns, so that a tile of four has four groups, and planes of 21 words, which begin anywhere.
  const ConvShape shape{.N = 1, .C = 1, .H = 3, .W = 7, .M = 8, .K = 1, .stride = 1, .pad = 0};
  const auto d = divide_problem(shape, config_of(3, 1, 1, 1, 1, 128));
  REQUIRE(d.group == 1);
  REQUIRE(d.tile_x == 4);
  // Of 21 words from word 0 to 3 of a sector on three sectors, from 4 to 7 on four. With leads of 0, 1, 2 and
  // 3 words there are 0, 3, 2, 1 words before the first whole tile and 1, 2, 3, 0 behind the last.
  CHECK(unit_means(shape, d, 3, 0).store_sectors == Approx(3.5 + (1 + 5 + 5 + 1) / 4.0));
  // Rows of whole tiles have no parts.
  const ConvShape whole{.N = 1, .C = 1, .H = 3, .W = 8, .M = 8, .K = 1, .stride = 1, .pad = 0};
  CHECK(unit_means(whole, divide_problem(whole, config_of(3, 1, 1, 1, 1, 128)), 3, 0).store_sectors ==
        Approx(3));
}

}  // namespace tilecast::chang_single
