// The kernel's own source, run thread by thread on the CPU (kernels/emulated_gpu.hpp), against a direct sum
// in whole numbers: copies as early and as late as they may be, threads in both orders, blocks of a cluster
// together.

#include <cstring>
#include <random>

#include "kernels/emulated_gpu.hpp"
#include "kernels/gemm_tile/gemm_tile_index.hpp"
#include "kernels/implicit_gemm/implicit_gemm.hpp"
#include "kernels/implicit_gemm/implicit_gemm_index.hpp"
#include "model/device/load.hpp"
#include "tests/catch.hpp"

namespace tilecast::emulated {
#include "kernels/gemm_tile/gemm_tile_device.hpp"
}

// BM, BN, BK, TM, TN, async, stages, split, vec_a, vec_b, vec_c
#define GEOMETRY_0 32, 64, 8, 4, 8, 1, 3, 0, 1, 1, 1
#define GEOMETRY_1 32, 32, 16, 4, 4, 0, 2, 0, 4, 1, 4
#define GEOMETRY_2 32, 128, 8, 8, 16, 0, 1, 1, 1, 1, 4
#define GEOMETRY_3 64, 32, 32, 8, 4, 1, 4, 1, 1, 1, 1
#define GEOMETRY_4 32, 64, 8, 4, 4, 1, 3, 0, 1, 1, 1
#define GEOMETRY_5 32, 32, 16, 4, 4, 0, 1, 1, 4, 1, 4

namespace tilecast::emulated {
namespace case_0 {
#define implicit_gemm_kernel kernel_0
#define TILECAST_GEOMETRY GEOMETRY_0
#define TILECAST_FILTER_SIZE 3
#include "kernels/implicit_gemm/implicit_gemm.cu"
}  // namespace case_0
#undef implicit_gemm_kernel
#undef TILECAST_GEOMETRY
#undef TILECAST_FILTER_SIZE
namespace case_1 {
#define implicit_gemm_kernel kernel_1
#define TILECAST_GEOMETRY GEOMETRY_1
#define TILECAST_FILTER_SIZE 2
#include "kernels/implicit_gemm/implicit_gemm.cu"
}  // namespace case_1
#undef implicit_gemm_kernel
#undef TILECAST_GEOMETRY
#undef TILECAST_FILTER_SIZE
namespace case_2 {
#define implicit_gemm_kernel kernel_2
#define TILECAST_GEOMETRY GEOMETRY_2
#define TILECAST_FILTER_SIZE 7
#include "kernels/implicit_gemm/implicit_gemm.cu"
}  // namespace case_2
#undef implicit_gemm_kernel
#undef TILECAST_GEOMETRY
#undef TILECAST_FILTER_SIZE
namespace case_3 {
#define implicit_gemm_kernel kernel_3
#define TILECAST_GEOMETRY GEOMETRY_3
#define TILECAST_FILTER_SIZE 5
#include "kernels/implicit_gemm/implicit_gemm.cu"
}  // namespace case_3
#undef implicit_gemm_kernel
#undef TILECAST_GEOMETRY
#undef TILECAST_FILTER_SIZE
#undef DILATED
#define DILATED 1
namespace case_4 {
#define implicit_gemm_kernel kernel_4
#define TILECAST_GEOMETRY GEOMETRY_4
#define TILECAST_FILTER_SIZE 3
#include "kernels/implicit_gemm/implicit_gemm.cu"
}  // namespace case_4
#undef implicit_gemm_kernel
#undef TILECAST_GEOMETRY
#undef TILECAST_FILTER_SIZE
namespace case_5 {
#define implicit_gemm_kernel kernel_5
#define TILECAST_GEOMETRY GEOMETRY_5
#define TILECAST_FILTER_SIZE 4
#include "kernels/implicit_gemm/implicit_gemm.cu"
}  // namespace case_5
#undef implicit_gemm_kernel
#undef TILECAST_GEOMETRY
#undef TILECAST_FILTER_SIZE
}  // namespace tilecast::emulated

using namespace tilecast;
using gemm_tile::Geometry;

namespace {

// Whole numbers, so that sums are exact in any order; the heap aligns to 16 bytes.
std::vector<float> whole_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (auto& v : values)
    v = static_cast<float>(static_cast<int>(random() % 9) - 4);
  return values;
}

std::vector<float> direct(const ConvShape& s, const std::vector<float>& input,
                          const std::vector<float>& filters) {
  std::vector<float> out;
  for (std::int64_t n = 0; n < s.N; ++n)
    for (std::int64_t m = 0; m < s.M; ++m)
      for (std::int64_t y = 0; y < s.out_h(); ++y)
        for (std::int64_t x = 0; x < s.out_w(); ++x) {
          float sum = 0;
          for (std::int64_t c = 0; c < s.C; ++c)
            for (std::int64_t i = 0; i < s.K; ++i)
              for (std::int64_t j = 0; j < s.K; ++j) {
                const std::int64_t row = y * s.stride - s.pad + i * s.dilation;
                const std::int64_t column = x * s.stride - s.pad + j * s.dilation;
                if (row < 0 || row >= s.H || column < 0 || column >= s.W) continue;
                sum += filters[static_cast<std::size_t>(((m * s.C + c) * s.K + i) * s.K + j)] *
                       input[static_cast<std::size_t>(((n * s.C + c) * s.H + row) * s.W + column)];
              }
          out.push_back(sum);
        }
  return out;
}

