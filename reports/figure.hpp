#pragma once
// A figure before it is drawn: a gnuplot script and its data, both plain text that a user may edit by hand.

#include <string>
#include <variant>

namespace tilecast {

struct Figure {
  std::string name;     // "parity": NAME.gp, NAME.dat, NAME.svg, ...
  std::string title;    // short heading
  std::string caption;  // what is drawn, and how to read it; also the text alternative
  bool wide = false;    // both columns of a page instead of one
  std::string gp;       // reads NAME.dat in its own folder
  std::string dat;      // blocks divided by two blank lines, each with a '#' line that names it
};

// Why a figure cannot be drawn from the data at hand; printed as "skipped: reason".
struct Skipped {
  std::string reason;
};

using FigureOrSkipped = std::variant<Figure, Skipped>;

}  // namespace tilecast
