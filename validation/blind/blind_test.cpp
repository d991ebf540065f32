#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "model/support/sha256.hpp"
#include "tests/catch.hpp"
#include "validation/blind/frozen.hpp"
#include "validation/blind/partial.hpp"
#include "validation/blind/picks.hpp"
#include "validation/blind/read_choice.hpp"
#include "validation/blind/score_blind.hpp"

using namespace tilecast;
namespace fs = std::filesystem;

namespace {

const ConvShape shape{.C = 1, .H = 8, .W = 8, .M = 4, .K = 3};
const ConvShape wide{.C = 1, .H = 9, .W = 9, .M = 4, .K = 3};

FrozenRow frozen_row(const ConvShape& problem, const std::string& config, double a, double b) {
  return {
      .family = "toy",
      .layer = "l" + std::to_string(problem.H),
      .suite = "random-1",
      .problem = problem,
      .config = config,
      .code_hash = "c0de",
      .times = {FrozenTime{Seconds{a}, Seconds{0.9 * a}, Seconds{1.1 * a}}, FrozenTime{Seconds{b}, {}, {}}},
      .unpredicted = ""};
}

FrozenPredictions frozen() {
  FrozenPredictions f{.tool_version = "0.1.0",
                      .device = "h200",
                      .gpu_name = "NVIDIA H200",
                      .device_sha256 = sha256_hex("profile"),
                      .compiler = "NVRTC 13.0",
                      .calibration = "none",
                      .seed = 3,
                      .sample = 2,
                      .models = {"a", "b"},
                      .rows = {frozen_row(shape, "P=1 Q=1", 1.0, 3.0), frozen_row(shape, "P=2 Q=1", 2.0, 1.0),
                               frozen_row(wide, "P=1 Q=1", 1.0 / 3, 1e-6)},
                      .sha256 = ""};
  f.rows[2].times[1].reset();
  f.rows[2].unpredicted = "b: no, \"really\"";
  return f;
}

std::string error_of(const std::string& text) {
  try {
    parse_frozen(text, "predictions.csv");
  } catch (const InputError& error) {
    CHECK_FALSE(std::string(error.what()).empty());
    return error.what();
  }
  return "";
}

MeasuredRow measured(const ConvShape& problem, std::string p, double seconds) {
  MeasuredRow row;
  row.family = "toy";
  row.problem = problem;
  row.config = {{"Q", "1"}, {"P", std::move(p)}};  // another order of the axes
  row.time = Seconds{seconds};
  row.code_hash = "c0de";
  return row;
}

const KernelFamily toy{
    .name = "toy",
    .summary = "",
    .supports = [](const ConvShape& s) -> std::optional<Unsupported> {
      if (s.C > 1) return Unsupported{"one channel only"};
      return std::nullopt;
    },
    .configs =
        [](const ConvShape&, const DeviceProfile&) {
          std::vector<Config> all;
          for (std::int64_t p = 1; p <= 100; ++p)
            all.push_back({{"P", p}});
          return all;
        },
    .feasible = [](const ConvShape&, const Config& c, const DeviceProfile&) -> std::optional<Unsupported> {
      if (c["P"] % 2 == 0) return Unsupported{"even"};
      return std::nullopt;
    },
    .plan = [](const ConvShape&, const Config&, const DeviceProfile&) { return LaunchPlan{}; },
    .describe = [](const ConvShape&, const Config&, const DeviceProfile&,
                   const CodeRecord*) { return KernelDescription{}; }};

}  // namespace

TEST_CASE("frozen predictions: what is written is read back, bit by bit", "[blind]") {
  const auto written = frozen();
  const auto text = format_frozen(written);
  const auto read = parse_frozen(text, "x");
  CHECK(read.tool_version == "0.1.0");
  CHECK(read.device == "h200");
  CHECK(read.gpu_name == "NVIDIA H200");
  CHECK(read.device_sha256 == written.device_sha256);
  CHECK(read.compiler == "NVRTC 13.0");
  CHECK(read.seed == 3);
  CHECK(read.sample == 2);
  CHECK(read.models == written.models);
  REQUIRE(read.rows.size() == 3);
  CHECK(read.rows[2].times[0]->time.value() == 1.0 / 3);
  CHECK(read.rows[2].times[0]->low == written.rows[2].times[0]->low);
  CHECK_FALSE(read.rows[2].times[1]);
  CHECK(read.rows[2].unpredicted == "b: no, \"really\"");
  CHECK_FALSE(read.rows[0].times[1]->low);
  CHECK(read.rows[0].problem == shape);
  CHECK(read.rows[0].drawn);
  CHECK_FALSE(read.rows[0].paper_choice);
  CHECK(format_frozen(read) == text);
}

