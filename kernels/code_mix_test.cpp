#include "kernels/code_mix.hpp"

#include <algorithm>

#include "kernels/code_record.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

CodeMix small_mix() {
  CodeMix mix;
  mix[MixPart::core] = {256, 20, {.issued = 1.25, .ffma = 1, .integer = 0.125, .chain_cycles = 2}};
  mix[MixPart::start] = {1, 90, {.issued = 90, .barriers = 1}};
  return mix;
}

}  // namespace

TEST_CASE("code mixes: what is written is read back, a row for each part that there is") {
  CodeMixes mixes;
  mixes.add("0b", small_mix());
  mixes.compiler = "NVRTC 13.0";
  const auto text = format_code_mixes(mixes);
  CHECK(std::ranges::count(text, '\n') == 4);  // compiler, header, two parts
  CHECK(text.find("0b,core,256,20,1.25,1,0,0.125,") != std::string::npos);
  const auto back = parse_code_mixes(text, "sm_90.csv");
  CHECK(back.compiler == "NVRTC 13.0");
  REQUIRE(back.find("0b") != nullptr);
  CHECK(back.find("0a") == nullptr);
  const auto& mix = back.find("0b")->nearest(256);
  CHECK(mix[MixPart::core].times == 256);
  CHECK(mix[MixPart::core].code == 20);
  CHECK(mix[MixPart::core].unit.issued == 1.25);
  CHECK(mix[MixPart::core].unit.chain_cycles == 2);
  CHECK(mix[MixPart::start].unit.barriers == 1);
  CHECK(mix[MixPart::round].times == 0);
}

TEST_CASE("code mixes: files from before the last columns have none of what these count") {
  CodeMixes mixes;
  auto mix = small_mix();
  mix[MixPart::start].unit.local_loads = 3;
  mix[MixPart::start].unit.local_stores = 5;
  mix[MixPart::start].unit.queue_waits = 7;
  mix[MixPart::start].unit.copy_distance = 11;
  mixes.add("0b", mix);
  const auto text = format_code_mixes(mixes);
  const auto& start = parse_code_mixes(text, "new.csv").find("0b")->nearest(256)[MixPart::start].unit;
  CHECK(start.local_loads == 3);
  CHECK(start.local_stores == 5);
  CHECK(start.queue_waits == 7);
  CHECK(start.copy_distance == 11);
  std::string old;  // each line without its last five fields
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    const auto line = text.substr(at, end - at);
    auto cut = line.size();
    for (int field = 0; field < 5 && line.find(',') != std::string::npos; ++field)
      cut = line.rfind(',', cut - 1);
    old += line.substr(0, cut) + '\n';
    at = end + 1;
  }
  REQUIRE(old.find("load_distance\n") != std::string::npos);
  const auto mixes_of_old = parse_code_mixes(old, "old.csv");
  const auto& before = mixes_of_old.find("0b")->nearest(256)[MixPart::start].unit;
  CHECK(before.issued == 90);
  CHECK(before.local_loads == 0);
  CHECK(before.local_stores == 0);
  CHECK(before.queue_waits == 0);
  CHECK(before.copy_distance == 0);
}

TEST_CASE("code mixes: of launches whose warps do more and less, that of the most similar one") {
  CodeMixes mixes;
  for (const double work : {4096.0, 64.0}) {
    CodeMix mix = small_mix();
    mix[MixPart::core].times = work;
    mixes.add("0b", mix);
  }
  mixes.add("0c", small_mix());
  const auto back = parse_code_mixes(format_code_mixes(mixes), "sm_90.csv");
  const auto& launches = *back.find("0b");
  REQUIRE(launches.all().size() == 2);
  CHECK(back.find("0c")->all().size() == 1);
  const auto nearest = [&](double ffma) { return launches.nearest(ffma)[MixPart::core].times; };
  CHECK(nearest(1) == 64);
  CHECK(nearest(511) == 64);  // 512 is as far from both
  CHECK(nearest(513) == 4096);
  CHECK(nearest(1e6) == 4096);
  CHECK(launches.apart(90) == 1);  // less than one and a half times 64
  CHECK(launches.apart(128) == 2);
}

TEST_CASE(
    "code mixes: launches are told apart by what all their threads make, not by the warps that were "
    "counted") {
  LaunchMixes launches;
  for (const auto& [thread_fmas, counted] : {std::pair{640.0, 1024.0}, std::pair{960.0, 700.0}}) {
    CodeMix mix = small_mix();
    mix[MixPart::core].times = counted;
    mix.pace.thread_fmas = thread_fmas;
    launches.add(mix);
  }
  CHECK(launches.nearest(640).pace.thread_fmas == 640);
  CHECK(launches.nearest(960).pace.thread_fmas == 960);
  CHECK(launches.all().front().pace.thread_fmas == 640);
}

TEST_CASE("code mixes: a launch is covered by one whose threads make as many multiply-adds") {
  LaunchMixes launches;
  CodeMix mix = small_mix();
  mix.pace.thread_fmas = 640;
  launches.add(mix);
  CHECK(launches.covers(640.0003));  // written with six digits
  CHECK_FALSE(launches.covers(660));
  CHECK_FALSE(LaunchMixes{}.covers(640));
}

