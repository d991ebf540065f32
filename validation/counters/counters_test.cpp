// Executed instructions read from the machine code against the profiler's counters, recorded on an H200.

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

constexpr std::string_view copy_wavefronts = "wavefronts of asynchronous copies";

struct Recorded {
  std::string family, shape, config, code_hash, quantity;
  double measured = 0, read = 0;
  std::string where() const { return family + " " + shape + " " + config + ": " + quantity; }
};

std::vector<Recorded> recorded() {
  const std::string path = TILECAST_SOURCE_DIR "/validation/recorded/nvidia-h200/counters.csv";
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

TEST_CASE("counters: what was read from the code is within 1 % of what the profiler counted") {
  const auto rows = recorded();
  std::map<std::string, int> cases;
  std::map<std::string, std::set<std::string>> of_family;
  int copies_off = 0;
  for (const auto& row : rows) {
    INFO(row.where());
    const auto name = row.family + row.shape + row.config;
    ++cases[name];
    of_family[row.family].insert(name);
    if (row.quantity == copy_wavefronts) {  // the rule is known to be approximate (memory_access.hpp)
      CHECK(within(0.2, row.measured, row.read));
      copies_off += !within(0.01, row.measured, row.read);
    } else {
      CHECK(within(0.01, row.measured, row.read));
    }
  }
  CHECK(cases.size() >= 40);
  CHECK(of_family.size() == 4);
  for (const auto& [family, named] : of_family)
    CHECK(named.size() >= 8);
  CHECK(copies_off <= 5);
}

TEST_CASE("counters: warp instructions and multiply-adds are exact") {
  for (const auto& row : recorded()) {
    if (row.quantity != "instructions" && row.quantity != "multiply-adds of threads") continue;
    INFO(row.where());
    CHECK(row.measured == row.read);
  }
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

bool have_tools() {
  try {
    compiler_version();
    sass::find_disassembler();
    return true;
  } catch (const UnavailableError& error) {
    WARN("skipped: " << error.what());
    return false;
  }
}

}  // namespace

TEST_CASE("counters: today's reader gives the recorded counts from some of a grid's blocks", "[nvrtc]") {
  if (!have_tools()) return;
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
    const auto grid = count_grid(executor, plan);
    const auto counts = read_counts(program, grid.counts);
    for (const auto& row : rows) {
      if (row.config != describe_config(c.config) || row.shape != describe_shape(c.shape)) continue;
      if (row.code_hash != code.record.code_hash) {
        WARN("skipped, another compiler or source made other code: " << row.where());
        break;
      }
      for (const auto& count : counts) {
        if (count.quantity != row.quantity) continue;
        INFO(row.where());
        // What depends on where a block lies in the tensors is a mean of a few blocks.
        const bool of_place = row.quantity.starts_with("wavefronts") || row.quantity.starts_with("sectors");
        CHECK(within(of_place ? 0.05 : 0.001, count.value, row.read));
        ++compared;
      }
    }
  }
  if (compared == 0) WARN("nothing compared: record the counters anew (validation/counters/record.sh)");
}

#endif
