// report: predicted against measured on one page, an HTML file that loads nothing.

#include "reports/report.hpp"

#include <fmt/format.h>

#include <ostream>

#include "cli/commands.hpp"
#include "cli/models.hpp"
#include "cli/options.hpp"
#include "cli/results_options.hpp"
#include "model/support/csv.hpp"

namespace tilecast {
namespace {

namespace po = boost::program_options;

po::options_description report_options() {
  po::options_description options("Options");
  add_device_option(options);
  add_results_options(options);
  options.add_options()("out,o", po::value<std::string>()->value_name("FILE")->default_value("report.html"),
                        "the page to write")("tables", po::value<std::string>()->value_name("FOLDER"),
                                             "also write the tables as CSV and LaTeX into this folder")(
      "simulate-worst", po::bool_switch(),
      "ask the simulator about the worst predictions too (needs NVRTC and nvdisasm, and compiles their "
      "kernels once)");
  return options;
}

ExitCode run_report(const po::variables_map& values, CommandStreams streams) {
  expect_output(values);
  const DeviceProfile device = device_option(values);
  const Evaluation evaluation = evaluation_option(values, device, streams.err);
  DrawnFigures figures = draw_all(device, evaluation);
  const bool gnuplot_missing = figures.gnuplot_missing;
  const auto path = values["out"].as<std::string>();
  std::vector<BoundModel> others;
  if (values["simulate-worst"].as<bool>()) others.push_back(model_by_name("sim").bind(device));
  const ReportInputs page = report_page(device, evaluation, std::move(figures), others);
  if (values.count("tables") > 0) write_tables(page, values["tables"].as<std::string>());
  write_file(path, report_html(page));
  streams.out << path << '\n';
  if (gnuplot_missing)
    throw UnavailableError(fmt::format("gnuplot is not installed; {} has no figures", path),
                           "apt install gnuplot-nox");
  return ExitCode::success;
}

}  // namespace

Command report_command() {
  return {.name = "report",
          .summary = "write one self-contained HTML page: scores, figures, layers, device, data",
          .usage = "report [options]",
          .examples = "tilecast report -d h100 -o report.html --tables tables",
          .options = report_options,
          .positional = {},
          .run = run_report};
}

}  // namespace tilecast
