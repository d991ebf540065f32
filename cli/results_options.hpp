#pragma once
// What plot, report and demo share: where results come from, and the page made of them.

#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/evaluation.hpp"
#include "reports/figures.hpp"
#include "reports/report.hpp"
#include "validation/model_query.hpp"

namespace tilecast {

// -m/--measured FILE (repeatable), -l/--layers SUITE|FILE (repeatable).
void add_results_options(boost::program_options::options_description& options);

// Measurements of --measured, else those recorded for the device; layers of --layers, else those measured,
// else the suites of the paper. Throws InputError for unknown names and broken files.
Evaluation evaluation_option(const boost::program_options::variables_map& values, const DeviceProfile& device,
                             std::ostream& err);

// The figures' inputs that compare models; `evaluation` must outlive them.
void add_models(FigureInputs& inputs, const Evaluation& evaluation);

struct DrawnFigures {
  std::vector<DrawnFigure> figures;
  std::vector<std::pair<std::string, std::string>> skipped;  // figure, reason
  bool gnuplot_missing = false;
};
// Every figure that the results allow, as SVG.
DrawnFigures draw_all(const DeviceProfile& device, const Evaluation& evaluation);

// `others`: models that are asked about the worst predictions too.
ReportInputs report_page(const DeviceProfile& device, const Evaluation& evaluation, DrawnFigures figures,
                         std::span<const BoundModel> others = {});

// The page's tables as NAME.csv and NAME.tex, and every config as results.csv, into `folder`.
void write_tables(const ReportInputs& page, const std::filesystem::path& folder);

}  // namespace tilecast
