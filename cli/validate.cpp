// validate: kernels and library baselines on this machine's GPU, checked against float64, timed, recorded.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <thread>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "cli/table.hpp"
#include "kernels/family.hpp"
#include "model/device/load.hpp"
#include "model/support/nearest.hpp"
#include "validation/check_cases.hpp"
#include "validation/measurement_store.hpp"
#include "validation/work_list.hpp"

#ifdef TILECAST_WITH_CUDA
#  include "validation/baselines/baseline_runner.hpp"
#  include "validation/kernel_runner.hpp"
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
      "target-ms", po::value<double>()->default_value(2)->value_name("MS"), "length of one replay")(
      "replays", po::value<int>()->default_value(11)->value_name("N"), "timed replays; their median is kept")(
      "limit-seconds", po::value<double>()->value_name("S"),
      "stop in good order after S seconds, with exit code 7; the same command goes on from there")(
      "jobs,j", po::value<int>()->value_name("N"), "compiling threads; else all cores but one")(
      "out,o", po::value<std::string>()->value_name("FOLDER"),
      "where the rows go, a file a family; else validation/recorded/<device>")("quiet,q",
                                                                               "no progress on stderr");
  return options;
}

WorkOptions work_options(const OptionValues& values) {
  WorkOptions options;
  options.seed = values["seed"].as<std::uint64_t>();
  options.sample = configs_option(values);
  const auto order = values["order"].as<std::string>();
  const std::vector<std::string> orders{"interleave", "layers"};
  if (std::ranges::find(orders, order) == orders.end())
    throw UsageError(fmt::format("--order '{}'", order), nearest_hint(order, orders));
  options.order = order == "layers" ? WorkOrder::layer_by_layer : WorkOrder::interleaved;
  return options;
}

template <class T>
T positive(const OptionValues& values, const char* name) {
  const T value = values[name].as<T>();
  if (!(value > 0)) throw UsageError(fmt::format("--{} {}: expected a number above 0", name, value));
  return value;
}

std::vector<Suite> suites_of(const OptionValues& values) {
  if (values.count("layers") || values.count("conv") || values.count("gemm")) return layers_option(values);
  return {load_suite("chang-single"), load_suite("chang-multi")};
}

// -f, as families of ours and names of baselines.
struct Selection {
  std::vector<const KernelFamily*> families;
  std::vector<std::string> baselines;
  bool all = false;  // nothing was named: a baseline that is not installed is passed over
};

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

#ifdef TILECAST_WITH_CUDA

DeviceProfile profile_of(const OptionValues& values, const GpuInfo& gpu) {
  if (values.count("device")) return load_device(values["device"].as<std::string>());
  for (const auto& name : device_names()) {
    auto device = load_device(name);
    if (device.gpu_name == gpu.name) return device;
  }
  throw UnavailableError(fmt::format("validate: no device profile is shipped for '{}'", gpu.name),
                         "measure it ('tilecast measure -o FILE') and add -d FILE");
}

std::vector<OpenBaseline> open_baselines(const Selection& selection, Gpu& gpu, GpuReference& reference,
                                         std::ostream& err) {
  std::vector<OpenBaseline> open;
  for (const auto& entry : baseline_entries()) {
    if (std::ranges::find(selection.baselines, entry.name) == selection.baselines.end()) continue;
    try {
      open.push_back({std::string(entry.name), entry.open(gpu, reference)});
    } catch (const UnavailableError& error) {
      if (!selection.all) throw;
      err << fmt::format("skipped: {}: {}\n", entry.name, error.what());
    }
  }
  return open;
}

std::vector<std::string> comments(const OptionValues& values, const GpuInfo& gpu,
                                  const std::string& subject) {
  return {
      fmt::format("{}, driver {}, {}, tilecast {}, {:%Y-%m-%d}", gpu.name, gpu.driver_version, subject,
                  program_version(),
                  fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()))),
      fmt::format(
          "float32; inputs of seed {}; caches warm; median of {} replays of at least {:g} ms of a CUDA "
          "graph of identical launches",
          values["seed"].as<std::uint64_t>(), values["replays"].as<int>(), values["target-ms"].as<double>()),
      "max_rel_error: max |output - reference| / max |reference| against float64"};
}

void open_writer(Writers& writers, const std::string& folder, const std::string& name,
                 std::vector<std::string> axes, const std::vector<std::string>& head) {
  const auto path = (std::filesystem::path(folder) / (name + ".csv")).string();
  // A file that was begun with other layers may have more axes; what it has decides.
  const auto there = measurement_axes(path);
  if (std::ranges::all_of(axes, [&](const auto& a) { return std::ranges::find(there, a) != there.end(); }))
    axes = there;
  writers.emplace(name, std::make_unique<MeasurementWriter>(path, axes, head));
}