TEST_CASE("code mixes: errors name file, line and what was expected") {
  CodeMixes mixes;
  mixes.add("0b", small_mix());
  const auto text = format_code_mixes(mixes);
  const auto row = text.substr(text.find("0b,start"));
  CHECK_THROWS_WITH(parse_code_mixes(text + row, "m.csv"),
                    contains_text("m.csv:4") && contains_text("appears twice"));
  CHECK_THROWS_WITH(parse_code_mixes("code_hash,part\na,core\n", "m.csv"),
                    contains_text("no column 'times'"));
  auto wrong = text;
  wrong.replace(wrong.find("core"), 4, "cork");
  CHECK_THROWS_WITH(parse_code_mixes(wrong, "m.csv"), contains_text("'cork', expected core"));
}

TEST_CASE("code mixes: records find theirs by the code's hash, and do without") {
  CodeMixes mixes;
  mixes.add("0b", small_mix());
  CodeRecords records;
  records.set("b", {.registers = 64, .code_hash = "0b"});
  records.set("c", {.registers = 64, .code_hash = "0c"});
  records.add_mixes(mixes);
  REQUIRE(mix_of(records.find("b"), 256) != nullptr);
  CHECK((*mix_of(records.find("b"), 256))[MixPart::core].times == 256);
  CHECK(mix_of(records.find("c"), 256) == nullptr);
  CHECK(mix_of(nullptr, 256) == nullptr);
}

TEST_CASE("code mixes: what precedes the first store is a phase of its own, where it was read") {
  Phase storing;
  storing.role = PhaseRole::epilogue;
  storing.active_warps = 8;
  storing.stored = Bytes{4096};
  auto mix = small_mix();
  CHECK_FALSE(before_stores(storing, mix));
  mix[MixPart::sum] = {1, 40, {.issued = 50, .chain_cycles = 170, .barriers = 2}};
  mix[MixPart::end] = {1, 30, {.issued = 30}};
  const auto before = before_stores(storing, mix);
  REQUIRE(before);
  CHECK(before->role == PhaseRole::epilogue);
  CHECK(before->active_warps == 8);
  CHECK(before->stored == Bytes{});
  CHECK(before->code->around.chain_cycles == 170);
  CHECK(before->code->around.barriers == 2);
  CHECK(code_instructions(mix) - loop_instructions(mix) == 90 + 40 + 30);
}

TEST_CASE("code mixes (S18): the paces of a launch are read back") {
  CodeMixes mixes;
  auto mix = small_mix();
  mix.pace = {256, {{1, 500, 500, 0}, {4, 900, 800, 120}}, {{300, 640}, {700, 1040}}};
  mixes.add("0b", mix);
  const auto text = format_code_mixes(mixes);
  CHECK(text.find(",256 1:500:500:0 4:900:800:120 300@640 700@1040\n") != std::string::npos);
  const auto back = parse_code_mixes(text, "new.csv").find("0b")->nearest(256).pace;
  CHECK(back.thread_fmas == 256);
  REQUIRE(back.waves.size() == 2);
  CHECK(back.waves[1].blocks == 4);
  CHECK(back.waves[1].first == 900);
  CHECK(back.waves[1].later == 800);
  CHECK(back.waves[1].ends_apart == 120);
  REQUIRE(back.waits.size() == 2);
  CHECK(back.waits[1].latency == 700);
  CHECK(back.waits[1].cycles == 1040);
  for (const std::string wrong : {"256", "256 1:500:500", "256 4:900:800:120 1:500:500:0", "256 1:5x:500:0",
                                  "x", "256 1:500:500:0 700@1040 300@640", "256 1:500:500:0 300@"}) {
    auto bad = text;
    bad.replace(bad.find("256 1:500"), std::string("256 1:500:500:0 4:900:800:120 300@640 700@1040").size(),
                wrong);
    INFO(wrong);
    CHECK_THROWS_AS(parse_code_mixes(bad, "bad.csv"), InputError);
  }
}

TEST_CASE("code mixes (S18): a description gets the paces of the launch most like it") {
  LaunchMixes mixes;
  auto mix = small_mix();  // 256 x 1.25 instructions in loops, 90 once
  mixes.add(mix);          // one without paces
  mix.pace = {256, {{1, 500, 500, 0}}};
  mixes.add(mix);
  mix[MixPart::core].times = 2560;
  mix.pace = {2560, {{1, 4000, 4000, 0}}};
  mixes.add(mix);
  KernelDescription kernel;
  kernel.launch.threads = 32;
  kernel.fma_executed = 32.0 * 384;
  set_core_paces(kernel, mixes);
  REQUIRE(kernel.core_paces.size() == 1);
  CHECK(kernel.core_paces[0].first == 500);
  CHECK(kernel.core_pace_scale == Approx(1 + 0.5 * 320 / 410));  // half as many more of what is in loops
  kernel.fma_executed = 32.0 * 2560;
  set_core_paces(kernel, mixes);
  CHECK(kernel.core_paces[0].first == 4000);
  CHECK(kernel.core_pace_scale == 1);
  for (const double far : {120.0, 6000.0}) {
    KernelDescription other;
    other.launch.threads = 32;
    other.fma_executed = 32 * far;
    set_core_paces(other, mixes);
    INFO(far);
    CHECK(other.core_paces.empty());
  }
}
