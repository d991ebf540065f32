// Counts that follow from the source by hand; sgemm, as the shared description needs a family.

#include "kernels/sgemm/sgemm.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/implicit_gemm/implicit_gemm.hpp"
#include "model/device/load.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

Config config(std::int64_t bm, std::int64_t bn, std::int64_t bk, std::int64_t tm, std::int64_t tn,
              std::int64_t async, std::int64_t stages, std::int64_t split) {
  return {{"BM", bm}, {"BN", bn},       {"BK", bk},         {"TM", tm},
          {"TN", tn}, {"async", async}, {"stages", stages}, {"split_k", split}};
}

double lanes_of(const KernelDescription& d) {
  double lanes = 0;
  for (const Phase& p : d.phases)
    lanes += 32 * p.trips * p.active_warps * p.warp.ffma;
  return lanes * static_cast<double>(d.launch.blocks);
}

}  // namespace

TEST_CASE("gemm describe: the grid ends with the last strip of columns") {
  const auto d = sgemm::describe(gemm_shape(1062, 1797, 94), config(128, 128, 8, 8, 8, 1, 3, 2),
                                 load_device("h100"), nullptr);
  CHECK(d.edge_blocks == 9 * 2);
  CHECK(d.edge_stored == 5.0 / 128);
}

TEST_CASE("gemm describe: a product of whole tiles") {
  const auto d = sgemm::describe(gemm_shape(512, 1024, 800), config(128, 128, 8, 8, 8, 1, 3, 1),
                                 load_device("h100"), nullptr);
  CHECK(d.family == "sgemm");
  CHECK(d.launch.blocks == 4 * 8);
  CHECK(d.launch.threads == 256);
  CHECK(d.launch.cluster == 1);
  CHECK(d.launch.shared.value() == 4 * 3 * (8 * 132 + 8 * 128));
  CHECK(d.fma_executed == 512.0 * 1024 * 800);
  CHECK(d.fma_useful == d.fma_executed);
  CHECK(lanes_of(d) == d.fma_executed);
  CHECK(d.code == CodeSource::estimated);
  REQUIRE(d.phases.size() == 4);
  const Phase& steady = d.phases[1];
  CHECK(steady.trips == 98);  // 100 steps, two ahead
  CHECK(steady.fetch_distance == 2);
  CHECK(steady.warp.ffma == 8 * 64);
  CHECK(steady.warp.shared_load.w128 == 8 * 4);
  CHECK(steady.warp.shared_load.wavefronts == 8 * 4 * 2);
  // 1024 floats of A one by one, 1024 of B in fours, by 8 warps.
  CHECK(steady.warp.async_copy.w32 == 4);
  CHECK(steady.warp.async_copy.w128 == 1);
  CHECK(steady.warp.async_copy.sectors == 4 * 4 + 16);
  CHECK(steady.warp.barriers == 1);
  CHECK(steady.fetched.value() == 4 * 2048);
  CHECK(d.phases[2].trips == 2);
  CHECK(d.phases[3].warp.global_store.w128 == 16);
  CHECK(d.phases[3].warp.global_store.sectors == 16 * 16);
  CHECK(d.phases[3].stored.value() == 4 * 128 * 128);
  // Rows of A are read by each of 8 columns of tiles, columns of B by each of 4 rows of them.
  REQUIRE(d.streams.size() == 3);
  CHECK(d.streams[0].unique.value() == 4.0 * 1024 * 800);
  CHECK(d.streams[0].requested.value() == 4 * 4.0 * 1024 * 800);
  CHECK(d.streams[1].unique.value() == 4.0 * 512 * 800);
  CHECK(d.streams[1].requested.value() == 8 * 4.0 * 512 * 800);
  CHECK(d.streams[2].unique.value() == 4.0 * 512 * 1024);
}

TEST_CASE("gemm describe: what is written of a row at about the same time") {
  const auto piece = [](int BN, int TM, int TN, int split) {
    return sgemm::describe(gemm_shape(512, 1024, 800), config(32, BN, 8, TM, TN, 1, 3, split),
                           load_device("h100"), nullptr)
        .streams[2]
        .piece.value();
  };
  CHECK(piece(32, 4, 8, 1) == 128);     // 64 of a warp's lanes: a line
  CHECK(piece(256, 8, 8, 1) == 128);    // eight lanes of 16, the next 128 seven stores later
  CHECK(piece(256, 16, 4, 1) == 1024);  // 16 lanes, and those of the warps beside
  CHECK(piece(128, 8, 8, 2) == 512);    // of a sum, by whole warps
}

