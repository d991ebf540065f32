#include "reports/synthetic_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tilecast::synthetic {
namespace {

// mt19937_64 is the same everywhere; the distributions of <random> are not, so they are not used.
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

PredictedPoint point(std::string family, std::string layer, ConvShape shape, Config config, double seconds,
                     double error, std::mt19937_64& random) {
  PredictedPoint p;
  p.family = std::move(family);
  p.suite = p.family == "chang_single" ? "chang-single" : "chang-multi";
  p.layer = std::move(layer);
  p.shape = shape;
  p.config = config;
  p.predicted = Seconds{seconds};
  p.low = 0.85 * p.predicted;
  p.high = 1.2 * p.predicted;
  p.bounds = {
      {"fma", "A1", 0.7 * p.predicted}, {"dram", "A5", 0.4 * p.predicted}, {"latency", "A7", p.predicted}};
  p.limiter = "latency";
  const double u = uniform(random) + uniform(random) + uniform(random) - 1.5;
  p.measured = Seconds{seconds * std::exp(error * u + 0.05)};
  p.measured_p10 = 0.98 * *p.measured;
  p.measured_p90 = 1.03 * *p.measured;
  return p;
}

}  // namespace

std::vector<PredictedPoint> points() {
  std::mt19937_64 random{2022};
  std::vector<PredictedPoint> all;
  for (const auto& [map, m] : {std::pair{28, 512}, {56, 256}, {112, 128}, {224, 64}, {512, 32}, {1024, 32}}) {
    for (const int k : {1, 3, 5}) {
      const ConvShape shape{.C = 1, .H = map, .W = map, .M = m, .K = k};
      const std::string layer = fmt::format("chang-sc-{}-m{}-k{}", map, m, k);
      const double work = static_cast<double>(shape.fmas()) / 1.2e13 + 2.5e-6;
      for (int p = 1; p <= std::min(map, 64); ++p) {
        const double cost = work * (1 + 3.0 / p + 0.02 * p);
        all.push_back(point("chang_single", layer, shape, Config{{"method", 1}, {"P", p}, {"Q", 1}}, cost,
                            0.25, random));
        all.back().paper_choice = p == 5;
      }
      for (int q = 1; q <= std::min(m, 48); ++q) {
        const double cost = work * (1.3 + 2.0 / q + 0.015 * q);
        all.push_back(point("chang_single", layer, shape, Config{{"method", 2}, {"P", 1}, {"Q", q}}, cost,
                            0.25, random));
      }
    }
  }
  for (const auto& [map, c] : {std::pair{7, 512}, {14, 512}, {28, 256}, {56, 128}, {112, 64}}) {
    for (const int k : {1, 3, 5}) {
      const ConvShape shape{.C = c, .H = map, .W = map, .M = c, .K = k};
      const std::string layer = fmt::format("chang-mc-{}-c{}-k{}", map, c, k);
      const double work = static_cast<double>(shape.fmas()) / 1.6e13 + 3e-6;
      for (const int s : {32, 64, 128}) {
        for (int m = 16; m <= 256; m *= 2) {
          for (int w = 32; w <= 256; w += 32) {
            if (m * w > 32768) continue;
            const double cost = work * (1 + 40.0 / m + 30.0 / w + m * w / 2.0e4 + 8.0 / s);
            all.push_back(point("chang_multi", layer, shape,
                                Config{{"S_bytes", s}, {"M_tile", m}, {"Wx_tile", w}}, cost, 0.5, random));
            all.back().paper_choice = s == 32 && m == 64 && w == 128;
          }
        }
      }
    }
  }
  return all;
}

ModelComparison models() {
  ModelComparison comparison{"invented configs", {}};
  for (const double factor : {1.0, 2.0}) {
    for (const auto& p : points()) {
      if (p.measured)
        comparison.points.push_back(
            {factor == 1 ? "good_model" : "slow", p.family, *p.measured, factor * p.predicted});
    }
  }
  return comparison;
}

std::vector<ErrorSummary> ablation() {
  return {{"", "chang_single", 10, 0.05, 0.1},
          {"", "chang_multi", 10, 0.06, 0.2},
          {"fma", "chang_single", 10, 0.15, 0.3},
          {"fma", "chang_multi", 10, 0.06, 0.2},
          {"dram", "chang_single", 10, 0.0, 0.0}};
}

