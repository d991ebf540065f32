#include "cli/compare_gate.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "cli/models.hpp"

namespace tilecast {
namespace {

double parse_share(const std::string& text) {
  const bool percent = text.ends_with('%');
  double value = 0;
  const char* const end = text.data() + text.size() - (percent ? 1 : 0);
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !(value >= 0))
    throw UsageError(fmt::format("--fail-over '{}', expected a share of 0 or more: 15% or 0.15", text));
  return percent ? value / 100 : value;
}

}  // namespace

std::optional<double> gate_option(const OptionValues& values) {
  if (!values.count("fail-over")) return std::nullopt;
  return parse_share(values["fail-over"].as<std::string>());
}

bool over_gate(const std::vector<ScoreRow>& rows, double share, std::ostream& err) {
  bool failed = false;
  for (const auto& [data, model, s, choice_only] : rows) {
    if (choice_only || ties_of(model) == Ties::mean || s.median_abs_error <= share) continue;
    failed = true;
    err << fmt::format("compare: {}: {} on {}: median error {:.1f} % is over {:g} %\n", model, s.family,
                       s.suite, 100 * s.median_abs_error, 100 * share);
  }
  return failed;
}

}  // namespace tilecast
