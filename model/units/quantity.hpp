#pragma once
// Physical quantities as types. A Quantity is a double in base units (bytes, flops, cycles, seconds) whose
// dimensions are template arguments, so that Cycles / Frequency is Seconds and adding cycles to seconds does
// not compile. Prefixes (kB, MHz) exist only where values are printed. Counts of things (blocks, warps) are
// std::int64_t; ratios are plain doubles in 0..1.

#include <compare>

namespace tilecast {

template <int Byte, int Flop, int Cycle, int Second>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double base_units) : value_(base_units) {}
  constexpr double value() const { return value_; }  // in base units

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.value_ + b.value_}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.value_ - b.value_}; }
  friend constexpr Quantity operator*(double k, Quantity q) { return Quantity{k * q.value_}; }
  friend constexpr Quantity operator*(Quantity q, double k) { return Quantity{k * q.value_}; }
  friend constexpr Quantity operator/(Quantity q, double k) { return Quantity{q.value_ / k}; }

 private:
  double value_ = 0;
};

template <int B, int F, int C, int S, int b, int f, int c, int s>
constexpr auto operator*(Quantity<B, F, C, S> x, Quantity<b, f, c, s> y) {
  if constexpr (B + b == 0 && F + f == 0 && C + c == 0 && S + s == 0) {
    return x.value() * y.value();
  } else {
    return Quantity<B + b, F + f, C + c, S + s>{x.value() * y.value()};
  }
}

template <int B, int F, int C, int S, int b, int f, int c, int s>
constexpr auto operator/(Quantity<B, F, C, S> x, Quantity<b, f, c, s> y) {
  if constexpr (B == b && F == f && C == c && S == s) {
    return x.value() / y.value();
  } else {
    return Quantity<B - b, F - f, C - c, S - s>{x.value() / y.value()};
  }
}

using Bytes = Quantity<1, 0, 0, 0>;
using Flops = Quantity<0, 1, 0, 0>;
using Cycles = Quantity<0, 0, 1, 0>;
using Seconds = Quantity<0, 0, 0, 1>;
using Frequency = Quantity<0, 0, 1, -1>;      // cycles/s
using Bandwidth = Quantity<1, 0, 0, -1>;      // bytes/s
using BytesPerCycle = Quantity<1, 0, -1, 0>;  // bytes/cycle
using FlopRate = Quantity<0, 1, 0, -1>;       // flops/s
using PerCycle = Quantity<0, 0, -1, 0>;       // events/cycle

}  // namespace tilecast
