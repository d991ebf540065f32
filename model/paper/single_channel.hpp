#pragma once
// Single channel (C = 1): filters over the SMs and the map cut into P strips (method 1), or map rows over the
// SMs and the filters cut into Q pieces (method 2). Section 3.1 of the paper.

#include <cstdint>
#include <optional>

#include "model/paper/device_constants.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast::paper {

// What one SM holds and computes for one piece.
struct Piece {
  Bytes data{};     // D1 or D2
  double fmas = 0;  // Th1 or Th2
};

Piece method1_piece(const ConvShape& shape, const DeviceConstants& device, std::int64_t P);  // P3, P4
Piece method2_piece(const ConvShape& shape, const DeviceConstants& device, std::int64_t Q);  // P5, P6

// Integers lower..upper; no lower: no value fits shared memory, however many pieces. Empty when lower >
// upper.
struct Range {
  std::optional<std::int64_t> lower;
  std::int64_t upper = 0;  // 0: not even the undivided piece hides the latency
  bool empty() const { return !lower || *lower > upper; }
};

Range range_of_P(const ConvShape& shape, const DeviceConstants& device, const Quirks& quirks);  // P7, P8
Range range_of_Q(const ConvShape& shape, const DeviceConstants& device, const Quirks& quirks);

struct SingleChoice {
  int method = 1;
  std::int64_t P = 1, Q = 1;  // as launched: the one that the method does not use is 1
  Range P_range, Q_range;
  Piece method1, method2;  // with the smallest P and Q in range, or 1
  const Piece& piece() const { return method == 1 ? method1 : method2; }
};

SingleChoice choose_single(const ConvShape& shape, const DeviceConstants& device,
                           const Quirks& quirks);  // P9

}  // namespace tilecast::paper
