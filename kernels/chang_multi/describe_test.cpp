#include "kernels/chang_multi/chang_multi.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kernels/chang_multi/chang_multi.hpp"
#include "model/device/load.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

const ConvShape large{.C = 64, .H = 224, .W = 224, .M = 64, .K = 3};

Config config(std::int64_t s, std::int64_t m, std::int64_t wx) {
  return {{"S_bytes", s}, {"M_tile", m}, {"Wx_tile", wx}};
}

const Phase& phase(const KernelDescription& d, PhaseRole role) {
  return *std::ranges::find_if(d.phases, [&](const Phase& p) { return p.role == role; });
}

}  // namespace

TEST_CASE("describe: multiply-adds are exact") {
  const auto d = chang_multi::describe(large, config(32, 64, 128), load_device("h100"), nullptr);
  CHECK(d.fma_useful == 222.0 * 222 * 64 * 576);
  CHECK(d.fma_executed == 389.0 * 128 * 64 * 576);
  // Warps' counts add up to the same: 32 lanes an instruction.
  double lanes = 0;
  for (const Phase& p : d.phases)
    lanes += 32 * p.trips * p.active_warps * p.warp.ffma;
  CHECK(lanes * 389 == Approx(d.fma_executed));
}

TEST_CASE("describe: a round of the paper's tile") {
  const auto d = chang_multi::describe(large, config(32, 64, 128), load_device("h100"), nullptr);
  CHECK(d.launch.blocks == 389);
  CHECK(d.launch.threads == 256);
  CHECK(d.launch.registers == 128);
  CHECK(d.code == CodeSource::estimated);
  const Phase& round = phase(d, PhaseRole::steady);
  // 96 lines a slice in 36 rounds of 8 weights; two of them are under way when the last is fetched.
  CHECK(round.trips == 34);
  CHECK(round.fetch_distance == 2);
  CHECK(round.active_warps == 8);
  const double lines = 96.0 / 36;
  CHECK(round.warp.ffma == Approx(lines * 192));
  CHECK(round.warp.shared_load.w128 == Approx(lines * 8));  // 6 of weights, 2 of the window
  CHECK(round.warp.shared_load.w64 == Approx(lines * 1));   // 10 = 4 + 4 + 2
  // Weights: 2 distinct addresses a half warp, 1 wavefront; window: 8 addresses 32 bytes apart, 2 a half.
  CHECK(round.warp.shared_load.wavefronts == Approx(lines * (6 * 2 + 2 * 4 + 2)));
  // 64 filters x 8 weights by 128 threads: 4 copies; 33 copies of 16 bytes a line by 32 lanes: 2, lines over
  // 4 warps.
  CHECK(round.warp.async_copy.w32 == 4);
  CHECK(round.warp.async_copy.w128 == Approx(lines / 4 * 2));
  CHECK(round.warp.barriers == 1);
  // Of two slices each filter's 32 bytes in a line, and the pixels one after the other.
  CHECK(round.fetched_lines == Approx(2 * 64 + d.streams[0].requested.value() / (389 * 36 * 128)));
}

TEST_CASE("describe: short filters share lines of L1, and those that begin anywhere have two") {
  // 25 words: 64 filters in 50 lines. 45 words: 1 + 96 / 128 lines for 128 bytes behind a sector's begin.
  const auto filters_alone = [](const ConvShape& shape, const Config& of) {
    const auto d = chang_multi::describe(shape, of, load_device("h100"), nullptr);
    const Phase& first = d.phases[0];
    const double input = d.streams[0].requested.value() / static_cast<double>(d.launch.blocks) / 128;
    return first.fetched_lines - input;  // of all rounds, which are asked for before the first
  };
  CHECK(filters_alone({.C = 1, .H = 224, .W = 224, .M = 64, .K = 5}, config(128, 64, 128)) == Approx(50));
  CHECK(filters_alone({.C = 5, .H = 224, .W = 224, .M = 64, .K = 3}, config(128, 64, 128)) ==
        Approx(2 * 64 * 1.75));
}

