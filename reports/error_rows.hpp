#pragma once
// The figure of errors in rows: a row a model (or a bound left out), in it a mark a family at the median
// error with a line to the 90th percentile.

#include <span>
#include <string>
#include <vector>

#include "reports/figure.hpp"
#include "reports/figure_data.hpp"

namespace tilecast {

// By model and family, both in order of first appearance.
std::vector<ErrorSummary> summarise_errors(std::span<const ModelPoint> points);

// `names`: what each row is called, by its model, top to bottom. Sets data, script and size; title, name and
// caption are the caller's.
void draw_error_rows(Figure& figure, std::span<const ErrorSummary> errors,
                     std::span<const std::pair<std::string, std::string>> names);

}  // namespace tilecast
