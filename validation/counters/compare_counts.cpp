// The profiler's counters (record.sh) beside what is read from the machine code, every block executed: a CSV
// row a case and quantity. Usage: compare_counts COUNTERS.csv LAUNCHES.txt
//                             compare_counts RECORDED.csv     its rows with what is read today

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "kernels/runtime/compile.hpp"
#include "kernels/sass/disassemble.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "validation/counters/cases.hpp"
#include "validation/counters/read_counts.hpp"

using namespace tilecast;

namespace {

constexpr std::string_view header =
    "family,shape,config,code_hash,quantity,counter,measured,read,busiest_block\n";

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

struct Read {
  std::string name;  // "family,shape,config,code_hash"
  std::vector<ReadCount> counts;
};

Read read_case(const CounterCase& c, const DeviceProfile& device) {
  const auto plan = c.family->plan(c.shape, c.config, device);
  const auto code = compile(plan.code, kernel_sources(), {9, 0});
  const auto program = sass::read_machine_code(code.cubin, plan.code.entry);
  const sass::Executor executor(program, plan);
  return {fmt::format("{},{},{},{}", c.family->name, describe_shape(c.shape), describe_config(c.config),
                      code.record.code_hash),
          read_counts(program, count_launch(executor, plan))};
}

void print(const std::string& name, const ReadCount& count, double measured) {
  fmt::print("{},{},{},{:.0f},{:.0f},{:.0f}\n", name, count.quantity, count.counter, measured, count.value,
             count.busiest_block);
}

void compare(const std::string& counters, const std::string& launches) {
  const auto table = profiler_table(counters);
  const auto device = load_device("h200");
  const auto cases = read_counter_cases(counter_cases_csv(), "cases.csv", device);
  // The row under the header holds the units.
  if (table.rows.size() != cases.size() + 1)
    throw InputError(
        fmt::format("{}: {} launches, expected {}", counters, table.rows.size() - 1, cases.size()));
  const auto launched = read_file(launches);
  fmt::print("{}", header);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto read = read_case(cases[i], device);
    if (launched.find(read.name + '\n') == std::string::npos)
      throw InputError(fmt::format("{}: '{}' is not among the launches: other code", launches, read.name));
    for (const auto& count : read.counts) {
      const auto column = table.column(count.counter);
      if (!column) throw InputError(fmt::format("{}: no column '{}'", counters, count.counter));
      print(read.name, count, number(table.rows[i + 1].fields[*column]));
    }
  }
}

// Refuses rows of other code than today's: they would say nothing of what is read today.
void read_again(const std::string& recorded) {
  const auto text = read_file(recorded);
  const auto table = parse_csv(text, recorded);
  const auto device = load_device("h200");
  const auto cases = read_counter_cases(counter_cases_csv(), "cases.csv", device);
  fmt::print("{}{}", text.substr(0, text.find("family,")), header);
  for (const auto& c : cases) {
    const auto read = read_case(c, device);
    for (const auto& count : read.counts) {
      const auto row = std::ranges::find_if(table.rows, [&](const CsvRow& r) {
        const auto& f = r.fields;
        return fmt::format("{},{},{},{},{}", f[0], f[1], f[2], f[3], f[4]) ==
               fmt::format("{},{}", read.name, count.quantity);
      });
      if (row == table.rows.end())
        throw InputError(
            fmt::format("{}: no '{}' of '{}': record the counters of today's code "
                        "(validation/counters/record.sh)",
                        recorded, count.quantity, read.name));
      print(read.name, count, csv_number(table, *row, 6));
    }
  }
  fmt::print(stderr, "{} cases read again\n", cases.size());
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: compare_counts COUNTERS.csv LAUNCHES.txt | RECORDED.csv\n");
    return static_cast<int>(ExitCode::usage);
  }
  try {
    if (count == 2)
      read_again(words[1]);
    else
      compare(words[1], words[2]);
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "error: {} {}\n", error.what(), error.hint());
    return static_cast<int>(error.code());
  }
}
