// Needs a GPU: the device's reference against Eigen's, and that the check finds what it is there to find.

#include "validation/gpu_reference.hpp"

#include <cmath>

#include "tests/catch.hpp"
#include "validation/reference.hpp"

using namespace tilecast;

namespace {

template <class T>
std::vector<T> downloaded(const DeviceBuffer& buffer, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  buffer.download(values.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace

TEST_CASE("gpu reference: inputs have the host's bits, outputs equal Eigen's", "[gpu]") {
  Gpu gpu;
  GpuReference reference(gpu);
  const ConvShape shapes[] = {
      {.N = 2, .C = 3, .H = 17, .W = 15, .M = 5, .K = 3, .stride = 2, .pad = 1},
      {.N = 1, .C = 1, .H = 40, .W = 33, .M = 7, .K = 7, .stride = 1, .pad = 3},
      {.N = 3, .C = 65, .H = 9, .W = 9, .M = 33, .K = 5, .stride = 1, .pad = 0},
      {.N = 2, .C = 3, .H = 19, .W = 18, .M = 5, .K = 3, .stride = 2, .pad = 2, .dilation = 3},
      {.N = 1, .C = 19, .H = 6, .W = 21, .M = 4, .K = 1, .stride = 3, .pad = 0}};
  for (const auto& s : shapes) {
    CAPTURE(describe_shape(s));
    const auto tensors = reference.make_tensors(s, 3);
    const auto input = downloaded<float>(tensors.input, s.input_elements());
    const auto filters = downloaded<float>(tensors.filters, s.filter_elements());
    CHECK(input == random_values(s.input_elements(), input_seed(3)));
    CHECK(filters == random_values(s.filter_elements(), filter_seed(3)));
    const auto expected = convolve_float64(s, input, filters);
    const auto found = downloaded<double>(tensors.reference, s.output_elements());
    for (std::size_t i = 0; i < found.size(); ++i)
      REQUIRE(found[i] == Approx(expected[i]).epsilon(1e-12).margin(1e-12));
  }
}

TEST_CASE("gpu reference: the check finds poison, errors and writes past the end", "[gpu]") {
  Gpu gpu;
  GpuReference reference(gpu);
  const ConvShape s{.C = 8, .H = 33, .W = 31, .M = 9, .K = 3};
  auto tensors = reference.make_tensors(s, 1);
  const auto count = static_cast<std::size_t>(s.output_elements());
  CHECK(reference.check(tensors).not_finite == count);
  CHECK(std::isinf(reference.check(tensors).max_rel_error));

  const auto exact = downloaded<double>(tensors.reference, s.output_elements());
  std::vector<float> output(exact.begin(), exact.end());
  tensors.output.upload(output.data(), count * sizeof(float));
  auto check = reference.check(tensors);
  CHECK(check.not_finite == 0);
  CHECK(check.max_rel_error == Approx(max_rel_error(output, exact)).epsilon(1e-12));
  CHECK(wrong_result(check, float32_tolerance(s)) == "");

  output[count - 1] += 1;
  tensors.output.upload(output.data(), count * sizeof(float));
  check = reference.check(tensors);
  CHECK(check.max_rel_error == Approx(max_rel_error(output, exact)).epsilon(1e-12));
  CHECK(wrong_result(check, float32_tolerance(s)).starts_with("wrong result (max_rel_error"));

  output[count - 1] = std::nanf("");
  tensors.output.upload(output.data(), count * sizeof(float));
  CHECK(reference.check(tensors).not_finite == 1);
  const float stray = 0;
  tensors.output.upload(&stray, sizeof stray, count * sizeof(float));
  CHECK(reference.check(tensors).wrote_past_the_end);
}

TEST_CASE("gpu reference: swap_inner is a transposition", "[gpu]") {
  Gpu gpu;
  GpuReference reference(gpu);
  const std::vector<float> from{1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60};
  DeviceBuffer a(48), b(48);
  a.upload(from.data(), 48);
  reference.swap_inner(a, b, 2, 2, 3);
  gpu.synchronize();
  CHECK(downloaded<float>(b, 12) == std::vector<float>{1, 4, 2, 5, 3, 6, 10, 40, 20, 50, 30, 60});
}
