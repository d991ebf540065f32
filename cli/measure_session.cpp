#include "cli/measure_session.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <ostream>
#include <thread>

#include "kernels/runtime/compile.hpp"
#include "kernels/runtime/gpu.hpp"
#include "microbench/disassembly.hpp"
#include "microbench/measure.hpp"
#include "microbench/nvml.hpp"
#include "microbench/probe_kernel.hpp"
#include "model/device/check.hpp"
#include "model/device/gpu_name.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"

namespace tilecast {

namespace {

// A signal handler can reach nothing but a global: the one flag of this program, and the handler before it.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interrupt(int) {
  interrupted = true;
  std::signal(SIGINT, SIG_DFL);  // the second one does not wait
}

class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = false;
    before_ = std::signal(SIGINT, note_interrupt);
  }
  ~InterruptGuard() { std::signal(SIGINT, before_); }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  void (*before_)(int);
};

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

// The profile that `only` completes; an empty one when there is none to complete.
DeviceProfile base_profile(const MeasureRequest& request, const GpuInfo& gpu) {
  if (request.only.empty() || request.out == "-" || !std::filesystem::exists(request.out)) return {};
  DeviceProfile profile = load_device(request.out, Completeness::partial);
  if (profile.gpu_name != gpu.name) {
    throw InputError(fmt::format("{}: /gpu_name: '{}', expected '{}', the GPU to measure", request.out,
                                 profile.gpu_name, gpu.name),
                     "write to another file");
  }
  return profile;
}

// The limits take no time, and nothing can be checked without them.
std::vector<const Probe*> with_limits(const std::string& only) {
  auto selected = select_probes(only, probes());
  if (selected.front()->name != "limits")
    selected.insert(selected.begin(), select_probes("limits", probes()).front());
  return selected;
}

// "NVRTC 13.0" of "NVRTC 13.0 (/where/it/was/found)": a profile travels, paths do not.
std::string compiler_name() {
  const std::string version = compiler_version();
  return version.substr(0, version.find(" ("));
}

// The profile before the first probe: what is kept of an older one, the GPU's identity, the conditions.
DeviceProfile profile_before(const MeasureRequest& request, const GpuInfo& gpu,
                             const std::optional<Nvml>& nvml, const std::string& why_no_nvml) {
  DeviceProfile profile = base_profile(request, gpu);
  const std::string name = !request.name.empty()   ? request.name + request.suffix
                           : !profile.name.empty() ? profile.name
                                                   : profile_name(gpu.name) + request.suffix;
  apply_identity(gpu, name, compiler_name(), utc_now().substr(0, 10), profile);
  profile.conditions = nvml ? nvml->conditions() : conditions_without_nvml(why_no_nvml);
  return profile;
}

// Creates the folder of raw samples.
std::string raw_folder(const MeasureRequest& request, const GpuInfo& gpu) {
  const std::string folder =
      (request.raw.empty() ? "microbench/results/" + folder_name(gpu.name) : request.raw) + request.suffix;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error(ExitCode::failure, fmt::format("{}: cannot create the folder: {}", folder, failed.message()));
  return folder;
}

// What there is after a probe: the profile so far, and each probe's raw samples.
void write_so_far(const Measurement& so_far, const MeasureRequest& request, const std::string& folder,
                  const std::string& gpu_name) {
  if (request.out != "-") write_file(request.out, format_device(so_far.profile));
  for (const ProbeOutcome& outcome : so_far.outcomes) {
    const std::string path = folder + "/" + outcome.probe + ".csv";
    const ProbeResult& result = outcome.result;
    const bool empty = result.values.empty() && result.curves.empty() && result.tables.empty();
    // A run that found nothing leaves the samples of the run before it, whose values the profile keeps.
    if (empty && std::filesystem::exists(path)) continue;
    write_file(path, format_raw_samples(outcome, gpu_name, outcome.run.started));
  }
}

// Whether the probes' machine code is what they declare.
std::vector<CodeVerdict> examined(std::span<const CodeLog> logs) {
  const int jobs = std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 2, 1, 8);
  return examine_code(logs, find_nvdisasm(), jobs);
}

// Says what is missing, doubtful or impossible.
ExitCode report(const Measurement& measurement, std::ostream& err) {
  for (const std::string& problem : measurement.problems)
    err << "not measured: " << problem << '\n';
  for (const std::string& doubt : doubts(measurement.profile))
    err << "doubtful: " << doubt << '\n';
  const auto missing = missing_requirements(measurement.profile);
  if (!missing.empty())
    err << fmt::format("partial: the models also need {}; complete the profile with --only\n",
                       fmt::join(missing, ", "));
  const auto violations = check_device(measurement.profile);
  for (const Violation& violation : violations)
    err << fmt::format("impossible: {}: {}\n", violation.check, violation.message);

  if (measurement.interrupted) return ExitCode::interrupted;
  if (!violations.empty()) return ExitCode::gate_failed;
  return measurement.problems.empty() ? ExitCode::success : ExitCode::incomplete;
}

}  // namespace

std::pair<DeviceProfile, ExitCode> measure_gpu(const MeasureRequest& request, CommandStreams streams) {
  const auto start = std::chrono::steady_clock::now();
  const auto selected = with_limits(request.only);
  Gpu gpu(request.index);
  const GpuInfo& info = gpu.info();
  std::string why;
  const std::optional<Nvml> nvml = open_nvml(info.uuid, why);
  const DeviceProfile before = profile_before(request, info, nvml, why);
  streams.err << fmt::format("measuring {} ({} SMs, driver {})\n", info.name, info.sm_count,
                             info.driver_version);
  for (const std::string& warning : before.conditions.warnings)
    streams.err << "warning: " << warning << '\n';

  const std::string folder = raw_folder(request, info);
  const InterruptGuard guard;
  ProbeSession session;
  session.quick = request.quick;
  session.now = utc_now;
  session.run = [&](const Probe& probe, const DeviceProfile& known, CodeLog& code) {
    return probe.run({gpu, request.quick, known, &code, &interrupted, request.memory_limit});
  };
  session.state = [&] {
    GpuState state = nvml ? state_of(nvml->sample()) : GpuState{};
    state.sm_clock_hz = gpu.sm_clock_hz();
    return state;
  };
  session.examine = examined;
  session.after_each = [&](const Measurement& so_far) { write_so_far(so_far, request, folder, info.name); };
  const bool settled = std::ranges::any_of(selected, [](auto* probe) { return probe->name == "clock"; });
  if (!settled && selected.size() > 1) burn({gpu, request.quick, before, nullptr, nullptr, {}}, 0.15);
  Measurement measurement = run_probes(selected, before, session, streams.err);

  if (request.out == "-") streams.out << format_device(measurement.profile);
  streams.err << fmt::format("{:<16} {:7.2f} s, raw samples in {}\n", "total",
                             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                             folder);
  const ExitCode code = report(measurement, streams.err);
  return {std::move(measurement.profile), code};
}

}  // namespace tilecast
