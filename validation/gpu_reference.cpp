#include "validation/gpu_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>

#include "model/support/embedded.hpp"
#include "validation/device/reference.h"
#include "validation/reference.hpp"

namespace tilecast {

std::span<const EmbeddedFile> reference_sources();  // made by tilecast_embed in CMakeLists.txt

namespace {

constexpr std::uint32_t poison_word = 0xFFFFFFFFu;  // what poison_words of device/reference.cu writes
constexpr std::size_t guard_words = 256;
constexpr std::int64_t threads = 256;

Kernel reference_kernel(const Gpu& gpu, std::string_view entry) {
  const Specialisation code{"device/reference.cu", entry, {}};
  return Kernel(compile(code, reference_sources(), gpu.info().architecture), entry);
}

}  // namespace

std::string wrong_result(const OutputCheck& check, double tolerance) {
  if (check.wrote_past_the_end) return "wrong result (wrote past the end of the output)";
  if (check.not_finite > 0) return fmt::format("wrong result ({} outputs not finite)", check.not_finite);
  if (check.max_rel_error <= tolerance) return "";
  return fmt::format("wrong result (max_rel_error {:.2g} above {:.2g})", check.max_rel_error, tolerance);
}

GpuReference::GpuReference(Gpu& gpu)
    : gpu_(gpu),
      fill_(reference_kernel(gpu, "fill_random")),
      convolve_(reference_kernel(gpu, "convolve_float64")),
      compare_(reference_kernel(gpu, "compare_float64")),
      swap_(reference_kernel(gpu, "swap_inner")),
      poison_(reference_kernel(gpu, "poison_words")),
      difference_(3 * sizeof(std::uint64_t)) {}

template <class Params>
void GpuReference::launch(const Kernel& kernel, std::initializer_list<std::uint64_t> tensors,
                          std::int64_t items, const Params& params) {
  LaunchPlan plan;
  plan.code = {"device/reference.cu", "reference", {}};
  // Grid-stride loops: enough blocks to fill any GPU, whatever the count.
  plan.grid_x = std::clamp<std::int64_t>((items + threads - 1) / threads, 1, 64 * gpu_.info().sm_count);
  plan.threads = threads;
  plan.params = as_params(params);
  gpu_.launch(kernel, plan, std::span<const std::uint64_t>(tensors.begin(), tensors.size()));
}

LayerTensors GpuReference::make_tensors(const ConvShape& s, std::uint64_t seed) {
  const auto size = [](std::int64_t count, std::size_t element) {
    return DeviceBuffer(static_cast<std::size_t>(count) * element);
  };
  LayerTensors t;
  t.shape = s;
  t.input = size(s.input_elements(), sizeof(float));
  t.filters = size(s.filter_elements(), sizeof(float));
  t.output = size(s.output_elements() + static_cast<std::int64_t>(guard_words), sizeof(float));
  t.reference = size(s.output_elements(), sizeof(double));
  launch(fill_, {t.input.address()}, s.input_elements(), FillParams{input_seed(seed), s.input_elements()});
  launch(fill_, {t.filters.address()}, s.filter_elements(),
         FillParams{filter_seed(seed), s.filter_elements()});
  launch(convolve_, {t.input.address(), t.filters.address(), t.reference.address()}, s.output_elements(),
         ReferenceParams{s.N, s.C, s.H, s.W, s.M, s.K, s.stride, s.pad, s.dilation, s.out_h(), s.out_w()});
  poison(t.output);
  gpu_.synchronize();
  return t;
}

void GpuReference::poison(DeviceBuffer& output) {
  const auto words = static_cast<std::int64_t>(output.bytes() / sizeof(std::uint32_t));
  launch(poison_, {output.address()}, words, PoisonParams{words});
}

OutputCheck GpuReference::check(const LayerTensors& tensors) {
  const auto count = tensors.shape.output_elements();
  const std::uint64_t none[3] = {};
  difference_.upload(none, sizeof none);
  launch(compare_, {tensors.output.address(), tensors.reference.address(), difference_.address()}, count,
         CompareParams{count});
  gpu_.synchronize();
  std::uint64_t result[3] = {};
  difference_.download(result, sizeof result);
  std::uint32_t guard[guard_words] = {};
  tensors.output.download(guard, sizeof guard, static_cast<std::size_t>(count) * sizeof(float));

  const double worst = std::bit_cast<double>(result[0]), largest = std::bit_cast<double>(result[1]);
  OutputCheck check;
  check.max_rel_error = worst == 0 ? 0 : worst / largest;
  check.not_finite = result[2];
  check.wrote_past_the_end = std::ranges::any_of(guard, [](auto word) { return word != poison_word; });
  return check;
}

void GpuReference::swap_inner(const DeviceBuffer& from, DeviceBuffer& to, std::int64_t outer,
                              std::int64_t rows, std::int64_t columns) {
  launch(swap_, {from.address(), to.address()}, outer * rows * columns, SwapParams{outer, rows, columns});
}

}  // namespace tilecast
