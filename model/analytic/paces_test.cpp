// Kernels whose code was simulated on an SM whose memory answers at once (A20).

#include "model/analytic/paces.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/analytic/paced_test_kernel.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;
using namespace tilecast::analytic::paced;

namespace {

Seconds time(const CodeWave& wave) {
  return wave_time(wave.all, wave, Seconds{}, all_enabled());
}

}  // namespace

TEST_CASE("paces (A20): between what was read straight, beyond it in proportion", "[analytic]") {
  auto k = kernel();
  CHECK(wave_pace(k, 1, machine).first.value() == Approx(1000e-9));
  CHECK(wave_pace(k, 2, machine).first.value() == Approx(1400e-9));
  CHECK(wave_pace(k, 2, machine).ends_apart.value() == Approx(100e-9));
  CHECK(wave_pace(k, 8, machine).later.value() == Approx(4000e-9));
  k.core_pace_scale = 1.5;
  CHECK(wave_pace(k, 4, machine).later.value() == Approx(3000e-9));
}

TEST_CASE("paces (A20): data keep a block waiting as was seen", "[analytic]") {
  auto k = kernel();
  const std::vector<CoreWait> waits{{300, 1000}, {700, 1200}};  // 1000 where memory answers at once
  k.core_waits = waits;
  CHECK(latency_seen(k, Cycles{200}, machine) == Seconds{});
  CHECK(latency_seen(k, Cycles{500}, machine).value() == Approx(100e-9));
  CHECK(latency_seen(k, Cycles{1100}, machine).value() == Approx(400e-9));
  k.core_pace_scale = 2;
  CHECK(latency_seen(k, Cycles{500}, machine).value() == Approx(200e-9));
  k.core_pace_scale = 1;
  k.phases[0].fetched = Bytes{128};
  k.phases[0].exposed_latencies = 3;
  Traffic traffic;
  traffic.slow_hit = Cycles{500};
  const auto wave = code_wave(k, of(4), traffic, machine, all_enabled());
  CHECK(wave.all.latency.value() == Approx(100e-9));
  CHECK(wave.phases[0].latency.value() == Approx(100e-9));
  // Of what is asked for ahead A15's holds more than latency.
  k.phases[0].fetch_distance = 2;
  const double ahead = code_wave(k, of(4), traffic, machine, all_enabled()).all.latency.value();
  CHECK(ahead >= 1500e-9);
  k.core_waits = {};
  CHECK(code_wave(k, of(4), traffic, machine, all_enabled()).all.latency.value() == ahead);
  k.phases[0].fetch_distance = 0;
  CHECK(code_wave(k, of(4), traffic, machine, all_enabled()).all.latency.value() == Approx(1500e-9));
}

TEST_CASE("paces (A20): a block that asks ahead takes what it takes with a latency, where that is less",
          "[analytic]") {
  auto k = kernel();
  k.phases[0].fetched = Bytes{128};
  k.phases[0].fetch_distance = 2;
  CHECK(block_pace(k, machine).value() == Approx(1000e-9));
  const auto wave = [&] { return code_wave(k, of(4), {}, machine, all_enabled()); };
  const double waits = wave().paced->of_waits;
  const std::vector<CoreWait> less{{300, 900}, {700, 950}};
  k.core_waits = less;
  CHECK(block_pace(k, machine).value() == Approx(900e-9));
  CHECK(code_wave(k, of(1), {}, machine, all_enabled()).all.chain.value() == Approx(900e-9));
  CHECK(wave().paced->of_waits == Approx(waits));  // what blocks wait for each other stays
  k.core_pace_scale = 2;
  CHECK(block_pace(k, machine).value() == Approx(1800e-9));
  k.core_pace_scale = 1;
  const std::vector<CoreWait> in_part{{300, 900}, {700, 1100}};
  k.core_waits = in_part;
  CHECK(block_pace(k, machine).value() == Approx(900e-9));
  const std::vector<CoreWait> more{{300, 1010}, {700, 1100}};
  k.core_waits = more;
  CHECK(block_pace(k, machine).value() == Approx(1000e-9));
  k.core_waits = less;
  k.phases[0].fetch_distance = 0;
  CHECK(block_pace(k, machine).value() == Approx(1000e-9));
}