// The layer with the config that `g` is compiled from.
template <class Kernel>
void check(const ConvShape& shape, std::int64_t split, const Geometry& g, Kernel kernel) {
  const Config config{{"BM", g.BM}, {"BN", g.BN},       {"BK", g.BK},         {"TM", g.TM},
                      {"TN", g.TN}, {"async", g.async}, {"stages", g.stages}, {"split_k", split}};
  INFO(describe_shape(shape) << " " << describe_config(config));
  const auto device = load_device("h100");
  REQUIRE_FALSE(implicit_gemm::feasible(shape, config, device));
  const LaunchPlan plan = implicit_gemm::plan(shape, config, device);
  // What is compiled here is what the plan wants.
  REQUIRE(plan.code.defines.size() == (shape.dilation == 1 ? 12 : 13));
  CHECK(plan.code.defines[7].value == g.split);
  CHECK(plan.code.defines[8].value == g.vec_a);
  CHECK(plan.code.defines[10].value == g.vec_c);
  CHECK(plan.threads == g.threads);
  implicit_gemm::Params params;
  REQUIRE(plan.params.size() == sizeof(params));
  std::memcpy(&params, plan.params.data(), sizeof(params));

  const auto filters = whole_numbers(shape.filter_elements(), 1);
  const auto input = whole_numbers(shape.input_elements(), 2);
  const auto expected = direct(shape, input, filters);
  for (const auto copies : {emulated::Copies::when_issued, emulated::Copies::when_awaited}) {
    for (const bool backwards : {false, true}) {
      std::vector<float> output(expected.size() + 1, std::nanf(""));
      for (int x = 0; x < plan.grid_x; x += static_cast<int>(split))
        emulated::run_cluster({x, 0, 0}, static_cast<int>(split), g.threads,
                              static_cast<int>(plan.dynamic_shared_bytes / 4), backwards, copies,
                              [&] { kernel(input.data(), filters.data(), output.data(), params); });
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        wrong += output[i] == expected[i] ? 0 : 1;  // a NaN is wrong
      CHECK(wrong == 0);
      CHECK(std::isnan(output.back()));  // nothing behind the end
    }
  }
}

}  // namespace

TEST_CASE("implicit_gemm emulation: K = 3, padding, two images, remainders") {
  check({.N = 2, .C = 5, .H = 7, .W = 9, .M = 35, .K = 3, .stride = 1, .pad = 1}, 1,
        gemm_tile::make_geometry(GEOMETRY_0), emulated::case_0::kernel_0);
}
TEST_CASE("implicit_gemm emulation: K = 2, stride 3, through registers") {
  check({.N = 3, .C = 9, .H = 11, .W = 12, .M = 20, .K = 2, .stride = 3, .pad = 0}, 1,
        gemm_tile::make_geometry(GEOMETRY_1), emulated::case_1::kernel_1);
}
TEST_CASE("implicit_gemm emulation: K = 7, stride 2, one buffer, two parts, several pixels a thread") {
  check({.N = 1, .C = 3, .H = 23, .W = 24, .M = 18, .K = 7, .stride = 2, .pad = 3}, 2,
        gemm_tile::make_geometry(GEOMETRY_2), emulated::case_2::kernel_2);
}
TEST_CASE("implicit_gemm emulation: K = 5 on a map of 3 x 3, four parts") {
  check({.N = 4, .C = 6, .H = 3, .W = 3, .M = 70, .K = 5, .stride = 1, .pad = 2}, 4,
        gemm_tile::make_geometry(GEOMETRY_3), emulated::case_3::kernel_3);
}
TEST_CASE("implicit_gemm emulation: dilation 2 at strides 1 and 2, dilation 5 beyond the map") {
  const auto g = gemm_tile::make_geometry(GEOMETRY_4);
  check({.N = 2, .C = 5, .H = 9, .W = 11, .M = 35, .K = 3, .stride = 1, .pad = 2, .dilation = 2}, 1, g,
        emulated::case_4::kernel_4);
  check({.N = 2, .C = 5, .H = 11, .W = 13, .M = 35, .K = 3, .stride = 2, .pad = 1, .dilation = 2}, 1, g,
        emulated::case_4::kernel_4);
  check({.N = 3, .C = 4, .H = 3, .W = 5, .M = 10, .K = 3, .stride = 1, .pad = 4, .dilation = 5}, 1, g,
        emulated::case_4::kernel_4);
}
TEST_CASE("implicit_gemm emulation: dilation 3, K = 4, two parts, through registers") {
  check({.N = 1, .C = 6, .H = 17, .W = 13, .M = 20, .K = 4, .stride = 1, .pad = 0, .dilation = 3}, 2,
        gemm_tile::make_geometry(GEOMETRY_5), emulated::case_5::kernel_5);
}