TEST_CASE("gemm describe: lines that a warp fills by several stores (A5)") {
  const auto parts = [](int BM, int BN, int TM, int TN, int split, std::int64_t columns) {
    return sgemm::describe(gemm_shape(512, columns, 800), config(BM, BN, 8, TM, TN, 1, 3, split),
                           load_device("h100"), nullptr)
        .streams[2]
        .line_parts;
  };
  CHECK(parts(128, 32, 8, 16, 1, 1024).parts == 4);  // two lanes beside each other
  CHECK(parts(128, 32, 8, 16, 1, 1024).between.value() == 8 * 512);
  CHECK(parts(64, 128, 4, 16, 1, 1024).parts == 2);                      // four lanes
  CHECK(parts(64, 128, 4, 16, 1, 1024).between.value() == 4 * 4 * 512);  // of four warps
  CHECK(parts(64, 256, 16, 8, 1, 1024).parts == 1);                      // eight
  CHECK(parts(128, 32, 8, 4, 1, 1024).parts == 1);                       // one group of columns a thread
  CHECK(parts(128, 32, 8, 16, 2, 1024).parts == 1);                      // the sum, by whole warps
  CHECK(parts(128, 32, 8, 16, 1, 1023).parts == 1);                      // word by word
}

TEST_CASE("gemm describe: halves of sectors that a tile's own stores share (A5)") {
  const auto output = [](int BM, int BN, int TM, int TN, int split, std::int64_t columns) {
    return sgemm::describe(gemm_shape(512, columns, 800), config(BM, BN, 8, TM, TN, 1, 3, split),
                           load_device("h100"), nullptr)
        .streams[2];
  };
  // Rows of which every second one begins inside a sector; pieces of 128 bytes, of which four lie in a row.
  const auto two_groups = output(64, 128, 8, 8, 1, 1028).split_in_tile;
  CHECK(two_groups.per_byte == Approx(0.5 * 3 / 512));
  CHECK(two_groups.between.value() == 64 * 128 * 4 / 2);
  const auto one_group = output(64, 128, 8, 4, 1, 1028).split_in_tile;  // of warps side by side
  CHECK(one_group.per_byte == Approx(0.5 * 3 / 512));
  CHECK(one_group.between.value() == 0);
  CHECK(output(64, 128, 8, 8, 1, 1028).split_at_once == 0);
  CHECK(output(64, 128, 8, 8, 1, 1024).split_in_tile.per_byte == 0);  // rows begin with a line
  CHECK(output(64, 128, 8, 8, 1, 1023).split_in_tile.per_byte == 0);  // word by word
  CHECK(output(64, 128, 8, 8, 2, 1028).split_in_tile.per_byte == 0);  // the sum, by whole warps
}

TEST_CASE("gemm describe: remainders are executed, not useful") {
  const auto d = sgemm::describe(gemm_shape(100, 100, 100), config(64, 64, 16, 4, 4, 0, 1, 1),
                                 load_device("h100"), nullptr);
  CHECK(d.fma_executed == 4.0 * 64 * 64 * 112);
  CHECK(lanes_of(d) == d.fma_executed);
  CHECK(d.fma_useful == 1e6);
  CHECK(d.phases[1].warp.barriers == 2);           // one buffer
  CHECK(d.phases[1].warp.shared_store.w32 == 4);   // A transposed: 64 x 16 floats by 8 warps
  CHECK(d.phases[1].warp.shared_store.w128 == 1);  // B in fours
  CHECK(d.phases[1].warp.global_load.w128 == 2);   // A and B
}

TEST_CASE(
    "gemm describe: what is read of a step beyond the depth, and of rows that begin inside a sector (A4)") {
  const auto device = load_device("h100");
  // Steps of 32 of which 9 are there, and rows of filters that one step holds whole.
  const auto few =
      sgemm::describe(gemm_shape(64, 1024, 9), config(64, 64, 32, 4, 4, 0, 1, 1), device, nullptr);
  CHECK(few.streams[0].requested.value() == Approx(4.0 * 1024 * 9));
  CHECK(few.streams[1].requested.value() == Approx(16 * 4.0 * 64 * 9));
  const Phase& first = few.phases[0];
  CHECK(first.trips * first.fetched.value() == Approx(4.0 * (64 + 64) * 9));
  // Rows of 1005 words: 16 of them begin anywhere in a sector of 8, 7 more words each.
  const auto odd =
      sgemm::describe(gemm_shape(64, 64, 1005), config(64, 64, 16, 4, 4, 0, 1, 1), device, nullptr);
  CHECK(odd.streams[1].requested.value() == Approx(4.0 * 64 * 1005 * (1 + 7.0 / 16)));
  const auto even =
      sgemm::describe(gemm_shape(64, 64, 1008), config(64, 64, 16, 4, 4, 0, 1, 1), device, nullptr);
  CHECK(even.streams[1].requested.value() == Approx(4.0 * 64 * 1008));
}

