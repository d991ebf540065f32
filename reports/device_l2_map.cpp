#include <fmt/format.h>

#include <algorithm>

#include "reports/figures.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {

FigureOrSkipped device_l2_map(const DeviceProfile& device) {
  const Table2D& table = device.l2_first_latency_over_sm_and_line;
  if (!table.present()) return Skipped{"the device profile has no table of L2 latency over SM and line"};

  Figure figure{.name = "device_l2_map", .title = "L2 latency of " + device.gpu_name};
  const std::size_t columns = table.columns.size(), rows = table.rows.size();
  figure.dat = "# line sm latency_cycles line_offset_bytes\n";
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      figure.dat += fmt::format("{} {:g} {:.6g} {:.8g}\n", j, table.rows[i], table.y[i * columns + j],
                                table.columns[j]);
  }
  const double width = gp::column_inches, height = 2.8;
  figure.gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.5, 0.75, 0.42, 0.12);
  figure.gp += gp::palette() + "unset grid\nset border 15\nunset key\n";
  figure.gp += fmt::format(
      "set xrange [-0.5:{}.5]\nset yrange [{:g}-0.5:{:g}+0.5]\nset cbrange [{:.6g}:{:.6g}]\n", columns - 1,
      table.rows.front(), table.rows.back(), std::ranges::min(table.y), std::ranges::max(table.y));
  figure.gp += "set xlabel " + gp::text(gp::verbatim("Line of a 2 MiB page (64 of them, in order)")) +
               " offset 0,0.4\nset ylabel " + gp::text(gp::verbatim("SM")) + " offset 0,0\nset cblabel " +
               gp::text(gp::verbatim("Latency (cycles)")) + " offset 1.2,0\n";
  figure.gp +=
      fmt::format("set colorbox user origin screen {:.4f}, screen {:.4f} size screen {:.4f}, screen {:.4f}\n",
                  1 - 0.65 / width, 0.42 / height, 0.12 / width, 1 - 0.54 / height);
  figure.gp += "plot 'device_l2_map.dat' using 1:2:3 with image pixels notitle\nunset output\n";
  figure.caption = fmt::format(
      "Latency of an L2 hit on {} by the SM that loads and the line that is loaded: two partitions, near and "
      "far. "
      "Source: {}.",
      device.gpu_name, table.provenance.source);
  return figure;
}

}  // namespace tilecast
