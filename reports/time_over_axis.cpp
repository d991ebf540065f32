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

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::string data_of_predicted(const AxisSweep& sweep) {
  std::string dat = fmt::format("# {}: predicted_s low_s high_s\n", sweep.axis);
  for (const auto& p : sweep.points)
    dat +=
        fmt::format("{} {:.6g} {:.6g} {:.6g}\n", p.value, p.predicted.value(), p.low.value(), p.high.value());
  return dat + "\n\n";
}

// Empty if nothing was measured: gnuplot does not count a block without data, which would shift those that
// follow.
std::string data_of_measured(const AxisSweep& sweep) {
  std::string rows;
  for (const auto& p : sweep.points) {
    if (!p.measured) continue;
    rows += fmt::format("{} {:.6g} {:.6g} {:.6g}\n", p.value, p.measured->value(),
                        p.measured_p10.value_or(*p.measured).value(),
                        p.measured_p90.value_or(*p.measured).value());
  }
  return rows.empty() ? rows : fmt::format("# {}: measured_s p10_s p90_s\n{}\n\n", sweep.axis, rows);
}

// A mark stands on the measured curve where there is one: what a choice costs is its measured height.
struct Mark {
  std::string what;
  const SweepPoint* point;
  int shape;
  std::string_view colour;
  double size;
};

std::vector<Mark> marks_of(const AxisSweep& sweep) {
  std::vector<Mark> marks{{"predicted choice", fastest(sweep, false), 9, "#0072b2", 1.1}};
  if (sweep.paper_choice) {
    if (const auto* p = at(sweep, *sweep.paper_choice))
      marks.push_back({"paper's choice", p, 12, "#a6376f", 1.8});
  }
  if (const auto* p = fastest(sweep, true)) marks.push_back({"fastest measured", p, 64, "#000000", 1.3});
  return marks;
}

// Adds the marks' data, from block `index` on; returns what draws them.
std::string add_marks(Figure& figure, const AxisSweep& sweep, std::size_t index) {
  std::string plots;
  for (const auto& m : marks_of(sweep)) {
    const Seconds t = m.point->measured.value_or(m.point->predicted);
    figure.dat += fmt::format("# {}\n{} {:.6g}\n\n\n", m.what, m.point->value, t.value());
    plots += fmt::format(
        ", \\\n  '{}.dat' index {} using 1:($2/unit) with points pointtype {} pointsize {} linewidth 1.2 "
        "linecolor rgb '{}' title {}",
        figure.name, index++, m.shape, m.size, m.colour,
        gp::text(gp::verbatim(fmt::format("{}: {} = {}", m.what, sweep.axis, m.point->value))));
  }
  return plots;
}

std::string frame(const AxisSweep& sweep, const Figure& figure) {
  double high = 0, low = 1e300;
  for (const auto& p : sweep.points) {
    for (const Seconds t : {p.predicted, p.measured.value_or(p.predicted)}) {
      high = std::max(high, t.value());
      low = std::min(low, t.value());
    }
  }
  const ScaledUnit unit = time_unit(Seconds{high});
  const gp::Range x = gp::log_range(static_cast<double>(sweep.points.front().value),
                                    static_cast<double>(sweep.points.back().value), 1.15);
  const gp::Range y{low / unit.base_units / 1.2, high / unit.base_units * 1.2};
  const double width = gp::column_inches, height = 2.9;
  std::string gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.52, 0.1, 0.42, 0.76);
  gp += fmt::format("unit = {:g}  # seconds in one unit of the axis\n", unit.base_units);
  gp += fmt::format("set logscale xy\nset xrange [{:.6g}:{:.6g}]\nset yrange [{:.6g}:{:.6g}]\n", x.low,
                    x.high, y.low, y.high);
  gp += gp::log_tics("x", x) + gp::log_tics("y", y);
  gp += "set xlabel " + gp::text(gp::verbatim(sweep.axis + " (pieces)")) + " offset 0,0.4\n";
  gp += "set ylabel " + gp::text({"Time (" + unit.plain + ")", "Time (" + unit.latex + ")"}) +
        " offset 0.3,0\n";
  gp += "set label " + gp::text(gp::verbatim(sweep.layer + "  " + describe_shape(sweep.shape))) +
        " at screen 0.5, screen 0.965 center font ',7.5'\n";
  return gp +
         "set errorbars 0.4\n"
         "set key at screen 0.5, screen 0.94 center top maxrows 3 Left reverse width -1\n";
}

std::string curves(const Figure& figure, bool any_interval, bool any_measured) {
  const auto title = [](const std::string& text) { return gp::text({text, text}); };
  std::string gp = "plot ";
  if (any_interval) {
    gp += fmt::format(
        "'{}.dat' index 0 using 1:($3/unit):($4/unit) with filledcurves linecolor rgb '#cfe3f0' title {}, "
        "\\\n  ",
        figure.name, title("predicted, interval"));
  }
  gp += fmt::format(
      "'{}.dat' index 0 using 1:($2/unit) with lines linewidth 1.4 linecolor rgb '#0072b2' title {}",
      figure.name, title("predicted"));
  if (any_measured) {
    gp += fmt::format(
        ", \\\n  '{0}.dat' index 1 using 1:($2/unit):($3/unit):($4/unit) with yerrorbars pointtype 7 "
        "pointsize 0.35 linewidth 0.6 linecolor rgb '#d55e00' title {1}",
        figure.name, title("measured, p10 to p90"));
  }
  return gp;
}

}  // namespace

FigureOrSkipped time_over_axis(const AxisSweep& sweep) {
  if (sweep.points.size() < 2) return Skipped{"fewer than two configs over " + sweep.axis};
  Figure figure{.name = "time_over_" + lower_case(sweep.axis),
                .title = "Time over " + sweep.axis + " for " + sweep.layer};
  const auto measured = data_of_measured(sweep);
  const bool any_measured = !measured.empty();
  // Where the profile states no uncertainty the interval has no width, and there is no band to draw.
  const bool any_interval =
      std::ranges::any_of(sweep.points, [](const SweepPoint& p) { return p.low < p.high; });
  figure.dat = data_of_predicted(sweep) + measured;
  const auto marks = add_marks(figure, sweep, any_measured ? 2 : 1);
  figure.gp = frame(sweep, figure) + curves(figure, any_interval, any_measured) + marks + "\nunset output\n";
  figure.caption = fmt::format("{} {} ({}): time over {}{}.{} A mark's height is the {} time of the choice.",
                               sweep.family, sweep.layer, describe_shape(sweep.shape), sweep.axis,
                               sweep.fixed.empty() ? "" : " at " + sweep.fixed,
                               any_interval ? " The band is the prediction's 90 % interval." : "",
                               any_measured ? "measured" : "predicted");
  return figure;
}

}  // namespace tilecast
