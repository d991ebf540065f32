#include "cli/results_options.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <ostream>
#include <set>

#include "cli/program.hpp"
#include "cli/worst_section.hpp"
#include "model/support/csv.hpp"
#include "model/support/statistics.hpp"
#include "reports/errors_by_family.hpp"
#include "reports/figures.hpp"
#include "reports/format.hpp"
#include "reports/gnuplot.hpp"
#include "reports/select.hpp"
#include "validation/measurement_store.hpp"

namespace tilecast {

namespace po = boost::program_options;

void add_results_options(po::options_description& options) {
  options.add_options()(
      "measured,m", po::value<std::vector<std::string>>()->value_name("FILE"),
      "measurements as CSV, as validate writes them (repeatable; default: those recorded for "
      "the device)")("layers,l", po::value<std::vector<std::string>>()->value_name("SUITE|FILE"),
                     "layers to predict beside the measured ones (repeatable; default where nothing is "
                     "measured: chang-single "
                     "and chang-multi)");
}

Evaluation evaluation_option(const po::variables_map& values, const DeviceProfile& device,
                             std::ostream& err) {
  std::vector<MeasuredRow> rows;
  if (values.count("measured") > 0) {
    for (const auto& file : values["measured"].as<std::vector<std::string>>()) {
      bool truncated = false;
      auto more = parse_measurements(read_file(file), file, &truncated);
      if (truncated) err << fmt::format("warning: {}: the last line has no end and is left out\n", file);
      rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
  } else {
    rows = recorded_measurements(device.gpu_name);
  }
  std::vector<Suite> suites;
  if (values.count("layers") > 0) {
    for (const auto& name : values["layers"].as<std::vector<std::string>>())
      suites.push_back(load_suite(name));
  } else if (rows.empty()) {
    suites = {load_suite("chang-single"), load_suite("chang-multi")};
  }
  return evaluate_analytic(device, rows, std::move(suites));
}

void add_models(FigureInputs& inputs, const Evaluation& evaluation) {
  if (evaluation.models.comparison.points.empty()) return;
  inputs.models = &evaluation.models.comparison;
  inputs.ablation = evaluation.models.ablation;
}

DrawnFigures draw_all(const DeviceProfile& device, const Evaluation& evaluation) {
  DrawnFigures drawn;
  drawn.gnuplot_missing = !find_gnuplot();
  FigureInputs inputs = figure_inputs(device, evaluation.points, evaluation.baselines);
  add_models(inputs, evaluation);
  for (const auto& entry : figure_list()) {
    auto result = entry.draw(inputs);
    if (const auto* skipped = std::get_if<Skipped>(&result)) {
      drawn.skipped.emplace_back(entry.name, skipped->reason);
      continue;
    }
    auto& figure = std::get<Figure>(result);
    std::string svg = drawn.gnuplot_missing ? "" : figure_svg(figure);
    drawn.figures.push_back({std::move(figure), std::move(svg)});
  }
  return drawn;
}

namespace {

// The hour of the build's inputs where the caller pins it (reproducible-builds.org), else now.
std::string utc_time() {
  std::time_t now = std::time(nullptr);
  if (const char* pinned = std::getenv("SOURCE_DATE_EPOCH")) {
    char* end = nullptr;
    const long long seconds = std::strtoll(pinned, &end, 10);
    if (end != pinned && *end == '\0') now = static_cast<std::time_t>(seconds);
  }
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now));
}

std::string counted(const std::map<std::string, std::size_t>& counts) {
  std::string text;
  for (const auto& [what, n] : counts)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", what, n);
  return text;
}

std::vector<std::pair<std::string, std::string>> headline(const Evaluation& evaluation) {
  std::vector<std::pair<std::string, std::string>> cards;
  std::set<std::pair<std::string, std::string>> layers;
  for (const auto& p : evaluation.points)
    layers.emplace(p.suite, p.layer);
  cards.emplace_back(
      std::to_string(evaluation.points.size()),
      fmt::format("configs of {} layers predicted, {} of them measured", layers.size(), evaluation.measured));
  for (const auto& [family, points] : measured_by_family(evaluation.points))
    cards.emplace_back(format_percent(quantile(sorted_abs_errors(points), 0.5)), "median error of " + family);
  const auto bars = speedup_bars(evaluation.points, evaluation.baselines);
  if (!bars.empty()) {
    double log_sum = 0;
    for (const auto& b : bars)
      log_sum += std::log(b.best);
    cards.emplace_back(fmt::format("{:.2f}×", std::exp(log_sum / static_cast<double>(bars.size()))),
                       "geometric mean speed-up over cuDNN, fastest config");
  }
  return cards;
}

}  // namespace

