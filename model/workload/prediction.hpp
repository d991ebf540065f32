#pragma once
// What a model says of one config: a time with an interval, and the named bounds it is made of.

#include <string_view>
#include <vector>

#include "model/units/quantity.hpp"
#include "model/workload/code_source.hpp"

namespace tilecast {

struct Bound {
  std::string_view name;      // "fma", "issue", "dram", ...
  std::string_view equation;  // id in model/EQUATIONS.md
  Seconds time{};             // the time this bound alone would allow
};

struct Prediction {
  Seconds time{};
  Seconds low{}, high{};  // 90 % interval
  std::string_view limiter;
  CodeSource code = CodeSource::own;  // whose counts the time rests on; own as well where none are needed
  std::vector<Bound> bounds;
};

// B1. The geometric mean of what the simulator and the analytic model say of the same config.
Prediction between(const Prediction& sim, const Prediction& analytic);

}  // namespace tilecast