RunOptions run_options(const OptionValues& values) {
  RunOptions options;
  options.seed = values["seed"].as<std::uint64_t>();
  options.timing.target_s = 1e-3 * positive<double>(values, "target-ms");
  options.timing.replays = positive<int>(values, "replays");
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  options.compile_jobs = values.count("jobs") ? positive<int>(values, "jobs") : std::max(1, cores - 1);
  options.tool_version = program_version();
  return options;
}

ExitCode check_only(Gpu& gpu, GpuReference& reference, const Selection& selection,
                    const DeviceProfile& device, const RunOptions& options, CommandStreams streams) {
  const auto cases = check_cases(selection.families);
  const auto totals = run_checks(gpu, reference, cases, device, options, streams.err);
  streams.out << fmt::format("{} cases: {} right, {} wrong, {} not feasible on this device\n", cases.size(),
                             totals.right, totals.wrong, totals.infeasible);
  return totals.wrong > 0 ? ExitCode::wrong_result : ExitCode::success;
}

ExitCode record(const OptionValues& values, Gpu& gpu, GpuReference& reference, const Selection& selection,
                const std::vector<SuiteLayer>& layers, const DeviceProfile& device, const RunOptions& options,
                CommandStreams streams) {
  const auto folder = values.count("out") ? values["out"].as<std::string>()
                                          : "validation/recorded/" + recorded_folder(gpu.info().name);
  const auto baselines = open_baselines(selection, gpu, reference, streams.err);
  Writers writers;
  for (const auto& baseline : baselines) {
    open_writer(writers, folder, baseline.name, baseline.library->axes(),
                comments(values, gpu.info(), baseline.library->version()));
  }
  for (const auto* family : selection.families) {
    open_writer(writers, folder, std::string(family->name), config_axes(*family, layers, device),
                comments(values, gpu.info(), compiler_version()));
  }
  std::optional<double> limit_s;
  if (values.count("limit-seconds")) limit_s = positive<double>(values, "limit-seconds");
  RunMonitor monitor(streams.err, limit_s, values.count("quiet") > 0);

  // Baselines first: few rows, without which no time of ours says much.
  const auto library =
      run_baselines(gpu, reference, baselines, layers, writers, options, monitor, streams.err);
  const auto work =
      plan_work(layers, selection.families, device, work_options(values),
                [&](const MeasuredRow& row) { return writers.find(row.family)->second->has(row); });
  streams.err << fmt::format("validate: {} configs to run; {} done, {} not feasible, {} outside the sample\n",
                             work.configs, work.done, work.infeasible, work.unsampled);
  const auto kernels =
      run_kernels(gpu, reference, work, layers, device, writers, options, monitor, streams.err);

  streams.out << fmt::format(
      "{} rows of kernels ({} wrong or failed), {} of libraries ({} wrong or failed, {} refused), {:.0f} s, "
      "in {}\n",
      kernels.rows, kernels.wrong, library.rows, library.wrong, library.refused, monitor.seconds(), folder);
  if (kernels.wrong > 0) return ExitCode::wrong_result;
  return kernels.stopped || library.stopped ? ExitCode::incomplete : ExitCode::success;
}

ExitCode run_on_gpu(const OptionValues& values, const Selection& selection,
                    const std::vector<SuiteLayer>& layers, CommandStreams streams) {
  const auto options = run_options(values);
  work_options(values);  // a bad option is told before the GPU is asked
  if (const auto problem = gpu_problem(); !problem.empty()) {
    throw UnavailableError("validate: " + problem,
                           "predict, compare and report work without a GPU, from recorded measurements");
  }
  forbid_tf32();
  Gpu gpu(values["gpu"].as<int>());
  const auto device = profile_of(values, gpu.info());
  if (device.gpu_name != gpu.info().name) {
    streams.err << fmt::format("validate: the profile is of '{}', the GPU is '{}'\n", device.gpu_name,
                               gpu.info().name);
  }
  GpuReference reference(gpu);
  if (values["check-only"].as<bool>()) return check_only(gpu, reference, selection, device, options, streams);
  return record(values, gpu, reference, selection, layers, device, options, streams);
}

#else

ExitCode run_on_gpu(const OptionValues& values, const Selection&, const std::vector<SuiteLayer>&,
                    CommandStreams) {
  work_options(values);  // a bad option is told before the missing support is
  throw UnavailableError("validate: this program was built without GPU support",
                         "build it where the headers of CUDA toolkit 12 or later are found");
}

#endif

ExitCode run_validate(const OptionValues& values, CommandStreams streams) {
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
              "tilecast validate -d h100 --dry-run",
          .needs_gpu = true,
          .options = validate_options,
          .positional = {},
          .run = run_validate};
}

}  // namespace tilecast
