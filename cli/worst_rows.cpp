#include "cli/worst_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/config_option.hpp"
#include "kernels/family.hpp"
#include "model/support/parallel.hpp"
#include "validation/counters/recorded_counters.hpp"

namespace tilecast {

namespace {

// "P=4 Q=1" as describe_config() wrote it.
Config config_from(std::string text, const Config& axes) {
  std::ranges::replace(text, ' ', ',');
  return parse_config(text, axes);
}

}  // namespace

// The rows of one family among the pairs.
struct RowExplainer::Family {
  const KernelFamily* family = nullptr;
  Config axes;
  std::vector<FactRow> rows;
  std::map<std::size_t, std::size_t> row_of;  // by place among the pairs
  std::optional<RowGroups> groups;
};

RowExplainer::RowExplainer(std::span<const Comparison> pairs, const DeviceProfile& device,
                           const BoundModel& model, const analytic::Options& options,
                           std::span<const BoundModel> others, CodeSource code)
    : pairs_(pairs),
      device_(device),
      model_(model),
      options_(options),
      others_(others),
      code_(code),
      known_(known_mechanisms()) {}

RowExplainer::~RowExplainer() = default;

const RowExplainer::Family& RowExplainer::family_of(const std::string& name) {
  const auto [at, fresh] = families_.try_emplace(name);
  Family& found = at->second;
  if (!fresh) return found;
  found.family = &family_by_name(name);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (pairs_[i].family != name) continue;
    if (places.empty()) found.axes = found.family->configs(pairs_[i].problem, device_).front();
    found.row_of.emplace(i, places.size());
    places.push_back(i);
  }
  found.rows.resize(places.size());
  parallel_for(places.size(), 0, [&](std::size_t r) {
    const Comparison& pair = pairs_[places[r]];
    const Config config = config_from(pair.config, found.axes);
    const auto kernel = describe_kernel(*found.family, pair.problem, config, device_, code_);
    found.rows[r] = {row_facts(pair.problem, config, kernel, device_), pair.layer, pair.signed_error()};
  });
  found.groups.emplace(found.rows);
  return found;
}

std::vector<RowExplanation> RowExplainer::explain(std::span<const std::size_t> places) {
  std::vector<const Family*> families;
  for (const auto place : places)
    families.push_back(&family_of(pairs_[place].family));
  std::vector<RowExplanation> explanations(places.size());
  parallel_for(places.size(), 0,
               [&](std::size_t i) { explanations[i] = explained(places[i], *families[i]); });
  return explanations;
}

RowExplanation RowExplainer::explained(std::size_t place, const Family& of) const {
  const Comparison& pair = pairs_[place];
  const std::size_t row = of.row_of.at(place);
  const Config config = config_from(pair.config, of.axes);
  const auto kernel = describe_kernel(*of.family, pair.problem, config, device_, code_);
  const ModelQuery query{*of.family, pair.problem, config, device_, kernel};
  RowExplanation e;
  if (const auto said = answer(model_, query); const auto* prediction = std::get_if<Prediction>(&said))
    e.prediction = *prediction;
  if (model_.name == "analytic")
    e.residual = analytic::residual_terms(kernel, device_, options_, pair.measured);
  for (const auto& other : others_) {
    const auto said = answer(other, query);
    if (const auto* prediction = std::get_if<Prediction>(&said))
      e.others.emplace_back(other.name, prediction->time / pair.measured - 1);
  }
  e.like = of.groups->like(row);
  e.counts = explained_counts(kernel, pair.problem, config, device_);
  for (const auto& mechanism : known_) {
    if (mechanism.applies(model_.name, pair.family, of.rows[row])) e.mechanisms.push_back(mechanism.id);
  }
  return e;
}

std::vector<FamilyMechanism> RowExplainer::mechanisms(const std::string& family) {
  const Family& of = family_of(family);
  std::vector<FamilyMechanism> found;
  for (const auto& mechanism : known_) {
    const bool fits = (mechanism.model == "*" || mechanism.model == model_.name) &&
                      (mechanism.family == "*" || mechanism.family == family);
    if (!fits) continue;
    const MechanismEffect effect = effect_of(mechanism, of.rows);
    if (effect.rows > 0) found.push_back({mechanism, effect});
  }
  return found;
}

std::vector<std::size_t> worst_places(std::span<const Comparison> pairs, std::size_t count) {
  std::vector<std::size_t> places(pairs.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, std::ranges::greater{},
                           [&](std::size_t i) { return std::abs(pairs[i].signed_error()); });
  places.resize(std::min(count, places.size()));
  return places;
}

std::string bounds_text(const Prediction& prediction, std::size_t count) {
  auto bounds = prediction.bounds;
  std::ranges::stable_sort(bounds, std::ranges::greater{}, &Bound::time);
  std::string text;
  for (const auto& bound : std::span(bounds).first(std::min(count, bounds.size()))) {
    if (bound.time > Seconds{})
      text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", bound.name,
                          100 * (bound.time / prediction.time));
  }
  return text;
}

std::string counts_text(std::span<const ExplainedCount> counts) {
  constexpr double worth_telling = 0.03;
  if (counts.empty()) return "";
  std::string text;
  for (const auto& count : counts) {
    if (!count.described || count.counted <= 0) continue;
    const double off = *count.described / count.counted - 1;
    if (std::abs(off) > worth_telling)
      text += fmt::format("{}{} {:.0f} % too {}", text.empty() ? "" : ", ", count.quantity,
                          100 * std::abs(off), off > 0 ? "many" : "few");
  }
  return text.empty() ? "as described" : text;
}

std::string others_text(const RowExplanation& e) {
  std::string text;
  for (const auto& [model, error] : e.others)
    text += fmt::format("{}{} {:+.1f} %", text.empty() ? "" : ", ", model, 100 * error);
  return text;
}

std::string carriers_text(const RowExplanation& e) {
  return analytic::residual_text(e.residual, 3);
}

std::vector<std::string> explanation_sentences(const RowExplanation& e) {
  std::vector<std::string> sentences;
  if (!e.residual.empty()) {
    const auto carriers = carriers_text(e);
    sentences.push_back(carriers.empty() ? "no bound alone could carry it"
                                         : "could carry it alone: " + carriers);
  }
  if (!e.others.empty()) sentences.push_back("on the same row: " + others_text(e));
  sentences.push_back(e.like ? "off like it: " + like_rows_text(*e.like)
                             : "rows that share its values are not off like it");
  if (!e.counts.empty()) sentences.push_back("against the profiler's counters: " + counts_text(e.counts));
  sentences.push_back(e.mechanisms.empty()
                          ? "no known mechanism"
                          : fmt::format("known mechanism{}: {}", e.mechanisms.size() == 1 ? "" : "s",
                                        fmt::join(e.mechanisms, ", ")));
  return sentences;
}

}  // namespace tilecast