TEST_CASE("gemm describe: what goes through L1, and which other blocks read the same (A21)") {
  const auto streams = [](std::int64_t async, std::int64_t columns) {
    return sgemm::describe(gemm_shape(128, columns, 100), config(32, 64, 8, 4, 4, async, 3, 2),
                           load_device("h100"), nullptr)
        .streams;
  };
  const auto registers = streams(0, 4096);
  CHECK(registers[0].l1_lines == Approx(100 / 2.0 * 64 * 4 / 128));
  CHECK(registers[1].l1_lines == Approx(32 * (100 / 2.0) / 32));
  CHECK(registers[1].same_elsewhere == 0.25);  // four tiles of filters
  CHECK(registers[0].same_beside == Approx((0.75 + 0.5 + 0.25) / 3));
  // Copies of 16 bytes go past L1, of single words through it.
  const auto wide = streams(1, 4096), words = streams(1, 4099);
  CHECK(wide[0].l1_lines == 0);
  CHECK(wide[1].l1_lines == registers[1].l1_lines);
  CHECK(words[0].l1_lines == registers[0].l1_lines);
}

TEST_CASE("gemm describe: a split reduction has as many blocks and the same multiply-adds") {
  const auto device = load_device("h100");
  const auto shape = gemm_shape(512, 512, 1024);
  const auto whole = sgemm::describe(shape, config(128, 128, 8, 8, 8, 1, 3, 1), device, nullptr);
  const auto split = sgemm::describe(shape, config(128, 128, 8, 8, 8, 1, 3, 8), device, nullptr);
  CHECK(split.launch.blocks == 8 * whole.launch.blocks);
  CHECK(split.launch.cluster == 8);
  CHECK(lanes_of(split) == lanes_of(whole));
  const Phase& sum = split.phases.back();
  CHECK(sum.warp.shared_store.w128 == 16);
  CHECK(sum.warp.shared_load.w128 == 16);
  CHECK(sum.warp.global_store.w128 == 2);
  CHECK(sum.warp.barriers == 2 * 4 + 1);  // four passes of two rows
  CHECK(sum.cluster_barriers == 2 * 4);
  CHECK(sum.cluster_barriers_behind == 1 + 4);  // behind the steps' loads, and each pass's stores
  // A pass sums 2 x 16 x 32 fours up, an eighth of them here: one for each of 128 of 256 threads; the own and
  // four others' at a time, then what is left in two rounds.
  CHECK(sum.cluster_reads == 4 * (1 + 2));
  CHECK(sum.cluster_shares == 4);
  CHECK(sum.cluster_warps == 4);
  // Outputs leave the grid once.
  CHECK(sum.stored.value() * static_cast<double>(split.launch.blocks) == 4 * 512.0 * 512);
}

TEST_CASE("gemm describe: implicit_gemm has the layer's multiply-adds") {
  const ConvShape layer{.N = 2, .C = 64, .H = 28, .W = 28, .M = 96, .K = 3, .stride = 2, .pad = 1};
  const auto d =
      implicit_gemm::describe(layer, config(32, 64, 16, 4, 8, 1, 3, 2), load_device("h100"), nullptr);
  CHECK(d.family == "implicit_gemm");
  // 2 x 14 x 14 pixels in tiles of 64: 7; 576 weights are 36 steps.
  CHECK(d.launch.blocks == 3 * 7 * 2);
  CHECK(d.fma_useful == 2.0 * 96 * 14 * 14 * 576);
  CHECK(d.fma_executed == 96.0 * 7 * 64 * 576);
  CHECK(lanes_of(d) == d.fma_executed);
  CHECK(d.launch.shared.value() >= 4 * (3 * (16 * 36 + 16 * 64) + 4 * 16));
  CHECK(d.streams[0].unique.value() == 4.0 * 2 * 64 * 28 * 28);
  CHECK(d.phases[1].warp.shared_load.w64 > 0);  // the table of weights
}

