#pragma once
// The problem: one 2-D convolution layer in NCHW / OIHW layout, float32.
// A GEMM of M x N x K is the 1x1 convolution with M filters, K channels and a map of one row of N pixels:
// its filters are A (M x K), its input B (K x N), its output C (M x N), all row major. So one shape serves
// both.

#include <cstdint>
#include <string>

#include "model/units/quantity.hpp"

namespace tilecast {

struct ConvShape {
  std::int64_t N = 1;         // images
  std::int64_t C = 1;         // input channels
  std::int64_t H = 1;         // input rows
  std::int64_t W = 1;         // input columns
  std::int64_t M = 1;         // filters (output channels)
  std::int64_t K = 1;         // filter rows and columns
  std::int64_t stride = 1;    // in both directions
  std::int64_t pad = 0;       // zeros on each side
  std::int64_t dilation = 1;  // input elements from one weight to the next, in both directions

  friend bool operator==(const ConvShape&, const ConvShape&) = default;

  // Input rows, and columns, from the first weight's to the last one's, both included.
  std::int64_t filter_extent() const { return (K - 1) * dilation + 1; }
  std::int64_t out_h() const { return (H + 2 * pad - filter_extent()) / stride + 1; }
  std::int64_t out_w() const { return (W + 2 * pad - filter_extent()) / stride + 1; }
  std::int64_t input_elements() const { return N * C * H * W; }
  std::int64_t filter_elements() const { return M * C * K * K; }
  std::int64_t output_elements() const { return N * M * out_h() * out_w(); }
  // Fused multiply-adds of the direct algorithm, those with padding zeros included.
  std::int64_t fmas() const { return output_elements() * C * K * K; }
  Flops flops() const { return Flops{2.0 * static_cast<double>(fmas())}; }
  // Each tensor moved once.
  Bytes compulsory_bytes() const {
    return Bytes{4.0 * static_cast<double>(input_elements() + filter_elements() + output_elements())};
  }
};

// M x N x K GEMM as a convolution (see the head of this file).
ConvShape gemm_shape(std::int64_t M, std::int64_t N, std::int64_t K);

// Why the shape is no layer, as "field: value, expected ..."; empty when it is one. Sizes must be positive,
// the filter's extent no larger than the padded map, and every tensor (and the count of FMAs) below 2^62.
std::string shape_problem(const ConvShape& shape);

// "N1 C64 56x56 M64 K3 s1 p1", with " d2" behind it for a dilation of 2 (of 1: nothing). Names the shape in
// messages, figures and keys of rows.
std::string describe_shape(const ConvShape& shape);

}  // namespace tilecast
