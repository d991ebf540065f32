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
  CHECK(calibrate("m", few, {}, CodeSource::similar).empty());
  auto similar = few;
  similar[0].code = CodeSource::similar;
  CHECK(calibrate("m", similar, {}, CodeSource::similar)[1].rows == 1);
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
  const std::vector<RunNoise> noise{{Seconds{}, 9, 2, -0.001, 0.002}, {Seconds{4e-6}, 8, 1, -0.003, 0.004}};
  const auto text = format_calibration(entries, noise, {"made by hand"});
  CHECK(text ==
        "# made by hand\nmodel,family,code,rows,layers,low_log,high_log,from_s\n"
        "m,*,own,7,3,-0.50000,0.25000,\nm,toy,similar,4,2,-0.12500,0.50000,\n"
        "run noise,*,,9,2,-0.00100,0.00200,0\nrun noise,*,,8,1,-0.00300,0.00400,4e-06\n");
  const auto read = parse_calibration(text, "c.csv");
  REQUIRE(read.entries.size() == 2);
  REQUIRE(read.noise.size() == 2);
  CHECK(read.noise[1].from == Seconds{4e-6});
  CHECK(read.noise[1].high_log == 0.004);
  CHECK_FALSE(read.sample);
  const auto drawn =
      parse_calibration("# made by: c --configs sample:10 --seed 3 -q\n" + text, "c.csv").sample;
  REQUIRE(drawn);
  CHECK(drawn->configs == 10);
  CHECK(drawn->seed == 3);
  CHECK(read.find("m", "toy", CodeSource::similar)->high_log == 0.5);
  CHECK(read.find("m", "toy", CodeSource::own)->low_log == -0.5);
  CHECK_FALSE(read.find("m", "toy", CodeSource::estimated));
  CHECK_FALSE(read.find("m", "other", CodeSource::similar));
  CHECK_FALSE(read.find("other", "toy", CodeSource::own));
  CHECK(read.source() == "c.csv " + read.sha256);
  CHECK(Calibration{}.source() == "none");
  CHECK_THROWS_AS(parse_calibration("model,family\n", "c.csv"), InputError);
  CHECK_THROWS_AS(
      parse_calibration("model,family,code,rows,layers,low_log,high_log,from_s\nm,*,own,1,1,x,0,\n", "c.csv"),
      InputError);
  CHECK_THROWS_AS(parse_calibration(
                      "model,family,code,rows,layers,low_log,high_log,from_s\nm,*,own,1,1,inf,0,\n", "c.csv"),
                  InputError);

  CHECK_THROWS_WITH(
      parse_calibration("model,family,code,rows,layers,low_log,high_log,from_s\nm,*,known,1,1,0,0,\n",
                        "c.csv"),
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
  CHECK(said.low.value() == Approx(2 * std::exp(-0.125 - std::hypot(std::log(2), 0.003))));
  CHECK(said.high.value() == Approx(2 * std::exp(0.5 + std::hypot(std::log(1.5), 0.004))));
  auto other = model;
  other.name = "unknown";
  CHECK(std::get<Prediction>(calibrated(other, read).predict(query)).low == Seconds{1});
}

// I2
TEST_CASE("run_noise: by duration, what nine in ten rows' replays stay within", "[calibration]") {
  std::vector<MeasuredRow> rows;
  for (int i = 1; i <= 99; ++i) {
    MeasuredRow row;
    row.time = Seconds{2e-6};
    row.time_p10 = Seconds{2e-6 * std::exp(-1e-4 * i)};
    row.time_p90 = Seconds{2e-6 * std::exp(2e-4 * i)};
    rows.push_back(row);
  }
  auto slow = rows.front();
  slow.time = slow.time_p10 = slow.time_p90 = Seconds{1e-3};
  slow.problem.H = 9;
  rows.push_back(slow);
  rows.emplace_back().time = Seconds{1};  // no percentiles: nothing is known
  const auto noise = run_noise(rows);
  REQUIRE(noise.size() == 2);
  constexpr double of_normal = 1.6449 / 1.2816;
  CHECK(noise[0].from == Seconds{});
  CHECK(noise[0].rows == 99);
  CHECK(noise[0].layers == 1);
  CHECK(noise[0].low_log == Approx(-90e-4 * of_normal));
  CHECK(noise[0].high_log == Approx(180e-4 * of_normal));
  CHECK(noise[1].from == Seconds{256e-6});
  CHECK(noise[1].high_log == 0);
  CHECK(noise_of(Seconds{255e-6}, noise) == &noise[0]);
  CHECK(noise_of(Seconds{256e-6}, noise) == &noise[1]);
  CHECK(noise_of(Seconds{1}, {}) == nullptr);
}

// I2
TEST_CASE("with_noise: in quadrature with the parameters, and before the model's mistakes", "[calibration]") {
  const std::vector<RunNoise> noise{{Seconds{}, 10, 2, -0.03, 0.04}};
  const Interval parameters{Seconds{std::exp(-0.04)}, Seconds{std::exp(0.03)}};
  const auto both = with_noise(Seconds{1}, parameters, noise);
  CHECK(both.low.value() == Approx(std::exp(-0.05)));
  CHECK(both.high.value() == Approx(std::exp(0.05)));
  CHECK(with_noise(Seconds{1}, parameters, {}).low == parameters.low);
  // Where there is an interval of neither, the noise alone.
  CHECK(with_noise(Seconds{1}, {Seconds{1}, Seconds{1}}, noise).high.value() == Approx(std::exp(0.04)));
  // What a row measures longer than that is the model's mistake.
  const std::vector rows{pair_of("a", std::exp(0.15), std::exp(-0.04), 1, std::exp(0.03))};
  const auto entries = calibrate("m", rows, noise);
  CHECK(entries[1].low_log == Approx(0.15 + 0.05));
  CHECK(entries[1].high_log == Approx(0.15 - 0.05));
  Prediction p{.time = Seconds{1}, .low = parameters.low, .high = parameters.high, .code = CodeSource::own};
  calibrate_interval(p, "m", "a",
                     {.entries = entries, .noise = noise, .sample = {}, .name = "", .sha256 = ""});
  CHECK(p.time == Seconds{1});
  CHECK(p.low.value() == Approx(std::exp(0.15)));
  CHECK(p.high.value() == Approx(std::exp(0.15)));
}
