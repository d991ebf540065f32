#include "validation/counters/cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/support/csv.hpp"
#include "model/support/embedded.hpp"
#include "model/support/errors.hpp"

namespace tilecast {

std::span<const EmbeddedFile> counter_case_files();  // CMakeLists.txt

std::string_view counter_cases_csv() {
  return counter_case_files().front().text;
}

std::vector<CounterCase> read_counter_cases(std::string_view csv, std::string_view name,
                                            const DeviceProfile& device) {
  const auto table = parse_csv(csv, name);
  const auto column = [&](std::string_view wanted) {
    const auto found = table.column(wanted);
    if (!found) throw InputError(fmt::format("{}: no column '{}'", name, wanted));
    return *found;
  };
  std::vector<CounterCase> cases;
  for (const auto& row : table.rows) {
    const auto number = [&](std::string_view wanted) { return csv_integer(table, row, column(wanted)); };
    CounterCase one;
    one.family = &family_by_name(row.fields[column("family")]);
    one.shape = {.N = number("N"),
                 .C = number("C"),
                 .H = number("H"),
                 .W = number("W"),
                 .M = number("M"),
                 .K = number("K"),
                 .stride = number("stride"),
                 .pad = number("pad"),
                 .dilation = table.column("dilation") ? number("dilation") : 1};
    const auto& wanted = row.fields[column("config")];
    const auto configs =
        one.family->supports(one.shape) ? std::vector<Config>{} : one.family->configs(one.shape, device);
    const auto found = std::ranges::find_if(
        configs, [&](const Config& config) { return describe_config(config) == wanted; });
    if (found == configs.end() || one.family->feasible(one.shape, *found, device))
      throw InputError(fmt::format("{}:{}: {} does not run '{}'", name, row.line, one.family->name, wanted));
    one.config = *found;
    cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace tilecast
