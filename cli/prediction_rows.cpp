#include "cli/prediction_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/table.hpp"
#include "model/paper/partitions.hpp"
#include "model/support/nearest.hpp"

namespace tilecast {
namespace {

bool wanted(const RowSelection& selection, std::string_view family) {
  return selection.families.empty() ||
         std::ranges::find(selection.families, family) != selection.families.end();
}

void check_paper_families(const std::vector<std::string>& names) {
  static const std::vector<std::string> known{"chang_single", "chang_multi"};
  for (const auto& name : names) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError(fmt::format("--family {}: the paper model has no such family", name),
                       nearest_hint(name, known));
  }
}

PredictionRow row_of(std::string_view model, std::string_view family, const Suite& suite,
                     const Layer& layer) {
  PredictionRow row;
  row.model = model;
  row.family = family;
  row.suite = suite.name;
  row.layer = layer.id;
  row.problem = layer.shape;
  return row;
}

PredictionRow refused(PredictionRow row, std::string reason) {
  row.reason = std::move(reason);
  return row;
}

PredictionRow paper_row(PredictionRow row, paper::Partition&& partition) {
  row.config = partition.config;
  row.feasible = partition.feasible;
  row.reason = std::move(partition.reason);
  row.chosen = partition.chosen;
  row.paper =
      PaperValues{partition.shared, partition.fma_per_sm, partition.hides_latency, partition.reaches_v_s};
  return row;
}

// Every config of one family for one layer, the fastest marked as chosen.
std::vector<PredictionRow> family_rows(const PredictionRow& base, const KernelFamily& family,
                                       const DeviceProfile& device, const PredictConfigs& predict) {
  std::vector<PredictionRow> rows;
  std::vector<std::size_t> feasible;
  std::vector<Config> configs;
  for (const auto& config : family.configs(base.problem, device)) {
    rows.push_back(base);
    rows.back().config = config;
    if (auto refusal = family.feasible(base.problem, config, device)) {
      rows.back().reason = std::move(refusal->reason);
    } else {
      feasible.push_back(rows.size() - 1);
      configs.push_back(config);
    }
  }
  auto outcomes = predict(family, base.problem, configs);
  std::optional<std::size_t> fastest;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    auto& row = rows[feasible[i]];
    row.feasible = outcomes[i].prediction.has_value();
    row.prediction = std::move(outcomes[i].prediction);
    row.reason = std::move(outcomes[i].reason);
    if (row.feasible && (!fastest || row.prediction->time < rows[*fastest].prediction->time))
      fastest = feasible[i];
  }
  if (fastest) rows[*fastest].chosen = true;
  return rows;
}

std::vector<PredictionRow> select(std::vector<PredictionRow> rows, const RowSelection& selection) {
  if (selection.all) return rows;
  std::erase_if(rows, [](const PredictionRow& row) { return !row.feasible; });
  std::ranges::stable_sort(rows, {}, [](const PredictionRow& row) { return row.prediction->time; });
  const auto kept = std::min(rows.size(), selection.top.value_or(1));
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(kept), rows.end());
  return rows;
}

// Indices of the `count` fastest, or of fewer where fewer have a time.
std::vector<std::size_t> fastest(const std::vector<ConfigOutcome>& outcomes, std::size_t count) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].prediction) order.push_back(i);
  }
  count = std::min(count, order.size());
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::partial_sort(order, end, {}, [&](std::size_t i) { return outcomes[i].prediction->time; });
  order.erase(end, order.end());
  return order;
}

}  // namespace

std::vector<PredictionRow> paper_rows(std::span<const Suite> suites, const paper::DeviceConstants& device,
                                      const paper::Quirks& quirks, const RowSelection& selection) {
  check_paper_families(selection.families);
  std::vector<PredictionRow> rows;
  for (const auto& suite : suites) {
    for (const auto& layer : suite.layers) {
      const auto family = paper::family_of(layer.shape);
      if (!wanted(selection, family)) continue;
      const auto base = row_of("paper", family, suite, layer);
      if (auto reason = paper::refusal(layer.shape)) {
        rows.push_back(refused(base, std::move(*reason)));
      } else if (selection.all) {
        for (auto& partition : paper::all_partitions(layer.shape, device, quirks))
          rows.push_back(paper_row(base, std::move(partition)));
      } else {
        rows.push_back(paper_row(base, paper::chosen_partition(layer.shape, device, quirks)));
      }
    }
  }
  return rows;
}

