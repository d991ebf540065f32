#include "microbench/measure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <ostream>

#include "model/device/parameters.hpp"
#include "model/support/errors.hpp"
#include "model/support/nearest.hpp"

namespace tilecast {

std::vector<const Probe*> select_probes(std::string_view list, std::span<const Probe> known) {
  std::vector<std::string> names;
  for (const Probe& probe : known)
    names.emplace_back(probe.name);
  std::vector<std::string> wanted;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string name(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw InputError(fmt::format("--only: unknown probe '{}'", name), nearest_hint(name, names));
    }
    wanted.push_back(name);
  }
  std::vector<const Probe*> selected;
  for (const Probe& probe : known) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), probe.name) != wanted.end()) {
      selected.push_back(&probe);
    }
  }
  return selected;
}

namespace {

// The profile and the problems that follow from outcomes[0 .. n): from the base on, so that one of them can
// be withdrawn.
void assemble(const DeviceProfile& base, Measurement& measurement) {
  measurement.profile = base;
  measurement.problems.clear();
  for (const ProbeOutcome& outcome : measurement.outcomes) {
    const std::string date = outcome.run.started.substr(0, outcome.run.started.find('T'));
    auto problems = apply_outcome(outcome, date, measurement.profile);
    apply_run(outcome, problems, measurement.profile);
    measurement.problems.insert(measurement.problems.end(), problems.begin(), problems.end());
  }
}

}  // namespace

Measurement run_probes(std::span<const Probe* const> selected, const DeviceProfile& profile,
                       const ProbeSession& session, std::ostream& progress) {
  Measurement measurement;
  measurement.profile = profile;
  std::vector<CodeLog> logs;
  for (const Probe* probe : selected) {
    ProbeOutcome outcome{std::string(probe->name), {}, 0, {}};
    MeasurementRun& record = outcome.run;
    CodeLog code;
    record.probe = probe->name;
    record.quick = session.quick;
    if (session.now) {
      record.started = session.now();
      record.id = fmt::format("{} {}", probe->name, record.started);
    }
    const auto state = [&] { return session.state ? session.state() : GpuState{}; };
    const auto start = std::chrono::steady_clock::now();
    try {
      const GpuState before = state();
      outcome.result = session.run(*probe, measurement.profile, code);
      note_states(before, state(), record);
    } catch (const Interrupted&) {
      outcome.result = {};
      outcome.result.reason = "interrupted";
      measurement.interrupted = true;
    } catch (const std::exception& error) {
      outcome.result = {};
      outcome.result.reason = error.what();
    }
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    record.seconds = outcome.seconds;
    record.code = code_hash_of(code);
    logs.push_back(std::move(code));
    measurement.outcomes.push_back(std::move(outcome));
    const std::size_t known = measurement.problems.size();
    assemble(profile, measurement);
    progress << fmt::format(
                    "{:<16} {:7.2f} s{}\n", probe->name, measurement.outcomes.back().seconds,
                    measurement.problems.size() > known ? "  incomplete: " + measurement.problems[known] : "")
             << std::flush;
    if (session.after_each) session.after_each(measurement);
    if (measurement.interrupted) {
      for (const Probe* left : selected.subspan(measurement.outcomes.size()))
        measurement.problems.push_back(fmt::format("{}: not run, interrupted", left->name));
      break;
    }
  }
  if (session.examine) {
    const auto verdicts = session.examine(logs);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      ProbeOutcome& outcome = measurement.outcomes[i];
      outcome.run.machine_code = verdicts[i].state;
      if (verdicts[i].problem.empty()) continue;
      outcome.result = {};
      outcome.result.reason = "its machine code is not what was to be measured: " + verdicts[i].problem;
    }
    auto problems = std::move(measurement.problems);
    assemble(profile, measurement);
    for (auto& problem : problems) {  // of probes that were not run
      if (problem.ends_with("not run, interrupted")) measurement.problems.push_back(std::move(problem));
    }
    if (session.after_each) session.after_each(measurement);
  }
  return measurement;
}

std::vector<std::string> doubts(const DeviceProfile& profile, double wide) {
  std::vector<std::string> found;
  for (const MeasurementRun& run : profile.runs) {
    if (!run.throttled.empty())
      found.push_back(
          fmt::format("{}: the clock was held down: {}", run.probe, fmt::join(run.throttled, ", ")));
    if (run.sm_clock_before_hz && run.sm_clock_after_hz) {
      const double change = *run.sm_clock_after_hz / *run.sm_clock_before_hz - 1;
      if (std::abs(change) > wide)
        found.push_back(fmt::format("{}: the SM clock changed by {:+.0f} %", run.probe, 100 * change));
    }
  }
  for (const auto& row : parameter_rows()) {
    const auto value = row.get(profile);
    const ParameterInfo& info = row.info(profile);
    if (!value || *value == 0 || !info.low || !info.high) continue;
    const double width = (*info.high - *info.low) / *value;
    if (width > wide) found.push_back(fmt::format("{}: its interval is {:.0f} % wide", row.key, 100 * width));
  }
  return found;
}

}  // namespace tilecast