TEST_CASE("paces (A20): what was seen holds the waits for spilled registers", "[analytic]") {
  auto k = kernel();
  const std::vector<CoreWait> waits{{300, 1600}, {700, 2400}};
  k.core_waits = waits;
  auto& phase = k.phases[0];
  phase.fetched = Bytes{128};
  phase.exposed_latencies = 1;
  phase.fetched_lines = 104;
  phase.code->around.long_waits = 3;
  Traffic traffic;
  traffic.slow_hit = Cycles{300};
  traffic.slow_miss = Cycles{700};
  const auto wave = [&] { return code_wave(k, of(4), traffic, machine, all_enabled()); };
  const auto kept = wave();
  CHECK(kept.all.latency.value() == Approx(600e-9));
  phase.code->around.local_loads = 2;  // none of A19's beside it
  CHECK(wave().all.chain == kept.all.chain);
  // They are L2's, though the data are DRAM's, which are waited for once.
  traffic.dram_read_share = 1;
  CHECK(wave().all.latency.value() == Approx(1000e-9));
  // So they are where data are asked for ahead.
  phase.fetch_distance = 2;
  CHECK(wave().all.latency.value() == Approx(600e-9));
  CHECK(wave().all.chain == kept.all.chain);
  k.core_waits = {};
  CHECK(wave().all.chain > kept.all.chain);
}

TEST_CASE("paces (A20): some groups of schedulers have a block more than others", "[analytic]") {
  auto k = kernel();
  const std::vector<CorePace> of_groups{{1, 900, 900, 0}, {4, 1000, 1000, 50}, {8, 1600, 1540, 100}};
  k.core_paces = of_groups;
  // 5/6 and a quarter of the rest of what a second block takes on all four groups, of later waves 2/3.
  const auto five = wave_pace(k, 5, 4, machine);
  CHECK(five.first.value() == Approx(1525e-9));
  CHECK(five.later.value() == Approx(1405e-9));
  CHECK(five.ends_apart.value() == Approx(575e-9));  // the groups that have one end with the four
  CHECK(five.last_share == Approx(0.4));             // the two of one group
  CHECK(five.last_apart.value() == Approx(100e-9));
  CHECK(wave_pace(k, 8, 4, machine).last_share == 1);
  CHECK(wave_pace(k, 6, 4, machine).first.value() == Approx(1550e-9));
  CHECK(wave_pace(k, 8, 4, machine).first.value() == Approx(1600e-9));
  // Fewer than groups: straight from one block to one on each group.
  CHECK(wave_pace(k, 3, 4, machine).first.value() == Approx(900e-9 + 2.0 / 3 * 100e-9));
  CHECK(wave_pace(k, 2, 4, machine).ends_apart.value() == Approx(50e-9 / 3));
  CHECK(wave_pace(k, 1, 4, machine).first.value() == Approx(900e-9));
}

// S18 of 55 codes at every number of blocks up to five a group of schedulers (core_pace_groups.csv).
TEST_CASE("paces (A20): groups that have a block more, as the simulator has them", "[analytic]") {
  const auto path = std::string(TILECAST_SOURCE_DIR "/model/analytic/core_pace_groups.csv");
  struct Row {
    double groups, blocks, first;
  };
  std::map<std::string, std::vector<Row>> codes;
  std::ifstream file(path);
  REQUIRE(file.good());
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line.starts_with("code")) continue;
    std::istringstream fields(line);
    std::string code, groups, blocks, first;
    for (auto* field : {&code, &groups, &blocks, &first})
      std::getline(fields, *field, ',');
    codes[code].push_back({std::stod(groups), std::stod(blocks), std::stod(first)});
  }
  REQUIRE(codes.size() > 50);
  std::map<double, std::pair<double, int>> shares;  // by how many of the groups have the block more
  for (const auto& [code, rows] : codes) {
    const double groups = rows.front().groups;
    const auto at = [&](double blocks) {
      const auto row = std::ranges::find(rows, blocks, &Row::blocks);
      return row == rows.end() ? 0 : row->first;
    };
    for (const auto& row : rows) {
      const double fewer = groups * std::floor(row.blocks / groups), more = fewer + groups;
      if (row.blocks == fewer || fewer == 0 || at(more) < 1.1 * at(fewer)) continue;
      auto& [sum, n] = shares[(row.blocks - fewer) / groups];
      sum += (row.first - at(fewer)) / (at(more) - at(fewer));
      ++n;
    }
  }
  for (const auto& [part, share] : shares) {
    CAPTURE(part, share.second);
    CHECK(share.first / share.second == Approx(5.0 / 6 + part / 6).margin(0.04));
  }
}

