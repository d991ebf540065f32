#pragma once
// What figures and tables are made of: results only, already joined. reports/ knows neither how a time was
// predicted nor how it was measured.

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/units/quantity.hpp"
#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast {

struct NamedTime {
  std::string name, equation;
  Seconds time{};
};

// One config of one layer: always predicted, perhaps measured.
struct PredictedPoint {
  std::string family, suite, layer;
  ConvShape shape;
  Config config;
  Seconds predicted{}, low{}, high{};
  std::string limiter;
  std::vector<NamedTime> bounds;
  std::optional<Seconds> measured, measured_p10, measured_p90;
  bool paper_choice = false;  // what the paper's rules choose for this layer and device

  // predicted / measured - 1; requires `measured`.
  double signed_error() const { return predicted / *measured - 1.0; }
};

// One config by one of several models.
struct ModelPoint {
  std::string model, family;
  Seconds measured{}, predicted{};
  double abs_error() const { return std::abs(predicted / measured - 1.0); }
};

// The models on the same rows. `rows` says which: "recorded configs", "frozen predictions of 40 layers ...".
struct ModelComparison {
  std::string rows;
  std::vector<ModelPoint> points;  // models in the order in which they are shown
};

// Errors of one model on one family; of an ablation, the model is what was left out ("" for nothing).
struct ErrorSummary {
  std::string model, family;
  std::size_t n = 0;
  double median = 0, p90 = 0;  // of |predicted / measured - 1|
};

// One algorithm of a library on one layer.
struct BaselinePoint {
  std::string family, suite, layer, algorithm;
  Seconds measured{};
};

struct SweepPoint {
  std::int64_t value = 0;
  Seconds predicted{}, low{}, high{};
  std::optional<Seconds> measured, measured_p10, measured_p90;
};

// One axis of one layer's configs, everything else held fixed; values ascending.
struct AxisSweep {
  std::string axis, layer, family;
  std::string fixed;  // the other axes, "method=1 Q=1"
  ConvShape shape;
  std::vector<SweepPoint> points;
  std::optional<std::int64_t> paper_choice;
};

// Times over M' (rows) and W'x (columns) of one layer and S, row major; absent where infeasible.
struct TileMap {
  std::string layer, family;
  ConvShape shape;
  std::int64_t s_bytes = 0;
  std::vector<std::int64_t> m_tiles, wx_tiles;
  std::vector<std::optional<Seconds>> predicted, measured;
};

// The fastest config of a family on a layer.
struct RooflinePoint {
  std::string family, layer;
  double flops_per_byte = 0;  // per compulsory byte: each tensor moved once
  FlopRate rate{};
  bool measured = false;  // else predicted
};

// A layer against the fastest baseline; > 1 is faster than the library.
struct SpeedupBar {
  std::string layer, baseline;             // the fastest algorithm
  double best = 0;                         // the fastest measured config
  std::optional<double> predicted_choice;  // the config that the model would have chosen, as measured
};

}  // namespace tilecast
