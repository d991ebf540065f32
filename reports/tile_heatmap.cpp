#include <fmt/format.h>

#include <algorithm>

#include "reports/figures.hpp"
#include "reports/format.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {
namespace {

struct Cell {
  std::size_t row = 0, column = 0;
};

std::optional<Cell> fastest(const TileMap& map, const std::vector<std::optional<Seconds>>& times) {
  std::optional<Cell> best;
  Seconds least{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!times[i] || (best && *times[i] >= least)) continue;
    best = Cell{i / map.wx_tiles.size(), i % map.wx_tiles.size()};
    least = *times[i];
  }
  return best;
}

std::string index_tics(std::string_view axis, const std::vector<std::int64_t>& values, bool labelled,
                       std::size_t most) {
  // Every value where there is room, else every second, third, ...
  const std::size_t step = (values.size() + most - 1) / most;
  std::string tics;
  for (std::size_t i = 0; i < values.size(); i += step)
    tics += fmt::format("{}'{}' {}", i == 0 ? "" : ", ", labelled ? std::to_string(values[i]) : "", i);
  return fmt::format("set {}tics ({})\n", axis, tics);
}

}  // namespace

FigureOrSkipped tile_heatmap(const TileMap& map) {
  double low = 1e300, high = 0;
  bool any_measured = false;
  for (const auto* times : {&map.predicted, &map.measured}) {
    for (const auto& t : *times) {
      if (!t) continue;
      low = std::min(low, t->value());
      high = std::max(high, t->value());
      any_measured = any_measured || times == &map.measured;
    }
  }
  if (high == 0) return Skipped{"no feasible configs over M_tile and Wx_tile"};

  Figure figure{
      .name = "tile_heatmap", .title = "Time over M' and W'x for " + map.layer, .wide = any_measured};
  const auto block = [&](std::string_view what, const std::vector<std::optional<Seconds>>& times) {
    figure.dat += fmt::format("# {}: column row time_s Wx_tile M_tile\n", what);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::size_t row = i / map.wx_tiles.size(), column = i % map.wx_tiles.size();
      if (times[i])
        figure.dat += fmt::format("{} {} {:.6g} {} {}\n", column, row, times[i]->value(),
                                  map.wx_tiles[column], map.m_tiles[row]);
    }
    figure.dat += "\n\n";
  };
  block("predicted", map.predicted);
  if (any_measured) block("measured", map.measured);
  // A circle marks the prediction's choice in each panel, a cross the measured optimum.
  struct Mark {
    int block;
    bool circle;
  };
  std::vector<Mark> marks;
  const auto add_mark = [&](std::string_view what, const std::optional<Cell>& cell, bool circle) {
    if (!cell) return;
    marks.push_back({(any_measured ? 2 : 1) + static_cast<int>(marks.size()), circle});
    figure.dat += fmt::format("# {}: column row\n{} {}\n\n\n", what, cell->column, cell->row);
  };
  add_mark("fastest predicted", fastest(map, map.predicted), true);
  add_mark("fastest measured", fastest(map, map.measured), false);

  const ScaledUnit unit = time_unit(Seconds{high});
  const double width = any_measured ? gp::page_inches : gp::column_inches, height = 2.9;
  const double left = 0.52, right = 0.75, gap = 0.3, bottom = 0.42, top = 0.48;
  const int panels = any_measured ? 2 : 1;
  const double panel = (width - left - right - (panels - 1) * gap) / panels;

  figure.gp = gp::head(figure.name, figure.title, width, height);
  figure.gp += fmt::format("unit = {:g}  # seconds in one unit of the colour scale\n", unit.base_units);
  figure.gp += gp::palette();
  figure.gp +=
      "unset grid\nset border 15\nset object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb "
      "'#efefef' "
      "fillstyle solid noborder\n";
  figure.gp += fmt::format("set xrange [-0.5:{}.5]\nset yrange [-0.5:{}.5]\n", map.wx_tiles.size() - 1,
                           map.m_tiles.size() - 1);
  figure.gp += index_tics("x", map.wx_tiles, true, static_cast<std::size_t>(panel / 0.28)) +
               index_tics("y", map.m_tiles, true, 12);
  const gp::Range scale{low / unit.base_units, high / unit.base_units * (high > low ? 1 : 1.01)};
  figure.gp += fmt::format("set cbrange [{:.6g}:{:.6g}]\n", scale.low, scale.high);
  if (high / low > 3) figure.gp += "set logscale cb\n" + gp::log_tics("cb", scale);
  figure.gp += "set cblabel " + gp::text({"Time (" + unit.plain + ")", "Time (" + unit.latex + ")"}) +
               " offset 1.2,0\n";
  figure.gp += "set xlabel " + gp::text({"W'_x (pixels)", "$W'_x$ (pixels)"}) + " offset 0,0.4\n";
  figure.gp += "set label 100 " +
               gp::text(gp::verbatim(
                   fmt::format("{}  {}  S = {} B", map.layer, describe_shape(map.shape), map.s_bytes))) +
               " at screen 0.5, screen 0.96 center font ',7.5'\n";
  figure.gp += "set multiplot\nunset key\n";
  for (int i = 0; i < panels; ++i) {
    const double from = left + i * (panel + gap);
    figure.gp += fmt::format("set lmargin at screen {:.4f}; set rmargin at screen {:.4f}\n", from / width,
                             (from + panel) / width);
    figure.gp += fmt::format("set bmargin at screen {:.4f}; set tmargin at screen {:.4f}\n", bottom / height,
                             1 - top / height);
    if (i == 0) {
      figure.gp += "set ylabel " + gp::text({"M' (filters)", "$M'$ (filters)"}) + " offset 0.3,0\n";
    } else {
      figure.gp += "unset ylabel\nunset label 100\n" + index_tics("y", map.m_tiles, false, 12);
    }
    figure.gp +=
        i == panels - 1
            ? fmt::format(
                  "set colorbox user origin screen {:.4f}, screen {:.4f} size screen {:.4f}, screen {:.4f}\n",
                  (from + panel + 0.1) / width, bottom / height, 0.12 / width, 1 - (top + bottom) / height)
            : "unset colorbox\n";
    figure.gp +=
        "set title " + gp::text(gp::verbatim(i == 0 ? "predicted" : "measured")) + " offset 0,-0.7\n";
    figure.gp += fmt::format(
        "plot '{}.dat' index {} using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):($3/unit) with boxxyerror "
        "fillstyle solid 1 "
        "noborder linecolor palette notitle",
        figure.name, i);
    // White under black, so that a mark shows on any colour; lines, because points ignore their width in SVG.
    for (const auto& [colour, line] : {std::pair{"#ffffff", 3.0}, std::pair{"#000000", 1.3}}) {
      for (const auto& m : marks) {
        const auto draw = [&](std::string_view columns, std::string_view style) {
          figure.gp += fmt::format(
              ", \\\n  '{}.dat' index {} using {} with {} linewidth {} linecolor rgb '{}' notitle",
              figure.name, m.block, columns, style, line, colour);
        };
        if (m.circle) {
          draw("1:2:(0.3)", "circles fillstyle empty border");
        } else {
          draw("($1-0.2):($2-0.2):(0.4):(0.4)", "vectors nohead");
          draw("($1-0.2):($2+0.2):(0.4):(-0.4)", "vectors nohead");
        }
      }
    }
    figure.gp += "\n";
  }
  figure.gp += "unset multiplot\nunset output\n";
  figure.caption = fmt::format(
      "{} {} ({}), S = {} bytes: time over the filter tile M' and the pixel tile W'x{}. Circle: the fastest "
      "config as "
      "predicted{}. Pale grey: not feasible.",
      map.family, map.layer, describe_shape(map.shape), map.s_bytes,
      any_measured ? ", predicted and measured on one colour scale" : ", as predicted",
      any_measured ? "; cross: as measured" : "");
  return figure;
}

}  // namespace tilecast
