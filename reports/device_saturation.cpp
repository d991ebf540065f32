#include <fmt/format.h>

#include <algorithm>

#include "reports/figures.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {
namespace {

struct Mechanism {
  const char* name;
  const Curve* curve;
  const Parameter<Bytes>* v_s;  // at 95 % of its own plateau
};

}  // namespace

FigureOrSkipped device_saturation(const DeviceProfile& device) {
  const Mechanism all[] = {
      {"16-byte loads", &device.dram_read_over_bytes_in_flight, &device.v_s_95},
      {"4-byte loads", &device.dram_read_load4_over_bytes_in_flight, &device.v_s_95_load4},
      {"cp.async", &device.dram_read_cp_async_over_bytes_in_flight, &device.v_s_95_cp_async},
      {"bulk copies", &device.dram_read_bulk_over_bytes_in_flight, &device.v_s_95_bulk},
      {"few warps, 8 loads each", &device.dram_read_deep_over_bytes_in_flight, &device.v_s_95_deep},
  };
  if (!device.sm_count.present() || !all[2].curve->present())
    return Skipped{"the device profile has no curves of DRAM bandwidth by mechanism"};
  const double per_sm = 1024.0 * static_cast<double>(*device.sm_count);  // KiB an SM

  Figure figure{.name = "device_saturation", .title = "Bytes in flight that DRAM takes, " + device.gpu_name};
  const double width = gp::column_inches, height = 2.8;
  double x_high = 0, y_high = 0;
  std::string plot, marks;
  std::size_t block = 0;
  for (const Mechanism& m : all) {
    if (!m.curve->present()) continue;
    figure.dat += fmt::format("# {}: kib_per_sm bytes_per_s\n", m.name);
    for (std::size_t i = 0; i < m.curve->x.size(); ++i)
      figure.dat += fmt::format("{:.6g} {:.6g}\n", m.curve->x[i] / per_sm, m.curve->y[i]);
    figure.dat += "\n\n";
    y_high = std::max(y_high, std::ranges::max(m.curve->y));
    x_high = std::max(x_high, m.v_s->present() ? 2.2 * m.v_s->get().value() / per_sm : 0.0);
    const auto& style = gp::series(block);
    plot += fmt::format(
        "{}'{}.dat' index {} using 1:($2/1e12) with linespoints pointtype {} pointsize 0.35 linewidth 1.1 "
        "linecolor rgb '{}' title {}",
        block == 0 ? "" : ", \\\n  ", figure.name, block, style.shape, style.colour,
        gp::text(gp::verbatim(m.v_s->present()
                                  ? fmt::format("{}: {:.1f} KiB", m.name, m.v_s->get().value() / per_sm)
                                  : m.name)));
    if (m.v_s->present())
      marks += fmt::format(
          "set arrow from first {0:.6g}, graph 0 to first {0:.6g}, graph 1 nohead dashtype 3 linewidth 0.9 "
          "linecolor "
          "rgb '{1}'\n",
          m.v_s->get().value() / per_sm, style.colour);
    ++block;
  }
  if (device.v_s_little.present())
    marks += fmt::format(
        "set arrow from first {0:.6g}, graph 0 to first {0:.6g}, graph 1 nohead linewidth 1 linecolor rgb "
        "'#606060'\n"
        "set label {1} at first {0:.6g}, graph 0.95 right offset -0.4,0 font ',7' textcolor rgb '#404040'\n",
        device.v_s_little.get().value() / per_sm,
        gp::text(gp::verbatim(fmt::format("Little {:.1f}", device.v_s_little.get().value() / per_sm))));
  figure.gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.5, 0.12, 0.42, 0.12);
  figure.gp += fmt::format("set xrange [0:{:.6g}]\nset yrange [0:{:.6g}]\n", x_high, y_high * 1.1 / 1e12);
  figure.gp += "set xlabel " + gp::text(gp::verbatim("Bytes in flight on each SM (KiB)")) + " offset 0,0.4\n";
  figure.gp += "set ylabel " + gp::text(gp::verbatim("DRAM read (TB/s)")) + " offset 0.3,0\n";
  figure.gp += "set key bottom right opaque font ',7' title " +
               gp::text({"V_s at 95 %", "$V_s$ at 95\\,\\%"}) + " font ',7'\n";
  figure.gp += marks + "plot " + plot + "\nunset output\n";
  figure.caption = fmt::format(
      "DRAM read bandwidth of {} over the bytes that each SM has in flight, by what brings them. Dotted: "
      "where each "
      "reaches 95 % of its own plateau (V_s); grey: idle latency times bandwidth (Little's law). Source: {}.",
      device.gpu_name, all[0].curve->provenance.source);
  return figure;
}

}  // namespace tilecast