TEST_CASE("gemm describe: rows that filters pass by are not read (A5)") {
  const auto input = [](std::int64_t K, std::int64_t W) {
    const ConvShape layer{.N = 2, .C = 64, .H = 28, .W = W, .M = 96, .K = K, .stride = 2, .pad = 0};
    return implicit_gemm::describe(layer, config(32, 64, 16, 4, 8, 1, 3, 2), load_device("h100"), nullptr)
        .streams[0]
        .unique.value();
  };
  CHECK(input(2, 120) == 4.0 * 2 * 64 * 28 * 120);
  CHECK(input(1, 120) == 4.0 * 2 * 64 * 14 * (120 + 31));  // and what else is in their lines
  CHECK(input(1, 28) == 4.0 * 2 * 64 * 28 * 28);           // lines hold several rows
}

TEST_CASE("gemm describe: what stores of single words touch (S6)") {
  // 4 rows of 8 lanes, words 16 bytes apart. Rows of an odd length begin anywhere in a line: in half of the
  // places such a row of lanes touches 5 sectors, else 4, and in 28 of 32 two lines, always in part.
  const auto d = sgemm::describe(gemm_shape(64, 47089, 64), config(64, 128, 8, 8, 4, 1, 3, 1),
                                 load_device("h100"), nullptr);
  const auto& store = d.phases.back().warp.global_store;
  CHECK(store.w32 == 32);
  CHECK(store.sectors == 32 * 4 * 4.5);
  REQUIRE(store.masks);
  CHECK(*store.masks == 32 * 4 * (2 - 4 / 32.0));
  // Whole sectors where four columns are stored at once and rows begin with a sector.
  const auto aligned = sgemm::describe(gemm_shape(64, 4096, 64), config(64, 128, 8, 8, 4, 1, 3, 1),
                                       load_device("h100"), nullptr);
  CHECK(*aligned.phases.back().warp.global_store.masks == 0);
  CHECK(aligned.phases.back().warp.global_store.lone_sectors == 0);  // four in each line
  // Two lanes side by side fill a sector; the line's others are other stores'.
  const auto narrow = sgemm::describe(gemm_shape(128, 4096, 64), config(128, 32, 16, 4, 16, 1, 3, 1),
                                      load_device("h100"), nullptr);
  const auto& each = narrow.phases.back().warp.global_store;
  CHECK(each.w128 == 16);
  CHECK(each.sectors == 16 * 16);
  CHECK(each.lone_sectors == 16 * 16);
  // Rows that begin with every second sector's half: then two sectors in part.
  const auto halves = sgemm::describe(gemm_shape(128, 4100, 64), config(128, 32, 16, 4, 16, 1, 3, 1),
                                      load_device("h100"), nullptr);
  CHECK(halves.phases.back().warp.global_store.lone_sectors == 16 * 16 / 2);
}

TEST_CASE("gemm describe: a store that goes on in the next image (S6)") {
  // 4 rows of 8 lanes store 32 pixels each: two images', four sectors.
  const auto store = [](std::int64_t side) {
    const ConvShape layer{.N = 20, .C = 16, .H = side, .W = side, .M = 256, .K = 1};
    const auto d =
        implicit_gemm::describe(layer, config(256, 64, 16, 16, 4, 0, 2, 1), load_device("h100"), nullptr);
    return d.phases.back().warp.global_store;
  };
  const auto whole = store(4);
  CHECK(whole.w128 == 16);
  CHECK(whole.sectors == 16 * 4 * 4);
  CHECK(*whole.masks == 0);
  // Images of 36 pixels: rows begin with or in a sector, and in 16 of 36 places an image ends, as often
  // inside one.
  const auto cut = store(6);
  CHECK(cut.sectors == Approx(16 * 4 * (4.5 + 0.5 * 32 / 36)));
  CHECK(*cut.masks == Approx(16 * 4 * (0.5 * 2 + 0.5 * 32 / 36)));
}

TEST_CASE("gemm describe: a code record's registers count") {
  CodeRecord record;
  record.registers = 77;
  const auto d = sgemm::describe(gemm_shape(512, 512, 512), config(128, 128, 8, 8, 8, 1, 3, 1),
                                 load_device("h100"), &record);
  CHECK(d.launch.registers == 77);
  CHECK(d.code == CodeSource::estimated);  // nobody read what it issues
}

