#include "cli/validation_run.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <ostream>
#include <thread>

#include "cli/program.hpp"
#include "model/device/gpu_name.hpp"
#include "model/device/load.hpp"
#include "model/support/nearest.hpp"
#include "model/support/sha256.hpp"
#include "validation/blind/folder.hpp"
#include "validation/check_cases.hpp"
#include "validation/measurement_store.hpp"

#ifdef TILECAST_WITH_CUDA
#  include "validation/baselines/baseline_runner.hpp"
#  include "validation/kernel_runner.hpp"
#endif

namespace tilecast {
namespace {

// What was frozen, and the profile that it was frozen with: told before the GPU is asked.
struct BlindStart {
  BlindRun run;
  DeviceProfile device;
};

BlindStart start_blind(const OptionValues& values) {
  BlindStart start{load_blind(values["blind"].as<std::string>()), {}};
  const auto& frozen = start.run.frozen;
  const auto name = values.count("device") ? values["device"].as<std::string>() : frozen.device;
  start.device = load_device(name);
  const auto hash = sha256_hex(format_device(start.device));
  if (hash != frozen.device_sha256) {
    throw InputError(
        fmt::format("{}: frozen with a device profile of sha256 {:.16}..., that of '{}' is {:.16}...",
                    frozen_path(start.run.folder), frozen.device_sha256, name, hash),
        "the profile was changed after the predictions were frozen: take the one of then, or freeze "
        "new predictions into another folder");
  }
  return start;
}

#ifdef TILECAST_WITH_CUDA

template <class T>
T positive(const OptionValues& values, const char* name) {
  const T value = values[name].as<T>();
  if (!(value > 0)) throw UsageError(fmt::format("--{} {}: expected a number above 0", name, value));
  return value;
}

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
  return {fmt::format("{}, driver {}, {}, tilecast {}, {:%Y-%m-%d}", gpu.name, gpu.driver_version, subject,
                      program_version(),
                      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()))),
          fmt::format(
              "float32; inputs of seed {}; caches warm; median of {} replays of at least {:g} ms of a CUDA "
              "graph of identical launches",
              seed_option(values), values["replays"].as<int>(), values["target-ms"].as<double>()),
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
  options.seed = seed_option(values);
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
                                          : "validation/recorded/" + folder_name(gpu.info().name);
  Writers writers;
  for (const auto* family : selection.families) {
    open_writer(writers, folder, std::string(family->name), config_axes(*family, layers, device),
                comments(values, gpu.info(), compiler_version()));
  }
  std::optional<double> limit_s;
  if (values.count("limit-seconds")) limit_s = positive<double>(values, "limit-seconds");
  RunMonitor monitor(streams.err, limit_s, values.count("quiet") > 0);

  const auto work =
      plan_work(layers, selection.families, device, work_options(values),
                [&](const MeasuredRow& row) { return writers.find(row.family)->second->has(row); });
  streams.err << fmt::format("validate: {} configs to run; {} done, {} not feasible, {} outside the sample\n",
                             work.configs, work.done, work.infeasible, work.unsampled);
  const auto kernels =
      run_kernels(gpu, reference, work, layers, device, writers, options, monitor, streams.err);

  // Libraries last: what they do once makes later launches of the process 0.18 us slower on an H200
  // (microbench/results/nvidia-h200/FINDINGS.md, launches).
  const auto baselines = open_baselines(selection, gpu, reference, streams.err);
  for (const auto& baseline : baselines) {
    open_writer(writers, folder, baseline.name, row_columns(baseline.library->axes(), layers),
                comments(values, gpu.info(), baseline.library->version()));
  }
  const auto library =
      run_baselines(gpu, reference, baselines, layers, writers, options, monitor, streams.err);

  streams.out << fmt::format(
      "{} rows of kernels ({} wrong or failed), {} of libraries ({} wrong or failed, {} refused), {:.0f} s, "
      "in {}\n",
      kernels.rows, kernels.wrong, library.rows, library.wrong, library.refused, monitor.seconds(), folder);
  if (kernels.wrong > 0) return ExitCode::wrong_result;
  return kernels.stopped || library.stopped ? ExitCode::incomplete : ExitCode::success;
}

// The evaluation rows that are not measured yet, layer by layer. Configs keep pointing into `rows`.
WorkList blind_work(const FrozenPredictions& frozen, const std::vector<SuiteLayer>& layers,
                    const std::vector<MeasuredRow>& rows, const Writers& writers) {
  WorkList work;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (frozen.rows[i].development) continue;
    const auto& row = rows[i];
    if (writers.find(row.family)->second->has(row)) {
      ++work.done;
      continue;
    }
    const auto layer = static_cast<std::size_t>(
        std::ranges::find(layers, row.problem, [](const SuiteLayer& l) { return l.layer.shape; }) -
        layers.begin());
    const auto* family = &family_by_name(row.family);
    if (work.groups.empty() || work.groups.back().layer != layer || work.groups.back().family != family)
      work.groups.push_back({layer, family, {}});
    work.groups.back().configs.push_back(config_of(row));
    ++work.configs;
  }
  return work;
}

