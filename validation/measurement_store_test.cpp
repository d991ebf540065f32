#include "validation/measurement_store.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "model/device/gpu_name.hpp"
#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
namespace fs = std::filesystem;

namespace {

const char* const header =
    "family,layer,suite,N,C,H,W,M,K,stride,pad,P,Q,status,time_s,time_p10_s,time_p90_s,samples,max_rel_error,"
    "sm_clock_hz,code_hash,tool_version\n";

MeasuredRow sample_row(std::int64_t P) {
  MeasuredRow row;
  row.family = "toy";
  row.layer = "layer";
  row.suite = "suite";
  row.problem = {.N = 1, .C = 2, .H = 8, .W = 9, .M = 4, .K = 3, .stride = 1, .pad = 1};
  row.config = {{"P", std::to_string(P)}, {"Q", "1"}};
  row.time = Seconds{1.25e-6};
  row.time_p10 = Seconds{1.2e-6};
  row.time_p90 = Seconds{1.3e-6};
  row.samples = 11;
  row.max_rel_error = 2.5e-7;
  row.sm_clock = Frequency{1.98e9};
  row.code_hash = "abc";
  row.tool_version = "0.1.0";
  return row;
}

// A path of its own for each test process; removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : folder_(fs::temp_directory_path() / ("tilecast-store-test-" + std::to_string(::getpid()))),
        path_((folder_ / name / "toy.csv").string()) {}
  ~TemporaryFile() { fs::remove_all(folder_); }
  const std::string& path() const { return path_; }

 private:
  fs::path folder_;
  std::string path_;
};

}  // namespace

TEST_CASE("measurement store: what is appended is read back, field for field", "[store]") {
  const TemporaryFile file("round-trip");
  auto refused = sample_row(2);
  refused.status = "wrong result, \"NaN\"";  // needs quotes
  refused.time = refused.time_p10 = refused.time_p90 = std::nullopt;
  refused.samples = std::nullopt;
  refused.max_rel_error = std::nullopt;
  refused.sm_clock = std::nullopt;
  {
    MeasurementWriter writer(file.path(), {"P", "Q"}, {"made by a test"});
    writer.append(sample_row(1));
    writer.append(refused);
  }
  const auto text = read_file(file.path());
  CHECK(text.starts_with(std::string("# made by a test\n") + header));
  const auto rows = load_measurements(file.path());
  REQUIRE(rows.size() == 2);
  CHECK(row_key(rows[0]) == "toy|N1 C2 8x9 M4 K3 s1 p1|P=1 Q=1");
  CHECK(rows[0].layer == "layer");
  CHECK(rows[0].suite == "suite");
  CHECK(rows[0].problem == sample_row(1).problem);
  CHECK(rows[0].time == Seconds{1.25e-6});
  CHECK(rows[0].time_p10 == Seconds{1.2e-6});
  CHECK(rows[0].time_p90 == Seconds{1.3e-6});
  CHECK(rows[0].samples == 11);
  CHECK(rows[0].max_rel_error == 2.5e-7);
  CHECK(rows[0].sm_clock == Frequency{1.98e9});
  CHECK(rows[0].code_hash == "abc");
  CHECK(rows[0].tool_version == "0.1.0");
  CHECK(rows[1].status == "wrong result, \"NaN\"");
  CHECK_FALSE(rows[1].time);
  CHECK_FALSE(rows[1].samples);
  CHECK_FALSE(rows[1].max_rel_error);
  CHECK_FALSE(rows[1].sm_clock);
}

TEST_CASE("measurement store: doubles survive the text exactly", "[store]") {
  const TemporaryFile file("exact");
  std::mt19937_64 random(7);
  std::vector<double> times;
  {
    MeasurementWriter writer(file.path(), {"P", "Q"}, {});
    for (int i = 0; i < 200; ++i) {
      auto row = sample_row(i);
      times.push_back(std::uniform_real_distribution<>(1e-7, 1e-1)(random));
      row.time = Seconds{times.back()};
      writer.append(row);
    }
  }
  const auto rows = load_measurements(file.path());
  REQUIRE(rows.size() == times.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    CHECK(rows[i].time->value() == times[i]);
}

TEST_CASE("measurement store: a run resumes after a torn line, and skips what is there", "[store]") {
  const TemporaryFile file("torn");
  {
    MeasurementWriter writer(file.path(), {"P", "Q"}, {"first run"});
    writer.append(sample_row(1));
    writer.append(sample_row(2));
  }
  const auto whole = read_file(file.path());
  // Cut anywhere: in the last row, at its end, in the first row, in the header, in the comment.
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write_file(file.path(), std::string_view(whole).substr(0, size));
    {
      MeasurementWriter writer(file.path(), {"P", "Q"}, {"first run"});
      for (const int P : {1, 2}) {
        if (!writer.has(sample_row(P))) writer.append(sample_row(P));
      }
    }
    const auto rows = load_measurements(file.path());
    REQUIRE(rows.size() == 2);
    REQUIRE(row_key(rows[0]) == row_key(sample_row(1)));
    REQUIRE(row_key(rows[1]) == row_key(sample_row(2)));
    REQUIRE(read_file(file.path()) == whole);
  }
}

