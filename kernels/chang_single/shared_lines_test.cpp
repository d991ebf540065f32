// Lines of the output that are stored in parts (EQUATIONS.md A5).

#include "kernels/chang_single/chang_single.hpp"
#include "model/device/load.hpp"
#include "tests/catch.hpp"

namespace tilecast::chang_single {
namespace {

// All filters of a row a block.
Config rows_apart(std::int64_t rows) {
  return {{"method", 2},    {"P", 1},         {"Q", 1},           {"grid_m", 1},
          {"grid_y", rows}, {"threads", 512}, {"load_bytes", 16}, {"loads_in_flight", 0}};
}

}  // namespace

TEST_CASE("chang_single: lines that a strip shares with its neighbours, and its units with each other") {
  const auto apart = [](std::int64_t h, std::int64_t w) {
    const ConvShape shape{.N = 1, .C = 1, .H = h, .W = w, .M = 128, .K = 1, .stride = 1, .pad = 0};
    return describe(shape, rows_apart(h), load_device("h200"), nullptr).streams.back().lines_apart;
  };
  // A row of one unit a block: 31 of 32 begin inside a line. Of a row of two units the second begins at a
  // multiple of four words, seven in eight of which are inside a line.
  CHECK(apart(39, 39) == Approx(31.0 / 39));
  CHECK(apart(59, 171) == Approx((31 + 28) / 171.0));
  CHECK(apart(32, 128) == 0);  // whole lines
}

}  // namespace tilecast::chang_single
