// The profiler's counters (record.sh) beside what is read from the machine code: a CSV row a case and
// quantity. Usage: compare_counts COUNTERS.csv LAUNCHES.txt [all]     all: every block executed, not a sample
//                  compare_counts RECORDED.csv       its rows with what is read today, every block executed

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "kernels/runtime/compile.hpp"
#include "kernels/sass/disassemble.hpp"
#include "kernels/sass/grid_counts.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "validation/counters/cases.hpp"
#include "validation/counters/read_counts.hpp"

using namespace tilecast;

namespace {

// Nsight Compute prints what the program wrote before its own CSV, and groups digits by commas.
CsvTable profiler_table(const std::string& path) {
  const auto text = read_file(path);
  const auto start = text.find("\"ID\"");
  if (start == std::string::npos) throw InputError(fmt::format("{}: no column 'ID'", path));
  return parse_csv(std::string_view(text).substr(start), path);
}

double number(std::string field) {
  std::erase(field, ',');
  return std::stod(field);
}

void compare(const std::string& counters, const std::string& launches, bool all_blocks) {
  const auto table = profiler_table(counters);
  const auto device = load_device("h200");
  const auto cases = read_counter_cases(counter_cases_csv(), "cases.csv", device);
  const auto kernel = table.column("Kernel Name");
  // The row under the header holds the units.
  if (!kernel || table.rows.size() != cases.size() + 1)
    throw InputError(
        fmt::format("{}: {} launches, expected {}", counters, table.rows.size() - 1, cases.size()));
  const auto launched = read_file(launches);
  fmt::print("family,shape,config,code_hash,quantity,counter,measured,read\n");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& c = cases[i];
    const auto plan = c.family->plan(c.shape, c.config, device);
    const auto code = compile(plan.code, kernel_sources(), {9, 0});
    const auto name = fmt::format("{},{},{},{}", c.family->name, describe_shape(c.shape),
                                  describe_config(c.config), code.record.code_hash);
    if (launched.find(name) == std::string::npos)
      throw InputError(fmt::format("{}: '{}' is not among the launches: other code", launches, name));
    const auto program = sass::read_machine_code(code.cubin, plan.code.entry);
    const sass::Executor executor(program, plan);
    const auto grid = count_grid(executor, plan, {.execute_all_up_to = all_blocks ? INT64_MAX : 8});
    for (const auto& count : read_counts(program, grid.counts)) {
      const auto column = table.column(count.counter);
      if (!column) throw InputError(fmt::format("{}: no column '{}'", counters, count.counter));
      fmt::print("{},{},{},{:.0f},{:.0f}\n", name, count.quantity, count.counter,
                 number(table.rows[i + 1].fields[*column]), count.value);
    }
  }
}

void read_again(const std::string& recorded) {
  const auto text = read_file(recorded);
  const auto table = parse_csv(text, recorded);
  const auto device = load_device("h200");
  fmt::print("{}", text.substr(0, text.find("family,")));
  fmt::print("family,shape,config,code_hash,quantity,counter,measured,read\n");
  for (const auto& c : read_counter_cases(counter_cases_csv(), "cases.csv", device)) {
    const auto plan = c.family->plan(c.shape, c.config, device);
    const auto code = compile(plan.code, kernel_sources(), {9, 0});
    const auto program = sass::read_machine_code(code.cubin, plan.code.entry);
    const sass::Executor executor(program, plan);
    const auto counts =
        read_counts(program, count_grid(executor, plan, {.execute_all_up_to = INT64_MAX}).counts);
    const std::vector<std::string> name{std::string(c.family->name), describe_shape(c.shape),
                                        describe_config(c.config), code.record.code_hash};
    for (const auto& row : table.rows) {
      if (!std::equal(name.begin(), name.end(), row.fields.begin())) continue;
      const auto count = std::ranges::find(counts, row.fields[4], &ReadCount::quantity);
      if (count == counts.end()) throw InputError(fmt::format("{}: unknown '{}'", recorded, row.fields[4]));
      fmt::print("{},{},{},{},{},{},{},{:.0f}\n", name[0], name[1], name[2], name[3], row.fields[4],
                 row.fields[5], row.fields[6], count->value);
    }
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: compare_counts COUNTERS.csv LAUNCHES.txt [all] | RECORDED.csv\n");
    return static_cast<int>(ExitCode::usage);
  }
  try {
    if (count == 2)
      read_again(words[1]);
    else
      compare(words[1], words[2], count > 3);
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "error: {} {}\n", error.what(), error.hint());
    return static_cast<int>(error.code());
  }
}
