#pragma once
// The parts that every gnuplot script of ours shares: the head that chooses the terminal, text that is right
// in each terminal, colours, axis tics.

#include <string>
#include <string_view>
#include <vector>

namespace tilecast::gp {

inline constexpr double column_inches = 3.5;  // IEEE column and page
inline constexpr double page_inches = 7.16;

// One text in two spellings: gnuplot's enhanced text for SVG and PDF, LaTeX for cairolatex.
struct Label {
  std::string enhanced, latex;
};
Label verbatim(std::string_view any);  // shows exactly `any` in each terminal
Label operator+(const Label& a, const Label& b);
// T('enhanced', 'latex'): the expression for a script; T is defined by head().
std::string text(const Label& label);

// Comment, terminal, fonts and defaults of figure `name`, `width` x `height` inches.
std::string head(std::string_view name, std::string_view title, double width, double height);

// Plot area in inches from the figure's edges, so that no label is cut off in any terminal.
std::string margins(double width, double height, double left, double right, double bottom, double top);

// Okabe and Ito's colours, safe for colour-blind readers, each with a point shape of its own, so that a
// series is known in grey print too. Wraps around after eight.
struct Series {
  std::string_view colour;  // "#0072b2"
  int shape;                // gnuplot's point type
  int dash;                 // gnuplot's dash type
};
const Series& series(std::size_t index);

// viridis: luminance rises steadily, so that the map survives grey print.
std::string palette();

struct Range {
  double low, high;
};
// The smallest range around both values with `margin` to spare (a factor, > 1), for a logarithmic axis.
Range log_range(double low, double high, double margin);
// "set xtics (...)" with labels at 1-2-5 steps, at 1-2 or decades where the range is long.
std::string log_tics(std::string_view axis, Range range);
// The same at powers of two, written with binary prefixes (KiB, MiB) when `bytes`.
std::string binary_tics(std::string_view axis, Range range, bool bytes, int most = 9);

}  // namespace tilecast::gp
