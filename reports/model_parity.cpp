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

struct Series {
  std::vector<std::string> models, families;
};

// The measured range, and the shown one: as much again on both sides. A prediction beyond it lies on the
// edge.
struct Extent {
  double low = 1e300, high = 0;
  double shown_low() const { return low / 10; }
  double shown_high() const { return high * 10; }
};

Extent extent_of(std::span<const ModelPoint> points) {
  Extent extent;
  for (const auto& p : points) {
    extent.low = std::min(extent.low, p.measured.value());
    extent.high = std::max(extent.high, p.measured.value());
  }
  return extent;
}

// A block for each model and family; marks that another one hides are left out.
std::string data_of(std::span<const ModelPoint> points, const Series& series, const Extent& extent) {
  const double cell = std::log(extent.shown_high() / extent.shown_low()) / cells_across;
  const auto at = [&](double t) {
    return static_cast<int>(std::floor(std::log(t / extent.shown_low()) / cell));
  };
  std::string dat;
  for (const auto& model : series.models) {
    for (const auto& family : series.families) {
      dat += fmt::format("# {} {}: measured_s predicted_s\n", model, family);
      std::set<std::pair<int, int>> cells;
      for (const auto& p : points) {
        if (p.model != model || p.family != family) continue;
        const double predicted = std::clamp(p.predicted.value(), extent.shown_low(), extent.shown_high());
        if (!cells.emplace(at(p.measured.value()), at(predicted)).second) continue;
        dat += fmt::format("{:.4g} {:.4g}\n", p.measured.value(), predicted);
      }
      dat += "\n\n";
    }
  }
  return dat;
}

// A panel a model. Sizes in inches.
struct Layout {
  std::size_t panels;
  double width = gp::page_inches, left = 0.66, right = 0.08, bottom = 0.45, top = 0.3, gap = 0.12,
         title = 0.2;
  std::size_t columns() const { return panels <= 3 ? panels : panels <= 6 ? 3 : 4; }
  std::size_t rows() const { return (panels + columns() - 1) / columns(); }
  double panel_width() const {
    const auto n = static_cast<double>(columns());
    return (width - left - right - gap * (n - 1)) / n;
  }
  double panel_height() const { return panel_width() * 0.9; }
  double height() const { return bottom + top + static_cast<double>(rows()) * (panel_height() + title); }
};

struct Axes {
  ScaledUnit unit;
  gp::Range x, y;
};

// The key alone, as wide as the page: in a panel it would be as narrow as that.
std::string key_of(const Series& series, const Layout& at) {
  std::string gp = gp::margins(at.width, at.height(), at.left, at.right, at.bottom, 0.05) +
                   "unset border\nunset tics\nunset grid\n"
                   "set key at screen 0.5, screen 0.99 center top horizontal maxrows 1 Left reverse\nplot ";
  for (std::size_t f = 0; f < series.families.size(); ++f) {
    const auto& style = gp::series(f);
    gp += fmt::format("{}NaN with points pointtype {} pointsize 0.6 linecolor rgb '{}' title {}",
                      f == 0 ? "" : ", ", style.shape, style.colour,
                      gp::text(gp::verbatim(series.families[f])));
  }
  return gp +
         "\nunset key\nset border 3\nset tics out nomirror scale 0.5\n"
         "set grid linecolor rgb '#d8d8d8' linewidth 0.4 dashtype 1\n";
}

std::string axis_labels(const ScaledUnit& unit, const Layout& at) {
  const auto time = [&](const std::string& whose) {
    return gp::text({whose + " time (" + unit.plain + ")", whose + " time (" + unit.latex + ")"});
  };
  return fmt::format(
      "set label 1 {} at screen 0.5, screen {:.4f} center\n"
      "set label 2 {} at screen {:.4f}, screen 0.5 center rotate by 90\n",
      time("Measured"), 0.12 / at.height(), time("Predicted"), 0.1 / at.width);
}