TEST_CASE("paces (A20): where nothing comes from beyond the SM, blocks take what was seen", "[analytic]") {
  const auto k = kernel();
  const auto one = code_wave(k, of(1), {}, machine, all_enabled());
  CHECK(time(one).value() == Approx(1000e-9));
  CHECK((one.all.chain + one.all.barrier).value() == Approx(1000e-9));
  const auto four = code_wave(k, of(4), {}, machine, all_enabled());
  REQUIRE(four.paced);
  CHECK(time(four).value() == Approx(2000e-9));
  CHECK(four.paced->in_step.value() == Approx(200e-9));  // those that begin together
  CHECK(four.paced->of_service == 1);
  // Of what A13 has for the waits at both, t = c + p (w1 + w2).
  const double scheduler = 400 * 1200.0 / (2000 - 1200), pipe = 400 * 1200.0 / (2000 - 1200);
  CHECK(four.paced->of_waits == Approx(1000 / (scheduler + pipe)));
  // Longer alone, by what hides in part.
  const Seconds later = wave_time(four.all, four, Seconds{500e-9}, all_enabled());
  CHECK(later > time(four));
  CHECK(later < time(four) + Seconds{500e-9});
}

TEST_CASE("paces (A20): spilled registers that L1 has not are waited for beside what was seen",
          "[analytic]") {
  auto k = kernel();
  auto& phase = k.phases[0];
  phase.code->around.long_waits = 3;
  const auto kept = code_wave(k, of(4), {}, machine, all_enabled());
  phase.code->around.local_loads = 2;
  // Two loads of each of four warps: eight lines of a block, beside 104 of copies. Of four blocks half are
  // there.
  phase.fetched_lines = 104;
  const auto spilled = code_wave(k, of(4), {}, machine, all_enabled());
  CHECK(spilled.all.chain > kept.all.chain);
  CHECK(spilled.paced->of_waits == Approx(kept.paced->of_waits));
  CHECK(time(spilled) > time(kept));
  CHECK(time(spilled) < time(kept) + (spilled.all.chain - kept.all.chain));
}

TEST_CASE("paces (A20): needs that were counted too high are as long as what was seen", "[analytic]") {
  auto k = kernel();
  const std::vector<CorePace> fast{{1, 1000, 1000, 0}, {4, 1400, 1400, 0}};  // 4 x 400 were counted
  k.core_paces = fast;
  const auto four = code_wave(k, of(4), {}, machine, all_enabled());
  CHECK(four.paced->of_service < 1);
  CHECK(time(four).value() == Approx(1400e-9).epsilon(1e-3));
}

TEST_CASE("paces (A20): unknown, or with overlap switched off, the counts alone say", "[analytic]") {
  auto k = kernel();
  auto sharp = all_enabled();
  sharp[static_cast<std::size_t>(BoundId::overlap)] = false;
  CHECK_FALSE(code_wave(k, of(4), {}, machine, sharp).paced);
  auto counted = all_enabled();
  counted[static_cast<std::size_t>(BoundId::pace)] = false;
  CHECK_FALSE(code_wave(k, of(4), {}, machine, counted).paced);
  k.core_paces = {};
  CHECK_FALSE(code_wave(k, of(4), {}, machine, all_enabled()).paced);
}

TEST_CASE("paces (A20): what comes from beyond the SM is no part of the core", "[analytic]") {
  CodePart part{
      .issue = Seconds{1}, .l2 = Seconds{2}, .dram = Seconds{3}, .chain = Seconds{4}, .share = Seconds{5}};
  part.latency = part.exchange = part.cluster = Seconds{6};
  const auto core = core_of(part);
  CHECK(core.issue == Seconds{1});
  CHECK(core.alone() == Seconds{4});
  CHECK(core.wide() == Seconds{});
}

