#include "cli/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <variant>

#include "cli/model_evaluation.hpp"
#include "model/device/occupancy.hpp"
#include "model/support/parallel.hpp"
#include "validation/paper_choice.hpp"
#include "validation/scores.hpp"

namespace tilecast {
namespace {

// One family on one layer.
struct Task {
  const KernelFamily* family;
  std::string suite, layer;
  ConvShape shape;
  std::vector<const MeasuredRow*> rows;  // with a time
};

struct TaskResult {
  std::vector<PredictedPoint> points;
  std::map<std::string, std::size_t> unpredicted;
};

// A row's config with the family's own axis names; nullopt when it has an axis that the family has not.
std::optional<Config> config_of(const MeasuredRow& row, const std::set<std::string_view>& axes) {
  Config config;
  for (const auto& [name, text] : row.config) {
    if (text.empty()) continue;  // the axis does not exist for this config
    const auto axis = axes.find(name);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (axis == axes.end() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    config.set(*axis, value);
  }
  return config;
}

// Requires feasible(). The machine code may need more registers than the family's own estimate, on which
// feasible() rests: then the block does not fit after all, and the reason is what comes back.
std::variant<PredictedPoint, Unsupported> predicted_point(const Task& task, const Config& config,
                                                          const DeviceProfile& device,
                                                          const EvaluationOptions& options) {
  const KernelDescription kernel = describe_kernel(*task.family, task.shape, config, device);
  if (const Occupancy fit = occupancy(kernel.launch, device); fit.blocks_per_sm == 0)
    return Unsupported{fmt::format("a block does not fit on an SM ({})", fit.limiter)};
  const Prediction prediction = options.predict(kernel, device);
  PredictedPoint p{.family = std::string(task.family->name),
                   .suite = task.suite,
                   .layer = task.layer,
                   .shape = task.shape,
                   .config = config,
                   .predicted = prediction.time,
                   .low = prediction.low,
                   .high = prediction.high,
                   .limiter = std::string(prediction.limiter)};
  for (const auto& b : prediction.bounds)
    p.bounds.push_back({std::string(b.name), std::string(b.equation), b.time});
  return p;
}

TaskResult run(const Task& task, const DeviceProfile& device, const EvaluationOptions& options) {
  TaskResult result;
  const auto all = task.family->configs(task.shape, device);
  const auto chosen_by_paper = paper_partition(task.family->name, task.shape, device);
  // The new point, or why there is none.
  const auto add = [&](const Config& config) -> std::variant<PredictedPoint*, Unsupported> {
    if (auto refused = task.family->feasible(task.shape, config, device)) return std::move(*refused);
    auto outcome = predicted_point(task, config, device, options);
    if (auto* refused = std::get_if<Unsupported>(&outcome)) return std::move(*refused);
    auto& point = result.points.emplace_back(std::get<PredictedPoint>(std::move(outcome)));
    point.paper_choice = chosen_by_paper && is_paper_choice(*chosen_by_paper, config);
    return &point;
  };

  if (task.rows.empty()) {
    for (const auto& config : all)
      add(config);
    return result;
  }
  std::set<std::string_view> axes;
  for (const auto& config : all) {
    for (const auto& v : config.values())
      axes.insert(v.name);
  }
  for (const auto* row : task.rows) {
    const auto config = config_of(*row, axes);
    if (!config) {
      ++result.unpredicted["not a config of the family"];
      continue;
    }
    const auto added = add(*config);
    if (const auto* refused = std::get_if<Unsupported>(&added)) {
      ++result.unpredicted[refused->reason];
      continue;
    }
    PredictedPoint& p = *std::get<PredictedPoint*>(added);
    p.measured = row->time;
    p.measured_p10 = row->time_p10;
    p.measured_p90 = row->time_p90;
  }
  return result;
}

// Every layer once: those of the suites first, then what was measured besides.
std::vector<Suite> all_layers(std::span<const MeasuredRow> rows, std::vector<Suite> suites) {
  std::set<std::pair<std::string, std::string>> known;
  for (const auto& s : suites) {
    for (const auto& l : s.layers)
      known.emplace(s.name, l.id);
  }
  for (const auto& row : rows) {
    if (!known.emplace(row.suite, row.layer).second) continue;
    auto suite = std::ranges::find(suites, row.suite, &Suite::name);
    if (suite == suites.end()) suite = suites.insert(suites.end(), Suite{row.suite, {}});
    suite->layers.push_back({row.layer, "", row.problem});
  }
  return suites;
}

// A library that the kernels are compared with: cuDNN, by any of its interfaces.
bool is_baseline(std::string_view family) {
  return family.starts_with("cudnn");
}

std::string config_text(const MeasuredRow& row) {
  std::string text;
  for (const auto& [name, value] : row.config) {
    if (value.empty()) continue;
    text += (text.empty() ? "" : " ") + value;
  }
  return text;
}

}  // namespace

Evaluation evaluate(const DeviceProfile& device, std::span<const MeasuredRow> rows,
                    const EvaluationOptions& options) {
  Evaluation evaluation;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const MeasuredRow*>> timed;
  for (const auto& row : rows) {
    if (!row.time) {
      ++evaluation.not_timed[row.status];
    } else if (is_baseline(row.family)) {
      evaluation.baselines.push_back({row.family, row.suite, row.layer, config_text(row), *row.time});
    } else {
      timed[{row.suite, row.layer, row.family}].push_back(&row);
    }
  }

  // Measured against predicted is what is asked for: a family without a measured config (and thousands of
  // predicted ones) is left out, unless that is true of all.
  std::set<std::string_view> with_rows;
  for (const auto& [key, _] : timed)
    with_rows.insert(std::get<2>(key));
  const bool any_rows =
      std::ranges::any_of(options.families, [&](const auto& f) { return with_rows.contains(f.name); });

  std::vector<Task> tasks;
  for (const auto& suite : all_layers(rows, options.suites)) {
    for (const auto& layer : suite.layers) {
      for (const auto& family : options.families) {
        if (family.supports(layer.shape) || (any_rows && !with_rows.contains(family.name))) continue;
        Task task{&family, suite.name, layer.id, layer.shape, {}};
        const auto found = timed.find({suite.name, layer.id, std::string(family.name)});
        if (found != timed.end()) task.rows = found->second;
        tasks.push_back(std::move(task));
      }
    }
  }

  std::vector<TaskResult> results(tasks.size());
  parallel_for(tasks.size(), options.threads,
               [&](std::size_t i) { results[i] = run(tasks[i], device, options); });

  for (auto& r : results) {
    for (const auto& [reason, count] : r.unpredicted)
      evaluation.unpredicted[reason] += count;
    for (auto& p : r.points) {
      evaluation.measured += p.measured.has_value();
      evaluation.points.push_back(std::move(p));
    }
  }
  return evaluation;
}

std::vector<ScoreLine> score_lines(const Evaluation& evaluation) {
  std::vector<Comparison> pairs;
  for (const auto& p : evaluation.points) {
    if (!p.measured) continue;
    pairs.push_back({.family = p.family,
                     .suite = p.suite,
                     .layer = p.layer,
                     .problem = p.shape,
                     .config = describe_config(p.config),
                     .measured = *p.measured,
                     .predicted = p.predicted});
    // No width: the device profile states no uncertainty, so there is no interval to be inside of.
    if (p.low < p.high) {
      pairs.back().low = p.low;
      pairs.back().high = p.high;
    }
  }
  std::vector<ScoreLine> lines;
  for (const auto& s : score(pairs)) {
    lines.push_back(line_of(s));
  }
  return lines;
}

}  // namespace tilecast
