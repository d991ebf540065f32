#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/support/statistics.hpp"
#include "reports/errors_by_family.hpp"
#include "reports/figures.hpp"
#include "reports/format.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {
namespace {

// Marks closer than this lie on top of each other: about half a mark's width on the printed figure.
constexpr double cells_across = 240;

}  // namespace

FigureOrSkipped parity(std::span<const PredictedPoint> points) {
  const auto families = measured_by_family(points);
  if (families.empty()) return Skipped{"no measured configs"};

  double low = 1e300, high = 0;
  std::size_t total = 0;
  for (const auto& [family, list] : families) {
    for (const auto* p : list) {
      low = std::min({low, p->predicted.value(), p->measured->value()});
      high = std::max({high, p->predicted.value(), p->measured->value()});
      ++total;
    }
  }
  const ScaledUnit unit = time_unit(Seconds{high});
  const gp::Range range = gp::log_range(low / unit.base_units, high / unit.base_units, 1.3);

  Figure figure{.name = "parity", .title = "Predicted against measured time"};
  std::string plots;
  std::size_t index = 0, drawn = 0;
  for (const auto& [family, list] : families) {
    const auto errors = sorted_abs_errors(list);
    figure.dat += fmt::format("# {}: measured_s predicted_s\n", family);
    // A mark that another of its family covers is left out: exhaustive runs have tens of thousands.
    std::set<std::pair<int, int>> cells;
    const double cell = std::log(range.high / range.low) / cells_across;
    for (const auto* p : list) {
      const auto at = [&](Seconds t) {
        return static_cast<int>(std::floor(std::log(t.value() / low) / cell));
      };
      if (!cells.emplace(at(*p->measured), at(p->predicted)).second) continue;
      figure.dat += fmt::format("{:.6g} {:.6g}\n", p->measured->value(), p->predicted.value());
      ++drawn;
    }
    figure.dat += "\n\n";
    const auto& style = gp::series(index);
    const std::string note = fmt::format(": n = {}, median {:.0f}", list.size(), 100 * quantile(errors, 0.5));
    const gp::Label title = gp::verbatim(family) + gp::Label{note + " %", note + "\\,\\%"};
    plots += fmt::format(
        ", \\\n  '{}.dat' index {} using ($1/unit):($2/unit) with points pointtype {} pointsize {} linewidth "
        "0.6 "
        "linecolor rgb '{}' title {}",
        figure.name, index, style.shape, total > 400 ? 0.45 : 0.6, style.colour, gp::text(title));
    ++index;
  }

  const double width = gp::column_inches, height = 3.3;
  figure.gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.62, 0.2, 0.42, 0.08);
  figure.gp += fmt::format("unit = {:g}  # seconds in one unit of the axes\n", unit.base_units);
  figure.gp += fmt::format("set logscale xy\nset xrange [{0:.6g}:{1:.6g}]\nset yrange [{0:.6g}:{1:.6g}]\n",
                           range.low, range.high);
  figure.gp += gp::log_tics("x", range) + gp::log_tics("y", range);
  figure.gp += "set xlabel " +
               gp::text({"Measured time (" + unit.plain + ")", "Measured time (" + unit.latex + ")"}) +
               " offset 0,0.4\n";
  figure.gp += "set ylabel " +
               gp::text({"Predicted time (" + unit.plain + ")", "Predicted time (" + unit.latex + ")"}) +
               " offset 0.3,0\n";
  figure.gp += "set key top left Left reverse font ',7'\nset samples 2\n";
  figure.gp += fmt::format(
      "plot '+' using 1:($1*0.75):($1*1.25) with filledcurves linecolor rgb '#e6e6e6' notitle, \\\n"
      "  '+' using 1:($1*0.9):($1*1.1) with filledcurves linecolor rgb '#c4c4c4' notitle{}, \\\n"
      "  x with lines linecolor rgb '#000000' linewidth 0.8 notitle, \\\n"
      // Short entries last: the key stands in the corner above the diagonal.
      "  keyentry with boxes fillstyle solid 1 noborder linecolor rgb '#c4c4c4' title {}, \\\n"
      "  keyentry with boxes fillstyle solid 1 noborder linecolor rgb '#e6e6e6' title {}\nunset output\n",
      plots, gp::text({"±10 %", "$\\pm$10\\,\\%"}), gp::text({"±25 %", "$\\pm$25\\,\\%"}));

  figure.caption = fmt::format(
      "Predicted against measured time of {} configs, both axes logarithmic. Above the diagonal the "
      "prediction is "
      "too slow, below it too fast; the bands hold predictions within 10 % and 25 % of the measurement.",
      total);
  if (drawn < total)
    figure.caption += fmt::format(" Marks hidden under another are left out ({} drawn).", drawn);
  return figure;
}

}  // namespace tilecast
