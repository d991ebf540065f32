#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/figures.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {

FigureOrSkipped roofline(std::span<const RooflinePoint> points, const DeviceProfile& device) {
  if (points.empty()) return Skipped{"no layers"};
  if (!device.sm_clock.present() || !device.fp32_lanes_per_sm.present() || !device.sm_count.present())
    return Skipped{"the device profile has no SM clock, lanes or SM count"};

  struct Roof {
    gp::Label name;
    Bandwidth rate;
    int dash;
  };
  std::vector<Roof> roofs;
  const auto roof = [&](const Parameter<Bandwidth>& p, const std::string& name, int dash) {
    if (!p.present()) return;
    roofs.push_back({gp::verbatim(fmt::format("{} {:.2f} TB/s", name, p.get().value() / 1e12)), *p, dash});
  };
  roof(device.dram_read.present() ? device.dram_read : device.dram_peak,
       device.dram_read.present() ? "DRAM read" : "DRAM peak", 1);
  roof(device.l2_read, "L2 read", 2);

  // Two flops an FMA.
  // Where the rate was not measured, one FMA a lane and cycle.
  const bool measured_rate = device.fma_rate.present();
  const PerCycle rate =
      measured_rate ? *device.fma_rate : PerCycle{static_cast<double>(*device.fp32_lanes_per_sm)};
  const double peak = 2 * (rate * *device.sm_clock).value() * static_cast<double>(*device.sm_count);
  std::map<std::string, std::vector<const RooflinePoint*>> families;
  double x_low = 1e300, x_high = 0, y_low = 1e300;
  bool measured = false, predicted = false;
  for (const auto& p : points) {
    families[p.family + (p.measured ? "" : " (predicted)")].push_back(&p);
    (p.measured ? measured : predicted) = true;
    x_low = std::min(x_low, p.flops_per_byte);
    x_high = std::max(x_high, p.flops_per_byte);
    y_low = std::min(y_low, p.rate.value());
  }
  for (const auto& r : roofs)
    x_high = std::max(x_high, peak / r.rate.value());  // the ridges belong into the picture
  const gp::Range x = gp::log_range(x_low, x_high, 1.8);
  const gp::Range y{y_low / 2 / 1e12, peak * 3.2 / 1e12};

  Figure figure{.name = "roofline", .title = "Roofline of " + device.gpu_name, .caption = ""};
  const double width = gp::column_inches, height = 3.4;
  figure.gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.56, 0.12, 0.42, 0.62);
  figure.gp += fmt::format("peak = {:.6g}  # Tflop/s\n", peak / 1e12);
  figure.gp += fmt::format("set logscale xy\nset xrange [{:.6g}:{:.6g}]\nset yrange [{:.6g}:{:.6g}]\n", x.low,
                           x.high, y.low, y.high);
  figure.gp += gp::log_tics("x", x) + gp::log_tics("y", y);
  figure.gp += "set xlabel " + gp::text(gp::verbatim("Arithmetic intensity (flop per compulsory byte)")) +
               " offset 0,0.4\n";
  figure.gp += "set ylabel " + gp::text(gp::verbatim("Rate (Tflop/s)")) + " offset 0.5,0\n";
  figure.gp +=
      "set key at screen 0.5, screen 0.995 center top horizontal maxcols 2 width -5 Left reverse font ',7'\n"
      "set samples 400\n";
  figure.gp += fmt::format(
      "set label {} at {:.6g}, peak right offset 0,0.5 font ',7'\n",
      gp::text(gp::verbatim(fmt::format("FMA{} {:.1f} Tflop/s", measured_rate ? "" : " peak", peak / 1e12))),
      x.high / 1.05);
  std::string plots;
  for (const auto& r : roofs) {
    plots += fmt::format(
        "{}(x*{:.6g} < peak ? x*{:.6g} : peak) with lines linewidth 1.3 dashtype {} linecolor rgb '#404040' "
        "title {}",
        plots.empty() ? "" : ", \\\n  ", r.rate.value() / 1e12, r.rate.value() / 1e12, r.dash,
        gp::text(r.name));
  }
  if (roofs.empty()) plots = "peak with lines linewidth 1.3 linecolor rgb '#404040' notitle";
  // A family has one colour: those of its layers that nobody measured have the mark of another.
  std::size_t index = 0, colours = 0;
  std::map<std::string, std::string_view> colour_of;
  for (const auto& [family, list] : families) {
    figure.dat += fmt::format("# {}: flop_per_byte flop_per_s layer\n", family);
    for (const auto* p : list)
      figure.dat += fmt::format("{:.6g} {:.6g} \"{}\"\n", p->flops_per_byte, p->rate.value(), p->layer);
    figure.dat += "\n\n";
    const auto& style = gp::series(index);
    const auto [colour, is_new] = colour_of.try_emplace(list.front()->family);
    if (is_new) colour->second = gp::series(colours++).colour;
    plots += fmt::format(
        ", \\\n  '{}.dat' index {} using 1:($2/1e12) with points pointtype {} pointsize 0.6 linewidth 0.8 "
        "linecolor rgb '{}' "
        "title {}",
        figure.name, index, style.shape, colour->second, gp::text(gp::verbatim(family)));
    ++index;
  }
  figure.gp += "plot " + plots + "\nunset output\n";
  figure.caption = fmt::format(
      "Each layer's fastest config{} under the roofs of {}. The intensity counts each tensor's bytes once; a "
      "layer "
      "whose tensors stay in L2 may lie above the DRAM roof.",
      measured && predicted ? ", measured where there is a measurement"
      : measured            ? ", as measured"
                            : ", as predicted",
      device.gpu_name);
  return figure;
}

}  // namespace tilecast
