// Code that each launch goes through once: what it adds to the launch, and how much
// of that is hidden behind a load at the kernel's start.
#include <fmt/format.h>

#include <array>

#include "microbench/launch_reduction.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"

namespace tilecast {

namespace {

struct Blocks {
  int warps, of_block;  // on an SM
};

Timing time_of(const ProbeContext& context, const ProbeKernel& kernel, const Blocks& blocks,
               const DeviceBuffer& memory) {
  stop_if_interrupted(context);
  TimingOptions options;
  options.replays = context.quick ? 3 : 9;
  options.target_s = 1e-3;
  const std::uint64_t tensors[] = {memory.address(), 0, 0};
  const LaunchPlan plan =
      probe_plan(kernel,
                 {static_cast<std::int64_t>(context.gpu.info().sm_count) * blocks.warps / blocks.of_block,
                  blocks.of_block * 32},
                 LoopParams{0x3f7fff58U, 0x7fffffffU});
  return context.gpu.time(kernel.kernel, plan, tensors, options);
}

}  // namespace

ProbeResult probe_first_pass(const ProbeContext& context) {
  constexpr int shortest = 16;
  constexpr std::array<Blocks, 4> shapes = {{{1, 1}, {4, 4}, {8, 8}, {16, 8}}};
  const std::vector<double> lengths = {256, 512, 1024, 1536, 1792, 2048, 2304, 2560, 3072, 4096, 6144, 8192};
  // A line for each of the most blocks; finite words, as the kernel's comparison takes no NaN.
  std::vector<float> words(static_cast<std::size_t>(context.gpu.info().sm_count) * 2 * 32);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = 1.0F + static_cast<float>(i % 97) / 128.0F;
  DeviceBuffer memory(words.size() * sizeof(float));
  memory.upload(words.data(), memory.bytes());
  ProbeResult result;
  for (const bool behind_load : {false, true}) {
    ProbeTable table{
        behind_load ? "first_pass_behind_load_over_length_and_warps" : "first_pass_over_length_and_warps",
        fmt::format(
            "FFMAs in a row, each once a launch, in 16 chains{}; all SMs, blocks of 1, 4 and 8 warps, "
            "16 warps as two blocks; cycles beyond the same kernel with 16 FFMAs, their issue "
            "included, nodes of a replayed CUDA graph of that kernel alone",
            behind_load ? " that begin with a word loaded at the kernel's start" : ""),
        lengths,
        {},
        {}};
    for (const Blocks& shape : shapes)
      table.columns.push_back(shape.warps);
    const auto load = [&](int ffmas) {
      return load_probe(
          context, {"probes/first_pass.cu", "first_pass", {{"BODY", ffmas}, {"LOAD", behind_load ? 1 : 0}}});
    };
    const ProbeKernel base = load(shortest);
    std::vector<Timing> without;
    for (const Blocks& shape : shapes)
      without.push_back(time_of(context, base, shape, memory));
    for (const double length : lengths) {
      const ProbeKernel kernel = load(static_cast<int>(length));
      for (std::size_t s = 0; s < shapes.size(); ++s) {
        const Timing with = time_of(context, kernel, shapes[s], memory);
        table.samples.push_back(cycles_beyond(without[s].samples_s, with.samples_s, with.sm_clock_hz));
      }
    }
    result.tables.push_back(std::move(table));
  }
  return result;
}

}  // namespace tilecast
