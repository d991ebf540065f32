#include "cli/one_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <set>

#include "cli/config_option.hpp"

namespace tilecast {

namespace po = boost::program_options;

namespace {

struct Choice {
  PredictionRow row;
  std::size_t feasible = 0;  // of how many
};

// --config, by family; families without such axes are left out. Rows have a config, or say why there is none.
std::map<std::string_view, Config> wanted_axes(const OptionValues& values,
                                               const std::vector<PredictionRow>& rows) {
  std::map<std::string_view, Config> wanted;
  std::optional<UsageError> refusal;
  std::string_view last;
  for (const auto& row : rows) {
    if (row.family == last) continue;
    last = row.family;
    if (row.config.values().empty()) continue;
    if (!values.count("config")) {
      wanted.emplace(row.family, Config{});
      continue;
    }
    try {
      auto axes = parse_config(values["config"].as<std::string>(), row.config);
      wanted.emplace(row.family, std::move(axes));
    } catch (const UsageError& error) {
      if (!refusal) refusal = error;
    }
  }
  if (wanted.empty() && refusal) throw *refusal;
  return wanted;
}

// Why none of a family's rows has the axes: a value that none has, or that none has them together.
std::string no_such_config(const std::vector<PredictionRow>& rows, std::string_view family,
                           const Config& axes) {
  for (const auto& axis : axes.values()) {
    std::set<std::int64_t> listed;
    for (const auto& row : rows) {
      if (row.family != family) continue;
      if (const auto value = row.config.find(axis.name)) listed.insert(*value);
    }
    if (!listed.contains(axis.value))
      return fmt::format("{}: {}={}, expected {}", family, axis.name, axis.value, fmt::join(listed, ", "));
  }
  return fmt::format("{}: no config has {} together", family, describe_config(axes));
}

// Of the feasible rows with the axes whose code `runs_on` can run too, the one that `before` puts first.
template <class Before>
Choice choose(const OptionValues& values, const std::vector<PredictionRow>& rows, std::string_view command,
              const DeviceProfile* runs_on, Before before) {
  if (rows.empty()) throw InputError(fmt::format("{}: no family supports this layer", command));
  const auto wanted = wanted_axes(values, rows);
  const PredictionRow* first = nullptr;
  std::size_t feasible = 0;
  std::string reason, not_there;
  for (const auto& row : rows) {
    const auto axes = wanted.find(row.family);
    if (!row.feasible) {
      const bool meant =
          row.config.values().empty() || (axes != wanted.end() && matches(row.config, axes->second));
      if (meant && reason.empty()) reason = fmt::format("{}: {}", row.family, row.reason);
      continue;
    }
    if (axes == wanted.end() || !matches(row.config, axes->second)) continue;
    if (runs_on != nullptr) {
      if (const auto no = family_by_name(row.family).feasible(row.problem, row.config, *runs_on)) {
        if (not_there.empty()) not_there = fmt::format("{}: {}", row.family, no->reason);
        continue;
      }
    }
    ++feasible;
    if (first == nullptr || before(row, *first)) first = &row;
  }
  if (first != nullptr) return {*first, feasible};
  if (!not_there.empty()) throw InputError(fmt::format("{}: {}", command, not_there));
  if (reason.empty() && !wanted.empty())
    reason = no_such_config(rows, wanted.begin()->first, wanted.begin()->second);
  if (reason.empty()) reason = fmt::format("{}: no such config", rows.front().family);
  throw InputError(fmt::format("{}: {}", command, reason), "'tilecast predict --all' lists every config");
}

std::vector<Suite> one_layer(const OptionValues& values, std::string_view command) {
  auto suites = layers_option(values);
  if (suites.size() != 1 || suites.front().layers.size() != 1)
    throw UsageError(fmt::format("{}: expected one layer", command), "give it by --conv or --gemm");
  return suites;
}

RowSelection every_config(const OptionValues& values) {
  const RowSelection selection{.all = true, .top = {}, .families = family_option(values)};
  for (const auto& name : selection.families)
    family_by_name(name);  // throws with the nearest name
  return selection;
}

Choice fastest_of(const OptionValues& values, const DeviceProfile& device, const analytic::Options& options,
                  std::string_view command, const DeviceProfile* runs_on) {
  const auto suites = one_layer(values, command);
  const auto rows = analytic_rows(suites, device, kernel_families(), every_config(values), options);
  return choose(values, rows, command, runs_on, [](const PredictionRow& a, const PredictionRow& b) {
    return a.prediction->time < b.prediction->time;
  });
}

// As if any config were as fast as another.
Choice first_of(const OptionValues& values, const DeviceProfile& device, std::string_view command,
                const DeviceProfile* runs_on) {
  const auto suites = one_layer(values, command);
  const auto rows = model_rows("none", suites, device, kernel_families(), every_config(values),
                               [](const KernelFamily&, const ConvShape&, std::span<const Config> configs) {
                                 return std::vector<ConfigOutcome>(configs.size(), {Prediction{}, {}});
                               });
  return choose(values, rows, command, runs_on,
                [](const PredictionRow&, const PredictionRow&) { return false; });
}

}  // namespace

void add_one_kernel_options(OptionsDescription& options) {
  add_layer_options(options);
  add_family_option(options);
  options.add_options()("config", po::value<std::string>()->value_name("NAME=VALUE,..."),
                        "axes of the config; of those that have them, the one predicted to be fastest");
}

PredictionRow fastest_config(const OptionValues& values, const DeviceProfile& device,
                             const analytic::Options& options, std::string_view command) {
  return fastest_of(values, device, options, command, nullptr).row;
}

OneKernel one_kernel_option(const OptionValues& values, const DeviceProfile& device, std::string_view command,
                            std::ostream& notes, const DeviceProfile* runs_on) {
  std::string why = "predicted to be the fastest of {} configs; --config names another";
  Choice choice;
  try {
    choice = fastest_of(values, device, {}, command, runs_on);
  } catch (const UnavailableError& error) {
    choice = first_of(values, device, command, runs_on);
    why = fmt::format("the first of {{}} configs, which the analytic model cannot rank ({})", error.what());
  }
  const auto& row = choice.row;
  if (choice.feasible > 1) {
    notes << fmt::format("{} {}: {}\n", row.family, describe_config(row.config),
                         fmt::format(fmt::runtime(why), choice.feasible));
  }
  return {&family_by_name(row.family), row.problem, row.config};
}

}  // namespace tilecast
