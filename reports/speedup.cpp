#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/figures.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {

FigureOrSkipped speedup(std::span<const SpeedupBar> bars) {
  if (bars.empty()) return Skipped{"no layer with both a measured kernel and a measured library baseline"};

  double sum = 0, log_sum = 0, high = 1;
  bool choices = false;
  for (const auto& b : bars) {
    sum += b.best;
    log_sum += std::log(b.best);
    high = std::max(high, b.best);
    choices = choices || b.predicted_choice.has_value();
  }
  const double n = static_cast<double>(bars.size());
  const double arithmetic = sum / n, geometric = std::exp(log_sum / n);

  Figure figure{.name = "speedup", .title = "Speed-up over the fastest library algorithm", .wide = true};
  figure.dat = "# index best_measured predicted_choice layer fastest_library_algorithm\n";
  std::string tics;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const auto& b = bars[i];
    figure.dat += fmt::format("{} {:.4g} {} \"{}\" \"{}\"\n", i, b.best,
                              b.predicted_choice ? fmt::format("{:.4g}", *b.predicted_choice) : "NaN",
                              b.layer, b.baseline);
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", gp::text(gp::verbatim(b.layer)), i);
  }

  // Layer names stand upright below the axis; the margin follows the longest.
  std::size_t longest = 0;
  for (const auto& b : bars)
    longest = std::max(longest, b.layer.size());
  const double bottom = std::min(2.0, 0.15 + 0.062 * static_cast<double>(longest));
  const double width = gp::page_inches, height = 1.9 + bottom;
  const std::string size = bars.size() > 60 ? "5" : bars.size() > 40 ? "6" : "7";
  figure.gp = gp::head(figure.name, figure.title, width, height) +
              gp::margins(width, height, 0.5, 0.12, bottom, 0.35);
  figure.gp += fmt::format("set xrange [-0.7:{}.7]\nset yrange [0:{:.4g}]\n", bars.size() - 1, high * 1.08);
  figure.gp += "unset grid\nset grid ytics linecolor rgb '#d8d8d8' linewidth 0.4 dashtype 1\n";
  figure.gp += fmt::format("set xtics rotate by 90 right font ',{}' scale 0 ({})\n", size, tics);
  figure.gp += "set ylabel " + gp::text({"Speed-up (×)", "Speed-up ($\\times$)"}) + " offset 0.3,0\n";
  figure.gp +=
      "set key at screen 0.5, screen 0.99 center top horizontal maxrows 1 Left reverse\nset style fill solid "
      "1 noborder\n";
  figure.gp += fmt::format("geometric = {:.5g}; arithmetic = {:.5g}\n", geometric, arithmetic);
  figure.gp +=
      fmt::format("plot '{0}.dat' using 1:2:(0.7) with boxes linecolor rgb '#56b4e9' title {1}, \\\n",
                  figure.name, gp::text(gp::verbatim("fastest measured config")));
  if (choices) {
    figure.gp += fmt::format(
        "  '{0}.dat' using 1:3 with points pointtype 13 pointsize 0.7 linecolor rgb '#000000' title {1}, "
        "\\\n",
        figure.name, gp::text(gp::verbatim("config chosen by the model")));
  }
  figure.gp += fmt::format(
      "  1 with lines linewidth 1 linecolor rgb '#000000' notitle, \\\n"
      "  geometric with lines linewidth 1.2 dashtype 2 linecolor rgb '#d55e00' title {}, \\\n"
      "  arithmetic with lines linewidth 1.2 dashtype 3 linecolor rgb '#009e73' title {}\n",
      gp::text({fmt::format("geometric mean {:.2f}×", geometric),
                fmt::format("geometric mean {:.2f}$\\times$", geometric)}),
      gp::text({fmt::format("arithmetic mean {:.2f}×", arithmetic),
                fmt::format("arithmetic mean {:.2f}$\\times$", arithmetic)}));
  figure.gp += "unset output\n";
  figure.caption = fmt::format(
      "Time of the library's fastest algorithm divided by the time of our fastest measured config, for {} "
      "layers; above "
      "1 ours is faster. Means over the layers: geometric {:.2f}, arithmetic {:.2f}.{}",
      bars.size(), geometric, arithmetic,
      choices ? " Diamonds: the config that the model would have chosen, as measured." : "");
  return figure;
}

}  // namespace tilecast
