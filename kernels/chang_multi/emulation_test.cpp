// The kernel's own source, run thread by thread on the CPU (kernels/emulated_gpu.hpp): every specialisation
// below against a direct sum in whole numbers, with copies as early and as late as they may be, threads in
// both orders.

#include <fmt/format.h>

#include <cstdint>
#include <random>

#include "kernels/chang_multi/arrangement.hpp"
#include "kernels/chang_multi/chang_multi_cases.hpp"
#include "kernels/emulated_gpu.hpp"
#include "tests/catch.hpp"

// K, S_bytes, M_tile, Wx_tile, thread_m, thread_p, lanes_m, lanes_p, slices, stages, vector, pass_rows
#define GEOMETRY_0 3, 32, 8, 32, 4, 8, 2, 4, 4, 4, 1, 4
#define GEOMETRY_3 1, 32, 4, 32, 4, 4, 1, 8, 4, 4, 1, 4
#define GEOMETRY_4 1, 64, 16, 64, 8, 8, 2, 8, 4, 3, 4, 4
#define GEOMETRY_7 5, 64, 32, 96, 4, 8, 8, 4, 4, 3, 4, 2
#define GEOMETRY_9 7, 32, 16, 32, 8, 8, 2, 4, 16, 3, 1, 8
#define GEOMETRY_11 7, 128, 8, 96, 2, 4, 4, 8, 4, 4, 2, 2
#define GEOMETRY_14 3, 32, 64, 64, 8, 8, 4, 8, 8, 3, 4, 4
#define GEOMETRY_22 3, 32, 16, 32, 8, 8, 2, 4, 4, 3, 1, 4

namespace tilecast::emulated {
namespace case_0 {
#define chang_multi_kernel kernel_0
#define TILECAST_GEOMETRY GEOMETRY_0
#include "kernels/chang_multi/chang_multi.cu"
}  // namespace case_0
#undef chang_multi_kernel
#undef TILECAST_GEOMETRY
namespace case_3 {
#define chang_multi_kernel kernel_3
#define TILECAST_GEOMETRY GEOMETRY_3
#include "kernels/chang_multi/chang_multi.cu"
}  // namespace case_3
#undef chang_multi_kernel
#undef TILECAST_GEOMETRY
namespace case_4 {
#define chang_multi_kernel kernel_4
#define TILECAST_GEOMETRY GEOMETRY_4
#include "kernels/chang_multi/chang_multi.cu"
}  // namespace case_4
#undef chang_multi_kernel
#undef TILECAST_GEOMETRY
namespace case_7 {
#define chang_multi_kernel kernel_7
#define TILECAST_GEOMETRY GEOMETRY_7
#include "kernels/chang_multi/chang_multi.cu"
}  // namespace case_7
#undef chang_multi_kernel
#undef TILECAST_GEOMETRY
namespace case_9 {
#define chang_multi_kernel kernel_9
#define TILECAST_GEOMETRY GEOMETRY_9
#include "kernels/chang_multi/chang_multi.cu"
}  // namespace case_9
#undef chang_multi_kernel
#undef TILECAST_GEOMETRY
namespace case_11 {
#define chang_multi_kernel kernel_11
#define TILECAST_GEOMETRY GEOMETRY_11
#include "kernels/chang_multi/chang_multi.cu"
}  // namespace case_11
#undef chang_multi_kernel
#undef TILECAST_GEOMETRY
namespace case_14 {
#define chang_multi_kernel kernel_14
#define TILECAST_GEOMETRY GEOMETRY_14
#include "kernels/chang_multi/chang_multi.cu"
}  // namespace case_14
#undef chang_multi_kernel
#undef TILECAST_GEOMETRY
namespace case_22 {
#define chang_multi_kernel kernel_22
#define TILECAST_GEOMETRY GEOMETRY_22
#include "kernels/chang_multi/chang_multi.cu"
}  // namespace case_22
}  // namespace tilecast::emulated

using namespace tilecast;
using namespace tilecast::chang_multi;