std::string panel_of(std::size_t i, const Series& series, const Axes& axes, const Layout& at,
                     const std::string& name) {
  const auto column = i % at.columns(), row = i / at.columns();
  const double x0 = at.left + static_cast<double>(column) * (at.panel_width() + at.gap);
  const double y1 =
      at.height() - at.top - at.title - static_cast<double>(row) * (at.panel_height() + at.title);
  std::string gp = fmt::format(
      "set lmargin at screen {:.4f}; set rmargin at screen {:.4f}; set bmargin at screen {:.4f}; "
      "set tmargin at screen {:.4f}\n",
      x0 / at.width, (x0 + at.panel_width()) / at.width, (y1 - at.panel_height()) / at.height(),
      y1 / at.height());
  // Text along the outer edges alone; a panel with none below it has it too.
  const bool lowest = i + at.columns() >= at.panels;
  const auto x_tics = gp::log_tics("x", axes.x), y_tics = gp::log_tics("y", axes.y);
  gp += (lowest ? x_tics : unlabelled(x_tics)) + (column == 0 ? y_tics : unlabelled(y_tics)) +
        "set xtics nomirror\nset ytics nomirror\n";
  gp += fmt::format("set title {} offset 0,-0.7\n", gp::text(gp::verbatim(series.models[i])));
  if (lowest && column == 0) gp += axis_labels(axes.unit, at);
  gp +=
      "plot '+' using 1:($1*0.9):($1*1.1) with filledcurves linecolor rgb '#c4c4c4' notitle, \\\n"
      "  x with lines linecolor rgb '#000000' linewidth 0.7 notitle";
  for (std::size_t f = 0; f < series.families.size(); ++f) {
    const auto& style = gp::series(f);
    gp += fmt::format(
        ", \\\n  '{}.dat' index {} using ($1/unit):($2/unit) with points pointtype {} pointsize 0.35 "
        "linewidth 0.6 linecolor rgb '{}' notitle",
        name, i * series.families.size() + f, style.shape, style.colour);
  }
  return gp + '\n';
}

}  // namespace

FigureOrSkipped model_parity(const ModelComparison& comparison) {
  const auto& points = comparison.points;
  if (points.empty()) return Skipped{"no measured configs"};
  Series series{in_order(points, &ModelPoint::model), in_order(points, &ModelPoint::family)};
  std::ranges::sort(series.families);
  const auto extent = extent_of(points);
  const ScaledUnit unit = time_unit(Seconds{extent.high});
  const Axes axes{unit,
                  gp::log_range(extent.low / unit.base_units, extent.high / unit.base_units, 1.3),
                  {extent.shown_low() / unit.base_units, extent.shown_high() / unit.base_units}};
  const Layout layout{.panels = series.models.size()};

  Figure figure{
      .name = "model_parity", .title = "Predicted against measured time by every model", .wide = true};
  figure.dat = data_of(points, series, extent);
  figure.gp = gp::head(figure.name, figure.title, layout.width, layout.height());
  figure.gp +=
      fmt::format("unit = {:g}  # seconds in one unit of the axes\nset logscale xy\n", unit.base_units);
  figure.gp += fmt::format("set xrange [{:.5g}:{:.5g}]\nset yrange [{:.5g}:{:.5g}]\nset samples 2\n",
                           axes.x.low, axes.x.high, axes.y.low, axes.y.high);
  figure.gp += "set multiplot\n" + key_of(series, layout);
  for (std::size_t i = 0; i < layout.panels; ++i)
    figure.gp += panel_of(i, series, axes, layout, figure.name);
  figure.gp += "unset multiplot\nunset output\n";
  figure.caption = fmt::format(
      "Predicted against measured time of the same rows by every model, both axes logarithmic: {}. The band "
      "holds predictions within 10 %; a prediction more than ten times outside the measured range lies on "
      "the "
      "edge. Marks hidden under another are left out.",
      comparison.rows);
  return figure;
}

}  // namespace tilecast