TEST_CASE("describe: bytes asked of L2") {
  const auto d = chang_multi::describe(large, config(32, 64, 128), load_device("h100"), nullptr);
  REQUIRE(d.streams.size() == 3);
  CHECK(d.streams[0].unique.value() == 4.0 * 64 * 224 * 224);
  CHECK(d.streams[1].unique.value() == 4.0 * 64 * 576);
  CHECK(d.streams[1].requested.value() == 389 * 4.0 * 64 * 576);
  CHECK(d.streams[2].requested.value() == 4.0 * 64 * 222 * 222);
  // Runs of 130 pixels; the last tile starts at 49,664 and each of its three lines is clipped at 50,176:
  // nothing to clip for i = 0 (49,794) and 1 (50,018), 112 + 448 + 130 ... all but i = 2 (64 pixels) whole.
  CHECK(d.streams[0].requested.value() == 4.0 * 64 * (389 * 3 * 130 - (49664 + 448 + 130 - 50176)));
  // Steady rounds and the first loads fetch all of it once.
  double fetched = 0;
  for (const Phase& p : d.phases)
    fetched += p.trips * p.fetched.value();
  CHECK(389 * fetched == Approx(d.streams[0].requested.value() + d.streams[1].requested.value()));
}

TEST_CASE("describe: lines of a small map overlap, and L1 has what overlaps") {
  const ConvShape shape{.C = 512, .H = 7, .W = 7, .M = 512, .K = 3};
  const auto d = chang_multi::describe(shape, config(32, 4, 64), load_device("h100"), nullptr);
  // One tile: each of 128 blocks asks for the 49 pixels of each channel once.
  CHECK(d.streams[0].requested.value() == 128 * 512 * 4.0 * 49);
  CHECK(d.fma_executed == 128.0 * 4 * 64 * 4608);
}

TEST_CASE("describe: what a tile stores, and the sectors that pieces of it share") {
  const auto device = load_device("h100");
  const auto store = [&](const ConvShape& shape, const Config& of) {
    const auto d = chang_multi::describe(shape, of, device, nullptr);
    const Phase& last = phase(d, PhaseRole::epilogue);
    return std::pair(last.stored.value(), last.active_warps * last.warp.global_store.sectors);
  };
  // A warp stores 32 words that begin an even number of words behind a sector's begin, three times in four
  // inside.
  CHECK(store(large, config(32, 64, 128)) == std::pair(4 * 64 * 128.0, 64 * 4 * (4 + 0.75)));
  // Without a window's margin the map is one line; filters begin anywhere, at fours of words, or with a
  // sector.
  CHECK(store({.C = 8, .H = 15, .W = 15, .M = 64, .K = 1}, config(32, 64, 64)).second ==
        64 * 2 * (4 + 0.875));
  CHECK(store({.C = 8, .H = 14, .W = 14, .M = 64, .K = 1}, config(32, 64, 64)).second == 64 * 2 * (4 + 0.5));
  CHECK(store({.C = 8, .H = 28, .W = 28, .M = 64, .K = 1}, config(32, 64, 64)).second == 64 * 2 * 4);
  // Of 64 positions six rows of eight outputs and four more; of 40 filters as many.
  CHECK(store({.C = 8, .H = 10, .W = 10, .M = 40, .K = 3}, config(32, 64, 64)) ==
        std::pair(4 * 40 * 52.0, 40 * (52 / 8.0 + 2 * 0.75)));

  // Each piece fills a line in part at both of its ends; seven in ten of the sectors that pieces side by side
  // share are sent once, without either's mask. Pieces that begin with a sector share none.
  const auto lines = [&](const ConvShape& shape, const Config& of) {
    const auto d = chang_multi::describe(shape, of, device, nullptr);
    const Phase& last = phase(d, PhaseRole::epilogue);
    const auto& stores = last.warp.global_store;
    REQUIRE(stores.masks);
    return std::pair(last.active_warps * *stores.masks, last.active_warps * stores.joined);
  };
  const auto [masks, joined] = lines(large, config(32, 64, 128));
  CHECK(masks == Approx(64 * 4 * 2 * 0.75));
  CHECK(joined == Approx(64 * 3 * (1 + 2) * 0.7 * 0.75));
  CHECK(lines({.C = 8, .H = 28, .W = 28, .M = 64, .K = 1}, config(32, 64, 64)) == std::pair(0.0, 0.0));
}

