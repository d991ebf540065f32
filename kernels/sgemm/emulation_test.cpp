// The kernel's own source, run thread by thread on the CPU (kernels/emulated_gpu.hpp), against a direct sum
// in whole numbers: copies as early and as late as they may be, threads in both orders, blocks of a cluster
// together.

#include <cstring>
#include <random>

#include "kernels/emulated_gpu.hpp"
#include "kernels/gemm_tile/gemm_tile_index.hpp"
#include "kernels/sgemm/sgemm.hpp"
#include "kernels/sgemm/sgemm_params.hpp"
#include "model/device/load.hpp"
#include "tests/catch.hpp"

namespace tilecast::emulated {
#include "kernels/gemm_tile/gemm_tile_device.hpp"
}

// BM, BN, BK, TM, TN, async, stages, split, vec_a, vec_b, vec_c
#define GEOMETRY_0 64, 64, 8, 8, 4, 1, 3, 0, 1, 1, 1
#define GEOMETRY_1 32, 64, 16, 4, 8, 1, 2, 0, 1, 4, 4
#define GEOMETRY_2 64, 32, 8, 4, 4, 0, 2, 0, 1, 1, 1
#define GEOMETRY_3 32, 64, 32, 8, 8, 0, 1, 1, 4, 4, 4
#define GEOMETRY_4 32, 32, 8, 4, 4, 1, 5, 1, 1, 1, 1
#define GEOMETRY_5 32, 256, 16, 16, 8, 1, 4, 1, 1, 4, 4

namespace tilecast::emulated {
namespace case_0 {
#define sgemm_kernel kernel_0
#define TILECAST_GEOMETRY GEOMETRY_0
#include "kernels/sgemm/sgemm.cu"
}  // namespace case_0
#undef sgemm_kernel
#undef TILECAST_GEOMETRY
namespace case_1 {
#define sgemm_kernel kernel_1
#define TILECAST_GEOMETRY GEOMETRY_1
#include "kernels/sgemm/sgemm.cu"
}  // namespace case_1
#undef sgemm_kernel
#undef TILECAST_GEOMETRY
namespace case_2 {
#define sgemm_kernel kernel_2
#define TILECAST_GEOMETRY GEOMETRY_2
#include "kernels/sgemm/sgemm.cu"
}  // namespace case_2
#undef sgemm_kernel
#undef TILECAST_GEOMETRY
namespace case_3 {
#define sgemm_kernel kernel_3
#define TILECAST_GEOMETRY GEOMETRY_3
#include "kernels/sgemm/sgemm.cu"
}  // namespace case_3
#undef sgemm_kernel
#undef TILECAST_GEOMETRY
namespace case_4 {
#define sgemm_kernel kernel_4
#define TILECAST_GEOMETRY GEOMETRY_4
#include "kernels/sgemm/sgemm.cu"
}  // namespace case_4
#undef sgemm_kernel
#undef TILECAST_GEOMETRY
namespace case_5 {
#define sgemm_kernel kernel_5
#define TILECAST_GEOMETRY GEOMETRY_5
#include "kernels/sgemm/sgemm.cu"
}  // namespace case_5
#undef sgemm_kernel
#undef TILECAST_GEOMETRY
}  // namespace tilecast::emulated

using namespace tilecast;
using gemm_tile::Geometry;

namespace {

// Whole numbers, so that sums are exact in any order; 16-byte aligned, as device memory is.
std::vector<emulated::float4> whole_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&] { return static_cast<float>(static_cast<int>(random() % 9) - 4); };
  std::vector<emulated::float4> values(static_cast<std::size_t>((count + 3) / 4));
  for (auto& v : values)
    v = {number(), number(), number(), number()};
  return values;
}

