#include "model/analytic/residual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilecast::analytic {
namespace {

constexpr double most = 100;

// Solves for the factor by bisection on its logarithm: a prediction never falls as a bound grows.
template <class TimeAt>
std::optional<double> solved(TimeAt time_at, Seconds measured) {
  double low = -std::log(most), high = std::log(most);
  if (time_at(std::exp(low)) > measured || time_at(std::exp(high)) < measured) return std::nullopt;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (time_at(std::exp(middle)) < measured ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

}  // namespace

std::vector<ResidualTerm> residual_terms(const KernelDescription& kernel, const DeviceProfile& device,
                                         const Options& options, Seconds measured) {
  const auto prediction = predict(kernel, device, options);
  std::vector<ResidualTerm> terms;
  for (const auto& bound : prediction.bounds) {
    ResidualTerm term{bound.name, std::nullopt};
    if (bound.name == "overlap") {
      auto without = options;
      without.without.emplace_back(bound.name);
      const Seconds rest = predict(kernel, device, without).time;
      const double share = rest < prediction.time ? (measured - rest) / (prediction.time - rest) : 0;
      if (share >= 1 / most && share <= most) term.factor = share;
    } else if (bound.time > Seconds{}) {
      auto asked = options;
      asked.factors.emplace_back(bound.name, 1);
      const auto time_at = [&](double factor) {
        asked.factors.back().second = factor;
        return predict(kernel, device, asked).time;
      };
      term.factor = solved(time_at, measured);
    }
    terms.push_back(term);
  }
  const auto change = [](const ResidualTerm& t) {
    return t.factor ? std::abs(std::log(*t.factor)) : std::numeric_limits<double>::infinity();
  };
  std::ranges::stable_sort(terms, {}, change);
  return terms;
}

std::string residual_text(std::span<const ResidualTerm> terms, std::size_t count) {
  std::string text;
  for (const auto& term : terms.first(std::min(count, terms.size()))) {
    if (term.factor) text += fmt::format("{}{} x {:.2g}", text.empty() ? "" : ", ", term.bound, *term.factor);
  }
  return text;
}

}  // namespace tilecast::analytic
