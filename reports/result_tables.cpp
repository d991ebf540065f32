// The tables of reports/tables.hpp that hold results.

#include <fmt/format.h>

#include <algorithm>

#include "model/device/parameters.hpp"
#include "model/support/csv.hpp"
#include "reports/format.hpp"
#include "reports/residual.hpp"
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
          "that the model would choose over the fastest measured one, minus 1, over layers. Rank correlation "
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
                  {"top3_regret_mean", "Top-3", true},
                  {"interval_coverage", "In interval", true}}};
  for (const auto& s : scores) {
    table.rows.push_back(
        {text_cell(s.data), text_cell(s.family), text_cell(s.suite), text_cell(s.model),
         integer_cell(s.layers), s.n > 0 ? integer_cell(s.n) : ReportCell{}, ratio_cell(s.median_abs_error),
         ratio_cell(s.mean_abs_error), ratio_cell(s.p90_abs_error), ratio_cell(s.max_abs_error),
         signed_ratio_cell(s.mean_signed_error), number_cell(s.spearman, 2), ratio_cell(s.top1_regret_mean),
         ratio_cell(s.top1_regret_max), ratio_cell(s.top3_regret_mean), ratio_cell(s.interval_coverage)});
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
  return table;
}

ReportTable point_table(std::string name, std::string title, std::span<const PredictedPoint> points) {
  ReportTable table{
      .name = std::move(name),
      .title = title,
      .caption = title +
                 ", with the bounds that each prediction is made of, and by how much those that could "
                 "carry the error alone would have to change.",
      .columns = {{"layer", "Layer", false},
                  {"config", "Config", false},
                  {"predicted_s", "Predicted", true},
                  {"measured_s", "Measured", true},
                  {"signed_error", "Error", true},
                  {"limiter", "Limiter", false},
                  {"bounds", "Bounds", false},
                  {"residual", "Could carry it", false}}};
  for (const auto& p : points) {
    std::string shown, raw;
    for (const auto& b : p.bounds) {
      if (!shown.empty()) shown += ", ", raw += ' ';
      shown += b.name + " " + format_time(b.time);
      raw += fmt::format("{}={:.6g}", b.name, b.time.value());
    }
    std::optional<double> error;
    if (p.measured) error = p.signed_error();
    table.rows.push_back(
        {text_cell(p.layer),
         text_cell(describe_config(p.config)),
         time_cell(p.predicted),
         time_cell(p.measured),
         signed_ratio_cell(error),
         text_cell(p.limiter),
         {shown, raw},
         text_cell(p.measured ? residual_text(residual_terms(p.bounds, p.predicted, *p.measured), 2) : "")});
  }
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
  const auto optional_time = [](std::optional<Seconds> t) {
    return t ? fmt::format("{:.6g}", t->value()) : std::string{};
  };
  for (const auto& p : points) {
    const auto& s = p.shape;
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},", csv_field(p.family), csv_field(p.suite),
                       csv_field(p.layer), s.N, s.C, s.H, s.W, s.M, s.K, s.stride, s.pad);
    if (dilated) out += fmt::format("{},", s.dilation);
    out += fmt::format("{},{:.6g},{:.6g},{:.6g},{},{},{},{},{}\n", csv_field(describe_config(p.config)),
                       p.predicted.value(), p.low.value(), p.high.value(), csv_field(p.limiter),
                       optional_time(p.measured), optional_time(p.measured_p10),
                       optional_time(p.measured_p90), p.paper_choice ? 1 : 0);
  }
  for (const auto& b : baselines) {
    out += fmt::format("{},{},{},,,,,,,,,{}{},,,,,{:.6g},,,\n", csv_field(b.family), csv_field(b.suite),
                       csv_field(b.layer), dilated ? "," : "", csv_field(b.algorithm), b.measured.value());
  }
  return out;
}

}  // namespace tilecast
