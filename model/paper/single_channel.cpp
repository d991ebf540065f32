#include "model/paper/single_channel.hpp"

#include <algorithm>
#include <cmath>

namespace tilecast::paper {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// The shape in the paper's letters. Doubles: products of sizes can exceed 64 bits.
struct Letters {
  double K, M, Wx, Wy;
  double filters_per_sm;  // ceil(M / N_sm)
  double rows_per_sm;     // ceil(Wy / N_sm)
};

Letters letters(const ConvShape& s, const DeviceConstants& device) {
  return {static_cast<double>(s.K),
          static_cast<double>(s.M),
          static_cast<double>(s.W),
          static_cast<double>(s.H),
          static_cast<double>(ceil_div(s.M, device.sm_count)),
          static_cast<double>(ceil_div(s.H, device.sm_count))};
}

// The largest integer not above x, held to 0..limit.
std::int64_t floor_to(double x, std::int64_t limit) {
  return static_cast<std::int64_t>(std::floor(std::clamp(x, 0.0, static_cast<double>(limit))));
}

// P8 as printed: pieces >= bytes / room. No room, or more pieces than there are rows or filters: no value.
std::optional<std::int64_t> printed_lower(double bytes, double room, std::int64_t limit) {
  if (room <= 0 || bytes / room > static_cast<double>(limit)) return std::nullopt;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(bytes / room)));
}

// P8, exact reading: the smallest count of pieces whose data fit. They shrink as the count grows.
template <class PieceOf>
std::optional<std::int64_t> exact_lower(PieceOf piece_of, Bytes capacity, std::int64_t limit) {
  if (piece_of(limit).data > capacity) return std::nullopt;
  std::int64_t low = 1, high = limit;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    if (piece_of(middle).data <= capacity) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

Piece method1_piece(const ConvShape& shape, const DeviceConstants& device, std::int64_t P) {
  const auto [K, M, Wx, Wy, filters, rows_per_sm] = letters(shape, device);
  const auto rows = static_cast<double>(ceil_div(shape.H, P));
  return {Bytes{4 * (K * K * filters + (rows + K - 1) * Wx)},  // P3: their eq. 5
          K * K * filters * rows * Wx};                        // P4: their eq. 6
}

Piece method2_piece(const ConvShape& shape, const DeviceConstants& device, std::int64_t Q) {
  const auto [K, M, Wx, Wy, filters_per_sm, rows] = letters(shape, device);
  const auto filters = static_cast<double>(ceil_div(shape.M, Q));
  return {Bytes{4 * (K * K * filters + (rows + K - 1) * Wx)},  // P5: their eq. 8
          K * K * filters * rows * Wx};                        // P6: their eq. 9
}

Range range_of_P(const ConvShape& shape, const DeviceConstants& device, const Quirks& quirks) {
  const auto [K, M, Wx, Wy, filters, rows] = letters(shape, device);
  Range range;
  range.upper = floor_to(K * K * filters * Wy * Wx / device.n_fma, shape.H);  // P7
  range.lower =
      quirks.lower_bound == LowerBound::printed
          ? printed_lower(4 * Wy * Wx, device.shared_per_sm.value() - 4 * K * K * filters + (1 - K) * 4 * Wx,
                          shape.H)
          : exact_lower([&](std::int64_t P) { return method1_piece(shape, device, P); }, device.shared_per_sm,
                        shape.H);
  return range;
}

Range range_of_Q(const ConvShape& shape, const DeviceConstants& device, const Quirks& quirks) {
  const auto [K, M, Wx, Wy, filters, rows] = letters(shape, device);
  Range range;
  range.upper = floor_to(K * K * M * rows * Wx / device.n_fma, shape.M);  // P7
  range.lower =
      quirks.lower_bound == LowerBound::printed
          ? printed_lower(4 * M * K * K, device.shared_per_sm.value() - 4 * Wx * (rows + K - 1), shape.M)
          : exact_lower([&](std::int64_t Q) { return method2_piece(shape, device, Q); }, device.shared_per_sm,
                        shape.M);
  return range;
}

SingleChoice choose_single(const ConvShape& shape, const DeviceConstants& device, const Quirks& quirks) {
  SingleChoice choice;
  choice.P_range = range_of_P(shape, device, quirks);
  choice.Q_range = range_of_Q(shape, device, quirks);
  const auto P = choice.P_range.empty() ? 1 : *choice.P_range.lower;
  const auto Q = choice.Q_range.empty() ? 1 : *choice.Q_range.lower;
  choice.method1 = method1_piece(shape, device, P);
  choice.method2 = method2_piece(shape, device, Q);
  choice.method = choice.method1.data < choice.method2.data ? 1 : 2;  // P9
  (choice.method == 1 ? choice.P : choice.Q) = choice.method == 1 ? P : Q;
  return choice;
}

}  // namespace tilecast::paper