TEST_CASE("paces (A20): blocks store one after the other, as they have computed", "[analytic]") {
  auto k = kernel();
  k.phases.push_back({});
  k.phases[1].name = "store";
  k.phases[1].active_warps = 4;
  k.phases[1].code = CodeSegments{};
  const auto whole = [&](double bytes) {
    k.phases[1].stored = Bytes{bytes};
    const auto four = code_wave(k, of(4), {}, machine, all_enabled());
    const auto t = together(four, Seconds{}, all_enabled());
    CHECK(t.first.value() == Approx(200e-9));
    return (time(four) + t.first + t.storing).value();
  };
  // Four blocks compute in 2200 ns, the first of them in 1900. Stores of all that take 2000 follow that one.
  CHECK(whole(5000) == Approx(3900e-9));
  // Of 200 ns the last block's quarter.
  CHECK(whole(500) == Approx(2250e-9));
}

TEST_CASE("paces (A20): L2 takes stores beside those that issue them, and has few while the first blocks do",
          "[analytic]") {
  auto k = kernel();
  k.phases.push_back({});
  k.phases[1].name = "store";
  k.phases[1].active_warps = 4;
  k.phases[1].code = CodeSegments{{}, {.issued = 100, .chain_cycles = 300}};
  const auto check = [&](double bytes) {
    k.phases[1].stored = Bytes{bytes};
    const auto four = code_wave(k, of(4), {}, machine, all_enabled());
    const auto t = together(four, Seconds{}, all_enabled());
    const auto& last = four.phases[1];
    const Seconds in_core = wave_time(core_of(last), four, Seconds{}, all_enabled());
    const Seconds storing = std::max(in_core, last.l2);
    double idle = 0;
    for (const double blocks : {1, 2, 3})
      idle += std::max(0.0, 1 - blocks / 4 * (storing / in_core)) / 3;
    const Seconds computed = t.first + wave_time(four.phases[0], four, Seconds{}, all_enabled());
    const Seconds whole = computed + storing - (1 - idle) * four.paced->ends_apart;
    CHECK((time(four) + t.first + t.storing).value() == Approx(whole.value()));
    return idle;
  };
  CHECK(check(2500) > 0.1);
  CHECK(check(10000) == 0);  // one block has enough of them
}

TEST_CASE("paces (A20): stores that an SM has no room for hold up its other blocks", "[analytic]") {
  auto k = kernel();
  const std::vector<CorePace> apart{{1, 1000, 1000, 0}, {4, 5000, 4500, 3600}};
  k.core_paces = apart;
  k.phases.push_back({});
  k.phases[1].name = "store";
  k.phases[1].active_warps = 4;
  k.phases[1].code = CodeSegments{};
  const auto whole = [&](double sectors) {
    k.phases[1].stored = Bytes{32 * sectors};
    const auto four = code_wave(k, of(4), {}, machine, all_enabled());
    const auto t = together(four, Seconds{}, all_enabled());
    return (time(four) + t.first + t.storing).value();
  };
  // L2 takes 3.2 ns a sector. Of 625 sectors 325 wait in the pipe, while the three other blocks stand still,
  // and the 300 left are gone when the next one has computed, 1200 ns later. The last block's follow.
  CHECK(whole(625) == Approx(5000e-9 + 3 * 325 * 3.2e-9 + 625 * 3.2e-9));
  // There is room for 62.
  CHECK(whole(62) == Approx(5000e-9 + 62 * 3.2e-9));

  // Two at a time: of 1250 sectors 950 wait, and the last two follow.
  k.phases[1].stored = Bytes{32.0 * 625};
  auto twos = code_wave(k, of(4), {}, machine, all_enabled());
  twos.end_together = 2;
  const auto t = together(twos, Seconds{}, all_enabled());
  CHECK((time(twos) + t.first + t.storing).value() == Approx(5000e-9 + (950 + 1250) * 3.2e-9));

  // A tail begins as much sooner: by 3600 ns and three times 400 sectors, of the way 638.
  k.phases[1].stored = Bytes{32.0 * 700};
  auto before_tail = code_wave(k, of(4), {}, machine, all_enabled());
  const Seconds held = tail_beside_wave(before_tail, 1, all_enabled()).ends;
  before_tail.room = Seconds{1};
  CHECK(held / tail_beside_wave(before_tail, 1, all_enabled()).ends == Approx(7440.0 / 5514));
}

