// validate: kernels and library baselines on this machine's GPU, checked against float64, timed, recorded.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/freeze.hpp"
#include "cli/models.hpp"
#include "cli/options.hpp"
#include "cli/table.hpp"
#include "cli/validation_run.hpp"
#include "kernels/family.hpp"
#include "model/device/load.hpp"
#include "model/support/nearest.hpp"
#include "validation/work_list.hpp"

#ifdef TILECAST_WITH_CUDA
#  include "validation/baselines/baseline_runner.hpp"
#endif

namespace tilecast {
namespace {

namespace po = boost::program_options;

OptionsDescription validate_options() {
  OptionsDescription options;
  options.add_options()("device,d", po::value<std::string>()->value_name("NAME|FILE"),
                        "device profile; else the shipped one of this machine's GPU")(
      "gpu", po::value<int>()->default_value(0)->value_name("INDEX"), "which GPU of this machine");
  add_layer_options(options);
  add_configs_options(options);
  options.add_options()("family,f", po::value<std::vector<std::string>>()->composing()->value_name("NAME"),
                        "kernel family or baseline (repeatable, or a comma-separated list); else all")(
      "order", po::value<std::string>()->default_value("interleave")->value_name("interleave|layers"),
      "rounds over all layers, so that a stop leaves none without rows; or layer by layer")(
      "check-only", po::bool_switch(), "compare the families' own test cases with float64; record nothing")(
      "dry-run", po::bool_switch(), "list what would run; needs -d, but no GPU")(
      "freeze", po::value<std::string>()->value_name("FOLDER"),
      "blind protocol, step 1, no GPU: sample configs (default 12 a layer and family) of layers that are not "
      "recorded (default: resnet50, vgg16, googlenet, im2win at batch 128, random:40:SEED) and write every "
      "model's predictions into a new FOLDER; needs -d")(
      "blind", po::value<std::string>()->value_name("FOLDER"),
      "step 2: run the kernels of FOLDER's predictions, which must be as they were frozen; 'compare --blind' "
      "is "
      "step 3")("target-ms", po::value<double>()->default_value(2)->value_name("MS"), "length of one replay")(
      "replays", po::value<int>()->default_value(11)->value_name("N"), "timed replays; their median is kept")(
      "limit-seconds", po::value<double>()->value_name("S"),
      "stop in good order after S seconds, with exit code 7; the same command goes on from there")(
      "jobs,j", po::value<int>()->value_name("N"), "compiling threads; else all cores but one")(
      "out,o", po::value<std::string>()->value_name("FOLDER"),
      "where the rows go, a file a family; else validation/recorded/<device>")("quiet,q",
                                                                               "no progress on stderr");
  add_model_option(options, "all");
  add_interval_option(options);
  return options;
}

std::vector<Suite> suites_of(const OptionValues& values) {
  if (values.count("layers") || values.count("conv") || values.count("gemm")) return layers_option(values);
  return {load_suite("chang-single"), load_suite("chang-multi")};
}

std::vector<std::string> known_baselines() {
#ifdef TILECAST_WITH_CUDA
  std::vector<std::string> names;
  for (const auto& entry : baseline_entries())
    names.emplace_back(entry.name);
  return names;
#else
  return {};
#endif
}

Selection selection_of(const OptionValues& values) {
  Selection selection;
  const auto names = family_option(values);
  const auto baselines = known_baselines();
  if (names.empty()) {
    for (const auto& family : kernel_families())
      selection.families.push_back(&family);
    selection.baselines = baselines;
    selection.all = true;
    return selection;
  }
  std::vector<std::string> known = baselines;
  for (const auto& family : kernel_families())
    known.emplace_back(family.name);
  for (const auto& name : names) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError(fmt::format("no kernel family or baseline '{}'", name), nearest_hint(name, known));
    if (std::ranges::find(baselines, name) != baselines.end()) {
      selection.baselines.push_back(name);
    } else {
      selection.families.push_back(&family_by_name(name));
    }
  }
  return selection;
}

ExitCode dry_run(const OptionValues& values, const Selection& selection,
                 const std::vector<SuiteLayer>& layers, CommandStreams streams) {
  if (!values.count("device")) throw UsageError("--dry-run needs a device profile", "add -d NAME|FILE");
  const auto device = load_device(values["device"].as<std::string>());
  auto options = work_options(values);
  options.order = WorkOrder::layer_by_layer;
  const auto work =
      plan_work(layers, selection.families, device, options, [](const MeasuredRow&) { return false; });
  ResultTable table({{"family"}, {"suite"}, {"layer"}, {"configs"}});
  for (const auto& group : work.groups) {
    const auto& layer = layers[group.layer];
    table.add({std::string(group.family->name), layer.suite, layer.layer.id,
               static_cast<std::int64_t>(group.configs.size())});
  }
  streams.out << table.text();
  streams.err << fmt::format("{} configs; {} more are not feasible on {}, {} outside the sample\n",
                             work.configs, work.infeasible, device.name, work.unsampled);
  return ExitCode::success;
}

// An option that another step has no use for is a mistake worth hearing of.
void refuse(const OptionValues& values, std::string_view step, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    if (values.count(name) > 0 && !values[name].defaulted())
      throw UsageError(fmt::format("--{} and --{} do not go together", step, name));
  }
}

ExitCode run_validate(const OptionValues& values, CommandStreams streams) {
  if (values.count("freeze")) {
    refuse(values, "freeze", {"blind", "gpu", "order", "check-only", "dry-run", "out", "limit-seconds"});
    return run_freeze(values, streams);
  }
  if (values.count("blind")) {
    refuse(values, "blind",
           {"layers", "conv", "gemm", "batch", "configs", "family", "order", "check-only", "dry-run", "out",
            "model", "interval"});
    return run_blind(values, streams);
  }
  for (const char* name : {"model", "interval"}) {
    if (!values[name].defaulted()) throw UsageError(fmt::format("--{}: only with --freeze", name));
  }
  const auto selection = selection_of(values);
  const auto layers = distinct_layers(suites_of(values));
  if (values["dry-run"].as<bool>()) return dry_run(values, selection, layers, streams);
  return run_on_gpu(values, selection, layers, streams);
}

}  // namespace

Command validate_command() {
  return {.name = "validate",
          .summary = "run kernels and library baselines on this GPU: check, time, record",
          .usage = "validate [options]",
          .examples =
              "tilecast validate --check-only\n"
              "tilecast validate -l chang-multi -f chang_multi --configs sample:50 --limit-seconds 300\n"
              "tilecast validate -f cudnn_legacy,cudnn_graph,cublas_sgemm\n"
              "tilecast validate -d h100 --dry-run\n"
              "tilecast validate --freeze FOLDER -d h200 --seed 7\n"
              "tilecast validate --blind FOLDER --limit-seconds 300",
          .needs_gpu = true,
          .options = validate_options,
          .positional = {},
          .run = run_validate};
}

}  // namespace tilecast
