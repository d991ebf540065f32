#include "microbench/access_times.hpp"

#include "tests/catch.hpp"

namespace tilecast {

TEST_CASE("access times: differences of readings, also where the counter wrapped") {
  const std::uint32_t readings[] = {4294967000u, 4294967280u, 4u, 604u};
  CHECK(access_times(readings) == std::vector<double>{280, 20, 600});
  CHECK(access_times({}).empty());
}

TEST_CASE("access times: lines of the far part are told by what the first load took more") {
  // Slices at different distances: a near line of a distant slice is slower than the difference of parts.
  const std::vector<double> second = {250, 310, 260, 300, 255, 305, 265, 315};
  std::vector<double> first = second;
  for (const std::size_t line : {1u, 2u, 6u})
    first[line] += 180;
  const NearFar found = near_and_far(first, second);
  CHECK(found.far == std::vector<double>{490, 440, 445});
  CHECK(found.near == second);
  CHECK(found.is_far == std::vector<bool>{false, true, true, false, false, false, true, false});
}

TEST_CASE("access times: means over near and far lines, repeat by repeat") {
  // Four lines, three repeats; the third line is far, and in its second repeat disturbed.
  const std::vector<std::vector<double>> second = {
      {200, 202, 204}, {210, 212, 214}, {220, 222, 224}, {230, 232, 234}};
  auto first = second;
  first[2] = {420, 999, 424};
  first[3] = {430, 432, 434};
  const NearFarMeans means = near_and_far_means(first, second);
  CHECK(means.near == std::vector<double>{215, 217, 219});
  CHECK(means.far == std::vector<double>{425, (999 + 432) / 2.0, 429});
  CHECK(means.sees_far());
  CHECK_FALSE(near_and_far_means(second, second).sees_far());
}

TEST_CASE("access times: one partition has no far lines") {
  const std::vector<double> second = {250, 310, 260, 300, 255, 305, 265, 315};
  std::vector<double> first = second;
  for (std::size_t i = 0; i < first.size(); ++i)
    first[i] += static_cast<double>(i);  // noise without a gap
  CHECK(near_and_far(first, second).far.empty());
  CHECK(near_and_far(second, second).far.empty());
  for (std::size_t i = 0; i < first.size(); ++i)
    first[i] = second[i] + (i % 2 == 0 ? 0 : 4);  // the clock's own step
  CHECK(near_and_far(first, second).far.empty());
}

TEST_CASE("loaded latency: the curve ends where more load moves no more bytes") {
  const auto point = [](double rate, double latency) {
    return LoadedPoint{0, {rate, rate, rate}, {latency, latency, latency}, {}, {}, {}};
  };
  const std::vector<LoadedPoint> points = {point(100, 600), point(200, 610), point(199, 615),
                                           point(400, 700), point(401, 900), point(410, 1000)};
  CHECK(rising_part(points) == std::vector<std::size_t>{0, 1, 3, 5});
  // 95 % of 410 is 389.5, between 199 at 615 and 400 at 700.
  const auto loaded = latency_at_load(points, &LoadedPoint::mean, 0.95);
  REQUIRE(loaded.size() == 3);
  CHECK(loaded[0] == Approx(615 + 85 * (389.5 - 199) / 201));
}

TEST_CASE("loaded latency: a level outside the curve has no latency") {
  const std::vector<double> x = {10, 20}, y = {1, 3};
  CHECK(y_where_x_reaches(x, y, 15).value() == 2);
  CHECK(y_where_x_reaches(x, y, 10).value() == 1);
  CHECK_FALSE(y_where_x_reaches(x, y, 9));
  CHECK_FALSE(y_where_x_reaches(x, y, 21));
}

}  // namespace tilecast
