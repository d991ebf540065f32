#include "cli/worst_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/models.hpp"
#include "cli/worst_rows.hpp"
#include "reports/errors_by_family.hpp"
#include "reports/select.hpp"

namespace tilecast {

namespace {

Comparison pair_of(const PredictedPoint& p) {
  return {.family = p.family,
          .suite = p.suite,
          .layer = p.layer,
          .problem = p.shape,
          .config = describe_config(p.config),
          .measured = *p.measured,
          .predicted = p.predicted};
}

}  // namespace

void add_worst(ReportInputs& page, const DeviceProfile& device, const Evaluation& evaluation,
               std::span<const BoundModel> others) {
  constexpr std::size_t count = 10;
  std::vector<Comparison> pairs;
  for (const auto& point : evaluation.points) {
    if (point.measured) pairs.push_back(pair_of(point));
  }
  const BoundModel model = bind_analytic({});
  RowExplainer explainer(pairs, device, model, {}, others);
  std::vector<MechanismLine> mechanisms;
  for (const auto& [family, _] : measured_by_family(evaluation.points)) {
    const auto worst = worst_points(evaluation.points, family, count);
    std::vector<std::size_t> places;
    for (const auto& point : worst) {
      const Comparison wanted = pair_of(point);
      const auto place = std::ranges::find_if(pairs, [&](const Comparison& pair) {
        return pair.family == wanted.family && pair.suite == wanted.suite && pair.layer == wanted.layer &&
               pair.config == wanted.config;
      });
      places.push_back(static_cast<std::size_t>(place - pairs.begin()));
    }
    std::vector<PointExplanation> explanations;
    for (const auto& e : explainer.explain(places)) {
      const auto carriers = carriers_text(e);
      explanations.push_back(
          {carriers.empty() ? "no bound alone" : carriers, others_text(e),
           e.like ? like_rows_text(*e.like) : "stands alone", counts_text(e.counts),
           e.mechanisms.empty() ? "none known" : fmt::format("{}", fmt::join(e.mechanisms, ", "))});
    }
    page.worst.push_back(
        point_table("worst-" + family, "The ten worst predictions of " + family, worst, explanations));
    for (const auto& [m, effect] : explainer.mechanisms(family))
      mechanisms.push_back({m.id, family, m.condition_text, static_cast<std::int64_t>(effect.rows),
                            effect.median_error, effect.median_elsewhere, m.status, m.mechanism, m.evidence});
  }
  page.mechanisms = mechanism_table(mechanisms);
}

}  // namespace tilecast
