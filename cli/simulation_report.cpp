#include "cli/simulation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/disagreement.hpp"

namespace tilecast {
namespace {

double microseconds(Seconds time) {
  return time.value() * 1e6;
}

}  // namespace

std::string simulation_text(const std::string& title, const sim::Simulation& simulation,
                            const Prediction& analytic, const std::string& interval) {
  const auto& p = simulation.prediction;
  auto text =
      fmt::format("{}\n  time {:.2f} us ({:.2f} to {:.2f}), limited by {}\n  interval: {}\n", title,
                  microseconds(p.time), microseconds(p.low), microseconds(p.high), p.limiter, interval);
  text += fmt::format(
      "  the busiest SM runs {:.0f} blocks, {} at once; {:.0f} warp instructions stepped through, {} trips "
      "of "
      "loops repeat others\n",
      simulation.blocks, simulation.resident, simulation.sm.simulated, simulation.sm.skipped_trips);
  text += "  where the time goes\n";
  for (const auto& bound : p.bounds)
    text += fmt::format("    {:<18}{:>10.2f} us {:>6.1f} %  ({})\n", bound.name, microseconds(bound.time),
                        100 * bound.time.value() / p.time.value(), bound.equation);
  text += fmt::format("  analytic model {:.2f} us, limited by {}\n", microseconds(analytic.time),
                      analytic.limiter);
  return text;
}

std::string simulation_json(const std::string& title, const sim::Simulation& simulation,
                            const Prediction& analytic) {
  const auto& p = simulation.prediction;
  nlohmann::ordered_json out;
  out["kernel"] = title;
  out["time_s"] = p.time.value();
  out["low_s"] = p.low.value();
  out["high_s"] = p.high.value();
  out["limiter"] = p.limiter;
  for (const auto& bound : p.bounds)
    out["parts_s"][std::string(bound.name)] = bound.time.value();
  for (std::size_t i = 0; i < sim::cause_count; ++i)
    out["warp_cycles"][std::string(sim::cause_names[i])] = simulation.sm.stalls.warp_cycles[i];
  out["blocks_of_busiest_sm"] = simulation.blocks;
  out["blocks_at_once"] = simulation.resident;
  out["warp_instructions"] = simulation.sm.issued;
  out["warp_instructions_stepped_through"] = simulation.sm.simulated;
  out["trips_skipped"] = simulation.sm.skipped_trips;
  out["l2_bytes_of_sm"] = simulation.sm.l2_bytes;
  out["dram_bytes_of_sm"] = simulation.sm.dram_bytes;
  out["analytic_time_s"] = analytic.time.value();
  out["models_disagree"] = disagree(simulation.prediction.time, analytic.time);
  return out.dump(2) + "\n";
}

}  // namespace tilecast
