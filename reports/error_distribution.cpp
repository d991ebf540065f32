#include <fmt/format.h>

#include <algorithm>

#include "model/support/statistics.hpp"
#include "reports/errors_by_family.hpp"
#include "reports/figures.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {

FigureOrSkipped error_distribution(std::span<const PredictedPoint> points) {
  const auto families = measured_by_family(points);
  if (families.empty()) return Skipped{"no measured configs"};

  constexpr std::size_t steps = 200;  // of a curve: finer than the figure can show
  Figure figure{.name = "error_distribution", .title = "Distribution of the prediction error"};
  std::string plots;
  std::size_t index = 0;
  double largest = 0;
  for (const auto& [family, list] : families) {
    const auto errors = sorted_abs_errors(list);
    largest = std::max(largest, quantile(errors, 0.98));
    figure.dat +=
        fmt::format("# {}: abs_relative_error share_of_configs (n = {})\n0 0\n", family, errors.size());
    const std::size_t n = std::min(steps, errors.size());
    for (std::size_t i = 1; i <= n; ++i) {
      const std::size_t count = (i * errors.size() + n - 1) / n;
      figure.dat += fmt::format("{:.6g} {:.6g}\n", errors[count - 1],
                                static_cast<double>(count) / static_cast<double>(errors.size()));
    }
    figure.dat += "\n\n";
    const auto& style = gp::series(index);
    const std::string n_text = fmt::format(" (n = {})", errors.size());
    plots += fmt::format(
        "{}'{}.dat' index {} using (100*$1):(100*$2) with linespoints linewidth 1.6 dashtype {} pointtype {} "
        "pointsize 0.5 pointinterval {} linecolor rgb '{}' title {}",
        index == 0 ? "" : ", \\\n  ", figure.name, index, style.dash, style.shape,
        std::max<std::size_t>(1, n / 8), style.colour,
        gp::text(gp::verbatim(family) + gp::Label{n_text, n_text}));
    ++index;
  }

  // The axis ends where 98 % of the worst family's configs are, so that a single outlier does not flatten it.
  const double end = std::max(0.30, largest * 1.05);
  const double width = gp::column_inches, height = 2.5;
  figure.gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.52, 0.15, 0.42, 0.22);
  figure.gp += fmt::format("set xrange [0:{:.4g}]\nset yrange [0:100]\nset ytics 25\n", 100 * end);
  figure.gp += "set xlabel " + gp::text({"Absolute relative error (%)", "Absolute relative error (\\%)"}) +
               " offset 0,0.4\n";
  figure.gp += "set ylabel " + gp::text({"Configs at or below it (%)", "Configs at or below it (\\%)"}) +
               " offset 0.3,0\n";
  for (const int limit : {10, 25}) {
    figure.gp += fmt::format(
        "set arrow from {0}, graph 0 to {0}, graph 1 nohead dashtype 3 linewidth 0.8 linecolor rgb '#606060' "
        "back\n",
        limit);
    figure.gp += fmt::format("set label {} at {}, graph 1.04 center font ',7' textcolor rgb '#404040'\n",
                             gp::text({fmt::format("{} %", limit), fmt::format("{}\\,\\%", limit)}), limit);
  }
  figure.gp += "set key bottom right Left reverse opaque\nplot " + plots + "\nunset output\n";
  figure.caption =
      "Share of the configs whose prediction is wrong by at most the error on the horizontal axis, "
      "|predicted / "
      "measured - 1|, by family. A curve further to the upper left is better; the dotted lines mark 10 % and "
      "25 %.";
  return figure;
}

}  // namespace tilecast