TEST_CASE("frozen predictions: a column for dilation where a row has one", "[blind]") {
  auto written = frozen();
  CHECK(format_frozen(written).find("dilation") == std::string::npos);
  written.rows[1].problem.dilation = 3;
  const auto text = format_frozen(written);
  CHECK(text.find(",stride,pad,dilation,config,") != std::string::npos);
  const auto read = parse_frozen(text, "x");
  REQUIRE(read.rows.size() == 3);
  CHECK(read.rows[0].problem == shape);
  CHECK(read.rows[1].problem == written.rows[1].problem);
  CHECK(read.rows[1].config == "P=2 Q=1");
  CHECK(read.rows[1].code_hash == "c0de");
  CHECK(read.rows[1].times[1]->time.value() == 1.0);
  CHECK(format_frozen(read) == text);
}

TEST_CASE("frozen predictions: a text that was touched is refused", "[blind]") {
  const auto text = format_frozen(frozen());
  REQUIRE(error_of(text).empty());
  // Each character of the table and of the header in turn, but for the hash itself.
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto other = text;
    other[i] = other[i] == '7' ? '8' : '7';
    INFO("byte " << i);
    CHECK_FALSE(error_of(other).empty());
  }
  CHECK(error_of(text.substr(0, text.size() - 1)).find("it was changed") != std::string::npos);
  CHECK(error_of(text + "\n").find("it was changed") != std::string::npos);
  CHECK(error_of("family,layer\n").find("no file of frozen predictions") != std::string::npos);
  CHECK(error_of("").find("no file of frozen predictions") != std::string::npos);
  // A row taken out, with the hash made anew by hand: the number of rows tells.
  auto fewer = frozen();
  auto shorter = format_frozen(fewer);
  const auto line = shorter.find("evaluation,toy");
  shorter.erase(line, shorter.find('\n', line) + 1 - line);
  const auto begin = shorter.find("# sha256: "), end = shorter.find('\n', begin);
  const auto hash = sha256_hex(shorter.substr(0, begin) + shorter.substr(end + 1));
  shorter.replace(begin, end - begin, "# sha256: " + hash);
  CHECK(error_of(shorter) == "predictions.csv: 2 rows, expected 3");
}

TEST_CASE("partial predictions: one that was cut anywhere goes on with its complete rows", "[blind]") {
  const auto folder =
      (fs::temp_directory_path() / ("tilecast-partial-test-" + std::to_string(::getpid()))).string();
  auto run = frozen();
  const auto rows = run.rows;
  run.rows.clear();
  {
    PartialPredictions partial(folder, run, "build 1");
    CHECK_FALSE(fs::exists(partial_path(folder)));  // not before there is a row
    for (const auto& row : rows)
      partial.append(row);
  }
  const auto whole = read_file(partial_path(folder));
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write_file(partial_path(folder), whole.substr(0, size));
    PartialPredictions partial(folder, run, "build 1");
    const auto lines =
        static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + static_cast<long>(size), '\n'));
    const auto above = static_cast<std::size_t>(std::ranges::count(whole, '\n')) - rows.size();
    REQUIRE(partial.size() == (lines > above ? lines - above : 0));
    for (const auto& row : rows) {
      if (!partial.find(row)) partial.append(row);
    }
    REQUIRE(read_file(partial_path(folder)) == whole);
  }
  PartialPredictions partial(folder, run, "build 1");
  const auto* third = partial.find(rows[2]);
  REQUIRE(third);
  CHECK(third->times[0]->time.value() == 1.0 / 3);
  CHECK_FALSE(third->times[1]);
  CHECK(third->unpredicted == rows[2].unpredicted);
  auto other = rows[2];
  other.code_hash = "0ther";
  CHECK_FALSE(partial.find(other));
  other = rows[2];
  other.development = true;
  CHECK_FALSE(partial.find(other));

  const auto begun = contains_text("begun by another build");
  CHECK_THROWS_WITH(PartialPredictions(folder, run, "build 2"), begun);
  auto changed = run;
  changed.device_sha256 = sha256_hex("another profile");
  CHECK_THROWS_WITH(PartialPredictions(folder, changed, "build 1"), begun);
  changed = run;
  changed.seed = 4;
  CHECK_THROWS_WITH(PartialPredictions(folder, changed, "build 1"), begun);
  changed = run;
  changed.models = {"a"};
  CHECK_THROWS_WITH(PartialPredictions(folder, changed, "build 1"), begun);
  CHECK(read_file(partial_path(folder)) == whole);  // refused means untouched
  partial.remove();
  CHECK_FALSE(fs::exists(partial_path(folder)));
  fs::remove_all(folder);
}

