// The kernel's index functions, run on the host over the family's odd cases.
#include "kernels/chang_single/emulation.hpp"

#include <cmath>
#include <random>

#include "kernels/chang_single/chang_single.hpp"
#include "kernels/chang_single/chang_single_cases.hpp"
#include "model/device/load.hpp"
#include "tests/catch.hpp"

namespace tilecast::chang_single {
namespace {

std::vector<float> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(0.5f, 1.5f);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (auto& value : values)
    value = uniform(engine);
  return values;
}

double reference(const ConvShape& s, const std::vector<float>& input, const std::vector<float>& filters,
                 std::int64_t image, std::int64_t m, std::int64_t y, std::int64_t x) {
  double sum = 0;
  for (std::int64_t ky = 0; ky < s.K; ++ky) {
    for (std::int64_t kx = 0; kx < s.K; ++kx)
      sum += static_cast<double>(input[static_cast<std::size_t>((image * s.H + y + ky) * s.W + x + kx)]) *
             static_cast<double>(filters[static_cast<std::size_t>((m * s.K + ky) * s.K + kx)]);
  }
  return sum;
}

double largest_relative_error(const ConvShape& s, const std::vector<float>& input,
                              const std::vector<float>& filters, const std::vector<float>& output) {
  double worst = 0;
  std::size_t at = 0;
  for (std::int64_t image = 0; image < s.N; ++image) {
    for (std::int64_t m = 0; m < s.M; ++m) {
      for (std::int64_t y = 0; y < s.out_h(); ++y) {
        for (std::int64_t x = 0; x < s.out_w(); ++x, ++at) {
          const double expected = reference(s, input, filters, image, m, y, x);
          const double error = std::abs(static_cast<double>(output[at]) - expected) / expected;
          worst = std::isnan(error) ? INFINITY : std::max(worst, error);
        }
      }
    }
  }
  return worst;
}

bool small(const ConvShape& shape) {
  return shape.fmas() < 4'000'000;
}

}  // namespace

TEST_CASE("emulation: every odd case writes each output once, in range, and is right") {
  int run = 0;
  for (const auto& [shape, config] : test_cases()) {
    if (!small(shape)) continue;
    INFO(describe_shape(shape) << " " << describe_config(config));
    const auto input = random_values(shape.input_elements(), 1);
    const auto filters = random_values(shape.filter_elements(), 2);
    const auto result = emulate(shape, divide_problem(shape, config), input, filters);
    CHECK_FALSE(result.out_of_range);
    CHECK(std::ranges::all_of(result.writes, [](int n) { return n == 1; }));
    CHECK(largest_relative_error(shape, input, filters, result.output) < 1e-5);
    ++run;
  }
  CHECK(run > 100);
}

TEST_CASE("emulation: the description counts what the emulated block does") {
  const DeviceProfile device = load_device("h200");
  for (const auto& [shape, config] : test_cases()) {
    if (!small(shape)) continue;
    INFO(describe_shape(shape) << " " << describe_config(config));
    const Division d = divide_problem(shape, config);
    const auto result = emulate(shape, d, random_values(shape.input_elements(), 1),
                                random_values(shape.filter_elements(), 2));
    const auto kernel = describe(shape, config, device, nullptr);
    WarpCounts block;
    double stored = 0;
    for (const auto& phase : kernel.phases) {
      const double times = phase.trips * phase.active_warps;
      block.ffma += times * phase.warp.ffma;
      block.shared_load.w32 += times * phase.warp.shared_load.w32;
      block.shared_load.w64 += times * phase.warp.shared_load.w64;
      block.shared_load.w128 += times * phase.warp.shared_load.w128;
      block.global_store.w32 += times * phase.warp.global_store.instructions();
      block.async_copy.w128 += times * phase.warp.async_copy.w128;
      block.async_copy.w32 += times * phase.warp.async_copy.w32;
      stored += phase.trips * phase.stored.value();
    }
    const auto items = static_cast<double>(result.items), visits = static_cast<double>(result.visits);
    const int k2 = d.k * d.k;
    CHECK(block.ffma == Approx(items * k2 * d.tile_x * d.tile_y));
    CHECK(block.global_store.w32 == Approx(items * d.tile_y));
    const int group = d.group;
    const double window_loads = d.tile_x / group * (d.tile_y + d.k - 1) * (group + d.k - 1) /
                                static_cast<double>(window_vector(d.k, group));
    CHECK(block.shared_load.instructions() == Approx(items * (k2 / 4 + k2 % 4) + visits * window_loads));
    if (d.prefetch()) {
      CHECK(block.async_copy.w128 == Approx(static_cast<double>(result.map_copies)));
      CHECK(block.async_copy.w32 == Approx(static_cast<double>(result.filter_copies)));
    }
    CHECK(stored ==
          Approx(4.0 * static_cast<double>(std::min(d.filters_per_block, shape.M) *
                                           std::min(d.rows_per_block, shape.out_h()) * shape.out_w())));
    CHECK(kernel.fma_executed ==
          Approx(static_cast<double>(result.all_items) * 32 * k2 * d.tile_x * d.tile_y));
    if (shape.N == 1)
      CHECK(kernel.streams[0].requested.value() == Approx(4.0 * static_cast<double>(result.map_words)));
  }
}

}  // namespace tilecast::chang_single
