#include <fmt/format.h>

#include <algorithm>

#include "reports/error_rows.hpp"
#include "reports/figures.hpp"

namespace tilecast {

FigureOrSkipped model_errors(const ModelComparison& models) {
  const auto errors = summarise_errors(models.points);
  if (errors.empty()) return Skipped{"no measured configs"};
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& e : errors) {
    if (std::ranges::find(names, e.model, &std::pair<std::string, std::string>::first) == names.end())
      names.emplace_back(e.model, e.model);
  }
  Figure figure{.name = "model_errors", .title = "Error of every model"};
  draw_error_rows(figure, errors, names);
  figure.caption = fmt::format(
      "Median of |predicted / measured - 1| (mark) and its 90th percentile (end of the line) of every model "
      "on the "
      "same rows, by family: {}. The axis is logarithmic; further left is better. Rivals follow their "
      "papers, from "
      "the same description of the kernel and of the device.",
      models.rows);
  return figure;
}

FigureOrSkipped ablation(std::span<const ErrorSummary> errors) {
  if (errors.empty()) return Skipped{"no measured configs"};
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& e : errors) {
    if (std::ranges::find(names, e.model, &std::pair<std::string, std::string>::first) == names.end())
      names.emplace_back(e.model, e.model.empty() ? "all bounds" : "without " + e.model);
  }
  Figure figure{.name = "ablation", .title = "Error without each bound"};
  draw_error_rows(figure, errors, names);
  figure.caption =
      "Median of |predicted / measured - 1| (mark) and its 90th percentile (end of the line) of the analytic "
      "model, "
      "whole and with one bound switched off, by family, on a sample of the recorded configs. A bound whose "
      "loss moves "
      "nothing to the right is not needed for these kernels; one whose loss moves marks to the left is "
      "wrong.";
  return figure;
}

}  // namespace tilecast
