#include "reports/format.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tilecast {

std::string format_significant(double v, int digits) {
  if (v == 0 || !std::isfinite(v)) return fmt::format("{}", v);
  // Rounding first, so that 999.7 prints as 1000 and not as 1e+03.
  const double magnitude = std::floor(std::log10(std::abs(v)));
  const double step = std::pow(10.0, magnitude - digits + 1);
  const double rounded = std::round(v / step) * step;
  const int decimals =
      std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(rounded)) + 1e-9)));
  return fmt::format("{:.{}f}", rounded, decimals);
}

std::string format_time(Seconds time) {
  const double s = std::abs(time.value());
  if (s >= 0.9995) return format_significant(time.value()) + " s";
  if (s >= 0.9995e-3) return format_significant(time.value() * 1e3) + " ms";
  if (s >= 0.9995e-6) return format_significant(time.value() * 1e6) + " µs";
  return format_significant(time.value() * 1e9) + " ns";
}

std::string format_percent(double ratio) {
  return fmt::format("{:.1f} %", 100 * ratio);
}
std::string format_signed_percent(double ratio) {
  return fmt::format("{:+.1f} %", 100 * ratio);
}

std::string format_binary_bytes(Bytes bytes) {
  const double b = bytes.value();
  if (b >= 1024.0 * 1024 * 1024) return format_significant(b / (1024.0 * 1024 * 1024)) + " GiB";
  if (b >= 1024.0 * 1024) return format_significant(b / (1024.0 * 1024)) + " MiB";
  if (b >= 1024.0) return format_significant(b / 1024.0) + " KiB";
  return format_significant(b) + " B";
}

ScaledUnit time_unit(Seconds largest) {
  if (largest >= Seconds{0.1}) return {1e-3, "ms", "ms"};
  return {1e-6, "µs", "$\\mu$s"};
}

}  // namespace tilecast