TEST_CASE("measurement store: a torn last line is reported and the complete rows survive", "[store]") {
  bool truncated = false;
  const std::string row = "toy,l,s,1,1,4,4,1,3,1,0,2,1,ok,1e-06,,,5,,,,\n";
  const auto rows = parse_measurements(header + row + row.substr(0, 30), "cut.csv", &truncated);
  CHECK(truncated);
  CHECK(rows.size() == 1);
  parse_measurements(header + row, "whole.csv", &truncated);
  CHECK_FALSE(truncated);
}

TEST_CASE("measurement store: an axis left out is empty in the file and absent when read", "[store]") {
  const TemporaryFile file("absent");
  auto row = sample_row(1);
  row.config = {{"Q", "5"}};
  {
    MeasurementWriter writer(file.path(), {"P", "Q"}, {});
    writer.append(row);
    CHECK(writer.has(row));
    CHECK_FALSE(writer.has(sample_row(1)));
  }
  const auto rows = load_measurements(file.path());
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].config == row.config);
  CHECK(measurement_axes(file.path()) == std::vector<std::string>{"P", "Q"});
  CHECK(measurement_axes(file.path() + ".none").empty());
}

TEST_CASE("measurement store: a dilation has a column where a layer needs it", "[store]") {
  const TemporaryFile file("dilation");
  auto dilated = sample_row(1);
  dilated.problem.dilation = 2;
  {
    MeasurementWriter writer(file.path(), {"dilation", "P", "Q"}, {});
    writer.append(sample_row(1));
    CHECK_FALSE(writer.has(dilated));
    writer.append(dilated);
  }
  CHECK(read_file(file.path()).starts_with("family,layer,suite,N,C,H,W,M,K,stride,pad,dilation,P,Q,status,"));
  CHECK(measurement_axes(file.path()) == std::vector<std::string>{"dilation", "P", "Q"});
  const auto rows = load_measurements(file.path());
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].problem == sample_row(1).problem);
  CHECK(rows[0].config == sample_row(1).config);
  CHECK(rows[1].problem == dilated.problem);
  CHECK(rows[1].config == dilated.config);
  CHECK(row_key(rows[1]) == "toy|N1 C2 8x9 M4 K3 s1 p1 d2|P=1 Q=1");
  const MeasurementWriter resumed(file.path(), {"dilation", "P", "Q"}, {});
  CHECK(resumed.has(sample_row(1)));
  CHECK(resumed.has(dilated));

  const TemporaryFile plain("no-dilation");
  MeasurementWriter writer(plain.path(), {"P", "Q"}, {});
  CHECK_THROWS_WITH(writer.append(dilated),
                    contains_text("no column for 'dilation' of toy|N1 C2 8x9 M4 K3 s1 p1 d2"));
  CHECK_THROWS_WITH(parse_measurements("family,layer,suite,N,C,H,W,M,K,stride,pad,dilation,status,time_s,"
                                       "time_p10_s,time_p90_s,samples,max_rel_error,sm_clock_hz,code_hash,"
                                       "tool_version\nt,l,s,1,1,4,4,1,3,1,0,2,ok,1e-6,,,5,,,,\n",
                                       "m.csv"),
                    contains_text("m.csv:2: column dilation: 2, expected (K - 1) * dilation + 1 = 5"));
}