TEST_CASE("blind picks: a uniform sample of what is feasible, the same for a seed, nested", "[blind]") {
  const std::vector<SuiteLayer> layers{{"s", {"one", "", shape}},
                                       {"s", {"two", "", {.C = 2, .H = 8, .W = 8}}}};
  const KernelFamily* const families[] = {&toy};
  const auto values = [&](std::size_t count, std::uint64_t seed) {
    std::set<std::int64_t> p;
    for (const auto& pick :
         evaluation_picks(layers, families, DeviceProfile{}, {.sample = count, .seed = seed})) {
      CHECK(pick.layer == "one");
      CHECK_FALSE(pick.development);
      CHECK(pick.drawn);
      p.insert(pick.config["P"]);
    }
    return p;
  };
  CHECK(values(8, 1).size() == 8);
  CHECK(values(8, 1) == values(8, 1));
  CHECK(values(8, 1) != values(8, 2));
  CHECK(values(200, 1).size() == 50);  // the even ones are not feasible
  CHECK(std::ranges::includes(values(12, 1), values(8, 1)));
  std::map<std::int64_t, int> times;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    for (const auto p : values(5, seed))
      ++times[p];
  }
  CHECK(times.size() == 50);  // each is drawn about 50 times, standard deviation 7
  for (const auto& [p, n] : times) {
    INFO(p);
    CHECK(n > 15);
    CHECK(n < 85);
  }
}

TEST_CASE("blind picks: recorded layers are development data, whatever suite they are in", "[blind]") {
  const std::vector<SuiteLayer> layers{{"resnet50", {"one", "", shape}}, {"resnet50", {"two", "", wide}}};
  std::vector<MeasuredRow> recorded{measured(shape, "1", 1.0)};
  std::size_t known = 0;
  const auto unseen = unseen_layers(layers, recorded, known);
  CHECK(known == 1);
  REQUIRE(unseen.size() == 1);
  CHECK(unseen[0].layer.id == "two");

  const KernelFamily* const families[] = {&toy};
  recorded.clear();
  for (int p = 1; p <= 5; ++p) {
    recorded.push_back(measured(shape, std::to_string(p), 1.0));
    recorded.back().config = {{"P", std::to_string(p)}};
  }
  recorded[2].status = "wrong result";
  const auto picks = development_picks(recorded, families, DeviceProfile{}, {.sample = 10});
  REQUIRE(picks.size() == 2);  // 1 and 5: 2 and 4 are not feasible, 3 has no time
  CHECK(picks[0].config == Config{{"P", 1}});
  CHECK(picks[0].config.values()[0].name == "P");
  CHECK(picks[1].config == Config{{"P", 5}});
  CHECK(picks[1].development);
  CHECK(layers_of_families(picks) == 1);

  // Of three layers one, another by another seed.
  for (std::int64_t maps : {2, 3}) {
    recorded.push_back(recorded.front());
    recorded.back().problem.M += maps;
  }
  std::set<std::int64_t> drawn;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const auto one = development_picks(recorded, families, DeviceProfile{}, {.sample = 10, .seed = seed}, 1);
    CHECK(layers_of_families(one) == 1);
    drawn.insert(one.front().problem.M);
  }
  CHECK(drawn.size() == 3);
}

