#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

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

using Times = std::vector<std::optional<Seconds>>;

// The colour scale: the range of all times, as one unit.
struct Scale {
  double low = 1e300, high = 0;
  void hold(const Times& times) {
    for (const auto& t : times) {
      if (!t) continue;
      low = std::min(low, t->value());
      high = std::max(high, t->value());
    }
  }
};

std::string data_of(const TileMap& map, std::string_view what, const Times& times) {
  std::string dat = fmt::format("# {}: column row time_s Wx_tile M_tile\n", what);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::size_t row = i / map.wx_tiles.size(), column = i % map.wx_tiles.size();
    if (times[i])
      dat += fmt::format("{} {} {:.6g} {} {}\n", column, row, times[i]->value(), map.wx_tiles[column],
                         map.m_tiles[row]);
  }
  return dat + "\n\n";
}

// A circle marks the prediction's choice in each panel, a cross the measured optimum.
struct Mark {
  int block;  // of the data
  bool circle;
};

// Adds their places to the data, behind the panels' blocks.
std::vector<Mark> add_marks(Figure& figure, const TileMap& map, int panels) {
  std::vector<Mark> marks;
  const auto add = [&](std::string_view what, const std::optional<Cell>& cell, bool circle) {
    if (!cell) return;
    marks.push_back({panels + static_cast<int>(marks.size()), circle});
    figure.dat += fmt::format("# {}: column row\n{} {}\n\n\n", what, cell->column, cell->row);
  };
  add("fastest predicted", fastest(map, map.predicted), true);
  add("fastest measured", fastest(map, map.measured), false);
  return marks;
}

// White under black, so that a mark shows on any colour; lines, because points ignore their width in SVG.
std::string plots_of(const std::vector<Mark>& marks, const std::string& name) {
  std::string plots;
  for (const auto& [colour, line] : {std::pair{"#ffffff", 3.0}, std::pair{"#000000", 1.3}}) {
    for (const auto& m : marks) {
      const auto draw = [&](std::string_view columns, std::string_view style) {
        plots +=
            fmt::format(", \\\n  '{}.dat' index {} using {} with {} linewidth {} linecolor rgb '{}' notitle",
                        name, m.block, columns, style, line, colour);
      };
      if (m.circle) {
        draw("1:2:(0.3)", "circles fillstyle empty border");
      } else {
        draw("($1-0.2):($2-0.2):(0.4):(0.4)", "vectors nohead");
        draw("($1-0.2):($2+0.2):(0.4):(-0.4)", "vectors nohead");
      }
    }
  }
  return plots;
}

constexpr std::size_t rows_labelled = 12;

// Sizes in inches.
struct Layout {
  int panels;
  double width, height = 2.9;
  double left = 0.52, right = 0.75, gap = 0.3, bottom = 0.42, top = 0.48;
  double panel() const { return (width - left - right - (panels - 1) * gap) / panels; }
};

// What all panels share.
std::string frame(const TileMap& map, const Scale& scale, const Layout& at) {
  const ScaledUnit unit = time_unit(Seconds{scale.high});
  std::string gp = fmt::format("unit = {:g}  # seconds in one unit of the colour scale\n", unit.base_units);
  gp += gp::palette();
  gp +=
      "unset grid\nset border 15\n"
      "set object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '#efefef' "
      "fillstyle solid noborder\n";
  gp += fmt::format("set xrange [-0.5:{}.5]\nset yrange [-0.5:{}.5]\n", map.wx_tiles.size() - 1,
                    map.m_tiles.size() - 1);
  gp += index_tics("x", map.wx_tiles, true, static_cast<std::size_t>(at.panel() / 0.28)) +
        index_tics("y", map.m_tiles, true, rows_labelled);
  const gp::Range range{scale.low / unit.base_units,
                        scale.high / unit.base_units * (scale.high > scale.low ? 1 : 1.01)};
  gp += fmt::format("set cbrange [{:.6g}:{:.6g}]\n", range.low, range.high);
  if (scale.high / scale.low > 3) gp += "set logscale cb\n" + gp::log_tics("cb", range);
  gp += "set cblabel " + gp::text({"Time (" + unit.plain + ")", "Time (" + unit.latex + ")"}) +
        " offset 1.2,0\n";
  gp += "set xlabel " + gp::text({"W'_x (pixels)", "$W'_x$ (pixels)"}) + " offset 0,0.4\n";
  gp += "set label 100 " +
        gp::text(gp::verbatim(
            fmt::format("{}  {}  S = {} B", map.layer, describe_shape(map.shape), map.s_bytes))) +
        " at screen 0.5, screen 0.96 center font ',7.5'\n";
  return gp + "set multiplot\nunset key\n";
}

