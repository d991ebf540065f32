#pragma once
// One recorded measurement of one kernel (or library algorithm) on one problem.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/units/quantity.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast {

struct MeasuredRow {
  std::string family;  // "chang_single", ..., or a baseline: "cudnn_legacy", "cudnn_graph", "cublas_sgemm"
  std::string layer;   // id in its suite
  std::string suite;
  ConvShape problem;
  // The config by axis name, in the family's order; for baselines e.g. {"algorithm", "IMPLICIT_GEMM"}.
  std::vector<std::pair<std::string, std::string>> config;

  std::string status = "ok";  // "ok", or why there is no time ("wrong result", a library's status name, ...)
  std::optional<Seconds> time, time_p10, time_p90;  // median and percentiles of the samples
  std::optional<long> samples;
  std::optional<double> max_rel_error;  // max |out - ref| / max |ref| against float64
  std::optional<Frequency> sm_clock;    // while it ran
  std::string code_hash;
  std::string tool_version;
};

}  // namespace tilecast