TEST_CASE("gemm describe: a step has its own copies, however many the code was read with (A14)") {
  // A step of 8 x 8 x 8 = 512 multiply-adds, 5 copies: 4 of A, of a word each, and one of B, of four.
  constexpr double ffma = 512, issued = 14.9 + 4 * 5.1 + 1.4, integer = 7.7 + 4 * 3.7,
                   pipe = 2.9 + 4 * 4.1 + 1.2, chain = -18.5 + 4 * 18 + 0.5;
  // Read in a launch of which a share of the steps made them.
  const auto described = [&](double share) {
    CodeMix mix;
    mix[MixPart::core] = {.times = 100 * ffma,
                          .code = 700,
                          .unit = {.issued = 1.2 + share * issued / ffma,
                                   .ffma = 1,
                                   .integer = 0.05 + share * integer / ffma,
                                   .copies = share * 5 / ffma,
                                   .pipe_cycles = 0.1 + share * pipe / ffma,
                                   .chain_cycles = 1.5 + share * chain / ffma}};
    mix[MixPart::start] = mix[MixPart::end] = {.times = 1, .code = 100, .unit = {.issued = 100}};
    LaunchMixes mixes;
    mixes.add(mix);
    CodeRecord record;
    record.registers = 128;
    record.mixes = &mixes;
    return sgemm::describe(gemm_shape(512, 1024, 800), config(128, 128, 8, 8, 8, 1, 3, 1),
                           load_device("h100"), &record);
  };
  for (const double share : {0.0, 0.5, 1.0}) {
    const auto d = described(share);
    REQUIRE(d.phases.size() == 4);
    const auto &steady = *d.phases[1].code, &last = *d.phases[2].code;
    CHECK(steady.around.copies == Approx(5));
    CHECK(steady.around.issued == Approx(issued));
    CHECK(steady.around.integer == Approx(integer));
    CHECK(steady.around.chain_cycles == Approx(chain));
    CHECK(steady.compute.copies == Approx(0).margin(1e-9));
    CHECK(steady.compute.issued == Approx(ffma * 1.2));
    CHECK(last.around.copies == 0);
    CHECK(last.compute.issued == Approx(ffma * 1.2));
    CHECK(last.compute.chain_cycles == Approx(ffma * 1.5));
  }
}

TEST_CASE("gemm describe: the first step's data are on their way behind the next ones' copies (A15)") {
  CodeMix mix;
  mix[MixPart::core] = {.times = 51200, .code = 700, .unit = {.issued = 1.2, .ffma = 1}};
  mix[MixPart::copy] = {.times = 10, .code = 50, .unit = {.issued = 5, .copies = 1, .chain_cycles = 20}};
  LaunchMixes mixes;
  mixes.add(mix);
  CodeRecord record;
  record.registers = 128;
  record.mixes = &mixes;
  // Three stages, 5 copies a step: two steps of them before the wait for the first's.
  const auto first = sgemm::describe(gemm_shape(512, 1024, 800), config(128, 128, 8, 8, 8, 1, 3, 1),
                                     load_device("h100"), &record)
                         .phases.at(0);
  CHECK(first.code->around.chain_cycles == Approx(10 * 20));
  CHECK(first.cycles_until_wait == Approx(5 * 20));
}

TEST_CASE(
    "gemm describe: a launch that asks for all data before its first step jumps over the steps' copies "
    "(A16)") {
  CodeMix mix;
  mix[MixPart::start] = {.times = 1, .code = 100, .unit = {.issued = 100}};
  mix[MixPart::copy] = {.times = 10, .code = 50, .unit = {.issued = 5, .copies = 1}};
  mix[MixPart::core] = {.times = 512, .code = 700, .unit = {.issued = 1.2, .ffma = 1}};
  mix[MixPart::last] = {.times = 1, .code = 20, .unit = {.issued = 20}};
  const auto described = [&](std::int64_t depth) {
    LaunchMixes mixes;
    mixes.add(mix);
    CodeRecord record;
    record.registers = 128;
    record.mixes = &mixes;
    return sgemm::describe(gemm_shape(512, 1024, depth), config(128, 128, 8, 8, 8, 1, 3, 1),
                           load_device("h100"), &record);
  };
  const auto d = described(16);  // two steps, for which three stages have room
  CHECK(d.code_instructions == 100 + 50 + 700 + 20);
  CHECK(d.skipped_instructions == Approx(14.9 + 4 * 5.1 + 1.4));  // four copies of a word, one of four
  CHECK(d.before_skipped == 100 + 50);
  CHECK(described(24).skipped_instructions == 0);
  // Read in a launch that goes through them.
  mix[MixPart::round] = {.times = 1, .code = 65, .unit = {.issued = 60}};
  CHECK(described(16).code_instructions == 100 + 50 + 700 + 20);
  CHECK(described(16).loop_instructions == 50 + 700 + 20);
  CHECK(described(16).skipped_instructions == 45);
  CHECK(described(24).code_instructions == 100 + 50 + 700 + 65);
}
