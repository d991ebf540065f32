#include "model/support/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace tilecast {

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> known) {
  if (known.empty()) return std::nullopt;
  const auto best = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return edit_distance(name, a) < edit_distance(name, b);
  });
  if (2 * edit_distance(name, *best) > static_cast<int>(std::max(name.size(), best->size())))
    return std::nullopt;
  return *best;
}

std::string nearest_hint(std::string_view name, std::span<const std::string> known) {
  if (const auto best = nearest(name, known)) return fmt::format("did you mean '{}'?", *best);
  constexpr std::size_t most = 40;  // a page of names helps nobody
  const auto shown = known.first(std::min(most, known.size()));
  return fmt::format(
      "known: {}{}", fmt::join(shown, ", "),
      shown.size() == known.size() ? "" : fmt::format(" and {} more", known.size() - shown.size()));
}

}  // namespace tilecast
