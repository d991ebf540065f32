// Executed instructions read from the machine code against the profiler's counters, recorded on an H200.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kernels/sass/disassemble.hpp"
#include "kernels/sass/grid_counts.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"
#include "validation/counters/cases.hpp"
#include "validation/counters/read_counts.hpp"
#ifdef TILECAST_WITH_CUDA
#  include "kernels/runtime/compile.hpp"
#endif

using namespace tilecast;

namespace {

const std::string copy_wavefronts = "wavefronts of asynchronous copies";
const std::string source = TILECAST_SOURCE_DIR "/validation/";

// Cases, and what was counted of them.
const std::vector<std::pair<std::string, std::string>> lists{{"cases.csv", "counters.csv"},
                                                             {"cases.csv", "warm.csv"},
                                                             {"traffic_cases.csv", "traffic.csv"},
                                                             {"slope_cases.csv", "slope.csv"}};

struct Recorded {
  std::string family, shape, config, code_hash, quantity;
  double measured = 0, read = 0;
  std::string where() const { return family + " " + shape + " " + config + ": " + quantity; }
};

std::vector<Recorded> recorded() {
  const std::string path = source + "recorded/nvidia-h200/counters.csv";
  const auto table = parse_csv(read_file(path), path);
  std::vector<Recorded> rows;
  for (const auto& row : table.rows) {
    const auto& f = row.fields;
    rows.push_back({f[0], f[1], f[2], f[3], f[4], csv_number(table, row, 6), csv_number(table, row, 7)});
  }
  return rows;
}

bool within(double fraction, double a, double b) {
  return std::abs(a - b) <= fraction * std::max(std::abs(a), std::abs(b));
}

}  // namespace

TEST_CASE("counters: every case was counted with the code that the committed records have today") {
  const auto device = load_device("h200");
  const auto& records = committed_code_records(9, 0);
  int compared = 0;
  for (const auto& [list, counted] : lists) {
    const std::string path = source + "recorded/nvidia-h200/" + counted;
    const auto table = parse_csv(read_file(path), path);
    std::map<std::string, std::string> hashes;
    for (const auto& row : table.rows)
      hashes[row.fields[0] + ' ' + row.fields[1] + ' ' + row.fields[2]] = row.fields[3];
    const auto cases = read_counter_cases(read_file(source + "counters/" + list), list, device);
    CHECK(hashes.size() == cases.size());
    for (const auto& one : cases) {
      const auto name =
          fmt::format("{} {} {}", one.family->name, describe_shape(one.shape), describe_config(one.config));
      INFO(counted << ": " << name << ": record the counters anew (validation/counters/record.sh)");
      REQUIRE(hashes.contains(name));
      const auto* record = records.find(one.family->plan(one.shape, one.config, device).code.key());
      REQUIRE(record);
      CHECK(hashes.at(name) == record->code_hash);
      ++compared;
    }
  }
  CHECK(compared == 46 + 46 + 26 + 27);
  fmt::print("{} recorded cases are of today's code\n", compared);
}

TEST_CASE("counters: what was read from the code is what the profiler counted, or within 1 %") {
  // Quantities that depend on which rows L1 still has, on lanes that the profiler counts otherwise, or on
  // rules that are approximate (memory_access.hpp); all others are equal in every case.
  const std::set<std::string> within_1_percent{"instructions of threads", "global loads",
                                               "wavefronts of shared loads", copy_wavefronts,
                                               "sectors of loads and copies"};
  std::map<std::string, std::set<std::string>> of_family;
  int off = 0;
  for (const auto& row : recorded()) {
    INFO(row.where());
    of_family[row.family].insert(row.shape + row.config);
    if (!within_1_percent.contains(row.quantity)) {
      CHECK(row.measured == row.read);
    } else if (row.quantity == copy_wavefronts && !within(0.01, row.measured, row.read)) {
      // Rows that collide both where L1 is read and where shared memory is written (K7, four filters):
      // counted a little otherwise from run to run.
      ++off;
      CHECK(within(0.11, row.measured, row.read));
      CHECK(row.config == "S_bytes=64 M_tile=4 Wx_tile=128");
    } else {
      CHECK(within(0.01, row.measured, row.read));
    }
  }
  CHECK(off == 1);
  REQUIRE(of_family.size() == 4);
  std::size_t cases = 0;
  for (const auto& [family, named] : of_family) {
    CHECK(named.size() >= 8);
    cases += named.size();
  }
  CHECK(cases == 46);
  fmt::print("{} cases compared with the profiler\n", cases);
}

