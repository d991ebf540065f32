#include "reports/gp_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/format.hpp"

namespace tilecast::gp {

Label verbatim(std::string_view any) {
  Label label;
  for (const char c : any) {
    if (std::string_view{"_^{}@&~\\"}.find(c) != std::string_view::npos) label.enhanced += '\\';
    label.enhanced += c;
    switch (c) {
      case '\\':
        label.latex += "\\textbackslash{}";
        break;
      case '~':
        label.latex += "\\textasciitilde{}";
        break;
      case '^':
        label.latex += "\\textasciicircum{}";
        break;
      case '_':
      case '{':
      case '}':
      case '#':
      case '$':
      case '%':
      case '&':
        label.latex += '\\';
        [[fallthrough]];
      default:
        label.latex += c;
    }
  }
  return label;
}

Label operator+(const Label& a, const Label& b) {
  return {a.enhanced + b.enhanced, a.latex + b.latex};
}

namespace {

// Inside single quotes gnuplot leaves backslashes alone; a quote is doubled.
std::string gnuplot_string(std::string_view s) {
  std::string out = "'";
  for (const char c : s) {
    if (c == '\n') {
      out += ' ';
      continue;
    }
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

}  // namespace

std::string text(const Label& label) {
  return "T(" + gnuplot_string(label.enhanced) + ", " + gnuplot_string(label.latex) + ")";
}

std::string head(std::string_view name, std::string_view title, double width, double height) {
  // SVG counts in CSS pixels, 96 to the inch: fonts and lines are scaled so that 8 pt is 8 pt in print.
  return fmt::format(
      R"gp(# {title}
# Draw it again, in this folder:
#   gnuplot {name}.gp                     makes {name}.svg
#   gnuplot -e "format='pdf'" {name}.gp   makes {name}.pdf
#   gnuplot -e "format='tex'" {name}.gp   makes {name}-latex.tex and {name}-latex.pdf, for \input{{}} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = {width}; height = {height}  # inches
if (format eq "svg") {{
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "{name}.svg"
}}
if (format eq "pdf") {{
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "{name}.pdf"
}}
if (format eq "tex") {{
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{{8}}{{9}}\selectfont'
  set output "{name}-latex.tex"
}}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
)gp",
      fmt::arg("title", title), fmt::arg("name", name), fmt::arg("width", width), fmt::arg("height", height));
}

std::string margins(double width, double height, double left, double right, double bottom, double top) {
  return fmt::format(
      "set lmargin at screen {:.4f}; set rmargin at screen {:.4f}\n"
      "set bmargin at screen {:.4f}; set tmargin at screen {:.4f}\n",
      left / width, 1 - right / width, bottom / height, 1 - top / height);
}

const Series& series(std::size_t index) {
  // Okabe and Ito, "Color Universal Design", 2008; their yellow is left out (too pale on paper).
  static constexpr std::array<Series, 8> all = {{{"#0072b2", 6, 1},
                                                 {"#d55e00", 8, 2},
                                                 {"#009e73", 4, 3},
                                                 {"#cc79a7", 12, 4},
                                                 {"#e69f00", 10, 5},
                                                 {"#56b4e9", 2, 1},
                                                 {"#000000", 1, 2},
                                                 {"#7f7f7f", 3, 3}}};
  return all[index % all.size()];
}

std::string palette() {
  // Nine samples of matplotlib's viridis (van der Walt and Smith 2015, CC0).
  return "set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', 5 '#28ae80', "
         "6 '#5ec962', 7 '#addc30', 8 '#fde725')\n";
}

Range log_range(double low, double high, double margin) {
  return {low / margin, high * margin};
}

std::string log_tics(std::string_view axis, Range range) {
  const double decades = std::log10(range.high / range.low);
  std::string tics;
  const auto tic = [&](double v, bool labelled) {
    if (v < range.low * 0.9999 || v > range.high * 1.0001) return;
    if (!tics.empty()) tics += ", ";
    tics += labelled ? fmt::format("'{:g}' {:g}", v, v) : fmt::format("'' {:g} 1", v);
  };
  for (int e = static_cast<int>(std::floor(std::log10(range.low))); e <= std::log10(range.high); ++e) {
    for (int m = 1; m <= 9; ++m) {
      // Longer labels would touch: 500 and 1000 where a column has three decades.
      const bool labelled =
          m == 1 || decades <= 0.7 || (decades <= 3.2 && m == 2) || (decades <= 2.4 && m == 5);
      tic(m * std::pow(10.0, e), labelled);
    }
  }
  return fmt::format("set {}tics ({})\n", axis, tics);
}

std::string binary_tics(std::string_view axis, Range range, bool bytes, int most) {
  const int first = static_cast<int>(std::ceil(std::log2(range.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(range.high) + 1e-9));
  const int step = std::max(1, (last - first + most) / most);
  std::string tics;
  for (int e = first; e <= last; ++e) {
    if (e % step != 0) continue;
    const double v = std::exp2(e);
    std::string label = fmt::format("{:g}", v);
    if (bytes) {
      static constexpr std::array<std::string_view, 5> prefixes = {"", "K", "M", "G", "T"};
      const auto p = static_cast<std::size_t>(std::clamp(e / 10, 0, 4));
      label = fmt::format("{:g}{}", v / std::exp2(10.0 * static_cast<double>(p)), prefixes[p]);
    }
    if (!tics.empty()) tics += ", ";
    tics += fmt::format("'{}' {:.17g}", label, v);
  }
  return fmt::format("set {}tics ({})\n", axis, tics);
}

}  // namespace tilecast::gp
