#include "cli/devices_compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "cli/table.hpp"
#include "model/device/compare.hpp"
#include "model/device/import_mt4g.hpp"
#include "model/device/load.hpp"
#include "model/device/parameters.hpp"
#include "model/support/csv.hpp"

namespace tilecast {

namespace {

namespace po = boost::program_options;

// What run-to-run differences of a good measurement stay below.
constexpr double usual_tolerance = 0.03;

Cell number(const std::optional<double>& value) {
  return value ? Cell{*value} : Cell{};
}

Cell shown(const OptionValues& values, const std::optional<double>& value, std::string_view unit) {
  if (!value) return {};
  return format_option(values) == Format::table ? Cell{for_people(*value, unit)} : Cell{*value};
}

ExitCode compare_two(const OptionValues& values, const std::vector<std::string>& names,
                     CommandStreams streams) {
  const bool gate = values.count("tolerance") > 0;
  const double tolerance = gate ? values["tolerance"].as<double>() : usual_tolerance;
  if (!(tolerance >= 0)) throw UsageError(fmt::format("--tolerance: {}, expected 0 or more", tolerance));
  const DeviceProfile first = load_device(names[0], Completeness::partial),
                      second = load_device(names[1], Completeness::partial);
  ResultTable table({{"key"},
                     {"unit"},
                     {"first", first.name.empty() ? "first" : first.name},
                     {"second", second.name.empty() ? "second" : second.name},
                     {"ratio", "ratio", 4},
                     {"intervals_overlap", "intervals overlap"},
                     {"same_method", "same method"},
                     {"points"},
                     {"differing_points", "differing"},
                     {"verdict"}});
  std::size_t differing = 0, same = 0, overlapping = 0, only_one = 0;
  if (!quiet_option(values)) {
    for (const std::string& difference : condition_differences(first, second))
      streams.err << fmt::format("measured differently: {}\n", difference);
  }
  for (const ValueComparison& row : compare_devices(first, second, tolerance)) {
    differing += row.verdict == ComparisonVerdict::differs;
    same += row.verdict == ComparisonVerdict::same;
    overlapping += row.verdict == ComparisonVerdict::overlapping;
    only_one += !row.first || !row.second;
    if (gate && row.verdict != ComparisonVerdict::differs) continue;
    table.add({row.key, row.unit, shown(values, row.first, row.unit), shown(values, row.second, row.unit),
               number(row.ratio), row.overlap ? Cell{*row.overlap} : Cell{}, row.same_method,
               static_cast<std::int64_t>(row.points), static_cast<std::int64_t>(row.differing),
               std::string(verdict_name(row.verdict))});
  }
  write_output(values, table.format(format_option(values)), streams.out);
  if (!quiet_option(values))
    streams.err << fmt::format(
        "{} same within {} %, {} beyond it with overlapping intervals, {} differ, {} in one only\n", same,
        100 * tolerance, overlapping, differing, only_one);
  return gate && differing > 0 ? ExitCode::gate_failed : ExitCode::success;
}

ExitCode compare_published(const OptionValues& values, const std::string& name, CommandStreams streams) {
  const DeviceProfile device = load_device(name, Completeness::partial);
  ResultTable table(
      {{"key"}, {"value"}, {"low", "published from"}, {"high", "to"}, {"verdict"}, {"sources"}});
  std::size_t outside = 0;
  for (const ReferenceComparison& row : compare_with_references(device, reference_values())) {
    outside += row.verdict == ReferenceVerdict::outside;
    table.add({row.key, shown(values, row.value, row.unit), shown(values, row.low, row.unit),
               shown(values, row.high, row.unit), std::string(verdict_name(row.verdict)),
               row.sources.empty() ? Cell{} : Cell{row.sources}});
  }
  write_output(values, table.format(format_option(values)), streams.out);
  if (!quiet_option(values) && outside > 0)
    streams.err << fmt::format("{} outside what was published, by more than 10 %\n", outside);
  return ExitCode::success;
}

// What the profile has not, from another one: limits of the same die, say. Each keeps its own source.
std::size_t fill_from(const DeviceProfile& base, DeviceProfile& profile) {
  std::size_t filled = 0;
  for (const auto& row : parameter_rows()) {
    const auto value = row.get(base);
    if (row.get(profile) || !value) continue;
    ParameterInfo info = row.info(base);
    info.provenance.source += fmt::format(" (taken from profile '{}')", base.name);
    info.provenance.run.clear();
    row.set(profile, *value, std::move(info));
    ++filled;
  }
  return filled;
}

}  // namespace

void add_compare_options(OptionsDescription& options) {
  options.add_options()  //
      ("tolerance", po::value<double>()->value_name("SHARE"),
       "compare: only what differs by more than this (0.03: 3 %) with intervals apart; exit 4 if anything "
       "does")                                                                        //
      ("reference", po::bool_switch(), "compare: one profile with published values")  //
      ("base", po::value<std::string>()->value_name("NAME|FILE"),
       "import: take what the file has not from this profile, e.g. of the same die")  //
      ("name", po::value<std::string>()->value_name("NAME"),
       "import: how the command line will call the device");
}

ExitCode compare_profiles(const OptionValues& values, const std::vector<std::string>& names,
                          CommandStreams streams) {
  const bool reference = values["reference"].as<bool>();
  if (names.size() != (reference ? 1U : 2U))
    throw UsageError(reference ? "devices compare --reference: expected one device"
                               : "devices compare: expected two devices",
                     "usage: tilecast devices compare A B, or tilecast devices compare A --reference");
  return reference ? compare_published(values, names.front(), streams) : compare_two(values, names, streams);
}

ExitCode import_profile(const OptionValues& values, const std::vector<std::string>& names,
                        CommandStreams streams) {
  if (names.size() != 1)
    throw UsageError("devices import: expected one file",
                     "usage: tilecast devices import MT4G.json --out NAME.json");
  ImportedDevice imported = import_mt4g(read_file(names.front()), names.front());
  DeviceProfile& profile = imported.profile;
  if (values.count("name")) profile.name = values["name"].as<std::string>();
  for (const auto& what : imported.left_out)
    streams.err << "left out: " << what << '\n';
  if (values.count("base")) {
    const DeviceProfile base = load_device(values["base"].as<std::string>(), Completeness::partial);
    streams.err << fmt::format("{} values taken from profile '{}'\n", fill_from(base, profile), base.name);
  }
  write_output(values, format_device(profile), streams.out);
  const auto missing = missing_requirements(profile);
  if (missing.empty()) return ExitCode::success;
  streams.err << fmt::format("partial: the models also need {}\n", fmt::join(missing, ", "));
  return ExitCode::incomplete;
}

}  // namespace tilecast
