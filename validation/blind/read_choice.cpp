#include "validation/blind/read_choice.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tilecast {
namespace {

// The `count` fastest by what is known of them, or fewer where fewer have a time.
std::vector<FrozenRow*> fastest(std::vector<FrozenRow*> rows, std::size_t chosen, std::size_t count) {
  std::erase_if(rows, [&](const FrozenRow* row) { return !row->times[chosen]; });
  std::ranges::stable_sort(rows, {}, [&](const FrozenRow* row) { return row->times[chosen]->time; });
  rows.resize(std::min(rows.size(), count));
  return rows;
}

void read_layer(const std::vector<FrozenRow*>& rows, const ReadChoiceTimes& times, std::size_t count) {
  std::vector<FrozenRow*> read;
  for (bool fresh = true; fresh;) {
    fresh = false;
    for (auto* row : fastest(rows, times.chosen, count)) {
      if (std::ranges::find(read, row) != read.end()) continue;
      read.push_back(row);
      row->times[times.chosen] = row->times[times.own];
      fresh = true;
    }
  }
}

}  // namespace

void read_fastest(std::span<FrozenRow> rows, const ReadChoiceTimes& times, std::size_t count) {
  std::map<std::tuple<bool, std::string, std::string>, std::vector<FrozenRow*>> layers;
  for (auto& row : rows) {
    row.times[times.chosen] = row.times[times.unread];
    if (row.drawn) layers[{row.development, row.family, describe_shape(row.problem)}].push_back(&row);
  }
  for (const auto& [_, drawn] : layers)
    read_layer(drawn, times, count);
}

}  // namespace tilecast
