// simulate: one kernel's machine code, stepped through warp by warp; needs NVRTC and nvdisasm, no GPU.

#include <fmt/format.h>

#include <ostream>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/disagreement.hpp"
#include "cli/models.hpp"
#include "cli/one_kernel.hpp"
#include "cli/options.hpp"
#include "cli/read_codes.hpp"
#include "cli/simulation_report.hpp"
#include "kernels/simulation/kernel_simulator.hpp"
#include "model/support/csv.hpp"

namespace tilecast {
namespace {

namespace po = boost::program_options;

OptionsDescription simulate_options() {
  OptionsDescription options;
  add_device_option(options);
  add_one_kernel_options(options);
  options.add_options()("trace", po::value<std::string>()->value_name("FILE"),
                        "write a timeline for chrome://tracing or ui.perfetto.dev")(
      "every-trip", "step through every trip of every loop, also of those that repeat")(
      "cold", "L2 holds nothing at the start (kernels are timed warm)");
  add_interval_option(options);
  add_seed_option(options, "of the latencies that are drawn; the same seed, the same result");
  add_output_options(options);
  return options;
}

void write_trace(const std::string& path, const sim::Timeline& timeline, double clock) {
  std::ostringstream text;
  sim::write_chrome_trace(text, timeline, clock);
  write_file(path, text.view());
}

ExitCode run_simulate(const OptionValues& values, CommandStreams streams) {
  const auto device = device_option(values);
  const auto format = format_option(values);
  if (format != Format::table && format != Format::json)
    throw UsageError("simulate writes a table or json", "use --format table or --format json");
  expect_output(values);
  if (values.count("trace")) expect_writable(values["trace"].as<std::string>());
  sim::Options options;
  if (values.count("cold")) options.caches = analytic::Caches::cold;
  options.seed = seed_option(values);
  options.extrapolate = values.count("every-trip") == 0;
  std::ostringstream nowhere;
  const auto kernel =
      one_kernel_option(values, device, "simulate", quiet_option(values) ? nowhere : streams.err);
  const KernelSimulator simulator(device);
  const SimulationJob job{kernel.family, kernel.shape, kernel.config};
  const auto stream = simulator.stream(job);
  const auto description = simulator.description(job);

  sim::Timeline timeline;
  if (values.count("trace")) options.timeline = &timeline;
  auto simulation = sim::simulate(description, stream, device, options);
  // As kernels are timed, and the calibration is.
  const auto calibration =
      options.caches == analytic::Caches::warm ? interval_option(values, device) : Calibration{};
  const auto interval = interval_text(simulation.prediction, "sim", kernel.family->name, calibration);
  calibrate_interval(simulation.prediction, "sim", kernel.family->name, calibration);
  if (values.count("trace"))
    write_trace(values["trace"].as<std::string>(), timeline, sim::core_parameters(device).clock);

  ReadCodes codes(device, "simulate", 1, streams.err);
  const auto launch = code_launch(*kernel.family, kernel.shape, kernel.config, device);
  codes.read({launch});
  const auto counted =
      kernel.family->describe(kernel.shape, kernel.config, device, codes.find(launch.plan.code.key()));
  const auto other = analytic::predict(counted, device, {.without = {}, .caches = options.caches});
  const auto title = fmt::format("{} {}, {} on {}", kernel.family->name, describe_config(kernel.config),
                                 describe_shape(kernel.shape), device.name);
  write_output(values,
               format == Format::table ? simulation_text(title, simulation, other, interval)
                                       : simulation_json(title, simulation, other),
               streams.out);
  if (!quiet_option(values)) {
    const TwoTimes both{title, simulation.prediction.time, other.time};
    streams.err << disagreement_warning({&both, 1});
  }
  return ExitCode::success;
}

}  // namespace

Command simulate_command() {
  return {.name = "simulate",
          .summary = "one kernel's machine code stepped through on one SM: time, stalls by cause, timeline",
          .usage = "simulate -d DEVICE --conv N,C,H,W,M,K [-f FAMILY] [--config NAME=VALUE,...] [options]",
          .examples =
              "tilecast simulate -d h200 --conv 1,256,14,14,256,3 -f chang_multi "
              "--config S_bytes=32,M_tile=64,Wx_tile=32\n"
              "tilecast simulate -d h200 --conv 1,256,14,14,256,3 -f chang_multi --trace timeline.json\n",
          .options = simulate_options,
          .positional = {},
          .run = run_simulate};
}

}  // namespace tilecast