TEST_CASE("paces (A20): of groups that have a block more those blocks store together", "[analytic]") {
  auto k = kernel();
  k.launch.threads = 32;
  k.phases[0].active_warps = 1;
  const std::vector<CorePace> of_groups{{1, 1000, 1000, 0}, {4, 1000, 1000, 0}, {8, 2000, 2000, 0}};
  k.core_paces = of_groups;
  k.phases.push_back({});
  k.phases[1].name = "store";
  k.phases[1].active_warps = 1;
  k.phases[1].code = CodeSegments{};
  k.phases[1].stored = Bytes{1000};
  const auto six = code_wave(k, of(6), {}, machine, all_enabled());
  const auto t = together(six, Seconds{}, all_enabled());
  // Four of the six behind 1000 and 11/12 of 1000 ns; each takes 100.
  CHECK((time(six) + t.first + t.storing).value() == Approx((1000 + 11000.0 / 12 + 400) * 1e-9));

  // Where no others follow: four groups, two of which have a block more.
  const Traffic once{.single_wave = true};
  CHECK(six.end_together == 1);
  CHECK(code_wave(k, of(6), once, machine, all_enabled()).end_together == Approx(2));
  CHECK(code_wave(k, of(8), once, machine, all_enabled()).end_together == Approx(4));
}

TEST_CASE("paces (A20): blocks read each other one after the other, as they have computed", "[analytic]") {
  auto k = kernel();
  k.phases.push_back({});
  k.phases[1].name = "sum";
  k.phases[1].active_warps = 4;
  k.phases[1].code = CodeSegments{};
  auto four = code_wave(k, of(4), {}, machine, all_enabled());
  four.in_clusters = true;
  CHECK(together(four, Seconds{}, all_enabled()).storing == Seconds{});
  // The SM's way to the cluster takes 2000 ns for that phase, behind the first block's 1900.
  four.phases.back().cluster = four.all.cluster = Seconds{2000e-9};
  const auto t = together(four, Seconds{}, all_enabled());
  CHECK((time(four) + t.first + t.storing).value() == Approx(3900e-9));
}

TEST_CASE("paces (A8, A20): ends are noticed while blocks are apart, and the launch waits for stores",
          "[analytic]") {
  auto d = device;  // ten SMs
  d.launch_over_blocks_and_threads = {{1, 2}, {128}, {1e-6, 1.6e-6}, {}};
  auto k = kernel();
  k.launch.blocks = 20;
  std::vector<CorePace> read{{1, 1000, 1000, 0}, {2, 1400, 1400, 0}};
  const auto longer = [&](double ends_apart) {
    read.back().ends_apart = ends_apart;
    k.core_paces = read;
    return (predict(k, d).time - predict(k, device).time).value() * 1e9;
  };
  // 600 ns for a further block an SM; what they are apart is no part of it.
  CHECK(longer(600) == Approx(longer(700)));
  CHECK(longer(300) > longer(600));
  // Nor what the launch waits for stores: 200 ns.
  k.phases[0].stored = Bytes{4};
  CHECK(longer(400) == Approx(longer(600)));
  CHECK(longer(300) > longer(400));
}

TEST_CASE("paces (A20): a tail begins while the wave's last blocks run", "[analytic]") {
  auto wave = code_wave(kernel(), of(4), {}, machine, all_enabled());
  // The first of four ends 300 of 2000 cycles before the last.
  const auto ends = [&](double blocks) {
    return tail_beside_wave(wave, blocks, all_enabled()).ends / Seconds{1e-9};
  };
  CHECK(ends(1) == Approx(300));
  CHECK(ends(3) == Approx(100));
  CHECK(ends(4) == 0);
  const auto one = tail_beside_wave(wave, 3, all_enabled());
  CHECK(one.whole / Seconds{1e-9} == Approx(2000));
  CHECK(one.alone / Seconds{1e-9} == Approx(1000));  // as one block is by itself
  // L2 takes half of the time for what is stored: a tail begins with its loads.
  wave.all.l2 = Seconds{1000e-9};
  CodePart loads, stores;
  stores.l2 = wave.all.l2;
  wave.phases = {loads, stores};
  wave.room = Seconds{1};
  CHECK(ends(1) == Approx(300));
  // For loads: half of the time it has no room for more.
  std::swap(wave.phases[0], wave.phases[1]);
  const double whole = time(wave) / Seconds{1e-9};
  CHECK(ends(1) == Approx((1 - 1000 / whole) * 300));
}

