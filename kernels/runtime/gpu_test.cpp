// Needs a GPU and NVRTC; skipped (exit 77) where there is no GPU.

#include "kernels/runtime/gpu.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/catch.hpp"

using namespace tilecast;

namespace {

struct ScaleParams {
  long long count;
  float factor;
};

const EmbeddedFile sources[] = {
    {"t/scale.cu",
     "struct ScaleParams { long long count; float factor; };\n"
     "extern \"C\" __global__ void scale(const float* input, const float*, float* output, ScaleParams p) {\n"
     "  extern __shared__ float staged[];\n"
     "  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;\n"
     "  if (i >= p.count) return;\n"
     "  staged[threadIdx.x] = input[i];\n"
     "  output[i] = p.factor * staged[threadIdx.x];\n"
     "}\n"},
};

LaunchPlan scale_plan(std::int64_t count, float factor, std::int64_t shared_bytes = 256 * 4) {
  return {.code = {"t/scale.cu", "scale", {}},
          .grid_x = (count + 255) / 256,
          .threads = 256,
          .dynamic_shared_bytes = shared_bytes,
          .params = as_params(ScaleParams{count, factor})};
}

Kernel scale_kernel(const Gpu& gpu) {
  return {compile(scale_plan(1, 1).code, sources, gpu.info().architecture), "scale"};
}

}  // namespace

TEST_CASE("gpu: the driver's facts are plausible", "[gpu]") {
  const Gpu gpu;
  const auto& info = gpu.info();
  CHECK(!info.name.empty());
  CHECK(info.uuid.size() == 40);  // "GPU-" and 36 characters
  CHECK(info.architecture.major >= 5);
  CHECK(info.sm_count > 0);
  CHECK(info.max_threads_per_sm >= info.max_threads_per_block);
  CHECK(info.registers_per_sm >= 32768);
  CHECK(info.shared_per_block <= info.shared_per_sm);
  CHECK(info.l2_bytes < info.dram_bytes);
}

TEST_CASE("gpu: a buffer gives back what was put in, and refuses what is outside", "[gpu]") {
  const Gpu gpu;
  std::vector<int> values(1000);
  for (int i = 0; i < 1000; ++i)
    values[static_cast<std::size_t>(i)] = 3 * i;
  DeviceBuffer buffer(4000);
  buffer.upload(values.data(), 4000);
  std::vector<int> back(10);
  buffer.download(back.data(), 40, 4 * 500);
  CHECK(back.front() == 1500);
  CHECK(back.back() == 1527);
  buffer.fill32(0x7fc00000u);
  buffer.download(back.data(), 40);
  CHECK(back.front() == 0x7fc00000);
  CHECK_THROWS_AS(buffer.download(back.data(), 40, 3961), Error);
  CHECK_THROWS_AS(buffer.upload(values.data(), 4004), Error);
}

TEST_CASE("gpu: a kernel computes, and what was poisoned is overwritten", "[gpu]") {
  Gpu gpu;
  const auto kernel = scale_kernel(gpu);
  constexpr std::int64_t count = 1'000'003;  // no multiple of the block
  std::vector<float> input(count), output(count);
  for (std::size_t i = 0; i < input.size(); ++i)
    input[i] = static_cast<float>(i % 1000);
  DeviceBuffer in(4 * count), out(4 * count);
  in.upload(input.data(), in.bytes());
  out.fill32(0x7fc00000u);
  const std::uint64_t tensors[] = {in.address(), in.address(), out.address()};
  gpu.launch(kernel, scale_plan(count, 2.5f), tensors);
  gpu.synchronize();
  out.download(output.data(), out.bytes());
  const bool all = std::ranges::equal(input, output, {}, [](float x) { return 2.5f * x; });
  CHECK(all);
}

TEST_CASE("gpu: blocks of a cluster know their rank", "[gpu]") {
  Gpu gpu;
  if (gpu.info().architecture.major < 9) return;  // clusters begin there
  const EmbeddedFile source[] = {
      {"t/rank.cu",
       "struct P { int unused; };\n"
       "extern \"C\" __global__ void rank(float* output, P) {\n"
       "  unsigned r; asm volatile(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(r));\n"
       "  output[blockIdx.x] = r;\n"
       "}\n"}};
  const LaunchPlan plan{
      .code = {"t/rank.cu", "rank", {}}, .grid_x = 8, .cluster_x = 4, .params = as_params(0)};
  const Kernel kernel(compile(plan.code, source, gpu.info().architecture), "rank");
  DeviceBuffer out(8 * 4);
  const std::uint64_t tensors[] = {out.address()};
  gpu.launch(kernel, plan, tensors);
  gpu.synchronize();
  std::vector<float> ranks(8);
  out.download(ranks.data(), out.bytes());
  CHECK(ranks == std::vector<float>{0, 1, 2, 3, 0, 1, 2, 3});
}

TEST_CASE("gpu: timings are positive, ordered, and longer for more work", "[gpu]") {
  Gpu gpu;
  const auto kernel = scale_kernel(gpu);
  constexpr std::int64_t count = 1 << 26;
  DeviceBuffer in(4 * count), out(4 * count);
  in.fill32(0x3f800000u);
  const std::uint64_t tensors[] = {in.address(), in.address(), out.address()};
  const auto small = gpu.time(kernel, scale_plan(256, 2), tensors);
  const auto large = gpu.time(kernel, scale_plan(count, 2), tensors);
  CHECK(small.samples_s.size() == 11);
  for (const auto& timing : {small, large}) {
    CHECK(timing.p10_s > 0);
    CHECK(timing.p10_s <= timing.median_s);
    CHECK(timing.median_s <= timing.p90_s);
    CHECK(timing.sm_clock_hz > 2e8);
    CHECK(timing.sm_clock_hz < 4e9);
  }
  CHECK(large.median_s > 10 * small.median_s);  // 512 MB of traffic against 2 KB
}

TEST_CASE("gpu: shared memory above the default limit is granted, and limits residency", "[gpu]") {
  const Gpu gpu;
  const auto kernel = scale_kernel(gpu);
  const auto& info = gpu.info();
  const auto per_sm = static_cast<std::int64_t>(info.shared_per_sm);
  const auto reserved = static_cast<std::int64_t>(info.shared_reserved_per_block);
  // So large that two blocks and what the system reserves for each just fit, or just do not.
  const std::int64_t half = (per_sm / 2 - reserved) / 1024 * 1024;
  CHECK(kernel.resident_blocks(256, half) == 2);
  CHECK(kernel.resident_blocks(256, half + 1024) == 1);
  CHECK(kernel.resident_blocks(256, 0) <= info.max_threads_per_sm / 256);
}

TEST_CASE("gpu: a signature that does not match is refused before it is launched", "[gpu]") {
  Gpu gpu;
  const auto kernel = scale_kernel(gpu);
  DeviceBuffer buffer(1024);
  const std::uint64_t two[] = {buffer.address(), buffer.address()};
  CHECK_THROWS_AS(gpu.launch(kernel, scale_plan(1, 1), two), Error);
  auto plan = scale_plan(1, 1);
  plan.dynamic_shared_bytes = 1 << 30;
  const std::uint64_t three[] = {buffer.address(), buffer.address(), buffer.address()};
  CHECK_THROWS_AS(gpu.launch(kernel, plan, three), CudaError);
}