TEST_CASE("read_fastest: own code of the fastest, again until those were read", "[blind]") {
  // Own code's time, and what is known without it.
  const auto row = [](const ConvShape& problem, double own, double unread) {
    auto r = frozen_row(problem, "P=1 Q=1", own, unread);
    r.times.push_back(std::nullopt);
    return r;
  };
  std::vector<FrozenRow> rows{row(shape, 9, 1), row(shape, 2, 3),  row(shape, 5, 4),  row(shape, 1, 7),
                              row(shape, 8, 2), row(wide, 0.5, 9), row(shape, 1, 0.1)};
  rows[4].times[1].reset();  // nothing is known of it
  rows[6].drawn = false;
  const ReadChoiceTimes times{.own = 0, .unread = 1, .chosen = 2};
  const auto chosen = [&](std::size_t i) { return rows[i].times[2]->time.value(); };

  read_fastest(rows, times, 2);
  CHECK(chosen(0) == 9);  // said to be fastest, and read
  CHECK(chosen(1) == 2);
  CHECK(chosen(2) == 5);  // second when the first was read
  CHECK(chosen(3) == 7);  // never among the two: its 1 stays unknown
  CHECK_FALSE(rows[4].times[2]);
  CHECK(chosen(5) == 0.5);  // alone on its layer
  CHECK(chosen(6) == 0.1);  // not drawn, not read
  CHECK(rows[0].times[2]->low == rows[0].times[0]->low);
  CHECK_FALSE(rows[3].times[2]->low);

  const auto before = format_frozen({.models = {"a", "b", "c"}, .rows = rows});
  read_fastest(rows, times, 2);  // the same again
  CHECK(format_frozen({.models = {"a", "b", "c"}, .rows = rows}) == before);
  rows[3].development = true;  // data of its own, of which one is all
  read_fastest(rows, times, 2);
  CHECK(chosen(3) == 1);
  rows[3].development = false;
  read_fastest(rows, times, 100);
  CHECK(chosen(3) == 1);
}

TEST_CASE("score_blind: errors, regret and coverage by family and model, data apart", "[blind]") {
  auto f = frozen();
  // Model a says 1, 2 (and 1/3 for the other layer), b says 3, 1 and nothing; measured 1.25, 1 and 1/3.
  std::vector<MeasuredRow> rows{measured(shape, "1", 1.25), measured(shape, "2", 1.0),
                                measured(wide, "1", 1.0 / 3)};
  auto r = score_blind(f, rows);
  CHECK(r.measured == 3);
  REQUIRE(r.models.size() == 2);
  CHECK(r.models[0].model == "a");
  CHECK_FALSE(r.models[0].development);
  CHECK(r.models[0].scores.suite == "evaluation");
  CHECK(r.models[0].scores.n == 3);
  CHECK(r.models[0].scores.layers == 2);
  CHECK(r.models[0].scores.max_abs_error == Approx(1.0));           // 2 for 1
  CHECK(r.models[0].scores.top1_regret_max == Approx(0.25));        // chooses P=1
  CHECK(*r.models[0].scores.interval_coverage == Approx(1.0 / 3));  // only 1/3 is inside
  CHECK(r.models[1].scores.n == 2);
  CHECK(r.models[1].scores.top1_regret_max == Approx(0.0));
  CHECK_FALSE(r.models[1].scores.interval_coverage);
  CHECK(r.pairs.size() == 5);
  CHECK(r.paper.empty());

  SECTION("a row measured with other machine code, one without a time and one not measured are left out") {
    rows[0].code_hash = "0ther";
    rows[1].status = "wrong result";
    rows.pop_back();
    r = score_blind(f, rows);
    CHECK(r.other_code == 1);
    CHECK(r.not_timed == 1);
    CHECK(r.not_measured == 1);
    CHECK(r.measured == 0);
    CHECK(r.models.empty());
  }
  SECTION("development data has scores of its own") {
    f.rows[2].development = true;
    r = score_blind(f, rows);
    REQUIRE(r.models.size() == 3);
    CHECK(r.models[0].development);
    CHECK(r.models[0].scores.suite == "development");
    CHECK(r.models[0].scores.n == 1);
    CHECK_FALSE(r.models[1].development);
    CHECK(r.models[1].scores.n == 2);
  }
  SECTION("the paper is scored by its choice alone, and its rows count for nobody else") {
    f.rows[0].drawn = false;
    f.rows[0].paper_choice = true;
    r = score_blind(f, rows);
    REQUIRE(r.paper.size() == 1);
    CHECK(r.paper[0].layers == 1);
    CHECK(r.paper[0].regret_mean == Approx(0.25));
    CHECK(r.paper[0].regret_over_10 == 1);
    CHECK(r.models[0].scores.n == 2);
  }
}