TEST_CASE("measurement store: the order in which a config names its axes does not matter", "[store]") {
  const TemporaryFile file("order");
  auto swapped = sample_row(1);
  std::swap(swapped.config[0], swapped.config[1]);
  MeasurementWriter writer(file.path(), {"P", "Q"}, {});
  writer.append(swapped);
  CHECK(writer.has(sample_row(1)));
  CHECK_THROWS_WITH(writer.append(sample_row(1)), contains_text("P=1 Q=1 is there already"));
}

TEST_CASE("measurement store: other columns, another writer and unknown axes are refused", "[store]") {
  const TemporaryFile file("refused");
  MeasurementWriter writer(file.path(), {"P", "Q"}, {});
  CHECK_THROWS_WITH(MeasurementWriter(file.path(), {"P", "Q"}, {}),
                    contains_text("another process is writing it"));
  auto row = sample_row(1);
  row.config.emplace_back("stages", "2");
  CHECK_THROWS_WITH(writer.append(row), contains_text("no column for 'stages'"));

  const TemporaryFile other("other");
  fs::create_directories(fs::path(other.path()).parent_path());
  write_file(other.path(), header);
  CHECK_THROWS_WITH(MeasurementWriter(other.path(), {"P"}, {}),
                    contains_text("its config columns are P,Q, expected P"));
  write_file(other.path(), "a,b\n1,2\n");
  CHECK_THROWS_WITH(MeasurementWriter(other.path(), {"P"}, {}), contains_text("no column 'family'"));
  CHECK(read_file(other.path()) == "a,b\n1,2\n");  // refused means untouched
}

TEST_CASE("measurement store: bad rows say file, line, column and what was expected", "[store]") {
  const auto parse = [](const std::string& row) { parse_measurements(header + row + '\n', "m.csv"); };
  CHECK_THROWS_WITH(parse("toy,l,s,1,1,4,4,1,3,1,0,2,1,ok,fast,,,5,,,,"),
                    "m.csv:2: column 'time_s': 'fast', expected a number");
  CHECK_THROWS_WITH(parse("toy,l,s,1,1,4,4,1,3,1,0,2,1,ok,-1,,,5,,,,"),
                    "m.csv:2: column 'time_s': '-1', expected a number of 0 or more");
  CHECK_THROWS_WITH(parse("toy,l,s,1,1,4,4,1,3,1,0,2,1,ok,,,,5,,,,"),
                    "m.csv:2: column 'time_s': '', expected a time above 0 as the status is ok");
  CHECK_THROWS_WITH(parse("toy,l,s,1,x,4,4,1,3,1,0,2,1,ok,1e-6,,,5,,,,"),
                    "m.csv:2: column 'C': 'x', expected an integer");
  CHECK_THROWS_WITH(parse("toy,l,s,1,1,4,4,1,9,1,0,2,1,ok,1e-6,,,5,,,,"),
                    "m.csv:2: column K: 9, expected at most the padded map (4 x 4)");
  CHECK_THROWS_WITH(parse("toy,l,s,1,1,4,4,1,3,1,0,2,1,,1e-6,,,5,,,,"),
                    "m.csv:2: column 'status': '', expected text");
  CHECK_THROWS_WITH(parse_measurements("family,layer\n", "m.csv"), contains_text("m.csv: no column 'suite'"));
  CHECK_THROWS_AS(parse("toy"), InputError);
}

TEST_CASE("recorded measurements: every embedded file parses and belongs to one device", "[store]") {
  CHECK(recorded_measurements("no-such-gpu").empty());
  for (const auto& device : recorded_devices()) {
    CHECK(folder_name(device) == device);
    CHECK_FALSE(recorded_measurements(device).empty());
  }
}

TEST_CASE("recorded measurements: sgemm's best config reaches 90 % of cuBLAS at 4096^3 and beyond",
          "[store]") {
  const auto rows = recorded_measurements("nvidia-h200");
  for (const std::int64_t size : {1024, 2048, 4096, 8192}) {
    const auto best = [&](std::string_view family) {
      double least = std::numeric_limits<double>::max();
      for (const auto& row : rows) {
        const auto& p = row.problem;
        if (row.family == family && row.time && p.H == 1 && p.C == size && p.W == size && p.M == size)
          least = std::min(least, row.time->value());
      }
      return least;
    };
    INFO(size << ": sgemm " << best("sgemm") << " s, cuBLAS " << best("cublas_sgemm") << " s");
    REQUIRE(best("cublas_sgemm") < 1);
    CHECK(best("cublas_sgemm") >= 0.9 * best("sgemm"));
  }
}