namespace {

constexpr Limits h200{132, 1024, 65536, 233472, 232448, 1024};

// Whole numbers, so that sums are exact in any order.
std::vector<float> whole_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (auto& v : values)
    v = static_cast<float>(static_cast<int>(random() % 9) - 4);
  return values;
}

std::vector<float> direct(const ConvShape& s, const float* input, const std::vector<float>& filters) {
  std::vector<float> out;
  for (std::int64_t n = 0; n < s.N; ++n)
    for (std::int64_t m = 0; m < s.M; ++m)
      for (std::int64_t y = 0; y < s.out_h(); ++y)
        for (std::int64_t x = 0; x < s.out_w(); ++x) {
          float sum = 0;
          for (std::int64_t c = 0; c < s.C; ++c)
            for (std::int64_t i = 0; i < s.K; ++i)
              for (std::int64_t j = 0; j < s.K; ++j)
                sum += filters[((m * s.C + c) * s.K + i) * s.K + j] *
                       input[((n * s.C + c) * s.H + y + i) * s.W + x + j];
          out.push_back(sum);
        }
  return out;
}

template <class Kernel>
void check(std::size_t index, const Geometry& compiled, Kernel kernel) {
  const auto [shape, config] = test_cases().at(index);
  INFO(describe_shape(shape) << " " << describe_config(config));
  const auto arranged =
      std::get<Arrangement>(arrange(shape, {config["S_bytes"], config["M_tile"], config["Wx_tile"]}, h200));
  // The geometry compiled above is the one that the rule chooses.
  REQUIRE(std::memcmp(&compiled, &arranged.geometry, sizeof(Geometry)) == 0);

  std::vector<float> storage = whole_numbers(shape.input_elements() + 4, 1);
  float* input = storage.data();
  while (reinterpret_cast<std::uintptr_t>(input) % 16 != 0)
    ++input;
  const auto filters = whole_numbers(shape.filter_elements(), 2);
  const auto expected = direct(shape, input, filters);
  for (const auto copies : {emulated::Copies::when_issued, emulated::Copies::when_awaited}) {
    for (const bool backwards : {false, true}) {
      std::vector<float> output(expected.size(), std::nanf(""));
      for (int z = 0; z < arranged.grid_z; ++z)
        for (int y = 0; y < arranged.grid_y; ++y)
          for (int x = 0; x < arranged.grid_x; ++x)
            emulated::run_cluster({x, y, z}, 1, compiled.threads, shared_floats(compiled), backwards, copies,
                                  [&] { kernel(input, filters.data(), output.data(), arranged.params); });
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        wrong += output[i] == expected[i] ? 0 : 1;  // a NaN is wrong
      CHECK(wrong == 0);
    }
  }
}

}  // namespace

TEST_CASE("emulation: K = 3, slices of 8 threads, 4-byte copies") {
  check(0, make_geometry(GEOMETRY_0), emulated::case_0::kernel_0);
}
TEST_CASE("emulation: K = 1, two images, more slices than rounds") {
  check(3, make_geometry(GEOMETRY_3), emulated::case_3::kernel_3);
}
TEST_CASE("emulation: K = 1, lines in eights and a rest, 16-byte copies") {
  check(4, make_geometry(GEOMETRY_4), emulated::case_4::kernel_4);
}
TEST_CASE("emulation: K = 5, slices of three warps, three images") {
  check(7, make_geometry(GEOMETRY_7), emulated::case_7::kernel_7);
}
TEST_CASE("emulation: K = 7, rounds of one or two lines") {
  check(9, make_geometry(GEOMETRY_9), emulated::case_9::kernel_9);
}
TEST_CASE("emulation: K = 7, small thread tile, 8-byte copies") {
  check(11, make_geometry(GEOMETRY_11), emulated::case_11::kernel_11);
}
TEST_CASE("emulation: K = 3, eight slices of two warps") {
  check(14, make_geometry(GEOMETRY_14), emulated::case_14::kernel_14);
}
TEST_CASE("emulation: an M_tile of 13 filters, computed as 16") {
  check(22, make_geometry(GEOMETRY_22), emulated::case_22::kernel_22);
}
