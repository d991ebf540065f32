#include <fmt/format.h>

#include <algorithm>

#include "reports/figures.hpp"
#include "reports/format.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {
namespace {

const SweepPoint* fastest(const AxisSweep& sweep, bool measured) {
  const SweepPoint* best = nullptr;
  for (const auto& p : sweep.points) {
    if (measured && !p.measured) continue;
    const Seconds t = measured ? *p.measured : p.predicted;
    if (best == nullptr || t < (measured ? *best->measured : best->predicted)) best = &p;
  }
  return best;
}

const SweepPoint* at(const AxisSweep& sweep, std::int64_t value) {
  const auto it = std::ranges::find(sweep.points, value, &SweepPoint::value);
  return it == sweep.points.end() ? nullptr : &*it;
}

}  // namespace

FigureOrSkipped time_over_axis(const AxisSweep& sweep) {
  if (sweep.points.size() < 2) return Skipped{"fewer than two configs over " + sweep.axis};
  std::string lower = sweep.axis;
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });

  Figure figure{.name = "time_over_" + lower, .title = "Time over " + sweep.axis + " for " + sweep.layer};
  double high = 0, low = 1e300;
  figure.dat = fmt::format("# {}: predicted_s low_s high_s\n", sweep.axis);
  for (const auto& p : sweep.points) {
    figure.dat +=
        fmt::format("{} {:.6g} {:.6g} {:.6g}\n", p.value, p.predicted.value(), p.low.value(), p.high.value());
    high = std::max(high, p.predicted.value());
    low = std::min(low, p.predicted.value());
    if (p.measured) {
      high = std::max(high, p.measured->value());
      low = std::min(low, p.measured->value());
    }
  }
  figure.dat += "\n\n";
  std::string measured;
  for (const auto& p : sweep.points) {
    if (!p.measured) continue;
    measured += fmt::format("{} {:.6g} {:.6g} {:.6g}\n", p.value, p.measured->value(),
                            p.measured_p10.value_or(*p.measured).value(),
                            p.measured_p90.value_or(*p.measured).value());
  }
  // gnuplot does not count a block without data: an empty one would shift those that follow.
  const bool any_measured = !measured.empty();
  if (any_measured) figure.dat += fmt::format("# {}: measured_s p10_s p90_s\n{}\n\n", sweep.axis, measured);

  // The marks stand on the measured curve where there is one: what a choice costs is its measured height.
  struct Mark {
    std::string what;
    const SweepPoint* point;
    int shape;
    std::string_view colour;
    double size;
  };
  std::vector<Mark> marks;
  marks.push_back({"predicted choice", fastest(sweep, false), 9, "#0072b2", 1.1});
  if (sweep.paper_choice) {
    if (const auto* p = at(sweep, *sweep.paper_choice))
      marks.push_back({"paper's choice", p, 13, "#cc79a7", 1.1});
  }
  if (const auto* p = fastest(sweep, true)) marks.push_back({"fastest measured", p, 64, "#000000", 1.3});
  std::string plots;
  std::size_t index = any_measured ? 2 : 1;
  for (const auto& m : marks) {
    const Seconds t = m.point->measured.value_or(m.point->predicted);
    figure.dat += fmt::format("# {}\n{} {:.6g}\n\n\n", m.what, m.point->value, t.value());
    plots += fmt::format(
        ", \\\n  '{}.dat' index {} using 1:($2/unit) with points pointtype {} pointsize {} linewidth 1.2 "
        "linecolor rgb '{}' "
        "title {}",
        figure.name, index++, m.shape, m.size, m.colour,
        gp::text(gp::verbatim(fmt::format("{}: {} = {}", m.what, sweep.axis, m.point->value))));
  }

  const ScaledUnit unit = time_unit(Seconds{high});
  const gp::Range x = gp::log_range(static_cast<double>(sweep.points.front().value),
                                    static_cast<double>(sweep.points.back().value), 1.15);
  const gp::Range y{low / unit.base_units / 1.2, high / unit.base_units * 1.2};
  const double width = gp::column_inches, height = 2.9;
  figure.gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.52, 0.1, 0.42, 0.76);
  figure.gp += fmt::format("unit = {:g}  # seconds in one unit of the axis\n", unit.base_units);
  figure.gp += fmt::format("set logscale xy\nset xrange [{:.6g}:{:.6g}]\nset yrange [{:.6g}:{:.6g}]\n", x.low,
                           x.high, y.low, y.high);
  figure.gp += gp::log_tics("x", x) + gp::log_tics("y", y);
  figure.gp += "set xlabel " + gp::text(gp::verbatim(sweep.axis + " (pieces)")) + " offset 0,0.4\n";
  figure.gp += "set ylabel " + gp::text({"Time (" + unit.plain + ")", "Time (" + unit.latex + ")"}) +
               " offset 0.3,0\n";
  figure.gp += "set label " + gp::text(gp::verbatim(sweep.layer + "  " + describe_shape(sweep.shape))) +
               " at screen 0.5, screen 0.965 center font ',7.5'\n";
  figure.gp +=
      "set errorbars 0.4\nset key at screen 0.5, screen 0.94 center top maxrows 3 Left reverse width -1\n";
  // Where the profile states no uncertainty the interval has no width, and there is no band to draw.
  const bool any_interval =
      std::ranges::any_of(sweep.points, [](const SweepPoint& p) { return p.low < p.high; });
  figure.gp += "plot ";
  if (any_interval) {
    figure.gp += fmt::format(
        "'{}.dat' index 0 using 1:($3/unit):($4/unit) with filledcurves linecolor rgb '#cfe3f0' title {}, "
        "\\\n  ",
        figure.name, gp::text({"predicted, interval", "predicted, interval"}));
  }
  figure.gp += fmt::format(
      "'{}.dat' index 0 using 1:($2/unit) with lines linewidth 1.4 linecolor rgb '#0072b2' title {}",
      figure.name, gp::text({"predicted", "predicted"}));
  if (any_measured) {
    figure.gp += fmt::format(
        ", \\\n  '{0}.dat' index 1 using 1:($2/unit):($3/unit):($4/unit) with yerrorbars pointtype 7 "
        "pointsize 0.35 linewidth 0.6 "
        "linecolor rgb '#d55e00' title {1}",
        figure.name, gp::text({"measured, p10 to p90", "measured, p10 to p90"}));
  }
  figure.gp += plots + "\nunset output\n";
  figure.caption = fmt::format("{} {} ({}): time over {}{}.{} A mark's height is the {} time of the choice.",
                               sweep.family, sweep.layer, describe_shape(sweep.shape), sweep.axis,
                               sweep.fixed.empty() ? "" : " at " + sweep.fixed,
                               any_interval ? " The band is the prediction's 90 % interval." : "",
                               any_measured ? "measured" : "predicted");
  return figure;
}

}  // namespace tilecast
