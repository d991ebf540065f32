#include "microbench/knee.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

#include "microbench/reduction.hpp"
#include "tests/catch.hpp"

namespace tilecast {

namespace {

// A latency of 600 cycles under n FMAs of one cycle and 20 cycles of overhead: hidden from n = 580 on.
double hidden_latency(double n) {
  return std::max(600.0, 20 + n);
}

std::vector<double> steps(double first, double last, double step) {
  std::vector<double> x;
  for (double at = first; at <= last; at += step)
    x.push_back(at);
  return x;
}

std::vector<double> values(const std::vector<double>& x, double (*function)(double)) {
  std::vector<double> y;
  std::transform(x.begin(), x.end(), std::back_inserter(y), function);
  return y;
}

}  // namespace

TEST_CASE("knee: of an exact curve it is where the two lines meet, also between two points") {
  const auto x = steps(100, 1200, 100);
  const auto knee = knee_of(x, values(x, hidden_latency));
  REQUIRE(knee);
  CHECK(knee->x == Approx(580));
  CHECK(knee->flat == Approx(600));
  CHECK(knee->offset == Approx(20));
  CHECK(knee->slope == Approx(1));
}

TEST_CASE("knee: a curve that is only flat, only rising, falling, or too short has none") {
  const auto x = steps(100, 500, 100);
  CHECK_FALSE(knee_of(x, values(x, hidden_latency)));  // all below 580
  const auto far = steps(1000, 2000, 100);
  CHECK_FALSE(knee_of(far, values(far, hidden_latency)));  // all above
  const auto all = steps(0, 1000, 100);
  CHECK_FALSE(knee_of(all, values(all, [](double n) { return 1000 - n; })));
  const auto few = steps(100, 400, 100);
  CHECK_FALSE(knee_of(few, values(few, [](double n) { return std::max(200.0, n); })));
}

TEST_CASE("knee: the interval over repeats with one per cent of noise holds the true knee and is narrow") {
  const auto x = steps(60, 1500, 60);
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.01);
  std::vector<std::vector<double>> samples;
  for (double at : x) {
    samples.emplace_back();
    for (int r = 0; r < 21; ++r)
      samples.back().push_back(hidden_latency(at) * noise(random));
  }
  const auto knees = knees_by_repeat(x, samples);
  CHECK(knees.size() == 21);
  const auto interval = median_interval(knees);
  REQUIRE(interval);
  CHECK(interval->low <= 585);
  CHECK(interval->high >= 575);
  CHECK(interval->high - interval->low < 20);
}

TEST_CASE("knee: a rounded corner does not move it") {
  // Queueing near saturation: p-norm of the two lines instead of their maximum.
  const auto x = steps(50, 2000, 50);
  const auto knee = knee_of(
      x, values(x, [](double n) { return std::pow(std::pow(600.0, 16) + std::pow(20 + n, 16), 1.0 / 16); }));
  REQUIRE(knee);
  CHECK(knee->x == Approx(580).epsilon(0.002));
}

}  // namespace tilecast
