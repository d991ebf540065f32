#include <fmt/format.h>

#include <algorithm>

#include "reports/figures.hpp"
#include "reports/format.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {

FigureOrSkipped device_bandwidth(const DeviceProfile& device) {
  const Curve& read = device.dram_read_over_bytes_in_flight;
  const Curve& write = device.dram_write_over_bytes_in_flight;
  if (!read.present())
    return Skipped{"the device profile has no curve of DRAM bandwidth over bytes in flight"};

  Figure figure{.name = "device_bandwidth", .title = "DRAM bandwidth of " + device.gpu_name};
  double high = 0;
  const auto block = [&](const char* what, const Curve& curve) {
    if (!curve.present()) return;
    figure.dat += fmt::format("# {}: bytes_in_flight bytes_per_s\n", what);
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      figure.dat += fmt::format("{:.8g} {:.6g}\n", curve.x[i], curve.y[i]);
    figure.dat += "\n\n";
    high = std::max(high, std::ranges::max(curve.y));
  };
  block("read", read);
  block("write", write);

  double x_low = read.x.front(), x_high = read.x.back();
  if (write.present()) {
    x_low = std::min(x_low, write.x.front());
    x_high = std::max(x_high, write.x.back());
  }
  const gp::Range x = gp::log_range(x_low, x_high, 1.2);
  if (device.dram_peak.present()) high = std::max(high, device.dram_peak.get().value());
  const double width = gp::column_inches, height = 2.6;
  figure.gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.52, 0.15, 0.42, 0.12);
  figure.gp += fmt::format("set logscale x 2\nset xrange [{:.8g}:{:.8g}]\nset yrange [0:{:.6g}]\n", x.low,
                           x.high, high * 1.12 / 1e12);
  figure.gp += gp::binary_tics("x", x, true);
  figure.gp +=
      "set xlabel " + gp::text(gp::verbatim("Bytes in flight, whole device (K = 1024)")) + " offset 0,0.4\n";
  figure.gp += "set ylabel " + gp::text(gp::verbatim("Bandwidth (TB/s)")) +
               " offset 0.3,0\nset key at graph 0.02, graph 0.86 left top Left reverse font ',7'\n";
  if (device.dram_peak.present()) {
    figure.gp += fmt::format(
        "set arrow from graph 0, first {0:.6g} to graph 1, first {0:.6g} nohead dashtype 3 linewidth 0.8 "
        "linecolor rgb '#606060'\n"
        "set label {1} at graph 0.015, first {0:.6g} left offset 0,0.6 font ',7' textcolor rgb '#404040'\n",
        device.dram_peak.get().value() / 1e12,
        gp::text(gp::verbatim(fmt::format("peak {:.2f} TB/s", device.dram_peak.get().value() / 1e12))));
  }
  std::string keys;
  const auto mark = [&](Bytes v, const gp::Label& name, int dash) {
    if (v.value() < x.low || v.value() > x.high) return;
    figure.gp += fmt::format(
        "set arrow from first {:.8g}, graph 0 to first {:.8g}, graph 1 nohead dashtype {} linewidth 1 "
        "linecolor rgb '#d55e00'\n",
        v.value(), v.value(), dash);
    keys +=
        fmt::format(", \\\n  keyentry with lines dashtype {} linewidth 1 linecolor rgb '#d55e00' title {}",
                    dash, gp::text(name));
  };
  if (device.dram_latency.present() && device.dram_peak.present() && device.sm_clock.present()) {
    const Bytes v_s = derived_v_s(device);
    const std::string size = " by Little, " + format_binary_bytes(v_s);
    mark(v_s, {"V_s" + size, "$V_s$" + size}, 2);
  }
  if (device.v_s_95.present()) {
    const std::string size = " measured, " + format_binary_bytes(*device.v_s_95);
    mark(*device.v_s_95, {"V_{s,95}" + size, "$V_{s,95}$" + size}, 4);
  }
  figure.gp += fmt::format(
      "plot '{0}.dat' index 0 using 1:($2/1e12) with linespoints pointtype 6 pointsize 0.4 linewidth 1.2 "
      "linecolor rgb '#0072b2' title {1}",
      figure.name, gp::text(gp::verbatim("read")));
  if (write.present()) {
    figure.gp += fmt::format(
        ", \\\n  '{0}.dat' index 1 using 1:($2/1e12) with linespoints pointtype 8 pointsize 0.4 linewidth "
        "1.2 linecolor rgb '#009e73' title {1}",
        figure.name, gp::text(gp::verbatim("write")));
  }
  figure.gp += keys + "\nunset output\n";
  figure.caption = fmt::format(
      "DRAM bandwidth of {} over the bytes in flight on the whole device. V_s by Little's law is latency "
      "times "
      "bandwidth; V_s,95 is where reading was measured to reach 95 % of its plateau. Source: {}.",
      device.gpu_name, read.provenance.source);
  return figure;
}

}  // namespace tilecast
