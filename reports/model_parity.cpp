#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/figures.hpp"
#include "reports/format.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {
namespace {

constexpr double cells_across = 60;  // of a panel: about a mark's width

std::vector<std::string> in_order(std::span<const ModelPoint> points, std::string ModelPoint::*member) {
  std::vector<std::string> names;
  for (const auto& p : points) {
    if (std::ranges::find(names, p.*member) == names.end()) names.push_back(p.*member);
  }
  return names;
}

// The same tics with no text.
std::string unlabelled(std::string tics) {
  for (std::size_t at = tics.find('\''); at != std::string::npos; at = tics.find('\'', at + 2)) {
    const auto end = tics.find('\'', at + 1);
    tics.erase(at + 1, end - at - 1);
  }
  return tics;
}

}  // namespace

FigureOrSkipped model_parity(const ModelComparison& comparison) {
  const auto& points = comparison.points;
  if (points.empty()) return Skipped{"no measured configs"};
  const auto models = in_order(points, &ModelPoint::model);
  auto families = in_order(points, &ModelPoint::family);
  std::ranges::sort(families);
  double low = 1e300, high = 0;
  for (const auto& p : points) {
    low = std::min(low, p.measured.value());
    high = std::max(high, p.measured.value());
  }
  // The panels show the measured range and as much again on both sides; a prediction beyond it lies on the
  // edge.
  const double shown_low = low / 10, shown_high = high * 10;
  const ScaledUnit unit = time_unit(Seconds{high});

  Figure figure{
      .name = "model_parity", .title = "Predicted against measured time by every model", .wide = true};
  const double cell = std::log(shown_high / shown_low) / cells_across;
  for (const auto& model : models) {
    for (const auto& family : families) {
      figure.dat += fmt::format("# {} {}: measured_s predicted_s\n", model, family);
      std::set<std::pair<int, int>> cells;
      for (const auto& p : points) {
        if (p.model != model || p.family != family) continue;
        const double predicted = std::clamp(p.predicted.value(), shown_low, shown_high);
        const auto at = [&](double t) {
          return static_cast<int>(std::floor(std::log(t / shown_low) / cell));
        };
        if (!cells.emplace(at(p.measured.value()), at(predicted)).second) continue;
        figure.dat += fmt::format("{:.4g} {:.4g}\n", p.measured.value(), predicted);
      }
      figure.dat += "\n\n";
    }
  }

  const std::size_t columns = models.size() <= 3 ? models.size() : models.size() <= 6 ? 3 : 4;
  const std::size_t rows = (models.size() + columns - 1) / columns;
  const double width = gp::page_inches, left = 0.66, right = 0.08, bottom = 0.45, top = 0.3, gap = 0.12,
               title = 0.2;
  const double panel_width =
      (width - left - right - gap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  const double panel_height = panel_width * 0.9;
  const double height = bottom + top + static_cast<double>(rows) * (panel_height + title);
  const auto range_x = gp::log_range(low / unit.base_units, high / unit.base_units, 1.3);
  const gp::Range range_y{shown_low / unit.base_units, shown_high / unit.base_units};
  figure.gp = gp::head(figure.name, figure.title, width, height);
  figure.gp +=
      fmt::format("unit = {:g}  # seconds in one unit of the axes\nset logscale xy\n", unit.base_units);
  figure.gp += fmt::format("set xrange [{:.5g}:{:.5g}]\nset yrange [{:.5g}:{:.5g}]\nset samples 2\n",
                           range_x.low, range_x.high, range_y.low, range_y.high);
  figure.gp += "set multiplot\n";
  // The key alone, as wide as the page: in a panel it would be as narrow as that.
  figure.gp += gp::margins(width, height, left, right, bottom, 0.05) +
               "unset border\nunset tics\nunset grid\nset key at screen 0.5, screen 0.99 center top "
               "horizontal maxrows 1 "
               "Left reverse\nplot ";
  for (std::size_t f = 0; f < families.size(); ++f) {
    const auto& style = gp::series(f);
    figure.gp +=
        fmt::format("{}NaN with points pointtype {} pointsize 0.6 linecolor rgb '{}' title {}",
                    f == 0 ? "" : ", ", style.shape, style.colour, gp::text(gp::verbatim(families[f])));
  }
  figure.gp +=
      "\nunset key\nset border 3\nset tics out nomirror scale 0.5\nset grid linecolor rgb '#d8d8d8' "
      "linewidth 0.4 "
      "dashtype 1\n";
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto column = i % columns, row = i / columns;
    const double x0 = left + static_cast<double>(column) * (panel_width + gap);
    const double y1 = height - top - title - static_cast<double>(row) * (panel_height + title);
    figure.gp += fmt::format(
        "set lmargin at screen {:.4f}; set rmargin at screen {:.4f}; set bmargin at screen {:.4f}; set "
        "tmargin at "
        "screen {:.4f}\n",
        x0 / width, (x0 + panel_width) / width, (y1 - panel_height) / height, y1 / height);
    // Text along the outer edges alone; a panel with none below it has it too.
    const bool lowest = i + columns >= models.size();
    const auto x_tics = gp::log_tics("x", range_x), y_tics = gp::log_tics("y", range_y);
    figure.gp += (lowest ? x_tics : unlabelled(x_tics)) + (column == 0 ? y_tics : unlabelled(y_tics)) +
                 "set xtics nomirror\nset ytics nomirror\n";
    figure.gp += fmt::format("set title {} offset 0,-0.7\n", gp::text(gp::verbatim(models[i])));
    if (lowest && column == 0) {
      figure.gp +=
          fmt::format("set label 1 {} at screen 0.5, screen {:.4f} center\n",
                      gp::text({"Measured time (" + unit.plain + ")", "Measured time (" + unit.latex + ")"}),
                      0.12 / height);
      figure.gp += fmt::format(
          "set label 2 {} at screen {:.4f}, screen 0.5 center rotate by 90\n",
          gp::text({"Predicted time (" + unit.plain + ")", "Predicted time (" + unit.latex + ")"}),
          0.1 / width);
    }
    figure.gp +=
        "plot '+' using 1:($1*0.9):($1*1.1) with filledcurves linecolor rgb '#c4c4c4' notitle, \\\n"
        "  x with lines linecolor rgb '#000000' linewidth 0.7 notitle";
    for (std::size_t f = 0; f < families.size(); ++f) {
      const auto& style = gp::series(f);
      figure.gp += fmt::format(
          ", \\\n  '{}.dat' index {} using ($1/unit):($2/unit) with points pointtype {} pointsize 0.35 "
          "linewidth 0.6 "
          "linecolor rgb '{}' notitle",
          figure.name, i * families.size() + f, style.shape, style.colour,
          gp::text(gp::verbatim(families[f])));
    }
    figure.gp += '\n';
  }
  figure.gp += "unset multiplot\nunset output\n";
  figure.caption = fmt::format(
      "Predicted against measured time of the same rows by every model, both axes logarithmic: {}. The band "
      "holds "
      "predictions within 10 %; a prediction more than ten times outside the measured range lies on the "
      "edge. Marks "
      "hidden under another are left out.",
      comparison.rows);
  return figure;
}

}  // namespace tilecast
