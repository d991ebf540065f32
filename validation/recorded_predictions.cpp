#include "validation/recorded_predictions.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "kernels/code_record.hpp"
#include "model/support/parallel.hpp"
#include "validation/measurement_store.hpp"
#include "validation/sampling.hpp"
#include "validation/work_list.hpp"

namespace tilecast {
namespace {

// All timed rows of one family on one problem.
struct Task {
  const KernelFamily* family = nullptr;
  ConvShape problem;
  std::vector<const MeasuredRow*> rows;
};

struct Asked {
  const MeasuredRow* row = nullptr;
  Config config;
};

using TaskResult = std::vector<ModelPredictions>;

// The row's config with its axes in the order of `axes`, if it has these.
std::optional<Config> config_with(const Config& axes, const MeasuredRow& row) {
  const auto known = [&](const auto& named) { return axes.find(named.first).has_value(); };
  if (row.config.size() != axes.values().size() || !std::ranges::all_of(row.config, known))
    return std::nullopt;
  const Config own = config_of(row);
  Config config;
  for (const auto& axis : axes.values())
    config.set(axis.name, own[axis.name]);
  return config;
}

// An order of configs with the same axes.
bool by_values(const Config& a, const Config& b) {
  return std::ranges::lexicographical_compare(a.values(), b.values(), {}, &ConfigValue::value,
                                              &ConfigValue::value);
}

// Any config of each family, for its axes.
using Axes = std::map<const KernelFamily*, Config>;

Axes axes_of(std::span<const Task> tasks, const DeviceProfile& device) {
  Axes axes;
  for (const auto& task : tasks) {
    if (axes.contains(task.family) || task.family->supports(task.problem)) continue;
    const auto configs = task.family->configs(task.problem, device);
    axes.emplace(task.family, configs.empty() ? Config{} : configs.front());
  }
  return axes;
}

TaskResult run(const Task& task, const Axes& axes, const DeviceProfile& device,
               std::span<const BoundModel> models, CodeSource code) {
  TaskResult result;
  for (const auto& model : models)
    result.push_back({model.name, {}, {}});
  const auto unpredicted = [&](const std::string& reason, std::size_t count) {
    for (auto& model : result)
      model.unpredicted[reason] += count;
  };
  if (const auto refused = task.family->supports(task.problem)) {
    unpredicted(refused->reason, task.rows.size());
    return result;
  }
  std::vector<Asked> asked;
  for (const auto* row : task.rows) {
    // On the family's list of configs or beside it: the paper's choice, an older and finer grid.
    const auto config = config_with(axes.at(task.family), *row);
    if (config && !task.family->feasible(task.problem, *config, device))
      asked.push_back({row, *config});
    else
      unpredicted("not a feasible config of the family on this device", 1);
  }
  // Config after config, each described and predicted, as where all of a layer are predicted: what one model
  // costs must not depend on which others are asked.
  for (std::size_t i = 0; i < models.size(); ++i) {
    for (const auto& [row, config] : asked) {
      Seconds preparing{};
      const auto begin = thread_time();
      const auto said = [&] {
        const auto kernel = describe_kernel(*task.family, task.problem, config, device, code);
        const ModelQuery query{*task.family, task.problem, config, device, kernel};
        if (models[i].prepare) {
          const auto from = thread_time();
          models[i].prepare(query);
          preparing = thread_time() - from;
        }
        return answer(models[i], query);
      }();
      const auto cost = thread_time() - begin - preparing;
      if (const auto* refused = std::get_if<Unsupported>(&said)) {
        ++result[i].unpredicted[refused->reason];
      } else {
        const auto& p = std::get<Prediction>(said);
        result[i].rows.push_back(
            {row->family, row->problem, row->config, p.time, p.low, p.high, p.code, cost});
      }
    }
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

// Leaves `count` rows of each task; returns how many it took away.
std::size_t sample(std::vector<Task>& tasks, std::size_t count, std::uint64_t seed) {
  std::size_t away = 0;
  for (auto& task : tasks) {
    std::vector<std::string> keys;
    for (const auto* row : task.rows)
      keys.push_back(row_key(*row));
    std::vector<const MeasuredRow*> left;
    for (const auto place : sampled_places(keys, count, seed))
      left.push_back(task.rows[place]);
    away += task.rows.size() - left.size();
    task.rows = std::move(left);
  }
  return away;
}

}  // namespace

std::vector<MeasuredRow> sampled_rows(std::span<const MeasuredRow> measured,
                                      std::span<const KernelFamily* const> families, std::size_t count,
                                      std::uint64_t seed) {
  auto tasks = tasks_of(measured, families);
  sample(tasks, count, seed);
  std::vector<MeasuredRow> rows;
  for (const auto& task : tasks) {
    for (const auto* row : task.rows)
      rows.push_back(*row);
  }
  return rows;
}

RecordedPredictions predict_recorded(std::span<const MeasuredRow> measured,
                                     std::span<const KernelFamily* const> families,
                                     const DeviceProfile& device, std::span<const BoundModel> models,
                                     const RecordedOptions& options) {
  auto tasks = tasks_of(measured, families);
  RecordedPredictions all;
  if (options.sample) all.unsampled = sample(tasks, *options.sample, options.seed);
  // Read once, and no part of what the first prediction costs.
  committed_code_records(device.compute_capability_major, device.compute_capability_minor);
  const auto axes = axes_of(tasks, device);
  std::vector<TaskResult> results(tasks.size());
  parallel_for(tasks.size(), options.threads,
               [&](std::size_t i) { results[i] = run(tasks[i], axes, device, models, options.code); });

  for (const auto& model : models)
    all.models.push_back({model.name, {}, {}});
  for (auto& result : results) {
    for (std::size_t i = 0; i < models.size(); ++i) {
      std::ranges::move(result[i].rows, std::back_inserter(all.models[i].rows));
      for (const auto& [reason, count] : result[i].unpredicted)
        all.models[i].unpredicted[reason] += count;
    }
  }
  return all;
}

std::size_t unrecorded_configs(std::span<const MeasuredRow> measured,
                               std::span<const KernelFamily* const> families, const DeviceProfile& device) {
  const auto tasks = tasks_of(measured, families);
  const auto axes = axes_of(tasks, device);
  std::vector<std::size_t> counts(tasks.size());
  parallel_for(tasks.size(), 0, [&](std::size_t i) {
    const auto& [family, problem, rows] = tasks[i];
    if (family->supports(problem)) return;
    const auto configs = family->configs(problem, device);
    std::vector<Config> recorded;
    for (const auto* row : rows) {
      if (const auto config = config_with(axes.at(family), *row)) recorded.push_back(*config);
    }
    std::ranges::sort(recorded, by_values);
    counts[i] = static_cast<std::size_t>(std::ranges::count_if(configs, [&](const Config& config) {
      return !std::ranges::binary_search(recorded, config, by_values) &&
             !family->feasible(problem, config, device);
    }));
  });
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

}  // namespace tilecast