std::vector<PredictionRow> model_rows(std::string_view model, std::span<const Suite> suites,
                                      const DeviceProfile& device, std::span<const KernelFamily> families,
                                      const RowSelection& selection, const PredictConfigs& predict) {
  std::vector<PredictionRow> rows;
  for (const auto& suite : suites) {
    for (const auto& layer : suite.layers) {
      const auto before = rows.size();
      std::string reasons;
      for (const auto& family : families) {
        if (!wanted(selection, family.name)) continue;
        const auto base = row_of(model, family.name, suite, layer);
        if (auto refusal = family.supports(layer.shape)) {
          if (!selection.families.empty()) {
            rows.push_back(refused(base, std::move(refusal->reason)));
          } else {
            reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", family.name, refusal->reason);
          }
          continue;
        }
        auto selected = select(family_rows(base, family, device, predict), selection);
        if (selected.empty()) selected.push_back(refused(base, "no config fits this device"));
        std::ranges::move(selected, std::back_inserter(rows));
      }
      if (rows.size() == before) {
        rows.push_back(refused(row_of(model, "", suite, layer),
                               reasons.empty() ? "there is no kernel family" : reasons));
      }
    }
  }
  return rows;
}

std::vector<PredictionRow> analytic_rows(std::span<const Suite> suites, const DeviceProfile& device,
                                         std::span<const KernelFamily> families,
                                         const RowSelection& selection, const analytic::Options& options,
                                         const CodeReading& reading) {
  const auto outcome_of = [&](const KernelDescription& kernel) {
    ConfigOutcome outcome;
    if (auto reason = analytic::misfit(kernel, device)) {
      outcome.reason = std::move(*reason);
    } else {
      outcome.prediction = analytic::predict(kernel, device, options);
    }
    return outcome;
  };
  const PredictConfigs predict = [&](const KernelFamily& family, const ConvShape& shape,
                                     std::span<const Config> configs) {
    std::vector<ConfigOutcome> outcomes;
    for (const auto& config : configs)
      outcomes.push_back(outcome_of(describe_kernel(family, shape, config, device)));
    std::vector<bool> read(configs.size(), false);
    for (;;) {
      std::vector<std::size_t> unread;
      for (const auto i : fastest(outcomes, reading.fastest)) {
        if (!read[i]) unread.push_back(i);
      }
      if (unread.empty()) return outcomes;
      std::vector<CodeLaunch> launches;
      for (const auto i : unread)
        launches.push_back(code_launch(family, shape, configs[i], device));
      reading.codes->read(launches);
      for (std::size_t u = 0; u < unread.size(); ++u) {
        const auto i = unread[u];
        read[i] = true;
        if (const auto* code = reading.codes->find(launches[u].plan.code.key()))
          outcomes[i] = outcome_of(family.describe(shape, configs[i], device, code));
        else
          outcomes[i] = {.prediction = std::nullopt, .reason = "does not compile"};
      }
    }
  };
  return model_rows("analytic", suites, device, families, selection, predict);
}

std::string constants_text(const paper::DeviceConstants& device) {
  ResultTable table(
      {{"constant", "constant"}, {"value", "value"}, {"unit", "unit"}, {"equation", "equation"}});
  const auto add = [&](const char* name, double value, const char* unit, const char* equation) {
    table.add({std::string(name), fmt::format("{:.0f}", value), std::string(unit), std::string(equation)});
  };
  add("N_FMA", device.n_fma, "FMA operations a SM", "P1");
  add("global-memory latency", device.latency.value(), "cycles", "P1");
  add("transfer rate", device.transfer_rate.value(), "B/cycle", "P2");
  add("data requirement", device.data_requirement.value(), "B", "P2");
  add("threads a SM", static_cast<double>(device.threads_per_sm), "threads", "P2");
  add("warps a SM", static_cast<double>(device.warps_per_sm), "warps", "P2");
  add("data requirement a SM", device.bytes_per_sm.value(), "B", "P2");
  add("V_s", device.v_s.value(), "B", "P2");
  add("registers a thread", static_cast<double>(device.registers_per_thread), "registers", "-");
  return table.text();
}

}  // namespace tilecast
