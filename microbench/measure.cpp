#include "microbench/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <ostream>

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

Measurement run_probes(std::span<const Probe* const> selected, DeviceProfile profile, std::string_view date,
                       const ProbeRunner& run, std::ostream& progress) {
  Measurement measurement;
  measurement.profile = std::move(profile);
  for (const Probe* probe : selected) {
    ProbeOutcome outcome{std::string(probe->name), {}, 0};
    const auto start = std::chrono::steady_clock::now();
    try {
      outcome.result = run(*probe, measurement.profile);
    } catch (const std::exception& error) {
      outcome.result = {};
      outcome.result.reason = error.what();
    }
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto problems = apply_outcome(outcome, date, measurement.profile);
    progress << fmt::format("{:<16} {:7.2f} s{}\n", probe->name, outcome.seconds,
                            problems.empty() ? "" : "  incomplete: " + problems.front())
             << std::flush;
    measurement.problems.insert(measurement.problems.end(), problems.begin(), problems.end());
    measurement.outcomes.push_back(std::move(outcome));
  }
  return measurement;
}

}  // namespace tilecast