ReportInputs report_page(const DeviceProfile& device, const Evaluation& evaluation, DrawnFigures drawn,
                         std::span<const BoundModel> others) {
  ReportInputs page;
  page.title = "Predicted and measured on " + device.gpu_name;
  page.subtitle =
      fmt::format("tilecast {}, analytic model, device profile {}", program_version(), device.name);
  if (evaluation.measured == 0)
    page.notices.push_back(
        "There are no measurements for this device: everything here is predicted, nothing is "
        "checked.");
  if (drawn.gnuplot_missing)
    page.notices.push_back("The figures are not drawn: gnuplot is not installed (apt install gnuplot-nox).");
  page.headline = headline(evaluation);
  page.figures = std::move(drawn.figures);
  page.skipped = std::move(drawn.skipped);
  page.scores = score_table(score_lines(evaluation), "scores", "Accuracy of the analytic model");
  if (!evaluation.models.recorded.empty()) {
    page.models = score_table(evaluation.models.recorded, "models", "Models of others on the same rows",
                              "Recorded rows, all suites of a family together: development data. ");
  }
  if (!evaluation.models.blind.empty())
    page.blind =
        score_table(evaluation.models.blind, "blind", "Blind evaluation", evaluation.models.blind_note);
  if (!evaluation.models.apart.empty())
    page.apart = score_table(evaluation.models.apart, "apart", "Calibration, development and evaluation rows",
                             evaluation.models.apart_note);
  page.layers = without_empty_columns(layer_table(layer_lines(evaluation.points, evaluation.baselines)));
  page.parameters = without_empty_columns(parameter_table(device));
  add_worst(page, device, evaluation, others);

  const auto add = [&](std::string what, const std::string& value) {
    if (!value.empty()) page.provenance.emplace_back(std::move(what), value);
  };
  add("Program", fmt::format("tilecast {}", program_version()));
  add("Made", utc_time());
  add("Device profile", device.name);
  add("GPU", device.gpu_name);
  add("Compute capability",
      fmt::format("{}.{}", device.compute_capability_major, device.compute_capability_minor));
  add("Driver", device.driver);
  add("Toolkit", device.toolkit);
  add("Profile measured on", device.measured_on);
  add("Model", "analytic; no constant is fitted to a kernel's measured time");
  add("Measured configs", std::to_string(evaluation.measured));
  add("Library algorithms timed", std::to_string(evaluation.baselines.size()));
  add("Rows without a time", counted(evaluation.not_timed));
  add("Measured, not predicted", counted(evaluation.unpredicted));
  page.results_csv = results_csv(evaluation.points, evaluation.baselines);
  return page;
}

void write_tables(const ReportInputs& page, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error(ExitCode::failure,
                fmt::format("{}: cannot create the folder: {}", folder.string(), failed.message()));
  std::vector<const ReportTable*> tables{&page.blind,  &page.apart,      &page.scores,    &page.models,
                                         &page.layers, &page.parameters, &page.mechanisms};
  for (const auto& worst : page.worst)
    tables.push_back(&worst);
  for (const auto* table : tables) {
    if (table->rows.empty()) continue;
    write_file((folder / (table->name + ".csv")).string(), table_csv(*table));
    write_file((folder / (table->name + ".tex")).string(), table_latex(*table));
  }
  write_file((folder / "results.csv").string(), page.results_csv);
}

}  // namespace tilecast