TEST_CASE("counters: descriptions with the committed code mixes issue what the profiler counted") {
  std::map<std::string, double> measured;
  for (const auto& row : recorded()) {
    if (row.quantity == "instructions") measured[row.family + row.shape + row.config] = row.measured;
  }
  const auto device = load_device("h200");
  std::vector<double> errors;
  for (const auto& one : read_counter_cases(counter_cases_csv(), "cases.csv", device)) {
    const auto name = std::string(one.family->name) + describe_shape(one.shape) + describe_config(one.config);
    INFO(name);
    REQUIRE(measured.contains(name));
    const auto kernel = describe_kernel(*one.family, one.shape, one.config, device);
    double issued = 0;
    for (const auto& phase : kernel.phases) {
      REQUIRE(phase.code.has_value());
      const double warps = static_cast<double>(kernel.launch.threads) / 32;
      issued +=
          phase.trips * (warps * phase.code->around.issued + phase.active_warps * phase.code->compute.issued);
    }
    issued *= static_cast<double>(kernel.launch.blocks);
    errors.push_back(std::abs(issued / measured.at(name) - 1));
    // A description is of the block with the most work: of a split into 16 that one does 5 steps, the
    // mean 4.5.
    CHECK(errors.back() < 0.11);
  }
  std::ranges::sort(errors);
  REQUIRE(errors.size() >= 20);
  CHECK(errors[errors.size() / 2] < 0.01);
}

TEST_CASE("counters: a case may have a dilation") {
  const auto device = load_device("h200");
  const auto read = [&](const std::string& family, const std::string& dilation) {
    const auto config =
        describe_config(family_by_name(family).configs({.C = 8, .H = 20, .W = 20, .K = 3}, device)[0]);
    return read_counter_cases("family,N,C,H,W,M,K,stride,pad,dilation,config\n" + family +
                                  ",1,8,20,20,1,3,1,0," + dilation + ',' + config + '\n',
                              "cases.csv", device);
  };
  CHECK(read("implicit_gemm", "2").at(0).shape == ConvShape{.C = 8, .H = 20, .W = 20, .K = 3, .dilation = 2});
  CHECK(read("chang_multi", "1").at(0).shape == ConvShape{.C = 8, .H = 20, .W = 20, .K = 3});
  CHECK_THROWS_AS(read("chang_multi", "2"), InputError);  // does not run it
}

#ifdef TILECAST_WITH_CUDA

namespace {

// Whether the code here can be the recorded one: another compiler makes other code.
bool have_tools(const std::string& recorded_compiler) {
  try {
    sass::find_disassembler();
    if (recorded_compiler.find("compiler: " + compiler_version() + ";") != std::string::npos) return true;
    WARN("skipped: recorded with '" << recorded_compiler << "', here is " << compiler_version());
  } catch (const UnavailableError& error) {
    WARN("skipped: " << error.what());
  }
  return false;
}

}  // namespace

TEST_CASE("counters: today's reader gives the recorded counts from some of a grid's blocks", "[nvrtc]") {
  const std::string path = source + "recorded/nvidia-h200/counters.csv";
  if (!have_tools(parse_csv(read_file(path), path).comments.at(0))) return;
  const auto device = load_device("h200");
  const auto cases = read_counter_cases(counter_cases_csv(), "cases.csv", device);
  const auto rows = recorded();
  int compared = 0;
  for (std::size_t i = 0; i < cases.size(); i += 5) {
    const auto& c = cases[i];
    const auto plan = c.family->plan(c.shape, c.config, device);
    const auto code = compile(plan.code, kernel_sources(), {9, 0});
    const auto program = sass::read_machine_code(code.cubin, plan.code.entry);
    const sass::Executor executor(program, plan);
    const auto counts = read_counts(program, {count_grid(executor, plan).counts, {}});
    std::size_t quantities = 0;
    for (const auto& row : rows) {
      if (row.config != describe_config(c.config) || row.shape != describe_shape(c.shape)) continue;
      INFO(row.where());
      REQUIRE(row.code_hash == code.record.code_hash);
      const auto count = std::ranges::find(counts, row.quantity, &ReadCount::quantity);
      REQUIRE(count != counts.end());
      // What depends on where a block lies in the tensors is a mean of a few blocks.
      const bool of_place = row.quantity.starts_with("wavefronts") || row.quantity.starts_with("sectors");
      CHECK(within(of_place ? 0.05 : 0.001, count->value, row.read));
      ++quantities;
    }
    CHECK(quantities == counts.size());
    ++compared;
  }
  CHECK(compared == 10);
  fmt::print("{} cases read anew\n", compared);
}

#endif
