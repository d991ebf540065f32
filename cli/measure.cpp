
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>

#include "cli/commands.hpp"
#include "model/support/errors.hpp"

#ifdef TILECAST_HAS_PROBES
#  include "kernels/runtime/compile.hpp"
#  include "microbench/measure.hpp"
#  include "microbench/probe_kernel.hpp"
#  include "model/device/check.hpp"
#  include "model/device/load.hpp"
#  include "model/support/csv.hpp"
#endif

namespace tilecast {

namespace {

namespace options = boost::program_options;

options::options_description measure_options() {
  options::options_description description("measure");
  description.add_options()  //
      ("device,d", options::value<int>()->default_value(0)->value_name("INDEX"),
       "which GPU of this machine")  //
      ("only", options::value<std::string>()->default_value("", "all")->value_name("PROBE,..."),
       "these probes; with -o FILE, an existing profile of the same GPU is completed")  //
      ("quick", options::bool_switch(), "fewer points and repeats, under 20 s")         //
      ("name", options::value<std::string>()->default_value("", "from the GPU")->value_name("NAME"),
       "how the command line will call the device")  //
      ("out,o", options::value<std::string>()->default_value("-", "standard output")->value_name("FILE"),
       "the profile, as JSON")  //
      ("raw",
       options::value<std::string>()->default_value("", "microbench/results/GPU")->value_name("FOLDER"),
       "where the raw samples go, one CSV file a probe");
  return description;
}

const char* const works_without =
    "predict, compare, report and devices work without a GPU, from shipped profiles and recorded "
    "measurements";

#ifdef TILECAST_HAS_PROBES

std::string today() {
  return fmt::format("{:%Y-%m-%d}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

// The profile that `only` completes; an empty one when there is none to complete.
DeviceProfile base_profile(const std::string& only, const std::string& out, const GpuInfo& gpu) {
  if (only.empty() || out == "-" || !std::filesystem::exists(out)) return {};
  DeviceProfile profile = load_device(out);
  if (profile.gpu_name != gpu.name) {
    throw InputError(fmt::format("{}: /gpu_name: '{}', expected '{}', the GPU to measure", out,
                                 profile.gpu_name, gpu.name),
                     "write to another file");
  }
  return profile;
}

std::vector<const Probe*> selection(const std::string& only) {
  auto selected = select_probes(only, probes());
  // The limits take no time, and a profile without them cannot be read back.
  if (selected.front()->name != "limits")
    selected.insert(selected.begin(), select_probes("limits", probes()).front());
  return selected;
}

// "NVRTC 13.0" of "NVRTC 13.0 (/where/it/was/found)": a profile travels, paths do not.
std::string compiler_name() {
  const std::string version = compiler_version();
  return version.substr(0, version.find(" ("));
}

ExitCode run_measure(const options::variables_map& given, CommandStreams streams) {
  const auto only = given["only"].as<std::string>(), out = given["out"].as<std::string>();
  const auto selected = selection(only);
  if (const std::string problem = gpu_problem(); !problem.empty()) {
    throw UnavailableError("measure: " + problem, works_without);
  }
  const int index = given["device"].as<int>();
  if (index < 0 || index >= gpu_count()) {
    throw UsageError(fmt::format("--device: {}, expected 0 to {}", index, gpu_count() - 1));
  }
  const auto start = std::chrono::steady_clock::now();
  Gpu gpu(index);
  const std::string date = today();
  DeviceProfile base = base_profile(only, out, gpu.info());
  const std::string name = given["name"].as<std::string>();
  apply_identity(gpu.info(), name.empty() ? base.name : name, compiler_name(), date, base);
  streams.err << fmt::format("measuring {} ({} SMs, driver {})\n", gpu.info().name, gpu.info().sm_count,
                             gpu.info().driver_version);

  const bool quick = given["quick"].as<bool>();
  const bool settled =
      std::any_of(selected.begin(), selected.end(), [](auto* probe) { return probe->name == "clock"; });
  if (!settled && selected.size() > 1) burn({gpu, quick, base}, 0.15);
  const auto runner = [&](const Probe& probe, const DeviceProfile& known) {
    return probe.run({gpu, quick, known});
  };
  const Measurement measurement = run_probes(selected, std::move(base), date, runner, streams.err);

  const std::string text = format_device(measurement.profile);
  if (out == "-") {
    streams.out << text;
  } else {
    write_file(out, text);
  }
  std::string folder = given["raw"].as<std::string>();
  if (folder.empty()) folder = "microbench/results/" + folder_name(gpu.info().name);
  std::filesystem::create_directories(folder);
  for (const ProbeOutcome& outcome : measurement.outcomes) {
    write_file(folder + "/" + outcome.probe + ".csv", format_raw_samples(outcome, gpu.info().name, date));
  }
  streams.err << fmt::format("{:<16} {:7.2f} s, raw samples in {}\n", "total",
                             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                             folder);

  for (const std::string& problem : measurement.problems)
    streams.err << "not measured: " << problem << '\n';
  const auto violations = check_device(measurement.profile);
  for (const Violation& violation : violations) {
    streams.err << fmt::format("impossible: {}: {}\n", violation.check, violation.message);
  }
  if (!violations.empty()) return ExitCode::gate_failed;
  return measurement.problems.empty() ? ExitCode::success : ExitCode::incomplete;
}

#else

ExitCode run_measure(const options::variables_map&, CommandStreams) {
  throw UnavailableError("measure: this tilecast was built without the CUDA toolkit's headers",
                         std::string("install the CUDA toolkit and build again; ") + works_without);
}

#endif

}  // namespace

Command measure_command() {
  return {.name = "measure",
          .summary = "measure a GPU and write its device profile",
          .usage = "measure [options]",
          .examples =
              "tilecast measure -o h200.json\n"
              "tilecast measure --quick --only latency,fma\n"
              "tilecast measure --only dram_bandwidth -o h200.json",
          .needs_gpu = true,
          .options = measure_options,
          .positional = {},
          .run = run_measure};
}

}  // namespace tilecast
