// Every config of the family for a problem, in this order:
//   1. method 1, prefetch: every P up to 64, then four values an octave, the smallest that fits, and out_h
//   2. method 2, prefetch: every Q likewise, up to M
//   3. method 3, prefetch: each grid shape with 512, 256 and 128 threads, P and Q the smallest that fit
//   4. method 3 with more strips than needed (2, 4 and 8 times), 256 threads, grids near one block per SM
//   5. volume variants, 4-, 8- and 16-byte loads by 1, 2, 4 and 8 in flight: method 1 at P = 1, 4, 16;
//      method 2 at Q = 1, 4, 16; method 3 at the squarest grids of 1, 2 and 4 blocks per SM
// Grid shapes of method 3: grid_m in {1, 2, 3, 4, 6, 8, 11, 12, 16, 22, 24, 32, 33, 44, 48, 64, 66, 96, 128,
// 132, 256, 512} and the SM count, each with the grid_y that makes 1, 2 and 4 blocks per SM; and all pairs of
// powers of two with a product from SMs / 2 to 8 SMs. Shapes that give every block the same shares are one.
// The paper's own choices of P and Q are the smallest in range, hence among these up to 64; beyond, "the
// smallest that fits" is its lower bound made exact.

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "kernels/chang_single/chang_single.hpp"
#include "kernels/chang_single/division.hpp"

