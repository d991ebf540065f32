#pragma once
// A table once, printed as CSV (base units, full precision), LaTeX (booktabs) and HTML (with prefixes).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/device/device_profile.hpp"
#include "reports/figure_data.hpp"
#include "reports/select.hpp"

namespace tilecast {

struct ReportCell {
  std::string shown;  // "12.3 µs"; empty: absent
  std::string raw;    // "1.23e-05" in CSV
};

struct ReportColumn {
  std::string key;      // CSV header, ends in the unit: "predicted_s"
  std::string heading;  // "Predicted"
  bool numeric = false;
  enum class Shown { everywhere, csv, page } shown = Shown::everywhere;  // page: HTML and LaTeX
};

struct ReportTable {
  std::string name, title, caption;
  std::vector<ReportColumn> columns;
  std::vector<std::vector<ReportCell>> rows;
};

// The table less the columns that no row has a value in.
ReportTable without_empty_columns(ReportTable table);

std::string table_csv(const ReportTable& table);
std::string table_latex(const ReportTable& table);  // needs \usepackage{booktabs}
std::string table_html(const ReportTable& table);   // <table>, sortable by report.js

ReportCell text_cell(std::string text);
ReportCell integer_cell(std::int64_t value);
ReportCell time_cell(std::optional<Seconds> time);
ReportCell ratio_cell(std::optional<double> ratio);         // as percent
ReportCell signed_ratio_cell(std::optional<double> ratio);  // as percent with its sign
ReportCell number_cell(std::optional<double> value, int digits = 3);

// The report's words for the list of known mechanisms: made by its caller.
struct MechanismLine {
  std::string id, family, condition;
  std::int64_t rows = 0;
  std::optional<double> median_error, elsewhere;  // of rows where the condition holds, and of the others
  std::string status, mechanism, evidence;
};

// How good the model is on one family and suite; see validation's scores for the definitions.
struct ScoreLine {
  std::string model, data;  // "development", "evaluation"; empty where it goes without saying
  std::string family, suite;
  std::int64_t n = 0, layers = 0;
  // Absent for rules that choose a config and say no time.
  std::optional<double> median_abs_error, mean_abs_error, p90_abs_error, max_abs_error, mean_signed_error;
  std::optional<double> spearman;
  double top1_regret_mean = 0, top1_regret_max = 0, top1_regret_over_10 = 0;
  std::optional<double> top3_regret_mean;
  std::optional<double> interval_coverage;
};

ReportTable score_table(std::span<const ScoreLine> scores, std::string name = "scores",
                        std::string title = "Accuracy", std::string note = "");
ReportTable layer_table(std::span<const LayerLine> layers);
// Every parameter that the profile has, with its interval and source.
ReportTable parameter_table(const DeviceProfile& device);
// What is known of why a point is off, each a sentence or empty: bounds that could carry it, what other
// models say, which points are off alike, what a profiler counted, ids of known mechanisms.
struct PointExplanation {
  std::string carriers, others, like, counts, mechanisms;
};
// Points with their bounds, e.g. the worst ones of a family; `explanations`: one for each, or none.
ReportTable point_table(std::string name, std::string title, std::span<const PredictedPoint> points,
                        std::span<const PointExplanation> explanations = {});

ReportTable mechanism_table(std::span<const MechanismLine> mechanisms);

// Every config and every baseline, one line each: the data behind the report.
std::string results_csv(std::span<const PredictedPoint> points, std::span<const BaselinePoint> baselines);

}  // namespace tilecast
