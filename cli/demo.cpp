// demo: the whole way from a device profile to a report, on data that the program carries.

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/results_options.hpp"
#include "cli/table.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "reports/gnuplot.hpp"
#include "reports/select.hpp"
#include "validation/measurement_store.hpp"

namespace tilecast {
namespace {

namespace po = boost::program_options;

po::options_description demo_options() {
  po::options_description options("Options");
  add_results_options(options);
  options.add_options()("device,d", po::value<std::string>()->value_name("NAME|FILE"),
                        "device profile (default: the first shipped one with recorded measurements)")(
      "out,o", po::value<std::string>()->value_name("FOLDER")->default_value("out/demo"),
      "folder to write to");
  return options;
}

DeviceProfile demo_device(const po::variables_map& values) {
  if (values.count("device") > 0) return load_device(values["device"].as<std::string>());
  const auto names = device_names();
  for (const auto& name : names) {
    DeviceProfile device = load_device(name);
    if (!recorded_measurements(device.gpu_name).empty()) return device;
  }
  return load_device("h100");
}

std::string scores_text(const std::vector<ScoreLine>& scores) {
  ResultTable table({{"family", "family"},
                     {"suite", "suite"},
                     {"layers", "layers"},
                     {"n", "configs"},
                     {"median_abs_error", "median error [%]", 3},
                     {"p90_abs_error", "p90 [%]", 3},
                     {"top1_regret_mean", "top-1 regret [%]", 3}});
  for (const auto& s : scores) {
    table.add({s.family, s.suite, s.layers, s.n, 100 * s.median_abs_error.value_or(0),
               100 * s.p90_abs_error.value_or(0), 100 * s.top1_regret_mean});
  }
  return table.text();
}

// Some layers with the model's choice, when there is nothing to compare it with.
std::string predictions_text(const Evaluation& evaluation) {
  ResultTable table({{"family", "family"},
                     {"layer", "layer"},
                     {"configs", "configs"},
                     {"choice", "predicted fastest"},
                     {"time_us", "time [us]", 3},
                     {"limiter", "limiter"}});
  const auto layers = layer_lines(evaluation.points, evaluation.baselines);
  const std::size_t step = layers.size() / 12 + 1;
  for (std::size_t i = 0; i < layers.size(); i += step) {
    const auto& l = layers[i];
    table.add({l.family, l.layer, static_cast<std::int64_t>(l.configs), describe_config(l.chosen),
               l.chosen_predicted.value() * 1e6, l.limiter});
  }
  return table.text();
}

ExitCode run_demo(const po::variables_map& values, CommandStreams streams) {
  const auto start = std::chrono::steady_clock::now();
  const std::filesystem::path folder = values["out"].as<std::string>();
  const DeviceProfile device = demo_device(values);
  const Evaluation evaluation = evaluation_option(values, device, streams.err);
  streams.out << fmt::format("{}: {} configs predicted, {} of them measured\n\n", device.gpu_name,
                             evaluation.points.size(), evaluation.measured);
  if (evaluation.measured == 0) {
    streams.out
        << "No measurements are recorded for this device: these are predictions, and nothing checks them.\n\n"
        << predictions_text(evaluation) << '\n';
  } else {
    streams.out << scores_text(score_lines(evaluation)) << '\n';
  }

  DrawnFigures figures = draw_all(device, evaluation);
  const bool gnuplot_missing = figures.gnuplot_missing;
  for (const auto& f : figures.figures) {
    write_figure(f.figure, folder / "figures");
    if (!f.svg.empty()) write_file((folder / "figures" / (f.figure.name + ".svg")).string(), f.svg);
  }
  const ReportInputs page = report_page(device, evaluation, std::move(figures));
  write_tables(page, folder / "tables");
  write_file((folder / "report.html").string(), report_html(page));

  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  streams.out << fmt::format("report:  {}\nfigures: {}\ntables:  {}\n", (folder / "report.html").string(),
                             (folder / "figures").string(), (folder / "tables").string());
  streams.err << fmt::format("done in {:.1f} s\n", took.count());
  if (gnuplot_missing)
    throw UnavailableError("gnuplot is not installed; the report has no figures", "apt install gnuplot-nox");
  return ExitCode::success;
}

}  // namespace

Command demo_command() {
  return {.name = "demo",
          .summary = "predict, compare and report on the data that the program carries",
          .usage = "demo [options]",
          .examples = "tilecast demo\ntilecast demo -d a100 -o out/a100",
          .options = demo_options,
          .positional = {},
          .run = run_demo};
}

}  // namespace tilecast