TEST_CASE("paces (A20): a tail takes from the wave's last blocks what they have in common", "[analytic]") {
  const auto sooner = [](double whole, double alone, double tail) {
    return Beside{Seconds{300e-9}, Seconds{whole * 1e-9}, Seconds{alone * 1e-9}}.sooner(
               Seconds{tail * 1e-9}) /
           Seconds{1e-9};
  };
  CHECK(sooner(2000, 2000, 2000) == Approx(300));  // all wait for themselves
  CHECK(sooner(2000, 1000, 1000) == Approx(0));    // one after the other
  // Two of 1600 together, 900 alone: the wave's last one has 300 left by itself, and beside the tail 533, in
  // which that does a third of its 900.
  CHECK(sooner(1600, 900, 900) == Approx(300 - 1600.0 / 3 + 300));
}

TEST_CASE("waves (S9): SMs part as a walk does, at most by so much of the time", "[analytic]") {
  CHECK(sm_deviation(Cycles{40'000}).value() == Approx(3.5 * 200));
  CHECK(sm_deviation(Cycles{2'500}).value() == Approx(0.036 * 2'500));
}

TEST_CASE("paces (A9): few blocks of a tail find places on the SMs that end first", "[analytic]") {
  const auto wave = code_wave(kernel(), of(4), {}, machine, all_enabled());
  const auto later = [&](double blocks, double count, double cluster) {
    const Wave tail{.count = 1, .blocks_per_sm = 1, .active_sms = blocks, .blocks = blocks};
    auto of_100 = machine;
    of_100.sms = 100;
    return filled_later(wave, count, tail, cluster, of_100, all_enabled()).value();
  };
  CHECK(later(50, 1, 1) == Approx(0).margin(1e-15));
  const Cycles whole = time(wave) * machine.clock;
  CHECK(later(10, 1, 1) ==
        Approx(std::log(0.1 / 0.9) / 1.702 * (sm_deviation(whole) / machine.clock).value()));
  CHECK(later(90, 1, 1) == Approx(-later(10, 1, 1)));
  CHECK(later(10, 4, 1) == 0);  // SMs are no longer in step
  CHECK(later(10, 1, 2) == 0);
}

TEST_CASE("paces (A9): the part of the device that large clusters leave first takes more of their tail",
          "[analytic]") {
  // Four blocks an SM of 1 us; three clusters of 16 more for seven parts of the device, of 28 places.
  auto wave = four_blocks();
  const Wave tail{1, 1, 48, 48};
  const auto of = [&](double apart, double cluster = 16, double waves = 1) {
    wave.paced = PacedWaits{.ends_apart = Seconds{apart * 1e-6}};
    return first_part(wave, waves, tail, cluster, 7, {}, {});
  };
  // All end together: where 3/28 of the places are free, ln(3/25) / 1.702 = -1.25 deviations, the first part
  // is 1.36 ahead with all of its own.
  CHECK(of(0).blocks == 3);
  CHECK(of(0).ahead.value() == Approx(1.36 * 0.019e-6).epsilon(0.01));
  // Places are free 0.03 one after the other: the first part's second one only when the tail has found room.
  // Its last cluster finds a place at -ahead, when the four places of a part have 12/28 free.
  const auto even = of(0.09);
  CHECK(even.blocks == 1);
  double free = 0;
  for (double k = 0; k < 4; ++k)
    free += normal_share((-even.ahead.value() - 0.03e-6 * k) / 0.019e-6);
  CHECK(free == Approx(12.0 / 28).epsilon(0.03));
  CHECK(of(0, 4).blocks == 1);
  CHECK(of(0, 4).ahead == Seconds{});
  // S9. Behind more waves than the simulator goes through nothing is in step.
  CHECK(of(0, 16, most_waves_in_step).blocks == 3);
  CHECK(of(0, 16, most_waves_in_step + 1).blocks == 1);
  // Ends are as far apart as begins.
  CHECK(first_part(wave, 1, tail, 16, 7, Seconds{0.09e-6}, {}).blocks == 1);
  // One place a part and six clusters: the last one waits for the next to last part.
  wave.blocks_per_sm = 1;
  const auto last = first_part(wave, 1, {1, 1, 96, 96}, 16, 7, {}, {});
  CHECK(last.ahead.value() == Approx(-std::log(6) / 1.702 * 0.019e-6).epsilon(0.01));
  wave.paced.reset();
  CHECK(first_part(wave, 1, tail, 16, 7, {}, {}).blocks == 1);
}