std::vector<BaselinePoint> baselines() {
  std::vector<BaselinePoint> all;
  double factor = 1.1;
  for (const auto& p : points()) {
    if (!all.empty() && all.back().layer == p.layer) continue;
    factor = factor > 4 ? 0.8 : factor * 1.21;
    const double floor = 1.6 * static_cast<double>(p.shape.fmas()) / 1.4e13 + 4e-6;
    all.push_back({"cudnn_legacy", p.suite, p.layer, "IMPLICIT_PRECOMP_GEMM", Seconds{1.5 * factor * floor}});
    all.push_back({"cudnn_graph", p.suite, p.layer, "plan 3", Seconds{factor * floor}});
  }
  return all;
}

DeviceProfile device() {
  DeviceProfile d;
  d.name = "synthetic";
  d.gpu_name = "Synthetic GPU";
  d.compute_capability_major = 9;
  const auto info = [](const char* source) {
    ParameterInfo i;
    i.provenance = {SourceKind::assumed, source};
    return i;
  };
  d.sm_count.set(132, info("invented"));
  d.fp32_lanes_per_sm.set(128, info("invented"));
  d.shared_per_sm.set(Bytes{233472}, info("invented"));
  d.l2_size.set(Bytes{50.0 * 1024 * 1024}, info("invented"));
  d.sm_clock.set(Frequency{1.9e9}, info("invented"));
  d.l1_latency.set(Cycles{38}, info("invented"));
  d.l2_latency.set(Cycles{265}, info("invented"));
  d.dram_latency.set(Cycles{640}, info("invented"));
  d.dram_peak.set(Bandwidth{4.8e12}, info("invented"));
  d.dram_read.set(Bandwidth{4.3e12}, info("invented"));
  d.l2_read.set(Bandwidth{7.5e12}, info("invented"));
  d.fma_rate.set(PerCycle{127.2}, info("invented"));
  d.v_s_95.set(Bytes{6.0 * 1024 * 1024}, info("invented"));
  for (int e = 12; e <= 30; ++e) {
    for (const double f : {1.0, 1.5}) {
      const double x = f * std::exp2(e);
      d.latency_over_footprint.x.push_back(x);
      d.latency_over_footprint.y.push_back(x < 2.2e5   ? 38
                                           : x < 5.0e7 ? 265 + 10 * std::log2(x / 2e5)
                                                       : 640 + 12 * std::log2(x / 5e7));
    }
  }
  d.latency_over_footprint.provenance = {SourceKind::assumed, "invented"};
  for (int e = 12; e <= 24; ++e) {
    const double x = std::exp2(e);
    d.dram_read_over_bytes_in_flight.x.push_back(x);
    d.dram_read_over_bytes_in_flight.y.push_back(4.3e12 * (1 - std::exp(-x / 2e6)));
    d.dram_write_over_bytes_in_flight.x.push_back(x);
    d.dram_write_over_bytes_in_flight.y.push_back(4.0e12 * (1 - std::exp(-x / 1.5e6)));
  }
  d.dram_read_over_bytes_in_flight.provenance = {SourceKind::assumed, "invented"};
  d.dram_read_cp_async_over_bytes_in_flight = d.dram_read_over_bytes_in_flight;
  for (Curve* load : {&d.dram_latency_over_load, &d.dram_latency_p10_over_load, &d.dram_latency_p90_over_load,
                      &d.dram_latency_mean_over_load}) {
    load->x = {1e11, 2e12, 4e12};
    load->y = {640, 700, 900};
    load->provenance = {SourceKind::assumed, "invented"};
  }
  for (Curve* round : {&d.round_over_fmas_idle, &d.round_over_fmas_loaded}) {
    round->x = {2e4, 8e4, 16e4};
    round->y = {700, 720, 1350};
    round->provenance = {SourceKind::assumed, "invented"};
  }
  auto& map = d.l2_first_latency_over_sm_and_line;
  map.rows = {0, 1};
  map.columns = {0, 4096, 8192};
  map.y = {250, 450, 250, 450, 250, 450};
  map.provenance = {SourceKind::assumed, "invented"};
  auto& fma = d.fma_rate_over_warps_and_ilp;
  fma.rows = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
  fma.columns = {1, 2, 3, 4, 6, 8};
  for (const double warps : fma.rows) {
    for (const double ilp : fma.columns)
      fma.y.push_back(
          std::min(127.2, std::min(4.0, warps) * 32 * std::min(1.0, std::ceil(warps / 4) * ilp / 4)));
  }
  fma.provenance = {SourceKind::assumed, "invented"};
  return d;
}

}  // namespace tilecast::synthetic
