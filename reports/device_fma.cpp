#include <fmt/format.h>

#include <algorithm>

#include "reports/figures.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {

FigureOrSkipped device_fma(const DeviceProfile& device) {
  const Table2D& table = device.fma_rate_over_warps_and_ilp;
  if (!table.present()) return Skipped{"the device profile has no table of FMA rate over warps and ILP"};

  Figure figure{.name = "device_fma", .title = "FMA rate of " + device.gpu_name};
  figure.dat = "# column row fma_per_cycle_per_sm ilp warps\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    for (std::size_t j = 0; j < table.columns.size(); ++j)
      figure.dat += fmt::format("{} {} {:.6g} {:g} {:g}\n", j, i, table.y[i * table.columns.size() + j],
                                table.columns[j], table.rows[i]);
  }
  const double best = std::ranges::max(table.y);
  const double width = gp::column_inches, height = 2.8;
  figure.gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.5, 0.75, 0.42, 0.12);
  figure.gp += gp::palette() + "unset grid\nset border 15\nunset key\n";
  figure.gp += fmt::format("set xrange [-0.5:{}.5]\nset yrange [-0.5:{}.5]\nset cbrange [0:{:.6g}]\n",
                           table.columns.size() - 1, table.rows.size() - 1, best);
  const auto tics = [](const char* axis, const std::vector<double>& values) {
    const std::size_t step = (values.size() + 15) / 16;
    std::string out;
    for (std::size_t i = 0; i < values.size(); i += step)
      out += fmt::format("{}'{:g}' {}", i == 0 ? "" : ", ", values[i], i);
    return fmt::format("set {}tics ({})\n", axis, out);
  };
  figure.gp += tics("x", table.columns) + tics("y", table.rows);
  figure.gp +=
      "set xlabel " + gp::text(gp::verbatim("Independent FMA chains in a thread (ILP)")) + " offset 0,0.4\n";
  figure.gp += "set ylabel " + gp::text(gp::verbatim("Warps on an SM")) + " offset 0,0\n";
  figure.gp += "set cblabel " + gp::text(gp::verbatim("FMA per cycle and SM")) + " offset 1.2,0\n";
  figure.gp +=
      fmt::format("set colorbox user origin screen {:.4f}, screen {:.4f} size screen {:.4f}, screen {:.4f}\n",
                  1 - 0.65 / width, 0.42 / height, 0.12 / width, 1 - 0.54 / height);
  figure.gp +=
      "plot 'device_fma.dat' using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fillstyle solid "
      "1 noborder "
      "linecolor palette notitle";
  // Numbers in the cells while they fit; dark cells get pale text.
  if (table.columns.size() <= 10 && table.rows.size() <= 16) {
    figure.gp += fmt::format(
        ", \\\n  '' using 1:2:(sprintf('%.0f', $3)):($3 < {:.6g} ? 0xffffff : 0x000000) with labels font "
        "',6.5' textcolor rgb variable notitle",
        best * 0.6);
  }
  figure.gp += "\nunset output\n";
  figure.caption = fmt::format(
      "FMAs per cycle and SM of {} over the warps on an SM and the independent chains in each thread. "
      "Source: {}.",
      device.gpu_name, table.provenance.source);
  return figure;
}

}  // namespace tilecast
