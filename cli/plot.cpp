// plot: figures for a paper, as SVG, PDF and LaTeX, each with its script and data.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/results_options.hpp"
#include "model/support/nearest.hpp"
#include "reports/figures.hpp"
#include "reports/gnuplot.hpp"

namespace tilecast {
namespace {

namespace po = boost::program_options;

po::options_description plot_options() {
  po::options_description options("Options");
  add_device_option(options);
  add_results_options(options);
  options.add_options()("layer", po::value<std::string>()->value_name("ID"),
                        "the layer of time_over_p, time_over_q and tile_heatmap (default: the one with most "
                        "measured configs)")("S", po::value<std::int64_t>()->value_name("BYTES"),
                                             "S of tile_heatmap (default: that of the fastest prediction)")(
      "out,o", po::value<std::string>()->value_name("FOLDER")->default_value("figures"),
      "folder to write to")("format", po::value<std::string>()->value_name("LIST")->default_value("svg,pdf"),
                            "svg, pdf, tex or several, comma-separated")("list", "name the figures and stop");
  return options;
}

std::vector<const FigureEntry*> chosen_figures(const po::variables_map& values) {
  std::vector<std::string> known = {"all"};
  for (const auto& entry : figure_list())
    known.emplace_back(entry.name);
  if (values.count("figure") == 0)
    throw UsageError("plot: which figure?", "one of " + fmt::format("{}", fmt::join(known, ", ")));
  std::vector<const FigureEntry*> chosen;
  for (const auto& name : values["figure"].as<std::vector<std::string>>()) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError(fmt::format("plot: unknown figure '{}'", name), nearest_hint(name, known));
    for (const auto& entry : figure_list()) {
      if (name == "all" || name == entry.name) chosen.push_back(&entry);
    }
  }
  return chosen;
}

FigureSelection selection_option(const po::variables_map& values, const Evaluation& evaluation) {
  FigureSelection selection;
  if (values.count("layer") > 0) {
    selection.layer = values["layer"].as<std::string>();
    std::set<std::string> layers;
    for (const auto& p : evaluation.points)
      layers.insert(p.layer);
    if (!layers.contains(selection.layer)) {
      const std::vector<std::string> known(layers.begin(), layers.end());
      throw InputError(fmt::format("--layer: no layer '{}' among the results", selection.layer),
                       nearest_hint(selection.layer, known));
    }
  }
  if (values.count("S") > 0) {
    selection.s_bytes = values["S"].as<std::int64_t>();
    std::set<std::int64_t> known;
    for (const auto& p : evaluation.points) {
      const auto s = p.config.find("S_bytes");
      if (s && (selection.layer.empty() || p.layer == selection.layer)) known.insert(*s);
    }
    if (!known.empty() && !known.contains(*selection.s_bytes))
      throw InputError(
          fmt::format("--S {}: no config has it, expected {}", *selection.s_bytes, fmt::join(known, ", ")));
  }
  return selection;
}

ExitCode run_plot(const po::variables_map& values, CommandStreams streams) {
  if (values.count("list") > 0) {
    for (const auto& entry : figure_list())
      streams.out << fmt::format("{:<20} {}\n", entry.name, entry.summary);
    return ExitCode::success;
  }
  const auto entries = chosen_figures(values);
  const auto formats = parse_figure_formats(values["format"].as<std::string>());
  const std::filesystem::path folder = values["out"].as<std::string>();
  const DeviceProfile device = device_option(values);
  const Evaluation evaluation = evaluation_option(values, device, streams.err);
  FigureInputs inputs =
      figure_inputs(device, evaluation.points, evaluation.baselines, selection_option(values, evaluation));
  add_models(inputs, evaluation);

  std::size_t written = 0;
  std::optional<UnavailableError> missing;
  for (const auto* entry : entries) {
    const auto result = entry->draw(inputs);
    if (const auto* skipped = std::get_if<Skipped>(&result)) {
      streams.err << fmt::format("skipped {}: {}\n", entry->name, skipped->reason);
      continue;
    }
    const auto& figure = std::get<Figure>(result);
    try {
      draw_figure(figure, folder, formats);
    } catch (const UnavailableError& e) {
      missing = e;  // scripts and data of the other figures are still worth writing
    }
    ++written;
    streams.out << (folder / figure.name).string() << ".gp\n";
  }
  if (missing) throw *missing;
  if (written == 0) throw UnavailableError("plot: the results at hand allow none of these figures");
  return ExitCode::success;
}

}  // namespace

Command plot_command() {
  return {
      .name = "plot",
      .summary = "draw figures for a paper: SVG, PDF and LaTeX, with their gnuplot scripts and data",
      .usage = "plot FIGURE...|all [options]",
      .examples =
          "tilecast plot all -d h100 -o out/figures\n"
          "tilecast plot time_over_p -d h100 --layer chang-sc-56-m256-k3 --format pdf,tex -o out/figures\n"
          "tilecast plot --list",
      .options = plot_options,
      .positional = {"figure..."},
      .run = run_plot};
}

}  // namespace tilecast