// The frozen rows as rows without a measurement, in their order.
std::vector<MeasuredRow> rows_to_measure(const FrozenPredictions& frozen) {
  std::vector<MeasuredRow> rows;
  for (const auto& f : frozen.rows) {
    MeasuredRow row{.family = f.family, .layer = f.layer, .suite = f.suite, .problem = f.problem};
    for (std::size_t begin = 0; begin < f.config.size();) {
      const auto end = std::min(f.config.find(' ', begin), f.config.size());
      const auto equals = f.config.find('=', begin);
      if (equals < end)
        row.config.emplace_back(f.config.substr(begin, equals - begin),
                                f.config.substr(equals + 1, end - equals - 1));
      begin = end + 1;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void open_blind_writers(Writers& writers, const OptionValues& values, const BlindRun& run,
                        const std::vector<MeasuredRow>& rows, const GpuInfo& gpu) {
  std::map<std::string, std::vector<std::string>> axes;
  std::map<std::string, std::vector<SuiteLayer>> layers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (run.frozen.rows[i].development) continue;
    auto& known = axes[rows[i].family];
    layers[rows[i].family].push_back({rows[i].suite, {rows[i].layer, "", rows[i].problem}});
    for (const auto& [name, _] : rows[i].config) {
      if (std::ranges::find(known, name) == known.end()) known.push_back(name);
    }
  }
  for (const auto& [family, names] : axes) {
    auto head = comments(values, gpu, compiler_version());
    head.insert(head.begin(), blind_comment(run.frozen));
    open_writer(writers, measured_folder(run.folder), family, row_columns(names, layers[family]), head);
  }
}

#endif

}  // namespace

WorkOptions work_options(const OptionValues& values) {
  WorkOptions options;
  options.seed = seed_option(values);
  options.sample = configs_option(values);
  const auto order = values["order"].as<std::string>();
  const std::vector<std::string> orders{"interleave", "layers"};
  if (std::ranges::find(orders, order) == orders.end())
    throw UsageError(fmt::format("--order '{}'", order), nearest_hint(order, orders));
  options.order = order == "layers" ? WorkOrder::layer_by_layer : WorkOrder::interleaved;
  return options;
}

#ifdef TILECAST_WITH_CUDA

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

ExitCode run_blind(const OptionValues& values, CommandStreams streams) {
  const auto options = run_options(values);
  const auto start = start_blind(values);
  const auto& frozen = start.run.frozen;
  if (const auto problem = gpu_problem(); !problem.empty()) {
    throw UnavailableError(
        "validate: " + problem,
        "frozen predictions are measured on the GPU that they are of; compare --blind needs none");
  }
  forbid_tf32();
  Gpu gpu(values["gpu"].as<int>());
  if (gpu.info().name != frozen.gpu_name) {
    throw InputError(fmt::format("{}: predictions for '{}', this GPU is '{}'", frozen_path(start.run.folder),
                                 frozen.gpu_name, gpu.info().name));
  }
  if (compiler_version() != frozen.compiler) {
    throw InputError(fmt::format("{}: predictions for code of {}, here is {}", frozen_path(start.run.folder),
                                 frozen.compiler, compiler_version()),
                     "use that compiler (TILECAST_LIBRARY_PATH): another one makes other machine code");
  }
  GpuReference reference(gpu);
  const auto rows = rows_to_measure(frozen);
  std::vector<SuiteLayer> layers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (frozen.rows[i].development) continue;
    const auto known =
        std::ranges::find(layers, rows[i].problem, [](const auto& l) { return l.layer.shape; });
    if (known == layers.end()) layers.push_back({rows[i].suite, {rows[i].layer, "", rows[i].problem}});
  }
  Writers writers;
  open_blind_writers(writers, values, start.run, rows, gpu.info());
  const auto work = blind_work(frozen, layers, rows, writers);
  streams.err << fmt::format("validate: {} frozen configs to run; {} done\n", work.configs, work.done);
  std::optional<double> limit_s;
  if (values.count("limit-seconds")) limit_s = positive<double>(values, "limit-seconds");
  RunMonitor monitor(streams.err, limit_s, values.count("quiet") > 0);
  const auto totals =
      run_kernels(gpu, reference, work, layers, start.device, writers, options, monitor, streams.err);
  streams.out << fmt::format("{} rows ({} wrong or failed), {} done before, {:.0f} s, in {}\n", totals.rows,
                             totals.wrong, work.done, monitor.seconds(), measured_folder(start.run.folder));
  if (totals.wrong > 0) return ExitCode::wrong_result;
  return totals.stopped ? ExitCode::incomplete : ExitCode::success;
}

#else

ExitCode run_on_gpu(const OptionValues& values, const Selection&, const std::vector<SuiteLayer>&,
                    CommandStreams) {
  work_options(values);  // a bad option is told before the missing support is
  throw UnavailableError("validate: this program was built without GPU support",
                         "build it where the headers of CUDA toolkit 12 or later are found");
}

ExitCode run_blind(const OptionValues& values, CommandStreams) {
  start_blind(values);  // what was changed is told before the missing support is
  throw UnavailableError("validate: this program was built without GPU support",
                         "build it where the headers of CUDA toolkit 12 or later are found");
}

#endif

}  // namespace tilecast
