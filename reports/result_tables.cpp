// The tables of reports/tables.hpp that hold results.

#include <fmt/format.h>

#include <algorithm>

#include "model/device/derived.hpp"
#include "model/device/parameters.hpp"
#include "model/support/csv.hpp"
#include "reports/format.hpp"
#include "reports/tables.hpp"

namespace tilecast {
namespace {

// "1.59 GHz", "4.80 TB/s", "228 KiB": prefixes by the unit that the profile states.
std::string with_unit(double value, std::string_view unit, bool integer) {
  struct Prefix {
    double factor;
    std::string_view text;
  };
  if (unit == "count") return fmt::format("{:.0f}", value);
  if (unit == "bytes") return format_binary_bytes(Bytes{value});
  if (unit == "s") return format_time(Seconds{value});
  if (unit == "Hz" || unit == "bytes/s") {
    const std::string_view base = unit == "Hz" ? "Hz" : "B/s";
    for (const Prefix p : {Prefix{1e12, "T"}, {1e9, "G"}, {1e6, "M"}}) {
      if (value >= p.factor)
        return fmt::format("{} {}{}", format_significant(value / p.factor, 4), p.text, base);
    }
    return fmt::format("{} {}", format_significant(value, 4), base);
  }
  if (integer) return fmt::format("{:.0f} {}", value, unit);
  return fmt::format("{} {}", format_significant(value, 4), unit);
}

}  // namespace

ReportTable score_table(std::span<const ScoreLine> scores, std::string name, std::string title,
                        std::string note) {
  ReportTable table{
      .name = std::move(name),
      .title = std::move(title),
      .caption =
          note +
          "Error is |predicted - measured| / measured over configs. Regret is the measured time of the "
          "config "
          "that the model would choose over the fastest measured one, minus 1, over layers: mean, worst and "
          "the "
          "share of layers with more than 10 %. Rank correlation "
          "is Spearman's, a mean over layers.",
      .columns = {{"data", "Data", false},
                  {"family", "Family", false},
                  {"suite", "Suite", false},
                  {"model", "Model", false},
                  {"layers", "Layers", true},
                  {"n", "Configs", true},
                  {"median_abs_error", "Median error", true},
                  {"mean_abs_error", "Mean", true},
                  {"p90_abs_error", "90th pct.", true},
                  {"max_abs_error", "Max", true},
                  {"mean_signed_error", "Bias", true},
                  {"spearman", "Rank corr.", true},
                  {"top1_regret_mean", "Top-1 regret", true},
                  {"top1_regret_max", "Worst", true},
                  {"top1_regret_over_10", "Over 10 % in", true},
                  {"top3_regret_mean", "Top-3", true},
                  {"interval_coverage", "In interval", true}}};
  for (const auto& s : scores) {
    table.rows.push_back(
        {text_cell(s.data), text_cell(s.family), text_cell(s.suite), text_cell(s.model),
         integer_cell(s.layers), s.n > 0 ? integer_cell(s.n) : ReportCell{}, ratio_cell(s.median_abs_error),
         ratio_cell(s.mean_abs_error), ratio_cell(s.p90_abs_error), ratio_cell(s.max_abs_error),
         signed_ratio_cell(s.mean_signed_error), number_cell(s.spearman, 2), ratio_cell(s.top1_regret_mean),
         ratio_cell(s.top1_regret_max), ratio_cell(s.top1_regret_over_10), ratio_cell(s.top3_regret_mean),
         ratio_cell(s.interval_coverage)});
  }
  return without_empty_columns(std::move(table));
}

ReportTable layer_table(std::span<const LayerLine> layers) {
  ReportTable table{
      .name = "layers",
      .title = "Layers",
      .caption =
          "The model's choice is the config with the least predicted time. Regret compares its measured time "
          "with the fastest measured config.",
      .columns = {{"family", "Family", false},
                  {"layer", "Layer", false},
                  {"shape", "Shape", false},
                  {"configs", "Configs", true},
                  {"chosen", "Model's choice", false},
                  {"chosen_predicted_s", "Predicted", true},
                  {"limiter", "Limiter", false},
                  {"chosen_measured_s", "Measured", true},
                  {"best", "Fastest config", false},
                  {"best_measured_s", "Its time", true},
                  {"regret", "Regret", true},
                  {"median_abs_error", "Median error", true},
                  {"baseline_s", "Best library", true},
                  {"speedup", "Speed-up", true}}};
  for (const auto& l : layers) {
    std::optional<double> speedup;
    if (l.baseline && l.best_measured) speedup = *l.baseline / *l.best_measured;
    table.rows.push_back(
        {text_cell(l.family), text_cell(l.layer), text_cell(describe_shape(l.shape)),
         integer_cell(static_cast<std::int64_t>(l.configs)), text_cell(describe_config(l.chosen)),
         time_cell(l.chosen_predicted), text_cell(l.limiter), time_cell(l.chosen_measured),
         text_cell(l.best ? describe_config(*l.best) : ""), time_cell(l.best_measured), ratio_cell(l.regret),
         ratio_cell(l.median_abs_error), time_cell(l.baseline), number_cell(speedup)});
  }
  return table;
}

ReportTable parameter_table(const DeviceProfile& device) {
  ReportTable table{.name = "device",
                    .title = "Device parameters",
                    .caption = "What the models know of " + device.gpu_name + ", and from where.",
                    .columns = {{"parameter", "Parameter", false},
                                {"value", "Value", true},
                                {"interval", "95 % interval", false},
                                {"samples", "Samples", true},
                                {"kind", "Kind", false},
                                {"source", "Source", false}}};
  for (const auto& row : parameter_rows()) {
    const auto value = row.get(device);
    if (!value) continue;
    const ParameterInfo& info = row.info(device);
    const auto shown = [&](double v) { return with_unit(v, row.unit, row.integer); };
    std::string interval;
    if (info.low && info.high) interval = shown(*info.low) + " to " + shown(*info.high);
    ReportCell samples;
    if (info.samples) samples = integer_cell(*info.samples);
    table.rows.push_back({text_cell(std::string(row.key)),
                          {shown(*value), fmt::format("{:.10g}", *value)},
                          text_cell(interval),
                          samples,
                          text_cell(std::string(source_kind_name(info.provenance.kind))),
                          text_cell(info.provenance.source)});
  }
  for (const DerivedValue& derived : derived_values(device)) {
    const Estimate& e = derived.estimate;
    const auto shown = [&](double v) { return with_unit(v, derived.unit, false); };
    table.rows.push_back({text_cell(derived.key),
                          {shown(e.value), fmt::format("{:.10g}", e.value)},
                          text_cell(e.low < e.high ? shown(e.low) + " to " + shown(e.high) : ""),
                          {},
                          text_cell(std::string(source_kind_name(SourceKind::derived))),
                          text_cell(derived.convention)});
  }
  return table;
}

ReportTable point_table(std::string name, std::string title, std::span<const PredictedPoint> points,
                        std::span<const PointExplanation> explanations) {
  constexpr std::size_t shown_bounds = 5;  // the longest; CSV has all
  constexpr auto csv = ReportColumn::Shown::csv, page = ReportColumn::Shown::page;
  ReportTable table{
      .name = std::move(name),
      .title = title,
      .caption =
          title +
          ", by the ratio of predicted and measured time. Bounds: the longest of each prediction. Could "
          "carry it: by how much a bound alone would have "
          "to change to give the measured time, the least change first. Off like it: configs that share "
          "some of its values and are off in its direction, at least half as much. Mechanism: known "
          "reasons whose condition holds for this config, from the list below: candidates, no proof.",
      .columns = {{"layer", "Layer", false},
                  {"config", "Config", false},
                  {"predicted_s", "Predicted", true},
                  {"measured_s", "Measured", true},
                  {"signed_error", "Error", true},
                  {"limiter", "Limiter", false},
                  {"explanation", "What is known of it", false, page},
                  {"bounds", "Bounds", false, csv},
                  {"carriers", "Could carry it", false, csv},
                  {"others", "Other models", false, csv},
                  {"like", "Off like it", false, csv},
                  {"counts", "Counters", false, csv},
                  {"mechanisms", "Mechanism", false, csv}}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& p = points[i];
    auto bounds = p.bounds;
    std::ranges::stable_sort(bounds, std::ranges::greater{}, &NamedTime::time);
    std::string shown, raw;
    for (const auto& b : std::span(bounds).first(std::min(shown_bounds, bounds.size())))
      shown += fmt::format("{}{} {}", shown.empty() ? "" : ", ", b.name, format_time(b.time));
    for (const auto& b : p.bounds)
      raw += fmt::format("{}{}={:.6g}", raw.empty() ? "" : " ", b.name, b.time.value());
    std::optional<double> error;
    if (p.measured) error = p.signed_error();
    const PointExplanation e = explanations.empty() ? PointExplanation{} : explanations[i];
    std::string lines;
    for (const auto& [what, text] : {std::pair<std::string_view, const std::string&>{"Bounds", shown},
                                     {"Could carry it", e.carriers},
                                     {"Other models", e.others},
                                     {"Off like it", e.like},
                                     {"Profiler's counters", e.counts},
                                     {"Mechanism", e.mechanisms}}) {
      if (!text.empty()) lines += fmt::format("{}{}: {}", lines.empty() ? "" : "\n", what, text);
    }
    table.rows.push_back({text_cell(p.layer),
                          text_cell(describe_config(p.config)),
                          time_cell(p.predicted),
                          time_cell(p.measured),
                          signed_ratio_cell(error),
                          text_cell(p.limiter),
                          text_cell(lines),
                          {shown, raw},
                          text_cell(e.carriers),
                          text_cell(e.others),
                          text_cell(e.like),
                          text_cell(e.counts),
                          text_cell(e.mechanisms)});
  }
  return without_empty_columns(std::move(table));
}

ReportTable mechanism_table(std::span<const MechanismLine> mechanisms) {
  constexpr auto csv = ReportColumn::Shown::csv, page = ReportColumn::Shown::page;
  ReportTable table{
      .name = "mechanisms",
      .title = "Known mechanisms",
      .caption =
          "Why the model is off where it is known, written by hand with what shows it "
          "(validation/mechanisms/mechanisms.csv). Median error: signed, of all measured configs of the "
          "family where the condition holds, beside all others of that family.",
      .columns = {{"mechanism", "Mechanism", false},
                  {"family", "Family", false},
                  {"condition", "Condition", false},
                  {"configs", "Configs", true},
                  {"median_error", "Median error", true},
                  {"elsewhere", "Elsewhere", true},
                  {"status", "In the model", false},
                  {"words", "What happens", false, page},
                  {"what_happens", "What happens", false, csv},
                  {"evidence", "Shown by", false, csv}}};
  for (const auto& m : mechanisms)
    table.rows.push_back({text_cell(m.id), text_cell(m.family), text_cell(m.condition), integer_cell(m.rows),
                          signed_ratio_cell(m.median_error), signed_ratio_cell(m.elsewhere),
                          text_cell(m.status), text_cell(m.mechanism + "\nShown by: " + m.evidence),
                          text_cell(m.mechanism), text_cell(m.evidence)});
  return table;
}

std::string results_csv(std::span<const PredictedPoint> points, std::span<const BaselinePoint> baselines) {
  const bool dilated = std::ranges::any_of(points, [](const auto& p) { return p.shape.dilation != 1; });
  std::string out = fmt::format(
      "family,suite,layer,N,C,H,W,M,K,stride,pad,{}config,predicted_s,predicted_low_s,predicted_high_s,"
      "limiter,"
      "measured_s,"
      "measured_p10_s,measured_p90_s,paper_choice\n",
      dilated ? "dilation," : "");
  // Ends of intervals are no better known than to four digits; more are a sixth of the page.
  const auto optional_time = [](std::optional<Seconds> t, int digits = 4) {
    return t ? fmt::format("{:.{}g}", t->value(), digits) : std::string{};
  };
  for (const auto& p : points) {
    const auto& s = p.shape;
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},", csv_field(p.family), csv_field(p.suite),
                       csv_field(p.layer), s.N, s.C, s.H, s.W, s.M, s.K, s.stride, s.pad);
    if (dilated) out += fmt::format("{},", s.dilation);
    out += fmt::format("{},{:.6g},{:.4g},{:.4g},{},{},{},{},{}\n", csv_field(describe_config(p.config)),
                       p.predicted.value(), p.low.value(), p.high.value(), csv_field(p.limiter),
                       optional_time(p.measured, 6), optional_time(p.measured_p10),
                       optional_time(p.measured_p90), p.paper_choice ? 1 : 0);
  }
  for (const auto& b : baselines) {
    out += fmt::format("{},{},{},,,,,,,,,{}{},,,,,{:.6g},,,\n", csv_field(b.family), csv_field(b.suite),
                       csv_field(b.layer), dilated ? "," : "", csv_field(b.algorithm), b.measured.value());
  }
  return out;
}

}  // namespace tilecast