TEST_CASE("describe (A9): the grid ends with tiles of the filters that are left") {
  const auto d = chang_multi::describe(large, config(32, 40, 128), load_device("h100"), nullptr);
  CHECK(d.edge_blocks == 389);  // of 64 filters those from the 40th on
  CHECK(d.edge_stored == Approx(24.0 / 40));
  const auto even = chang_multi::describe(large, config(32, 32, 128), load_device("h100"), nullptr);
  CHECK(even.edge_stored == 1);
}

TEST_CASE("describe: registers and shared memory come from the code record where there is one") {
  CodeRecord code;
  code.registers = 122;
  code.static_shared_bytes = 16;
  code.spill_bytes = 40;
  const auto d = chang_multi::describe(large, config(32, 64, 128), load_device("h100"), &code);
  CHECK(d.code == CodeSource::estimated);  // nobody read what it issues
  LaunchMixes mixes;
  mixes.add({});
  code.mixes = &mixes;
  CHECK(chang_multi::describe(large, config(32, 64, 128), load_device("h100"), &code).code ==
        CodeSource::own);
  CHECK(d.launch.registers == 122);
  CHECK(d.local_memory.value() == 40);
  CHECK(d.launch.shared.value() == 2 * 4 * (27 * 68 + 9 * 132) + 16);
}

TEST_CASE("describe: a warp waits for its spilled registers") {
  CodeMix mix;
  mix[MixPart::core] = {64, 20, {.issued = 1, .ffma = 1}};
  mix[MixPart::fetch] = {1, 50, {.issued = 50, .chain_cycles = 100, .long_waits = 5}};
  mix[MixPart::last] = {1, 20, {.issued = 20, .chain_cycles = 40, .long_waits = 1}};
  LaunchMixes mixes;
  mixes.add(mix);
  CodeRecord code{.registers = 128, .mixes = &mixes};
  const auto h200 = load_device("h200");
  const auto chain = [&](std::size_t phase) {
    const auto d = chang_multi::describe(large, config(32, 64, 128), h200, &code);
    return d.phases.at(phase).code->around.chain_cycles;
  };
  const double fetching = chain(0), computing = chain(1), fetches = fetching / 100;
  code.spill_bytes = 16;
  CHECK(chain(0) == Approx(fetching + (5 * fetches - 1) * h200.l1_latency.get().value()));
  CHECK(chain(1) == computing);  // it waits once, for what was fetched
}

TEST_CASE("describe: fewer rounds than stages leave no steady round without a fetch") {
  const ConvShape shape{.C = 8, .H = 28, .W = 28, .M = 64, .K = 1};  // one round of 8 weights
  const auto d = chang_multi::describe(shape, config(32, 64, 128), load_device("h100"), nullptr);
  REQUIRE(d.phases.size() == 3);
  CHECK(d.phases[1].trips == 1);
  CHECK(d.phases[1].fetched.value() == 0);
  CHECK(d.phases[0].fetched.value() > 0);
}

TEST_CASE("describe: of the turns before the first computation only those fetch that there are rounds for") {
  const auto device = load_device("h100");
  const auto first = [&](std::int64_t channels, double rounds_seen, double cycles_seen) {
    CodeMix mix;
    mix[MixPart::fetch] = {2, 50, {.issued = 57, .chain_cycles = cycles_seen}};
    mix[MixPart::last] = {rounds_seen, 20, {.issued = 20, .chain_cycles = 40}};
    LaunchMixes mixes;
    mixes.add(mix);
    const CodeRecord code{.registers = 128, .mixes = &mixes};
    const ConvShape shape{.C = channels, .H = 28, .W = 28, .M = 64, .K = 1};
    return chang_multi::describe(shape, config(32, 64, 128), device, &code).phases.at(0);
  };
  // Three stages. Two slices of a round each: one turn fetches, one does not (14 instructions, 124 cycles).
  const Phase one_of_two = first(8, 2, 300);
  CHECK(one_of_two.code->around.chain_cycles == 300 + 124);
  CHECK(one_of_two.code->around.issued == 57 + 14);
  CHECK(one_of_two.cycles_until_wait == 124);
  // Read in a launch of one round: what its two turns took is that of a fetch and of a turn without.
  const Phase of_one_round = first(8, 1, 212);
  CHECK(of_one_round.code->around.chain_cycles == 2 * 212);
  CHECK(of_one_round.code->around.issued == 2 * 57);
  CHECK(of_one_round.cycles_until_wait == 124);
  // Many rounds: both turns fetch.
  const Phase both = first(256, 1, 212);
  CHECK(both.code->around.chain_cycles == 2 * (2 * 212 - 124));
  CHECK(both.cycles_until_wait == 2 * 212 - 124);
}

