#include "reports/select.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "model/support/statistics.hpp"
#include "reports/errors_by_family.hpp"

namespace tilecast {
namespace {

// The config's other axes as text: what is held fixed along `axis`.
std::string config_without(const Config& config, std::string_view axis) {
  std::string text;
  for (const auto& v : config.values()) {
    if (v.name == axis) continue;
    if (!text.empty()) text += ' ';
    text += std::string(v.name) + '=' + std::to_string(v.value);
  }
  return text;
}

using PointGroup = std::vector<const PredictedPoint*>;

std::size_t count_measured(const PointGroup& group) {
  return static_cast<std::size_t>(
      std::ranges::count_if(group, [](const auto* p) { return p->measured.has_value(); }));
}

Seconds least_predicted(const PointGroup& group) {
  return (*std::ranges::min_element(group, {}, [](const auto* p) { return p->predicted; }))->predicted;
}

// Groups in the order in which their keys first appear.
template <class Key, class Of>
std::vector<PointGroup> group_in_order(std::span<const PredictedPoint> points, Of&& key_of) {
  std::map<Key, std::size_t> index;
  std::vector<PointGroup> groups;
  for (const auto& p : points) {
    const auto key = key_of(p);
    if (!key) continue;
    const auto [it, is_new] = index.emplace(*key, groups.size());
    if (is_new) groups.emplace_back();
    groups[it->second].push_back(&p);
  }
  return groups;
}

using LayerKey = std::tuple<std::string, std::string, std::string>;

std::vector<PointGroup> by_family_and_layer(std::span<const PredictedPoint> points) {
  return group_in_order<LayerKey>(points, [](const PredictedPoint& p) {
    return std::optional{LayerKey{p.family, p.suite, p.layer}};
  });
}

const PredictedPoint* fastest_predicted(const PointGroup& group) {
  return *std::ranges::min_element(group, {}, [](const auto* p) { return p->predicted; });
}

const PredictedPoint* fastest_measured(const PointGroup& group) {
  const PredictedPoint* best = nullptr;
  for (const auto* p : group) {
    if (p->measured && (best == nullptr || *p->measured < *best->measured)) best = p;
  }
  return best;
}

const BaselinePoint* fastest_baseline(std::span<const BaselinePoint> baselines, std::string_view suite,
                                      std::string_view layer) {
  const BaselinePoint* best = nullptr;
  for (const auto& b : baselines) {
    if (b.suite != suite || b.layer != layer) continue;
    if (best == nullptr || b.measured < best->measured) best = &b;
  }
  return best;
}

// Whether the paper divides this layer so, be it by prefetching or by volume: a sweep holds one way of
// loading fixed, the choice of P or Q is the same for both.
bool divided_as_the_paper_chooses(const PredictedPoint& point, std::span<const PredictedPoint> points) {
  return std::ranges::any_of(points, [&](const PredictedPoint& p) {
    if (!p.paper_choice || p.layer != point.layer || p.suite != point.suite || p.family != point.family)
      return false;
    return std::ranges::all_of(std::array{"method", "P", "Q"}, [&](const char* axis) {
      return p.config.find(axis) == point.config.find(axis);
    });
  });
}

}  // namespace

std::optional<AxisSweep> axis_sweep(std::span<const PredictedPoint> points, std::string_view axis,
                                    std::string_view layer) {
  auto groups = group_in_order<std::tuple<LayerKey, std::string>>(
      points, [&](const PredictedPoint& p) -> std::optional<std::tuple<LayerKey, std::string>> {
        if (!layer.empty() && p.layer != layer) return std::nullopt;
        if (!p.config.find(axis)) return std::nullopt;
        return std::tuple{LayerKey{p.family, p.suite, p.layer}, config_without(p.config, axis)};
      });
  const PointGroup* best = nullptr;
  const auto rank = [](const PointGroup& g) {
    const bool paper = std::ranges::any_of(g, [](const auto* p) { return p->paper_choice; });
    return std::tuple{count_measured(g), g.size(), paper, -least_predicted(g).value()};
  };
  for (const auto& g : groups) {
    if (g.size() >= 2 && (best == nullptr || rank(g) > rank(*best))) best = &g;
  }
  if (best == nullptr) return std::nullopt;

  const PredictedPoint& first = *best->front();
  AxisSweep sweep{.axis = std::string(axis),
                  .layer = first.layer,
                  .family = first.family,
                  .fixed = config_without(first.config, axis),
                  .shape = first.shape};
  for (const auto* p : *best) {
    const auto value = p->config[axis];
    sweep.points.push_back(
        {value, p->predicted, p->low, p->high, p->measured, p->measured_p10, p->measured_p90});
    if (divided_as_the_paper_chooses(*p, points)) sweep.paper_choice = value;
  }
  std::ranges::sort(sweep.points, {}, &SweepPoint::value);
  return sweep;
}

std::optional<TileMap> tile_map(std::span<const PredictedPoint> points, std::string_view layer,
                                std::optional<std::int64_t> s_bytes) {
  const auto groups =
      group_in_order<LayerKey>(points, [&](const PredictedPoint& p) -> std::optional<LayerKey> {
        if (!layer.empty() && p.layer != layer) return std::nullopt;
        if (!p.config.find("M_tile") || !p.config.find("Wx_tile") || !p.config.find("S_bytes"))
          return std::nullopt;
        return LayerKey{p.family, p.suite, p.layer};
      });
  const PointGroup* best = nullptr;
  // These tiles are the multi-channel method's: a layer with one channel is its corner case.
  const auto rank = [](const PointGroup& g) {
    return std::tuple{g.front()->shape.C > 1, count_measured(g), g.size()};
  };
  for (const auto& g : groups) {
    if (best == nullptr || rank(g) > rank(*best)) best = &g;
  }
  if (best == nullptr) return std::nullopt;

  const auto s = s_bytes.value_or(fastest_predicted(*best)->config["S_bytes"]);
  std::set<std::int64_t> m_tiles, wx_tiles;
  for (const auto* p : *best) {
    if (p->config["S_bytes"] != s) continue;
    m_tiles.insert(p->config["M_tile"]);
    wx_tiles.insert(p->config["Wx_tile"]);
  }
  if (m_tiles.empty()) return std::nullopt;

  TileMap map{.layer = best->front()->layer,
              .family = best->front()->family,
              .shape = best->front()->shape,
              .s_bytes = s};
  map.m_tiles.assign(m_tiles.begin(), m_tiles.end());
  map.wx_tiles.assign(wx_tiles.begin(), wx_tiles.end());
  map.predicted.resize(m_tiles.size() * wx_tiles.size());
  map.measured.resize(map.predicted.size());
  const auto keep_least = [](std::optional<Seconds>& cell, Seconds t) {
    if (!cell || t < *cell) cell = t;
  };
  for (const auto* p : *best) {
    if (p->config["S_bytes"] != s) continue;
    const auto row =
        static_cast<std::size_t>(std::distance(m_tiles.begin(), m_tiles.find(p->config["M_tile"])));
    const auto column =
        static_cast<std::size_t>(std::distance(wx_tiles.begin(), wx_tiles.find(p->config["Wx_tile"])));
    const auto cell = row * map.wx_tiles.size() + column;
    keep_least(map.predicted[cell], p->predicted);
    if (p->measured) keep_least(map.measured[cell], *p->measured);
  }
  return map;
}

std::vector<RooflinePoint> roofline_points(std::span<const PredictedPoint> points) {
  std::vector<RooflinePoint> result;
  for (const auto& group : by_family_and_layer(points)) {
    const auto* measured = fastest_measured(group);
    const auto* p = measured != nullptr ? measured : fastest_predicted(group);
    const Seconds time = measured != nullptr ? *measured->measured : p->predicted;
    result.push_back({p->family, p->layer, p->shape.flops().value() / p->shape.compulsory_bytes().value(),
                      p->shape.flops() / time, measured != nullptr});
  }
  return result;
}

std::vector<SpeedupBar> speedup_bars(std::span<const PredictedPoint> points,
                                     std::span<const BaselinePoint> baselines) {
  using Key = std::pair<std::string, std::string>;
  const auto layers = group_in_order<Key>(points, [](const PredictedPoint& p) {
    return std::optional{Key{p.suite, p.layer}};
  });
  std::vector<SpeedupBar> bars;
  for (const auto& group : layers) {
    const auto* best = fastest_measured(group);
    const auto* baseline = fastest_baseline(baselines, group.front()->suite, group.front()->layer);
    if (best == nullptr || baseline == nullptr) continue;
    SpeedupBar bar{
        best->layer, baseline->family + " " + baseline->algorithm, baseline->measured / *best->measured, {}};
    if (const auto* chosen = fastest_predicted(group); chosen->measured)
      bar.predicted_choice = baseline->measured / *chosen->measured;
    bars.push_back(std::move(bar));
  }
  return bars;
}

std::vector<LayerLine> layer_lines(std::span<const PredictedPoint> points,
                                   std::span<const BaselinePoint> baselines) {
  std::vector<LayerLine> result;
  for (const auto& group : by_family_and_layer(points)) {
    const auto* chosen = fastest_predicted(group);
    LayerLine s{
        .family = chosen->family, .suite = chosen->suite, .layer = chosen->layer, .shape = chosen->shape};
    s.configs = group.size();
    s.measured_configs = count_measured(group);
    s.chosen = chosen->config;
    s.chosen_predicted = chosen->predicted;
    s.chosen_low = chosen->low;
    s.chosen_high = chosen->high;
    s.limiter = chosen->limiter;
    s.chosen_measured = chosen->measured;
    if (const auto* best = fastest_measured(group)) {
      s.best = best->config;
      s.best_measured = best->measured;
      if (s.chosen_measured) s.regret = *s.chosen_measured / *s.best_measured - 1.0;
      PointGroup measured;
      std::ranges::copy_if(group, std::back_inserter(measured),
                           [](const auto* p) { return p->measured.has_value(); });
      s.median_abs_error = quantile(sorted_abs_errors(measured), 0.5);
    }
    if (const auto* b = fastest_baseline(baselines, s.suite, s.layer)) {
      s.baseline = b->measured;
      s.baseline_algorithm = b->family + " " + b->algorithm;
    }
    result.push_back(std::move(s));
  }
  return result;
}

std::vector<PredictedPoint> worst_points(std::span<const PredictedPoint> points, std::string_view family,
                                         std::size_t count) {
  PointGroup measured;
  for (const auto& p : points) {
    if (p.family == family && p.measured) measured.push_back(&p);
  }
  const auto wrongness = [](const PredictedPoint* p) {
    return std::abs(std::log(p->predicted / *p->measured));
  };
  std::ranges::stable_sort(measured, std::ranges::greater{}, wrongness);
  std::vector<PredictedPoint> worst;
  for (const auto* p : measured) {
    if (worst.size() == count) break;
    worst.push_back(*p);
  }
  return worst;
}

}  // namespace tilecast