// The product with the config that `geometry` is compiled from.
template <class Kernel>
void check(const ConvShape& shape, std::int64_t split, const Geometry& g, Kernel kernel) {
  const Config config{{"BM", g.BM}, {"BN", g.BN},       {"BK", g.BK},         {"TM", g.TM},
                      {"TN", g.TN}, {"async", g.async}, {"stages", g.stages}, {"split_k", split}};
  INFO(describe_shape(shape) << " " << describe_config(config));
  const auto device = load_device("h100");
  REQUIRE_FALSE(sgemm::feasible(shape, config, device));
  const LaunchPlan plan = sgemm::plan(shape, config, device);
  // What is compiled here is what the plan wants.
  REQUIRE(plan.code.defines.size() == 11);
  CHECK(plan.code.defines[7].value == g.split);
  CHECK(plan.code.defines[8].value == g.vec_a);
  CHECK(plan.code.defines[9].value == g.vec_b);
  CHECK(plan.code.defines[10].value == g.vec_c);
  CHECK(plan.threads == g.threads);
  sgemm::Params params;
  REQUIRE(plan.params.size() == sizeof(params));
  std::memcpy(&params, plan.params.data(), sizeof(params));

  const auto a = whole_numbers(shape.filter_elements(), 1), b = whole_numbers(shape.input_elements(), 2);
  const float *filters = &a.data()->x, *input = &b.data()->x;
  const std::int64_t columns = shape.H * shape.W;
  std::vector<float> expected;
  for (std::int64_t n = 0; n < shape.N; ++n)
    for (std::int64_t m = 0; m < shape.M; ++m)
      for (std::int64_t x = 0; x < columns; ++x) {
        float sum = 0;
        for (std::int64_t k = 0; k < shape.C; ++k)
          sum += filters[m * shape.C + k] * input[(n * shape.C + k) * columns + x];
        expected.push_back(sum);
      }
  for (const auto copies : {emulated::Copies::when_issued, emulated::Copies::when_awaited}) {
    for (const bool backwards : {false, true}) {
      const float nan = std::nanf("");
      std::vector<emulated::float4> out(expected.size() / 4 + 2, emulated::float4{nan, nan, nan, nan});
      float* const output = &out.data()->x;
      for (int y = 0; y < plan.grid_y; ++y)
        for (int x = 0; x < plan.grid_x; x += static_cast<int>(split))
          emulated::run_cluster({x, y, 0}, static_cast<int>(split), g.threads,
                                static_cast<int>(plan.dynamic_shared_bytes / 4), backwards, copies,
                                [&] { kernel(input, filters, output, params); });
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        wrong += output[i] == expected[i] ? 0 : 1;  // a NaN is wrong
      CHECK(wrong == 0);
      CHECK(std::isnan(output[expected.size()]));  // nothing behind the end
    }
  }
}

}  // namespace

TEST_CASE("sgemm emulation: cp.async of 4 bytes, remainders in all dimensions") {
  check(gemm_shape(70, 67, 45), 1, gemm_tile::make_geometry(GEOMETRY_0), emulated::case_0::kernel_0);
}
TEST_CASE("sgemm emulation: cp.async of 16 bytes, several images") {
  check({.N = 3, .C = 50, .H = 8, .W = 11, .M = 40, .K = 1}, 1, gemm_tile::make_geometry(GEOMETRY_1),
        emulated::case_1::kernel_1);
}
TEST_CASE("sgemm emulation: two buffers through registers, a float at a time") {
  check(gemm_shape(70, 35, 29), 1, gemm_tile::make_geometry(GEOMETRY_2), emulated::case_2::kernel_2);
}
TEST_CASE("sgemm emulation: one buffer through registers, vectors, four parts") {
  check(gemm_shape(37, 68, 148), 4, gemm_tile::make_geometry(GEOMETRY_3), emulated::case_3::kernel_3);
}
TEST_CASE("sgemm emulation: more stages than steps, eight parts") {
  check(gemm_shape(33, 35, 75), 8, gemm_tile::make_geometry(GEOMETRY_4), emulated::case_4::kernel_4);
}
TEST_CASE("sgemm emulation: lanes of 2 x 16, two parts") {
  check(gemm_shape(31, 260, 100), 2, gemm_tile::make_geometry(GEOMETRY_5), emulated::case_5::kernel_5);
}
