// predict: every config of every layer, or the best: time, limiter, bounds and interval; or the paper's
// rules.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <thread>

#include "cli/commands.hpp"
#include "cli/disagreement.hpp"
#include "cli/models.hpp"
#include "cli/options.hpp"
#include "cli/prediction_rows.hpp"
#include "kernels/family.hpp"
#include "kernels/simulation/kernel_simulator.hpp"
#include "model/paper/partitions.hpp"
#include "model/support/nearest.hpp"

namespace tilecast {

namespace po = boost::program_options;

namespace {

using Names = std::vector<std::string>;

OptionsDescription predict_options() {
  OptionsDescription options;
  add_device_option(options);
  add_layer_options(options);
  add_family_option(options);
  options.add_options()(
      "model", po::value<std::string>()->default_value("analytic")->value_name("paper|analytic|sim|both"),
      "analytic: time and what limits it; sim: the same from the machine code, stepped through (needs NVRTC "
      "and nvdisasm once a kernel), and a warning where the two are far apart; both: the geometric mean of "
      "these two, which is nearer than either; paper: the rules of Chang et al.")(
      "all", "every config, feasible or not and why")("top", po::value<std::int64_t>()->value_name("N"),
                                                      "the N fastest configs of each layer and family")(
      "without", po::value<Names>()->composing()->value_name("BOUND"),
      "analytic: switch a bound off (repeatable, or a comma-separated list)")(
      "cold", "analytic, sim, both: L2 holds nothing at the start (kernels are timed warm)")(
      "jobs", po::value<int>()->value_name("N"),
      "sim, both, --read-code: kernels at a time (as many as the machine has)");
  options.add_options()(
      "read-code", po::value<std::int64_t>()->value_name("N"),
      "analytic: compile and read the code of the N fastest configs of each layer and family where it is not "
      "committed, and rank again, until those are the fastest (needs NVRTC and nvdisasm)");
  add_interval_option(options);
  add_output_options(options);
  OptionsDescription quirks("Readings of the paper (--model paper; the first value is the paper's own)");
  for (const auto& quirk : paper::quirk_switches()) {
    const auto values = fmt::format("{}", fmt::join(quirk.values, "|"));
    quirks.add_options()(std::string(quirk.name).c_str(), po::value<std::string>()->value_name(values),
                         std::string(quirk.help).c_str());
  }
  options.add(quirks);
  return options;
}

RowSelection selection_option(const OptionValues& values) {
  RowSelection selection;
  selection.all = values.count("all") > 0;
  selection.families = family_option(values);
  if (!values.count("top")) return selection;
  const auto top = values["top"].as<std::int64_t>();
  if (top < 1) throw UsageError(fmt::format("--top {}: expected a positive integer", top));
  if (selection.all) throw UsageError("--all and --top exclude each other");
  selection.top = static_cast<std::size_t>(top);
  return selection;
}

paper::Quirks quirks_option(const OptionValues& values) {
  paper::Quirks quirks;
  for (const auto& quirk : paper::quirk_switches()) {
    const std::string name(quirk.name);
    if (values.count(name)) paper::set_quirk(quirks, name, values[name].as<std::string>());
  }
  return quirks;
}

// An option that the chosen model would ignore is a mistake worth hearing of.
void refuse_options(const OptionValues& values, std::string_view model, const Names& names) {
  for (const auto& name : names) {
    if (values.count(name)) throw UsageError(fmt::format("--{} means nothing to --model {}", name, model));
  }
}

// Fig. 2 of the paper for one layer of several channels: which divisions over the SMs are taken.
std::string divisions_text(const Layer& layer, const paper::DeviceConstants& constants,
                           const paper::Quirks& quirks) {
  std::string text = fmt::format("{}: divisions over SMs (P15)\n", layer.id);
  for (const auto& division : paper::divisions(layer.shape, constants, quirks)) {
    text += fmt::format("  {}: {}{}\n", division.name, division.accepted ? "yes" : "no, ", division.reason);
  }
  return text + "\n";
}

ExitCode run_paper(const OptionValues& values, CommandStreams streams) {
  refuse_options(values, "paper", {"top", "without", "cold", "jobs", "read-code"});
  const auto quirks = quirks_option(values);
  const auto device = device_option(values);
  const auto constants = paper::device_constants(device, quirks);
  auto suites = layers_option(values);
  for (auto& suite : suites) {
    const auto paired = paper::paired_suite(suite.name, quirks);
    if (paired != suite.name) suite = load_suite(paired);
  }
  const auto rows = paper_rows(suites, constants, quirks, selection_option(values));
  const auto format = format_option(values);
  std::string text;
  if (format == Format::table) text = fmt::format("{}\n{}\n", device.name, constants_text(constants));
  if (format == Format::table && suites.size() == 1 && suites[0].layers.size() == 1) {
    const auto& layer = suites[0].layers[0];
    if (layer.shape.C > 1 && !paper::refusal(layer.shape)) text += divisions_text(layer, constants, quirks);
  }
  write_output(values, text + format_rows(rows, format), streams.out);
  return ExitCode::success;
}

// I1. A model without one of its bounds, or with cold caches, is not the one that was calibrated.
std::vector<PredictionRow> with_intervals(std::vector<PredictionRow> rows, const OptionValues& values,
                                          const DeviceProfile& device) {
  const auto calibration = interval_option(values, device);
  if (values.count("without") || values.count("cold")) return rows;
  for (auto& row : rows) {
    if (row.prediction) calibrate_interval(*row.prediction, row.model, row.family, calibration);
  }
  return rows;
}

std::size_t read_code_option(const OptionValues& values) {
  if (!values.count("read-code")) return 0;
  const auto count = values["read-code"].as<std::int64_t>();
  if (count < 1) throw UsageError(fmt::format("--read-code {}: expected a positive integer", count));
  return static_cast<std::size_t>(count);
}

int jobs_option(const OptionValues& values) {
  if (!values.count("jobs")) return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int jobs = values["jobs"].as<int>();
  if (jobs < 1) throw UsageError(fmt::format("--jobs {}: expected a positive integer", jobs));
  return jobs;
}

// Times that rest on other code than the kernel's own are further off; the reader should know.
std::string unread_note(std::span<const PredictionRow> rows) {
  std::map<CodeSource, std::size_t> count;
  for (const auto& row : rows) {
    if (row.prediction) ++count[row.prediction->code];
  }
  const auto times = [](std::size_t n) { return fmt::format("{} time{}", n, n == 1 ? " rests" : "s rest"); };
  std::string note;
  if (const auto n = count[CodeSource::similar]; n > 0)
    note += fmt::format("{} on the code of a similar kernel; --read-code N reads their own\n", times(n));
  if (const auto n = count[CodeSource::estimated]; n > 0)
    note += fmt::format("{} on no machine code at all; the intervals say how far off\n", times(n));
  return note;
}

ExitCode run_analytic(const OptionValues& values, CommandStreams streams) {
  Names quirks;
  for (const auto& quirk : paper::quirk_switches())
    quirks.emplace_back(quirk.name);
  refuse_options(values, "analytic", quirks);
  if (!values.count("read-code")) refuse_options(values, "analytic", {"jobs"});
  analytic::Options options;
  if (values.count("without")) {
    for (const auto& list : values["without"].as<Names>()) {
      for (auto& name : split_list(list, "--without"))
        options.without.push_back(std::move(name));
    }
  }
  if (values.count("cold")) options.caches = analytic::Caches::cold;
  const auto device = device_option(values);
  const auto selection = selection_option(values);
  for (const auto& name : selection.families)
    family_by_name(name);  // throws with the nearest name
  std::ostringstream nowhere;
  ReadCodes codes(device, "predict", jobs_option(values), quiet_option(values) ? nowhere : streams.err);
  const CodeReading reading{read_code_option(values), &codes};
  const auto rows = with_intervals(
      analytic_rows(layers_option(values), device, kernel_families(), selection, options, reading), values,
      device);
  const auto format = format_option(values);
  auto note = unread_note(rows);
  if (const auto unknown = analytic::unknown_bounds(device); !unknown.empty()) {
    note += fmt::format("not known for {}, so left out: {}\n", device.name, fmt::join(unknown, ", "));
  }
  write_output(values, format_rows(rows, format) + (format == Format::table ? note : ""), streams.out);
  if (format != Format::table && !quiet_option(values)) streams.err << note;
  return ExitCode::success;
}

std::string kernel_name(std::string_view family, const Config& config, const ConvShape& shape) {
  return fmt::format("{} {}, {}", family, describe_config(config), describe_shape(shape));
}

// What the analytic model says of the rows that are written.
std::string disagreement_of(std::span<const PredictionRow> rows, const DeviceProfile& device,
                            const analytic::Options& options) {
  std::vector<TwoTimes> both;
  for (const auto& row : rows) {
    if (!row.prediction) continue;
    const auto kernel = describe_kernel(family_by_name(row.family), row.problem, row.config, device);
    both.push_back({kernel_name(row.family, row.config, row.problem), row.prediction->time,
                    analytic::predict(kernel, device, options).time});
  }
  return disagreement_warning(both);
}

// B1. Between what the simulator said of the configs and what the analytic model says by their own code;
// `times` gets both.
void add_analytic(std::vector<ConfigOutcome>& simulated, const KernelFamily& family, const ConvShape& shape,
                  std::span<const Config> configs, const DeviceProfile& device,
                  const analytic::Options& options, ReadCodes& codes, std::vector<TwoTimes>& times) {
  std::vector<CodeLaunch> launches;
  for (const auto& config : configs)
    launches.push_back(code_launch(family, shape, config, device));
  codes.read(launches);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    auto& outcome = simulated[i];
    if (!outcome.prediction) continue;
    const auto kernel = family.describe(shape, configs[i], device, codes.find(launches[i].plan.code.key()));
    const auto derived = analytic::predict(kernel, device, options);
    times.push_back({kernel_name(family.name, configs[i], shape), outcome.prediction->time, derived.time});
    outcome.prediction = between(*outcome.prediction, derived);
  }
}

// `model`: "sim" or "both".
ExitCode run_simulated(const OptionValues& values, std::string_view model, CommandStreams streams) {
  Names quirks;
  for (const auto& quirk : paper::quirk_switches())
    quirks.emplace_back(quirk.name);
  refuse_options(values, model, quirks);
  refuse_options(values, model, {"without", "read-code"});
  const auto device = device_option(values);
  const auto selection = selection_option(values);
  for (const auto& name : selection.families)
    family_by_name(name);  // throws with the nearest name
  sim::Options options;
  if (values.count("cold")) options.caches = analytic::Caches::cold;
  const analytic::Options of_analytic{.without = {}, .caches = options.caches};
  const auto jobs_at_once = static_cast<unsigned>(jobs_option(values));
  const bool quiet = quiet_option(values);
  const KernelSimulator simulator(device);
  std::ostringstream nowhere;
  std::optional<ReadCodes> codes;  // of both
  if (model == "both") codes.emplace(device, "predict", jobs_option(values), quiet ? nowhere : streams.err);
  std::vector<TwoTimes> both_times;
  const PredictConfigs predict = [&](const KernelFamily& family, const ConvShape& shape,
                                     std::span<const Config> configs) {
    if (!quiet) {
      streams.err << fmt::format("predict: simulating {} configs of {}, {}\n", configs.size(), family.name,
                                 describe_shape(shape));
    }
    std::vector<SimulationJob> jobs;
    for (const auto& config : configs)
      jobs.push_back({&family, shape, config});
    std::vector<ConfigOutcome> outcomes;
    // A kernel that was never compiled takes a second: thousands take a while.
    const std::size_t step = std::max<std::size_t>(jobs.size() / 20, 1);
    const auto progress = [&](std::size_t done) {
      if (!quiet && (done % step == 0 || done == jobs.size()))
        streams.err << fmt::format("predict: simulated {} of {}\n", done, jobs.size());
    };
    for (auto& outcome : simulator.simulate_all(jobs, jobs_at_once, options, progress)) {
      auto& result = outcomes.emplace_back();
      if (outcome.simulation) result.prediction = std::move(outcome.simulation->prediction);
      result.reason = std::move(outcome.problem);
    }
    if (codes) add_analytic(outcomes, family, shape, configs, device, of_analytic, *codes, both_times);
    return outcomes;
  };
  const auto rows =
      with_intervals(model_rows(model, layers_option(values), device, kernel_families(), selection, predict),
                     values, device);
  write_output(values, format_rows(rows, format_option(values)), streams.out);
  if (!quiet)
    streams.err << (codes ? disagreement_warning(both_times) : disagreement_of(rows, device, of_analytic));
  return ExitCode::success;
}

ExitCode run_predict(const OptionValues& values, CommandStreams streams) {
  static const Names models{"paper", "analytic", "sim", "both"};
  expect_output(values);
  const auto& model = values["model"].as<std::string>();
  if (model == "paper") return run_paper(values, streams);
  if (model == "analytic") return run_analytic(values, streams);
  if (model == "sim" || model == "both") return run_simulated(values, model, streams);
  throw UsageError(fmt::format("--model {}: no such model", model), nearest_hint(model, models));
}

}  // namespace

Command predict_command() {
  return {.name = "predict",
          .summary = "time and limiter of the best config of each layer, or of every config",
          .usage = "predict -d DEVICE -l SUITE|FILE [options]",
          .examples =
              "tilecast predict -d gtx-1080-ti -l chang-single --model paper\n"
              "tilecast predict -d gtx-1080-ti --conv 1,1,1024,1024,32,3 --model paper "
              "--lower-bound exact\n"
              "tilecast predict -d h100 -l chang-multi --top 3\n"
              "tilecast predict -d h200 --conv 1,512,7,7,512,1 -f chang_multi --model sim --top 3\n"
              "tilecast predict -d h200 --conv 1,512,7,7,512,1 -f chang_multi --model both --top 3\n"
              "tilecast predict -d h100 --conv 1,64,56,56,64,3 --all --format json\n",
          .options = predict_options,
          .positional = {},
          .run = run_predict};
}

}  // namespace tilecast
