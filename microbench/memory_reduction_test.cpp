#include "microbench/memory_reduction.hpp"

#include <cmath>

#include "tests/catch.hpp"

namespace tilecast {

TEST_CASE("memory reduction: of shapes with the same bytes in flight the fastest makes the curve") {
  ShapeSeries series;
  StreamShape two_of_four;  // 2 warps x 32 x 4 x 16 bytes = 4 KiB a SM
  two_of_four.warps_per_sm = 2;
  StreamShape eight_of_one = two_of_four;  // the same
  eight_of_one.warps_per_sm = 8;
  eight_of_one.loads = 1;
  StreamShape bulk = two_of_four;  // 2 warps x 4 copies of 1 KiB = 8 KiB a SM
  bulk.mechanism = StreamMechanism::bulk;
  bulk.access_bytes = 1024;
  series.shapes = {bulk, two_of_four, eight_of_one};
  series.samples = {{30, 31, 29}, {10, 11, 9}, {20, 5, 21}};
  const ProbeCurve curve = best_over_bytes(series, 10, "k", "m");
  CHECK(curve.x == std::vector<double>{40 * 1024.0, 80 * 1024.0});
  CHECK(curve.samples == std::vector<std::vector<double>>{{20, 5, 21}, {30, 31, 29}});
  const ShapeSeries part = part_of(series, [](const StreamShape& s) { return s.loads == 1; });
  CHECK(part.samples == std::vector<std::vector<double>>{{20, 5, 21}});
}

TEST_CASE("memory reduction: saturation of a curve y = min(x, 64), by repeat") {
  // The second repeat is twice as high at half of the x.
  ProbeCurve curve{"k", "m", {8, 16, 32, 64, 128, 256}, {}};
  for (const double x : curve.x)
    curve.samples.push_back({std::min(x, 64.0), 2 * std::min(2 * x, 64.0)});
  const std::vector<double> levels = {0.5, 0.75, 0.05};
  const Saturation found = saturation(curve, levels);
  CHECK(found.plateau == std::vector<double>{64, 128});
  CHECK(found.at[0][0] == Approx(32));
  CHECK(found.at[0][1] == Approx(16));
  // 48 lies half way between (32, 32) and (64, 64): 32 x sqrt(2).
  CHECK(found.at[1][0] == Approx(32 * std::sqrt(2)));
  CHECK(found.at[2].empty());  // the first point already lies above 5 %
}

TEST_CASE("memory reduction: samples of a part of a curve, both ends included") {
  const ProbeCurve curve{"k", "m", {8, 16, 32, 64}, {{1, 2}, {3}, {4, 5}, {6}}};
  CHECK(samples_between(curve, 16, 32) == std::vector<double>{3, 4, 5});
  CHECK(samples_between(curve, 0, 15) == std::vector<double>{1, 2});
  CHECK(samples_between(curve, 65, 99).empty());
}

TEST_CASE("memory reduction: where each repeat of a hit rate falls below a level") {
  // The second repeat falls one octave later, the third never.
  const ProbeCurve curve{"k", "m", {16, 32, 64, 128}, {{1, 1, 1}, {1, 1, 1}, {0.9, 1, 1}, {0.1, 0.9, 1}}};
  const auto found = x_below_by_repeat(curve, 0.95);
  REQUIRE(found.size() == 2);
  CHECK(found[0] == Approx(32 * std::sqrt(2)));
  CHECK(found[1] == Approx(64 * std::sqrt(2)));
}

TEST_CASE("memory reduction: half sectors at twice the cost of whole ones once they are far enough apart") {
  // Bytes/s, each byte once: near, halves are as fast as wholes; far, they take four times as long a byte, so
  // that a half costs twice a whole sector's time. The second repeat never gets there.
  const std::vector<double> distances = {1, 2, 4, 8};
  const std::vector<std::vector<double>> wholes = {{100, 100}, {100, 100}, {100, 100}, {100, 100}};
  const std::vector<std::vector<double>> halves = {{100, 100}, {100, 100}, {25, 100}, {25, 100}};
  const HalfSectorCost cost = half_sector_cost(distances, halves, wholes);
  CHECK(cost.ratio == std::vector<double>{2, 0.5});
  REQUIRE(cost.merge_bytes.size() == 1);
  CHECK(cost.merge_bytes[0] == Approx(2 * std::sqrt(2)));  // half way from 1 to 4 between 2 and 4 bytes
}

TEST_CASE("memory reduction: Little's law") {
  CHECK(little_bytes(4.5e12, 660, 1.98e9) == Approx(1.5e6));
}

TEST_CASE("memory reduction: the threshold between hits and misses lies in their gap") {
  const std::vector<double> hits = {200, 210, 280, 400}, misses = {600, 650, 700, 640};
  const HitThreshold clear = hit_threshold(hits, misses);
  CHECK(clear.cycles == Approx(500));
  CHECK(clear.hits_above == 0);
  CHECK(clear.misses_below == 0);
  CHECK(share_up_to(misses, clear.cycles) == 0);

  // One hit of five took as long as a miss.
  const std::vector<double> slow = {200, 210, 280, 400, 620};
  const HitThreshold mixed = hit_threshold(slow, misses);
  CHECK(mixed.cycles == Approx(500));
  CHECK(mixed.hits_above == Approx(0.2));
  CHECK(share_up_to(slow, mixed.cycles) == Approx(0.8));
}

TEST_CASE("memory reduction: sets that cannot be told apart are wrong on one side") {
  const std::vector<double> same = {500, 500, 500};
  const HitThreshold none = hit_threshold(same, same);
  CHECK(none.hits_above + none.misses_below == Approx(1));
}

TEST_CASE("memory reduction: where a falling curve goes below a level") {
  const std::vector<double> x = {16, 32, 64, 128}, y = {1, 1, 0.9, 0.1};
  CHECK(x_below(x, y, 0.95).value() == Approx(32 * std::sqrt(2)));
  CHECK_FALSE(x_below(x, y, 0.05).has_value());
  CHECK_FALSE(x_below(x, std::vector<double>{0.9, 0.8, 0.7, 0.6}, 0.95).has_value());
}

TEST_CASE("memory reduction: half way between two plateaus") {
  const std::vector<double> x = {2, 4, 8, 16, 32};
  CHECK(halfway_up(x, std::vector<double>{1, 1, 1, 3, 3}).value() == Approx(8 * std::sqrt(2)));
  CHECK_FALSE(halfway_up(x, std::vector<double>{1, 1, 1, 1, 1.05}).has_value());
}

}  // namespace tilecast
