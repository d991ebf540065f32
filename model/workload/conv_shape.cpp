#include "model/workload/conv_shape.hpp"

#include <fmt/format.h>

#include <utility>

namespace tilecast {
namespace {

// Product of factors, or nullopt-like -1 once it exceeds 2^62 (no tensor of that size exists anywhere).
bool product_fits(std::initializer_list<std::int64_t> factors) {
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  std::int64_t product = 1;
  for (const auto factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product) || product > limit) return false;
  }
  return true;
}

}  // namespace

ConvShape gemm_shape(std::int64_t M, std::int64_t N, std::int64_t K) {
  return {.N = 1, .C = K, .H = 1, .W = N, .M = M, .K = 1, .stride = 1, .pad = 0};
}

std::string shape_problem(const ConvShape& s) {
  constexpr std::int64_t largest = std::int64_t{1} << 31;
  const std::pair<const char*, std::int64_t> positive[] = {
      {"N", s.N}, {"C", s.C}, {"H", s.H},           {"W", s.W},
      {"M", s.M}, {"K", s.K}, {"stride", s.stride}, {"dilation", s.dilation}};
  for (const auto& [name, value] : positive) {
    if (value < 1) return fmt::format("{}: {}, expected a positive integer", name, value);
    if (value >= largest) return fmt::format("{}: {}, expected less than 2^31", name, value);
  }
  if (s.pad < 0 || s.pad >= largest)
    return fmt::format("pad: {}, expected 0 or more and less than 2^31", s.pad);
  if (s.K > s.H + 2 * s.pad || s.K > s.W + 2 * s.pad) {
    return fmt::format("K: {}, expected at most the padded map ({} x {})", s.K, s.H + 2 * s.pad,
                       s.W + 2 * s.pad);
  }
  if (s.filter_extent() > s.H + 2 * s.pad || s.filter_extent() > s.W + 2 * s.pad) {
    return fmt::format("dilation: {}, expected (K - 1) * dilation + 1 = {} at most the padded map ({} x {})",
                       s.dilation, s.filter_extent(), s.H + 2 * s.pad, s.W + 2 * s.pad);
  }
  if (!product_fits({s.N, s.C, s.H, s.W})) return "N*C*H*W: overflows, expected at most 2^62 input elements";
  if (!product_fits({s.M, s.C, s.K, s.K})) return "M*C*K*K: overflows, expected at most 2^62 filter elements";
  if (!product_fits({s.N, s.M, s.out_h(), s.out_w()})) {
    return "N*M*out_h*out_w: overflows, expected at most 2^62 output elements";
  }
  if (!product_fits({s.N, s.M, s.out_h(), s.out_w(), s.C, s.K, s.K})) {
    return "N*M*out_h*out_w*C*K*K: overflows, expected at most 2^62 FMAs";
  }
  return "";
}

std::string describe_shape(const ConvShape& s) {
  const auto text =
      fmt::format("N{} C{} {}x{} M{} K{} s{} p{}", s.N, s.C, s.H, s.W, s.M, s.K, s.stride, s.pad);
  return s.dilation == 1 ? text : fmt::format("{} d{}", text, s.dilation);
}

}  // namespace tilecast
