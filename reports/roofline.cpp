#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/figures.hpp"
#include "reports/gp_script.hpp"

namespace tilecast {

namespace {

struct Roof {
  gp::Label name;
  Bandwidth rate;
  int dash;
};

std::vector<Roof> roofs_of(const DeviceProfile& device) {
  std::vector<Roof> roofs;
  const auto roof = [&](const Parameter<Bandwidth>& p, const std::string& name, int dash) {
    if (!p.present()) return;
    roofs.push_back({gp::verbatim(fmt::format("{} {:.2f} TB/s", name, p.get().value() / 1e12)), *p, dash});
  };
  const bool measured = device.dram_read.present();
  roof(measured ? device.dram_read : device.dram_peak, measured ? "DRAM read" : "DRAM peak", 1);
  roof(device.l2_read, "L2 read", 2);
  return roofs;
}

// In flops (two an FMA) per second; where the rate was not measured, one FMA a lane and cycle.
double peak_of(const DeviceProfile& device) {
  const PerCycle rate =
      device.fma_rate.present() ? *device.fma_rate : PerCycle{static_cast<double>(*device.fp32_lanes_per_sm)};
  return 2 * (rate * *device.sm_clock).value() * static_cast<double>(*device.sm_count);
}

// By family, those that nobody measured apart.
using Layers = std::map<std::string, std::vector<const RooflinePoint*>>;

Layers layers_of(std::span<const RooflinePoint> points) {
  Layers layers;
  for (const auto& p : points)
    layers[p.family + (p.measured ? "" : " (predicted)")].push_back(&p);
  return layers;
}

std::string plots_of_roofs(const std::vector<Roof>& roofs) {
  if (roofs.empty()) return "peak with lines linewidth 1.3 linecolor rgb '#404040' notitle";
  std::string plots;
  for (const auto& r : roofs) {
    plots += fmt::format(
        "{}(x*{:.6g} < peak ? x*{:.6g} : peak) with lines linewidth 1.3 dashtype {} linecolor rgb '#404040' "
        "title {}",
        plots.empty() ? "" : ", \\\n  ", r.rate.value() / 1e12, r.rate.value() / 1e12, r.dash,
        gp::text(r.name));
  }
  return plots;
}

// Adds the layers' data; returns what draws them. A family has one colour: those of its layers that nobody
// measured have the mark of another.
std::string add_layers(Figure& figure, const Layers& layers) {
  std::string plots;
  std::size_t index = 0, colours = 0;
  std::map<std::string, std::string_view> colour_of;
  for (const auto& [family, list] : layers) {
    figure.dat += fmt::format("# {}: flop_per_byte flop_per_s layer\n", family);
    for (const auto* p : list)
      figure.dat += fmt::format("{:.6g} {:.6g} \"{}\"\n", p->flops_per_byte, p->rate.value(), p->layer);
    figure.dat += "\n\n";
    const auto [colour, is_new] = colour_of.try_emplace(list.front()->family);
    if (is_new) colour->second = gp::series(colours++).colour;
    plots += fmt::format(
        ", \\\n  '{}.dat' index {} using 1:($2/1e12) with points pointtype {} pointsize 0.6 linewidth 0.8 "
        "linecolor rgb '{}' title {}",
        figure.name, index, gp::series(index).shape, colour->second, gp::text(gp::verbatim(family)));
    ++index;
  }
  return plots;
}

struct Ranges {
  gp::Range x, y;
};

Ranges ranges_of(std::span<const RooflinePoint> points, const std::vector<Roof>& roofs, double peak) {
  double x_low = 1e300, x_high = 0, y_low = 1e300;
  for (const auto& p : points) {
    x_low = std::min(x_low, p.flops_per_byte);
    x_high = std::max(x_high, p.flops_per_byte);
    y_low = std::min(y_low, p.rate.value());
  }
  for (const auto& r : roofs)
    x_high = std::max(x_high, peak / r.rate.value());  // the ridges belong into the picture
  return {gp::log_range(x_low, x_high, 1.8), {y_low / 2 / 1e12, peak * 3.2 / 1e12}};
}

std::string frame(const Figure& figure, const Ranges& ranges, double peak, bool measured_rate) {
  const auto& [x, y] = ranges;
  const double width = gp::column_inches, height = 3.4;
  std::string gp =
      gp::head(figure.name, figure.title, width, height) + gp::margins(width, height, 0.56, 0.12, 0.42, 0.62);
  gp += fmt::format("peak = {:.6g}  # Tflop/s\n", peak / 1e12);
  gp += fmt::format("set logscale xy\nset xrange [{:.6g}:{:.6g}]\nset yrange [{:.6g}:{:.6g}]\n", x.low,
                    x.high, y.low, y.high);
  gp += gp::log_tics("x", x) + gp::log_tics("y", y);
  gp += "set xlabel " + gp::text(gp::verbatim("Arithmetic intensity (flop per compulsory byte)")) +
        " offset 0,0.4\n";
  gp += "set ylabel " + gp::text(gp::verbatim("Rate (Tflop/s)")) + " offset 0.5,0\n";
  gp +=
      "set key at screen 0.5, screen 0.995 center top horizontal maxcols 2 width -5 Left reverse font ',7'\n"
      "set samples 400\n";
  return gp + fmt::format("set label {} at {:.6g}, peak right offset 0,0.5 font ',7'\n",
                          gp::text(gp::verbatim(fmt::format("FMA{} {:.1f} Tflop/s",
                                                            measured_rate ? "" : " peak", peak / 1e12))),
                          x.high / 1.05);
}

std::string_view how_known(std::span<const RooflinePoint> points) {
  const auto is_measured = [](const RooflinePoint& p) { return p.measured; };
  if (std::ranges::all_of(points, is_measured)) return ", as measured";
  if (std::ranges::none_of(points, is_measured)) return ", as predicted";
  return ", measured where there is a measurement";
}

}  // namespace

FigureOrSkipped roofline(std::span<const RooflinePoint> points, const DeviceProfile& device) {
  if (points.empty()) return Skipped{"no layers"};
  if (!device.sm_clock.present() || !device.fp32_lanes_per_sm.present() || !device.sm_count.present())
    return Skipped{"the device profile has no SM clock, lanes or SM count"};
  const auto roofs = roofs_of(device);
  const double peak = peak_of(device);

  Figure figure{.name = "roofline", .title = "Roofline of " + device.gpu_name, .caption = ""};
  const auto plots = plots_of_roofs(roofs) + add_layers(figure, layers_of(points));
  figure.gp = frame(figure, ranges_of(points, roofs, peak), peak, device.fma_rate.present()) + "plot " +
              plots + "\nunset output\n";
  figure.caption = fmt::format(
      "Each layer's fastest config{} under the roofs of {}. The intensity counts each tensor's bytes once; a "
      "layer whose tensors stay in L2 may lie above the DRAM roof.",
      how_known(points), device.gpu_name);
  return figure;
}

}  // namespace tilecast