std::string panel_of(int i, const TileMap& map, const Layout& at, const std::string& name) {
  const double from = at.left + i * (at.panel() + at.gap);
  std::string gp = fmt::format("set lmargin at screen {:.4f}; set rmargin at screen {:.4f}\n",
                               from / at.width, (from + at.panel()) / at.width);
  gp += fmt::format("set bmargin at screen {:.4f}; set tmargin at screen {:.4f}\n", at.bottom / at.height,
                    1 - at.top / at.height);
  if (i == 0) {
    gp += "set ylabel " + gp::text({"M' (filters)", "$M'$ (filters)"}) + " offset 0.3,0\n";
  } else {
    gp += "unset ylabel\nunset label 100\n" + index_tics("y", map.m_tiles, false, rows_labelled);
  }
  if (i < at.panels - 1) {
    gp += "unset colorbox\n";
  } else {
    gp += fmt::format(
        "set colorbox user origin screen {:.4f}, screen {:.4f} size screen {:.4f}, screen {:.4f}\n",
        (from + at.panel() + 0.1) / at.width, at.bottom / at.height, 0.12 / at.width,
        1 - (at.top + at.bottom) / at.height);
  }
  gp += "set title " + gp::text(gp::verbatim(i == 0 ? "predicted" : "measured")) + " offset 0,-0.7\n";
  return gp + fmt::format(
                  "plot '{}.dat' index {} using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):($3/unit) with "
                  "boxxyerror fillstyle solid 1 noborder linecolor palette notitle",
                  name, i);
}

std::string caption_of(const TileMap& map, bool any_measured) {
  return fmt::format(
      "{} {} ({}), S = {} bytes: time over the filter tile M' and the pixel tile W'x{}. Circle: the fastest "
      "config as predicted{}. Pale grey: not feasible.",
      map.family, map.layer, describe_shape(map.shape), map.s_bytes,
      any_measured ? ", predicted and measured on one colour scale" : ", as predicted",
      any_measured ? "; cross: as measured" : "");
}

}  // namespace

FigureOrSkipped tile_heatmap(const TileMap& map) {
  Scale scale;
  scale.hold(map.predicted);
  scale.hold(map.measured);
  if (scale.high == 0) return Skipped{"no feasible configs over M_tile and Wx_tile"};
  const bool any_measured = std::ranges::any_of(map.measured, [](const auto& t) { return t.has_value(); });
  const Layout layout{.panels = any_measured ? 2 : 1,
                      .width = any_measured ? gp::page_inches : gp::column_inches};

  Figure figure{.name = "tile_heatmap",
                .title = "Time over M' and W'x for " + map.layer,
                .caption = caption_of(map, any_measured),
                .wide = any_measured};
  figure.dat = data_of(map, "predicted", map.predicted);
  if (any_measured) figure.dat += data_of(map, "measured", map.measured);
  const auto marks = add_marks(figure, map, layout.panels);

  figure.gp = gp::head(figure.name, figure.title, layout.width, layout.height) + frame(map, scale, layout);
  for (int i = 0; i < layout.panels; ++i)
    figure.gp += panel_of(i, map, layout, figure.name) + plots_of(marks, figure.name) + "\n";
  figure.gp += "unset multiplot\nunset output\n";
  return figure;
}

}  // namespace tilecast
