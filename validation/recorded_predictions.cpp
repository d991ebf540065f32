#include "validation/recorded_predictions.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "validation/measurement_store.hpp"
#include "validation/work_list.hpp"

namespace tilecast {
namespace {

// All timed rows of one family on one problem.
struct Task {
  const KernelFamily* family = nullptr;
  ConvShape problem;
  std::vector<const MeasuredRow*> rows;
};

struct TaskResult {
  std::vector<PredictedRow> rows;
  std::map<std::string, std::size_t> unpredicted;
  std::size_t unrecorded = 0;
};

using Values = std::set<std::pair<std::string, std::string>>;

Values values_of(const std::vector<std::pair<std::string, std::string>>& config) {
  return {config.begin(), config.end()};
}

// The row's config, if the family has such axes and the device can run it: on the family's list of configs or
// beside it (the paper's choice, an older and finer grid).
std::optional<Config> feasible_config(const Task& task, const MeasuredRow& row,
                                      const std::map<Values, Config>& listed,
                                      const std::set<std::string>& axes, const DeviceProfile& device) {
  if (const auto found = listed.find(values_of(row.config)); found != listed.end()) return found->second;
  std::set<std::string> names;
  for (const auto& [name, _] : row.config)
    names.insert(name);
  if (names != axes) return std::nullopt;
  const Config config = config_of(row);
  if (task.family->feasible(task.problem, config, device)) return std::nullopt;
  return config;
}

TaskResult run(const Task& task, const DeviceProfile& device, const PredictFunction& predict) {
  TaskResult result;
  if (const auto refused = task.family->supports(task.problem)) {
    result.unpredicted[refused->reason] = task.rows.size();
    return result;
  }
  std::map<Values, Config> listed;
  std::set<std::string> axes;
  for (const auto& config : task.family->configs(task.problem, device)) {
    if (axes.empty()) {
      for (const auto& v : config.values())
        axes.emplace(v.name);
    }
    if (!task.family->feasible(task.problem, config, device))
      listed.emplace(values_of(config_text(config)), config);
  }
  result.unrecorded = listed.size();
  for (const auto* row : task.rows) {
    const auto config = feasible_config(task, *row, listed, axes, device);
    if (!config) {
      ++result.unpredicted["not a feasible config of the family on this device"];
      continue;
    }
    result.unrecorded -= listed.contains(values_of(row->config)) ? 1 : 0;
    const auto prediction = predict(describe_kernel(*task.family, task.problem, *config, device), device);
    result.rows.push_back(
        {row->family, row->problem, row->config, prediction.time, prediction.low, prediction.high});
  }
  return result;
}

std::vector<Task> tasks_of(std::span<const MeasuredRow> measured,
                           std::span<const KernelFamily* const> families) {
  std::vector<Task> tasks;
  std::map<std::pair<std::string, std::string>, std::size_t> index;
  std::set<std::string> seen;
  for (const auto& row : measured) {
    const auto family = std::ranges::find(families, row.family, [](const auto* f) { return f->name; });
    if (family == families.end() || row.status != "ok" || !seen.insert(row_key(row)).second) continue;
    const auto [at, fresh] = index.try_emplace({row.family, describe_shape(row.problem)}, tasks.size());
    if (fresh) tasks.push_back({*family, row.problem, {}});
    tasks[at->second].rows.push_back(&row);
  }
  return tasks;
}

}  // namespace

RecordedPredictions predict_recorded(std::span<const MeasuredRow> measured,
                                     std::span<const KernelFamily* const> families,
                                     const DeviceProfile& device, const PredictFunction& predict,
                                     unsigned threads) {
  const auto tasks = tasks_of(measured, families);
  std::vector<TaskResult> results(tasks.size());
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks.size(); i = next++) {
      try {
        results[i] = run(tasks[i], device, predict);
      } catch (...) {
        const std::scoped_lock lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        return;
      }
    }
  };
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 1; i < threads; ++i)
      workers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);

  RecordedPredictions all;
  for (auto& result : results) {
    std::ranges::move(result.rows, std::back_inserter(all.rows));
    for (const auto& [reason, count] : result.unpredicted)
      all.unpredicted[reason] += count;
    all.unrecorded += result.unrecorded;
  }
  return all;
}

}  // namespace tilecast
