#include "reports/residual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilecast {
namespace {

// Terms of the analytic model that other work does not hide (A6, A7, A8, A16).
bool adds_up(const NamedTime& bound) {
  return bound.name == "latency" || bound.name == "barrier" || bound.name == "launch" ||
         bound.name == "fetch";
}

}  // namespace

std::vector<ResidualTerm> residual_terms(std::span<const NamedTime> bounds, Seconds predicted,
                                         Seconds measured) {
  const Seconds residual = measured - predicted;
  Seconds largest{}, second{};
  for (const auto& b : bounds) {
    if (adds_up(b)) continue;
    if (b.time > largest) {
      second = largest;
      largest = b.time;
    } else {
      second = std::max(second, b.time);
    }
  }
  std::vector<ResidualTerm> terms;
  for (const auto& b : bounds) {
    ResidualTerm term{b.name, std::nullopt};
    const Seconds wanted = (adds_up(b) ? b.time : largest) + residual;
    const bool can = adds_up(b) || residual >= Seconds{} || (b.time == largest && wanted >= second);
    if (can && b.time > Seconds{} && wanted > Seconds{}) term.factor = wanted / b.time;
    terms.push_back(std::move(term));
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
    if (term.factor) text += fmt::format("{}{} x {:.3g}", text.empty() ? "" : ", ", term.bound, *term.factor);
  }
  return text;
}

}  // namespace tilecast
