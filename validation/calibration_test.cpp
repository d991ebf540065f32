#include "validation/calibration.hpp"

#include <cmath>
#include <random>

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

Comparison pair_of(const std::string& family, double measured, double low, double predicted, double high) {
  return {.family = family,
          .suite = "s",
          .layer = "l",
          .problem = {.H = 8, .W = 8},
          .config = "P=1",
          .measured = Seconds{measured},
          .predicted = Seconds{predicted},
          .low = Seconds{low},
          .high = Seconds{high}};
}

}  // namespace

// I1
TEST_CASE("calibrate: ranks of ln(measured / end), by family and for all", "[calibration]") {
  std::vector<Comparison> pairs;
  // ln(measured / low) = 0.01 to 0.99, ln(measured / high) 0.1 less: ranks 5 and 95 of 99.
  for (int i = 99; i >= 1; --i)
    pairs.push_back(pair_of("a", std::exp(0.01 * i), 1.0, 1.05, std::exp(0.1)));
  const auto entries = calibrate("m", pairs);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].family == "*");
  CHECK(entries[1].family == "a");
  CHECK(entries[1].model == "m");
  CHECK(entries[1].rows == 99);
  CHECK(entries[1].layers == 1);
  CHECK(entries[1].low_log == Approx(0.05));
  CHECK(entries[1].high_log == Approx(0.95 - 0.1));
  const auto interval = calibrated_interval(Seconds{2}, Seconds{4}, entries[1]);
  CHECK(interval.low.value() == Approx(2 * std::exp(0.05)));
  CHECK(interval.high.value() == Approx(4 * std::exp(0.85)));
  // Few rows: the extremes, as floor(0.05 x 3) is no rank.
  const std::vector few{pair_of("a", 1, 1, 1, 1), pair_of("a", 2, 1, 1, 1)};
  CHECK(calibrate("m", few)[1].low_log == Approx(0.0));
  CHECK(calibrate("m", few)[1].high_log == Approx(std::log(2)));
  CHECK(calibrate("m", {}).empty());
  // Each knowledge of the code has entries of its own.
  CHECK(calibrate("m", few, CodeSource::similar).empty());
  auto similar = few;
  similar[0].code = CodeSource::similar;
  CHECK(calibrate("m", similar, CodeSource::similar)[1].rows == 1);
  CHECK(calibrate("m", similar)[1].low_log == Approx(std::log(2)));
}

TEST_CASE("calibrate: nine in ten of new rows of the same kind are inside", "[calibration]") {
  std::mt19937_64 random(5);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto draw = [&](int n) {
    std::vector<Comparison> pairs;
    for (int i = 0; i < n; ++i)
      pairs.push_back(pair_of("a", std::exp(0.3 * (uniform() + uniform()) - 0.1), 0.99, 1.0, 1.02));
    return pairs;
  };
  const auto entry = calibrate("m", draw(400))[1];
  int inside = 0;
  for (const auto& p : draw(4000)) {
    const auto interval = calibrated_interval(*p.low, *p.high, entry);
    inside += p.measured >= interval.low && p.measured <= interval.high;
  }
  CHECK(inside > 3480);  // 90 % +- 3: the calibration's own 400 rows spread by 1.5 points
  CHECK(inside < 3720);
}

TEST_CASE("calibration: written and read back; the time of a prediction is not moved", "[calibration]") {
  const std::vector<CalibrationEntry> entries{{"m", "*", CodeSource::own, 7, 3, -0.5, 0.25},
                                              {"m", "toy", CodeSource::similar, 4, 2, -0.125, 0.5}};
  const auto text = format_calibration(entries, {"made by hand"});
  CHECK(text ==
        "# made by hand\nmodel,family,code,rows,layers,low_log,high_log\nm,*,own,7,3,-0.50000,0.25000\n"
        "m,toy,similar,4,2,-0.12500,0.50000\n");
  const auto read = parse_calibration(text, "c.csv");
  REQUIRE(read.entries.size() == 2);
  CHECK(read.find("m", "toy", CodeSource::similar)->high_log == 0.5);
  CHECK(read.find("m", "toy", CodeSource::own)->low_log == -0.5);
  CHECK_FALSE(read.find("m", "toy", CodeSource::estimated));
  CHECK_FALSE(read.find("m", "other", CodeSource::similar));
  CHECK_FALSE(read.find("other", "toy", CodeSource::own));
  CHECK(read.source() == "c.csv " + read.sha256);
  CHECK(Calibration{}.source() == "none");
  CHECK_THROWS_AS(parse_calibration("model,family\n", "c.csv"), InputError);
  CHECK_THROWS_AS(
      parse_calibration("model,family,code,rows,layers,low_log,high_log\nm,*,own,1,1,x,0\n", "c.csv"),
      InputError);
  CHECK_THROWS_AS(
      parse_calibration("model,family,code,rows,layers,low_log,high_log\nm,*,own,1,1,inf,0\n", "c.csv"),
      InputError);

  CHECK_THROWS_WITH(
      parse_calibration("model,family,code,rows,layers,low_log,high_log\nm,*,known,1,1,0,0\n", "c.csv"),
      "c.csv:2: column 'code': 'known', expected own, similar, estimated");

  const KernelFamily toy{.name = "toy"};
  const ConvShape shape;
  const Config config;
  const DeviceProfile device;
  const KernelDescription kernel;
  const ModelQuery query{toy, shape, config, device, kernel};
  const BoundModel model{
      "m", [](const ModelQuery&) -> ModelAnswer {
        return Prediction{
            .time = Seconds{2}, .low = Seconds{1}, .high = Seconds{3}, .code = CodeSource::similar};
      }};
  const auto said = std::get<Prediction>(calibrated(model, read).predict(query));
  CHECK(said.time == Seconds{2});
  CHECK(said.low.value() == Approx(std::exp(-0.125)));
  CHECK(said.high.value() == Approx(3 * std::exp(0.5)));
  auto other = model;
  other.name = "unknown";
  CHECK(std::get<Prediction>(calibrated(other, read).predict(query)).low == Seconds{1});
}
