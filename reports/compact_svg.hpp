#pragma once
// gnuplot's SVG in fewer bytes, drawn the same.

#include <string>
#include <string_view>

namespace tilecast {

// gnuplot writes an element a line, each mark and each cell of a map with all that it shares with the one
// before. Marks in a row that differ in place alone become one path with a marker at each point; filled
// polygons in a row become a path a colour (cells of a map: those that overlap have one colour or come in the
// palette's order); colours become hexadecimal, and indents go. Other lines stay as they are.
std::string compact_svg(std::string_view svg);

}  // namespace tilecast