TEST_CASE("describe: slices copy what there is of their part of the reduction") {
  // 88 weights of a filter, in rounds of 32, two for each of two slices. The first has 48 and copies 64, as
  // the filter goes on, the second the 40 that are left: 13 of 16 eights. Lines: 88 of 128.
  const ConvShape shape{.C = 88, .H = 28, .W = 28, .M = 64, .K = 1};
  const auto d = chang_multi::describe(shape, config(128, 64, 128), load_device("h100"), nullptr);
  const Phase& first = phase(d, PhaseRole::prologue);
  CHECK(first.active_warps == 8);
  // Two turns; 64 filters x 32 weights by 128 threads are 16 copies, lines 8 a warp of one copy of 16
  // bytes.
  CHECK(first.warp.async_copy.w32 == Approx(2 * 16 * 13.0 / 16));
  CHECK(first.warp.async_copy.w128 == Approx(2 * 8 * 11.0 / 16));
}

TEST_CASE("describe: every feasible config has finite positive counts") {
  const DeviceProfile h100 = load_device("h100");
  for (const ConvShape& shape : {large, ConvShape{.C = 512, .H = 7, .W = 7, .M = 512, .K = 5},
                                 ConvShape{.N = 2, .C = 3, .H = 9, .W = 70, .M = 5, .K = 7}}) {
    for (const Config& c : chang_multi::configs(shape, h100)) {
      if (chang_multi::feasible(shape, c, h100)) continue;
      INFO(describe_shape(shape) << " " << describe_config(c));
      const auto d = chang_multi::describe(shape, c, h100, nullptr);
      REQUIRE(d.fma_executed >= d.fma_useful);
      for (const Phase& p : d.phases) {
        REQUIRE(p.trips >= 1);
        REQUIRE(p.active_warps >= 1);
        REQUIRE(p.warp.instructions() > 0);
        REQUIRE(p.warp.shared_load.wavefronts >= p.warp.shared_load.instructions());
      }
      REQUIRE(d.launch.registers >= 32);
    }
  }
}

TEST_CASE("describe: benchmark", "[.][benchmark]") {
  const DeviceProfile h100 = load_device("h100");
  const auto all = chang_multi::configs(large, h100);
  const auto begin = std::chrono::steady_clock::now();
  double sum = 0;
  int count = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    for (const Config& c : all) {
      if (chang_multi::feasible(large, c, h100)) continue;
      sum += chang_multi::describe(large, c, h100, nullptr).fma_executed;
      ++count;
    }
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  WARN("describe and feasible: " << time.count() / count << " us a config, " << sum);
}

TEST_CASE("describe: requests of L2's slices (A22)") {
  const auto lookups_a_sector = [](const ConvShape& shape, const Config& c, std::size_t stream) {
    const auto s = chang_multi::describe(shape, c, load_device("h100"), nullptr).streams[stream];
    return s.lookups / (s.requested.value() / 32);
  };
  // Eight lanes copy a word each: a sector that the next ones go on with. Of the filters eight weights of
  // each.
  const ConvShape small{.C = 512, .H = 7, .W = 7, .M = 512, .K = 1};
  CHECK(lookups_a_sector(small, config(32, 4, 64), 0) == 1);
  CHECK(lookups_a_sector(small, config(32, 4, 64), 1) == 1);
  // Lanes of 16 bytes copy whole lines.
  CHECK(lookups_a_sector({.C = 64, .H = 32, .W = 32, .M = 64, .K = 1}, config(32, 32, 128), 0) == 0.5);
  // 32 words that begin anywhere, and filters of nine words, four in a piece.
  const ConvShape odd{.C = 1, .H = 51, .W = 51, .M = 64, .K = 3};
  CHECK(lookups_a_sector(odd, config(32, 64, 32), 0) == Approx(0.5 + 0.25 / 4));
  CHECK(lookups_a_sector(odd, config(32, 64, 32), 1) == Approx(0.5 + 0.25 / (4 * 36 / 32.0)));
}
