#include "reports/error_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/support/statistics.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {

std::vector<ErrorSummary> summarise_errors(std::span<const ModelPoint> points) {
  using Key = std::pair<std::string, std::string>;
  std::vector<Key> order;
  std::map<Key, std::vector<double>> errors;
  for (const auto& p : points) {
    const Key key{p.model, p.family};
    auto& list = errors[key];
    if (list.empty()) order.push_back(key);
    list.push_back(p.abs_error());
  }
  std::vector<ErrorSummary> summaries;
  for (const auto& key : order) {
    const auto& list = errors[key];
    summaries.push_back({key.first, key.second, list.size(), quantile(list, 0.5), quantile(list, 0.9)});
  }
  return summaries;
}

void draw_error_rows(Figure& figure, std::span<const ErrorSummary> errors,
                     std::span<const std::pair<std::string, std::string>> names) {
  std::vector<std::string> families;
  double low = 1e300, high = 0;
  for (const auto& e : errors) {
    if (std::ranges::find(families, e.family) == families.end()) families.push_back(e.family);
    low = std::min(low, e.median);
    high = std::max(high, e.p90);
  }
  std::ranges::sort(families);
  low = std::max(low, 1e-3);  // nobody measures better
  const auto range = gp::log_range(100 * low, 100 * std::max(high, low), 1.3);

  std::string plots, tics;
  const auto rows = static_cast<double>(names.size());
  const double step = 0.7 / static_cast<double>(families.size());
  for (std::size_t f = 0; f < families.size(); ++f) {
    figure.dat += fmt::format("# {}: row median_abs_error p90_abs_error n\n", families[f]);
    for (std::size_t row = 0; row < names.size(); ++row) {
      const auto found = std::ranges::find_if(errors, [&](const ErrorSummary& e) {
        return e.model == names[row].first && e.family == families[f];
      });
      if (found == errors.end()) continue;
      const double y = rows - static_cast<double>(row) +
                       step * (static_cast<double>(families.size() - 1) / 2 - static_cast<double>(f));
      figure.dat +=
          fmt::format("{:.4g} {:.6g} {:.6g} {}\n", y, std::max(found->median, 1e-3), found->p90, found->n);
    }
    figure.dat += "\n\n";
    const auto& style = gp::series(f);
    plots += fmt::format(
        "{0}'{1}.dat' index {2} using (100*$2):1:(100*$2):(100*$3) with xerrorbars pointtype {3} pointsize "
        "0.55 "
        "linewidth 1 linecolor rgb '{4}' title {5}",
        f == 0 ? "" : ", \\\n  ", figure.name, f, style.shape, style.colour,
        gp::text(gp::verbatim(families[f])));
  }
  for (std::size_t row = 0; row < names.size(); ++row) {
    tics += fmt::format("{}{} {}", row == 0 ? "" : ", ", gp::text(gp::verbatim(names[row].second)),
                        names.size() - row);
  }
  const double width = gp::column_inches, height = 0.95 + 0.34 * rows;
  figure.gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 1.05, 0.12, 0.42, 0.42);
  figure.gp += fmt::format("set logscale x\nset xrange [{:.4g}:{:.4g}]\nset yrange [0.4:{:.1f}]\n", range.low,
                           range.high, rows + 0.6);
  figure.gp += gp::log_tics("x", range) + fmt::format("set ytics scale 0 ({})\nunset grid\n", tics);
  figure.gp += "set grid xtics linecolor rgb '#d8d8d8' linewidth 0.4 dashtype 1\n";
  figure.gp += "set xlabel " +
               gp::text({"Absolute error, median to 90th percentile (%)",
                         "Absolute error, median to 90th percentile (\\%)"}) +
               " offset 0,0.4\n";
  figure.gp +=
      "set key at screen 0.5, screen 0.99 center top horizontal maxrows 2 Left reverse\nset bars 0.4\n";
  figure.gp += "plot " + plots + "\nunset output\n";
}

}  // namespace tilecast
