#include "kernels/chang_single/split_lines.hpp"

#include "kernels/chang_single/chang_single.hpp"
#include "model/device/load.hpp"
#include "tests/catch.hpp"

namespace tilecast::chang_single {
namespace {

const DeviceProfile& h200() {
  static const DeviceProfile device = load_device("h200");
  return device;
}

ConvShape layer(std::int64_t size, std::int64_t M, std::int64_t K) {
  return {.N = 1, .C = 1, .H = size, .W = size, .M = M, .K = K, .stride = 1, .pad = 0};
}

Config method_3(std::int64_t P, std::int64_t grid_m, std::int64_t grid_y, std::int64_t threads) {
  return {{"method", 3},      {"P", P},
          {"Q", 1},           {"grid_m", grid_m},
          {"grid_y", grid_y}, {"threads", threads},
          {"load_bytes", 16}, {"loads_in_flight", 0}};
}

}  // namespace

TEST_CASE("chang_single: units that begin inside a sector share it with a neighbour or a later visit") {
  const auto split_of = [](std::int64_t grid_m, std::int64_t grid_y, std::int64_t threads) {
    return describe(layer(1024, 32, 5), method_3(1, grid_m, grid_y, threads), h200(), nullptr)
        .streams[2]
        .split;
  };
  // Rows of 1020 words: every second one begins inside a sector, with each of its units of 128, and of the
  // others one in two inside a line. Of tiles of four rows three end where the next of them begins, 7.97
  // units in front. Four warps need two visits for that, and one unit in four follows another visit's.
  const double of_units = 1 / 512.0, of_rows = 0.75 / 4080, visit = 4 * 8 * 4 * 512;
  auto split = split_of(4, 128, 128);
  const double apart = 1020 / 512.0 - 1;  // visits, beyond one
  CHECK(split[0].per_byte == Approx(0.5 * 0.75 * of_units));
  CHECK(split[0].lines_per_byte == Approx(3.0 / 8 * 0.75 * of_units));
  CHECK(split[1].per_byte == Approx(0.5 * 0.25 * of_units));
  CHECK(split[1].between.value() == Approx(visit));
  CHECK(split[2].per_byte == Approx(0.5 * (1 - apart) * of_rows));
  CHECK(split[2].between.value() == Approx(visit));
  CHECK(split[3].per_byte == Approx(0.5 * apart * of_rows));
  CHECK(split[3].between.value() == Approx(2 * visit));
  CHECK(split[3].lines_per_byte == Approx(3.0 / 8 * apart * of_rows));

  // A single visit of sixteen warps, one block an SM: four of them on a scheduler.
  split = split_of(1, 128, 512);
  CHECK(split[0].per_byte == Approx(0.5 * (of_units + of_rows)));
  CHECK(split[0].between.value() == Approx(2.0 / 3 * 0.085 * 4 * 32 * 4 * 2048));
  for (std::size_t i = 1; i < split.size(); ++i)
    CHECK(split[i].per_byte == 0);
}

TEST_CASE("chang_single: where units begin at sectors, strips share them") {
  const auto split_of = [](std::int64_t width, std::int64_t strips, std::int64_t grid_m) {
    return describe(layer(width, 32, 3), method_3(strips, grid_m, 128, 512), h200(), nullptr)
        .streams[2]
        .split;
  };
  // Units of tiles of one row do, as the output does not stay in L2. Every second strip of 8 x 1022 words
  // ends inside a sector: in the last of four visits with all filters of one lead, half of them, where the
  // next strip begins in its first.
  const double strip = 4 * 8 * 1022, drift = 0.1;
  auto split = split_of(1024, 1, 1);
  CHECK(split[0].per_byte == Approx(0.5 / strip));
  CHECK(split[0].between.value() == Approx(32 * strip * (drift + 0.75 / 2)));
  CHECK(split[1].per_byte == 0);
  // Of two strips of a block, of 4 rows and two visits, the second ends where the next block's first begins.
  split = split_of(1024, 2, 4);
  CHECK(split[0].per_byte == Approx(0.5 / strip));
  CHECK(split[0].between.value() == Approx(8 * strip / 2 * (drift + 1 + 0.5 / 2)));
  CHECK(split[1].per_byte == Approx(0.5 / strip));
  CHECK(split[1].between.value() == Approx(8 * strip / 2 * (1 - 0.5 / 2)));
  // Whole lines.
  CHECK(split_of(1026, 1, 1)[0].per_byte == 0);
}

}  // namespace tilecast::chang_single
