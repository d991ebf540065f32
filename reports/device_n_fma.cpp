#include <fmt/format.h>

#include <algorithm>

#include "reports/figures.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {

FigureOrSkipped device_n_fma(const DeviceProfile& device) {
  const Curve& idle = device.round_over_fmas_idle;
  const Curve& loaded = device.round_over_fmas_loaded;
  if (!idle.present() || !loaded.present())
    return Skipped{"the device profile has no curves of rounds over the FMAs between load and use"};

  Figure figure{.name = "device_n_fma", .title = "N_FMA of " + device.gpu_name};
  double high = 0;
  const auto block = [&](const char* what, const Curve& curve) {
    figure.dat += fmt::format("# {}: fmas_per_sm cycles\n", what);
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      figure.dat += fmt::format("{:.8g} {:.6g}\n", curve.x[i], curve.y[i]);
    figure.dat += "\n\n";
    high = std::max(high, std::ranges::max(curve.y));
  };
  block("idle", idle);
  block("loaded", loaded);

  const double width = gp::column_inches, height = 2.6;
  figure.gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.56, 0.12, 0.42, 0.12);
  figure.gp += fmt::format("set xrange [0:{:.6g}]\nset yrange [0:{:.6g}]\nset key top left Left reverse\n",
                           std::max(idle.x.back(), loaded.x.back()) * 1.03 / 1e3, high * 1.1);
  figure.gp += "set xlabel " + gp::text(gp::verbatim("FMAs of an SM between load and use (thousands)")) +
               " offset 0,0.4\nset ylabel " + gp::text(gp::verbatim("One round (cycles)")) +
               " offset 0.3,0\n";
  const auto mark = [&](const Parameter<double>& parameter, std::size_t series) {
    if (!parameter.present()) return std::string();
    const double value = parameter.get();
    figure.gp += fmt::format(
        "set arrow from first {0:.6g}, graph 0 to first {0:.6g}, graph 0.6 nohead dashtype 3 linewidth 1 "
        "linecolor rgb "
        "'{1}'\n",
        value / 1e3, gp::series(series).colour);
    return fmt::format(": {:.1f} thousand", value / 1e3);
  };
  const std::string of_idle = mark(device.n_fma_idle, 0), of_loaded = mark(device.n_fma_loaded, 1);
  const auto line = [&](std::size_t i, const std::string& title) {
    return fmt::format(
        "'{}.dat' index {} using ($1/1e3):2 with linespoints pointtype {} pointsize 0.4 linewidth 1.2 "
        "linecolor rgb "
        "'{}' title {}",
        figure.name, i, gp::series(i).shape, gp::series(i).colour, gp::text(gp::verbatim(title)));
  };
  figure.gp += "plot " + line(0, "one SM, device idle" + of_idle) + ", \\\n  " +
               line(1, "all SMs, 16 KiB each" + of_loaded) + "\nunset output\n";
  figure.caption = fmt::format(
      "Cycles of one round of load, FMAs and use on {} over the FMAs in between: flat while the load is "
      "waited for, "
      "then rising with the FMAs. The knee (dotted) is N_FMA. Source: {}.",
      device.gpu_name, idle.provenance.source);
  return figure;
}

}  // namespace tilecast
