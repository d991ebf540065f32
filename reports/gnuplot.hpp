#pragma once
// Figures to files: the script and its data always; SVG, PDF and LaTeX where gnuplot is installed.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/figure.hpp"

namespace tilecast {

enum class FigureFormat { svg, pdf, tex };

// "svg,pdf,tex" in any order; throws UsageError with the nearest known name.
std::vector<FigureFormat> parse_figure_formats(std::string_view list);

// gnuplot's path by PATH; nullopt when it is not installed.
std::optional<std::filesystem::path> find_gnuplot();

// NAME.gp and NAME.dat into `folder`, which is created.
void write_figure(const Figure& figure, const std::filesystem::path& folder);

// write_figure(), then gnuplot in that folder, without a shell and without the user's start-up file. SVG and
// .tex are the same bytes for the same figure; a PDF holds its date. Throws UnavailableError when gnuplot is
// missing (the script and the data are there all the same), Error (failure) with gnuplot's message when it
// fails.
void draw_figure(const Figure& figure, const std::filesystem::path& folder,
                 std::span<const FigureFormat> formats);

// The figure as SVG text, drawn in a temporary folder.
std::string figure_svg(const Figure& figure);

}  // namespace tilecast
