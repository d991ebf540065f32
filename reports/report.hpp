#pragma once
// The report: one HTML file that loads nothing from anywhere, reads well with scripts off, in print, and in
// light and dark.

#include <string>
#include <utility>
#include <vector>

#include "reports/figure.hpp"
#include "reports/tables.hpp"

namespace tilecast {

struct DrawnFigure {
  Figure figure;
  std::string svg;  // gnuplot's; empty: gnuplot is missing, the caption says so
};

struct ReportInputs {
  std::string title;
  std::string subtitle;
  std::vector<std::string> notices;  // what the reader must know first, e.g. that nothing was measured
  std::vector<std::pair<std::string, std::string>> headline;  // a number and what it is
  std::vector<DrawnFigure> figures;
  std::vector<std::pair<std::string, std::string>> skipped;  // figure, reason
  ReportTable scores, layers, parameters;
  ReportTable blind;               // scores of frozen predictions; no rows: there is no blind run
  ReportTable apart;               // scores by what rows were used for; no rows: nothing was measured
  ReportTable models;              // every model on the recorded rows; no rows: there is one model
  std::vector<ReportTable> worst;  // one a family
  ReportTable mechanisms;          // that the tables of the worst speak of; no rows: none is known
  std::vector<std::pair<std::string, std::string>> provenance;  // version, device, command, ...
  std::string results_csv;
};

std::string report_html(const ReportInputs& inputs);

}  // namespace tilecast
