#include <fmt/format.h>

#include <algorithm>

#include "reports/figures.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {

FigureOrSkipped device_loaded_latency(const DeviceProfile& device) {
  const Curve& median = device.dram_latency_over_load;
  const Curve& mean = device.dram_latency_mean_over_load;
  const Curve& low = device.dram_latency_p10_over_load;
  const Curve& high = device.dram_latency_p90_over_load;
  if (!median.present() || low.x.size() != median.x.size() || high.x.size() != median.x.size())
    return Skipped{"the device profile has no curves of DRAM latency over load"};

  Figure figure{.name = "device_loaded_latency", .title = "DRAM latency under load, " + device.gpu_name};
  figure.dat = "# bytes_per_s median_cycles p10 p90 mean\n";
  for (std::size_t i = 0; i < median.x.size(); ++i) {
    figure.dat += fmt::format("{:.6g} {:.6g} {:.6g} {:.6g} {}\n", median.x[i], median.y[i], low.y[i],
                              high.y[i], i < mean.y.size() ? fmt::format("{:.6g}", mean.y[i]) : "nan");
  }
  const double width = gp::column_inches, height = 2.6;
  figure.gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.56, 0.12, 0.42, 0.12);
  figure.gp += fmt::format("set xrange [0:{:.6g}]\nset yrange [0:{:.6g}]\nset key top left Left reverse\n",
                           median.x.back() * 1.05 / 1e12, std::ranges::max(high.y) * 1.08);
  figure.gp += "set xlabel " + gp::text(gp::verbatim("DRAM bandwidth taken by the other SMs (TB/s)")) +
               " offset 0,0.4\nset ylabel " + gp::text(gp::verbatim("Latency (cycles)")) + " offset 0.3,0\n";
  figure.gp += fmt::format(
      "plot '{0}.dat' using ($1/1e12):3:4 with filledcurves linecolor rgb '#cfe3f0' title {1}, \\\n"
      "  '{0}.dat' using ($1/1e12):2 with linespoints pointtype 7 pointsize 0.3 linewidth 1.2 linecolor rgb "
      "'#0072b2' title {2}, \\\n"
      "  '{0}.dat' using ($1/1e12):5 with lines dashtype 2 linewidth 1.2 linecolor rgb '#d55e00' title {3}\n",
      figure.name, gp::text(gp::verbatim("10 % to 90 %")), gp::text(gp::verbatim("median")),
      gp::text(gp::verbatim("mean")));
  figure.gp += "unset output\n";
  figure.caption = fmt::format(
      "Latency of one dependent load from DRAM on {} while the other SMs read at the given bandwidth. "
      "Source: {}.",
      device.gpu_name, median.provenance.source);
  return figure;
}

}  // namespace tilecast
