#pragma once
// Pieces of a page that loads nothing from anywhere.

#include <string>
#include <string_view>

namespace tilecast {

std::string html_escaped(std::string_view text);  // for text and for attributes in double quotes

// A gnuplot SVG as an element of an HTML page: no XML head, no namespace addresses, every id (and every
// reference to one) made the figure's own, named for screen readers by `title`.
std::string inline_svg(std::string_view svg, std::string_view name, std::string_view title);

// "data:text/csv;charset=utf-8,...": what a download link points to.
std::string csv_data_link(std::string_view csv);
// "data:application/gzip;base64,...", of what gzip() gave.
std::string gzip_data_link(std::string_view packed);

}  // namespace tilecast
