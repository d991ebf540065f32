#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/figures.hpp"
#include "reports/format.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {

FigureOrSkipped device_latency(const DeviceProfile& device) {
  const Curve& curve = device.latency_over_footprint;
  if (!curve.present()) return Skipped{"the device profile has no curve of latency over footprint"};

  Figure figure{.name = "device_latency", .title = "Memory latency of " + device.gpu_name};
  figure.dat = "# footprint_bytes latency_cycles low high\n";
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double low = curve.y_low.empty() ? curve.y[i] : curve.y_low[i];
    const double high = curve.y_high.empty() ? curve.y[i] : curve.y_high[i];
    figure.dat += fmt::format("{:.8g} {:.6g} {:.6g} {:.6g}\n", curve.x[i], curve.y[i], low, high);
  }

  const double top = std::ranges::max(curve.y) * 1.22;
  const gp::Range x = gp::log_range(curve.x.front(), curve.x.back(), 1.3);
  const double width = gp::column_inches, height = 2.6;
  figure.gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.56, 0.12, 0.42, 0.12);
  figure.gp += fmt::format("set logscale x 2\nset xrange [{:.8g}:{:.8g}]\nset yrange [0:{:.6g}]\n", x.low,
                           x.high, top);
  figure.gp += gp::binary_tics("x", x, true);
  figure.gp += "set xlabel " + gp::text(gp::verbatim("Footprint (bytes, K = 1024)")) + " offset 0,0.4\n";
  figure.gp += "set ylabel " + gp::text(gp::verbatim("Latency (cycles)")) + " offset 0.3,0\nunset key\n";
  const auto level = [&](const Parameter<Cycles>& p, const std::string& name) {
    if (!p.present() || p.get().value() > top) return;
    figure.gp += fmt::format(
        "set arrow from graph 0, first {0:.6g} to graph 1, first {0:.6g} nohead dashtype 3 linewidth 0.8 "
        "linecolor rgb '#606060'\n"
        "set label {1} at graph 0.015, first {0:.6g} left offset 0,0.6 font ',7' textcolor rgb '#404040'\n",
        p.get().value(), gp::text(gp::verbatim(fmt::format("{} {:.0f}", name, p.get().value()))));
  };
  level(device.l1_latency, "L1");
  level(device.l2_latency, "L2");
  level(device.dram_latency, "DRAM");
  int edges = 0;
  const auto edge = [&](const Parameter<Bytes>& p, const std::string& name) {
    if (!p.present() || p.get().value() < x.low || p.get().value() > x.high) return;
    const bool left = p.get().value() > std::sqrt(x.low * x.high);  // the text goes where there is room
    figure.gp += fmt::format(
        "set arrow from first {0:.8g}, graph 0 to first {0:.8g}, graph 1 nohead dashtype 2 linewidth 0.8 "
        "linecolor rgb '#d55e00'\n"
        "set label {1} at first {0:.8g}, graph {3:.2f} {2} font ',7' textcolor rgb '#a04000'\n",
        p.get().value(), gp::text(gp::verbatim(name + " " + format_binary_bytes(*p))),
        left ? "right offset -0.5,0" : "left offset 0.5,0", 0.97 - 0.08 * edges++);
  };
  // L1 and shared memory are one array; the profile knows its shared part.
  edge(device.shared_per_sm, "L1/shared");
  edge(device.l2_size, "L2");
  if (!curve.y_low.empty())
    figure.gp += "plot 'device_latency.dat' using 1:3:4 with filledcurves linecolor rgb '#cfe3f0', \\\n  ";
  else
    figure.gp += "plot ";
  figure.gp +=
      "'device_latency.dat' using 1:2 with linespoints pointtype 7 pointsize 0.3 linewidth 1.2 linecolor rgb "
      "'#0072b2'\n";
  figure.gp += "unset output\n";
  figure.caption = fmt::format(
      "Latency of one dependent load on {} over the bytes it wanders through. Dashed: capacity of the SM's "
      "shared "
      "memory, which the L1 cache shares, and of the L2; dotted: the latencies that the models use. Source: "
      "{}.",
      device.gpu_name, curve.provenance.source);
  return figure;
}

}  // namespace tilecast