namespace tilecast::chang_single {
namespace {

constexpr std::int64_t paper_threads = 512;

struct LoadMode {
  std::int64_t bytes, in_flight;
};
constexpr LoadMode prefetch_mode{16, 0};

Config make_config(std::int64_t method, std::int64_t P, std::int64_t Q, std::int64_t grid_m,
                   std::int64_t grid_y, std::int64_t threads, LoadMode mode) {
  return {{"method", method},
          {"P", P},
          {"Q", Q},
          {"grid_m", grid_m},
          {"grid_y", grid_y},
          {"threads", threads},
          {"load_bytes", mode.bytes},
          {"loads_in_flight", mode.in_flight}};
}

struct Shape2D {
  std::int64_t m, y;
  friend auto operator<=>(const Shape2D&, const Shape2D&) = default;
};

// The grid with the same shares and no block without work.
Shape2D without_idle(const ConvShape& shape, Shape2D grid) {
  const auto used = [](std::int64_t n, std::int64_t blocks) {
    const std::int64_t share = (n + blocks - 1) / blocks;
    return (n + share - 1) / share;
  };
  return {used(shape.M, std::min(grid.m, shape.M)), used(shape.out_h(), std::min(grid.y, shape.out_h()))};
}

std::vector<Shape2D> method_3_grids(const ConvShape& shape, std::int64_t sms) {
  std::set<Shape2D> grids;
  const auto add = [&](std::int64_t m, std::int64_t y) {
    if (m >= 1 && y >= 1) grids.insert(without_idle(shape, {m, y}));
  };
  const std::array<std::int64_t, 22> widths{1,  2,  3,  4,  6,  8,  11, 12,  16,  22,  24,
                                            32, 33, 44, 48, 64, 66, 96, 128, 132, 256, 512};
  for (const std::int64_t blocks : {sms, 2 * sms, 4 * sms}) {
    for (const std::int64_t m : widths)
      add(m, blocks / m);
    add(sms, blocks / sms);
  }
  for (std::int64_t m = 1; m <= 1024; m *= 2) {
    for (std::int64_t y = 1; y <= 1024; y *= 2) {
      if (2 * m * y >= sms && m * y <= 8 * sms) add(m, y);
    }
  }
  // A map or a filter bank smaller than the shape asked for leaves a grid that uses a few SMs only.
  std::vector<Shape2D> kept;
  const std::int64_t most = shape.M * shape.out_h();
  for (const auto& grid : grids) {
    if (4 * grid.m * grid.y >= std::min(sms, most)) kept.push_back(grid);
  }
  return kept;
}

// 1 to 64, then four an octave, then the end.
std::vector<std::int64_t> cuts(std::int64_t limit) {
  std::vector<std::int64_t> values;
  for (std::int64_t v = 1; v <= std::min<std::int64_t>(limit, 64); ++v)
    values.push_back(v);
  for (std::int64_t octave = 64; octave < limit; octave *= 2) {
    for (const std::int64_t quarter : {5, 6, 7, 8}) {
      const std::int64_t v = octave * quarter / 4;
      if (v < limit) values.push_back(v);
    }
  }
  if (limit > 64) values.push_back(limit);
  return values;
}

bool fits(const ConvShape& shape, const Config& config, std::int64_t shared) {
  return divide_problem(shape, config).shared_bytes() <= shared;
}

// `config` with the smallest Q (of powers of two) and then the smallest P that fit; with P = Q = 1, which
// does not fit, where none does.
Config smallest_fit(const ConvShape& shape, Config config, std::int64_t shared) {
  const std::int64_t filters = (shape.M + config["grid_m"] - 1) / config["grid_m"];
  const std::int64_t rows = (shape.out_h() + config["grid_y"] - 1) / config["grid_y"];
  for (std::int64_t Q = 1; Q < 2 * filters; Q *= 2) {
    config.set("Q", std::min(Q, filters));
    config.set("P", rows);
    if (!fits(shape, config, shared)) continue;
    for (std::int64_t P = 1; P <= rows; ++P) {
      config.set("P", P);
      if (fits(shape, config, shared)) return config;
    }
  }
  config.set("P", 1);
  config.set("Q", 1);
  return config;
}

// The smallest value of an axis from `first` to `last` that fits; nullopt where none does.
std::optional<std::int64_t> smallest_value(const ConvShape& shape, Config config, std::string_view axis,
                                           std::int64_t first, std::int64_t last, std::int64_t shared) {
  for (std::int64_t v = first; v <= last; ++v) {
    config.set(axis, v);
    if (fits(shape, config, shared)) return v;
  }
  return std::nullopt;
}

// cuts(), and the smallest that fits where it lies beyond 64.
std::vector<std::int64_t> cuts_that_fit(const ConvShape& shape, const Config& config, std::string_view axis,
                                        std::int64_t limit, std::int64_t shared) {
  auto values = cuts(limit);
  if (auto v = smallest_value(shape, config, axis, 1, limit, shared);
      v && !std::ranges::binary_search(values, *v))
    values.insert(std::ranges::upper_bound(values, *v), *v);
  return values;
}

// The squarest grids of about one, two and four blocks an SM: those whose output tile is closest to as many
// filters as rows, in ratio.
std::vector<Shape2D> squarest_of(const std::vector<Shape2D>& grids, std::int64_t sms) {
  std::vector<Shape2D> squarest;
  if (grids.empty()) return squarest;
  for (const std::int64_t blocks : {sms, 2 * sms, 4 * sms}) {
    const auto distance = [&](const Shape2D& g) {
      const double share = static_cast<double>(g.m * g.y) / static_cast<double>(blocks);
      const double aspect = static_cast<double>(g.m) / static_cast<double>(g.y);
      return std::abs(std::log(aspect)) + 4 * std::abs(std::log(share));
    };
    const auto best = *std::ranges::min_element(grids, {}, distance);
    if (std::ranges::find(squarest, best) == squarest.end()) squarest.push_back(best);
  }
  return squarest;
}

}  // namespace

std::vector<Config> configs(const ConvShape& shape, const DeviceProfile& device) {
  const std::int64_t sms = device.sm_count.get();
  const auto shared = static_cast<std::int64_t>(device.shared_per_block.get().value());
  const std::int64_t grid_m = std::min(sms, shape.M), grid_y = std::min(sms, shape.out_h());
  std::vector<Config> all;

  const Config method_1 = make_config(1, 1, 1, grid_m, 1, paper_threads, prefetch_mode);
  for (const std::int64_t P : cuts_that_fit(shape, method_1, "P", shape.out_h(), shared))
    all.push_back(make_config(1, P, 1, grid_m, 1, paper_threads, prefetch_mode));
  const Config method_2 = make_config(2, 1, 1, 1, grid_y, paper_threads, prefetch_mode);
  for (const std::int64_t Q : cuts_that_fit(shape, method_2, "Q", shape.M, shared))
    all.push_back(make_config(2, 1, Q, 1, grid_y, paper_threads, prefetch_mode));

  const auto grids = method_3_grids(shape, sms);
  for (const auto& grid : grids) {
    for (const std::int64_t threads : {512, 256, 128})
      all.push_back(
          smallest_fit(shape, make_config(3, 1, 1, grid.m, grid.y, threads, prefetch_mode), shared));
  }
  for (const auto& grid : grids) {
    if (grid.m * grid.y > sms) continue;
    const Config base = smallest_fit(shape, make_config(3, 1, 1, grid.m, grid.y, 256, prefetch_mode), shared);
    const std::int64_t rows = (shape.out_h() + grid.y - 1) / grid.y;
    for (const std::int64_t times : {2, 4, 8}) {
      Config config = base;
      config.set("P", times * base["P"]);
      if (config["P"] <= rows) all.push_back(config);
    }
  }

  // Ways of loading, of some of these.
  std::vector<Config> bases;
  for (const std::int64_t cut : {1, 4, 16}) {
    if (cut <= shape.out_h())
      bases.push_back(make_config(1, cut, 1, grid_m, 1, paper_threads, prefetch_mode));
  }
  for (const std::int64_t cut : {1, 4, 16}) {
    if (cut <= shape.M) bases.push_back(make_config(2, 1, cut, 1, grid_y, paper_threads, prefetch_mode));
  }
  for (const auto& grid : squarest_of(grids, sms))
    bases.push_back(make_config(3, 1, 1, grid.m, grid.y, 256, prefetch_mode));
  for (auto config : bases) {
    for (const std::int64_t bytes : {4, 8, 16}) {
      for (const std::int64_t in_flight : {1, 2, 4, 8}) {
        config.set("load_bytes", bytes);
        config.set("loads_in_flight", in_flight);
        all.push_back(config["method"] == 3 ? smallest_fit(shape, config, shared) : config);
      }
    }
  }
  return all;
}

}  // namespace tilecast::chang_single
