// Atomic additions in device memory: how many a cycle on the whole GPU, by how many words and lines they go
// to, and how long one takes that returns the old value.
#include <fmt/format.h>

#include <algorithm>

#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "microbench/warp_records.hpp"

namespace tilecast {

namespace {

constexpr int warps_per_sm = 32, operations_per_batch = 8;

struct Kind {
  bool returning, is_float;
  const char* name;
};

constexpr Kind kinds[] = {
    {false, true, "red_f32"}, {false, false, "red_u32"}, {true, true, "atom_f32"}, {true, false, "atom_u32"}};

class AtomicBench {
 public:
  explicit AtomicBench(const ProbeContext& context)
      : context_(context),
        warps_(static_cast<std::size_t>(context.gpu.info().sm_count) * warps_per_sm),
        words_(warps_ * 32 * 128),
        records_(warps_ * sizeof(WarpRecord)) {
    words_.fill32(0);
    clock_hz_ = context.gpu.sm_clock_hz();
  }

  unsigned warps() const { return static_cast<unsigned>(warps_); }

  // Atomics of single threads a cycle, whole GPU.
  double rate(const ProbeKernel& kernel, AtomicParams params, double seconds) {
    params.cycles = static_cast<unsigned long long>(seconds * clock_hz_);
    params.never = 0x7fffffffU;
    run_probe(context_, kernel, spread(context_.gpu.info(), warps_per_sm, 1), params, 0, words_.address(),
              records_.address());
    const auto records = fetch<WarpRecord>(records_, warps_);
    if (const std::string problem = spread_problem(records, context_.gpu.info().sm_count, warps_per_sm);
        !problem.empty())
      throw Error(ExitCode::failure, "blocks did not spread evenly: " + problem);
    return batches_per_second(records) * operations_per_batch * 32 / clock_of(records);
  }

  // Cycles of one atomic that waits for the one before, on one SM.
  double latency(const ProbeKernel& kernel, int sm) {
    words_.fill32(0);
    AtomicChainParams params{256, 1280, 1024 + 32, sm, ++turn_};
    run_probe(context_, kernel, {context_.gpu.info().sm_count * 4L, 1}, params, 0, words_.address(),
              records_.address());
    const ChaseRecord record = fetch<ChaseRecord>(records_, 1).front();
    if (record.turn != params.turn || record.sm != static_cast<unsigned>(sm))
      throw Error(ExitCode::failure, fmt::format("no block of the chain landed on SM {}", sm));
    return slope(params.short_steps, static_cast<double>(record.short_cycles), params.long_steps,
                 static_cast<double>(record.long_cycles));
  }

 private:
  const ProbeContext& context_;
  std::size_t warps_;
  DeviceBuffer words_, records_;
  double clock_hz_ = 0;
  unsigned turn_ = 0;
};

}  // namespace

ProbeResult probe_atomics(const ProbeContext& context) {
  const GpuInfo& gpu = context.gpu.info();
  AtomicBench bench(context);
  const int repeats = context.quick ? 3 : 7;
  const double seconds = 0.3e-3;
  ProbeResult result;

  for (const bool is_float : {false, true}) {
    const ProbeKernel chain =
        load_probe(context, {"probes/atomics.cu", "atomic_chain", {{"FLOAT", is_float}}});
    std::vector<double> samples;
    for (int sm = 0; sm < gpu.sm_count; sm += context.quick ? 16 : 4)
      samples.push_back(bench.latency(chain, sm));
    result.values.push_back(
        {is_float ? "atomic_f32_latency_cycles" : "atomic_latency_cycles",
         fmt::format("one thread, each atom.add.{} adds what the one before returned, 16 "
                     "lines in turn, slope of two lengths; one SM after the other, idle GPU",
                     is_float ? "f32" : "u32"),
         samples});
  }

  std::vector<double> lines;
  for (unsigned n = 1; n < bench.warps(); n *= 4)
    lines.push_back(n);
  lines.push_back(bench.warps());
  for (const Kind& kind : kinds) {
    const ProbeKernel kernel = load_probe(
        context,
        {"probes/atomics.cu", "atomic_rate", {{"RETURNING", kind.returning}, {"FLOAT", kind.is_float}}});
    const std::string method = fmt::format(
        "{} warps on each SM add with {}.global.add.{}, operations of single threads over SM cycles of "
        "{:.1f} ms, "
        "until a fence says that all are done",
        warps_per_sm, kind.returning ? "atom" : "red", kind.is_float ? "f32" : "u32", seconds * 1e3);
    ProbeTable table{fmt::format("{}_over_words_and_lines", kind.name),
                     "warp w goes to line w mod lines, its lane l to word l mod words: " + method,
                     {1, 32},
                     lines,
                     {}};
    for (const double words : table.rows) {
      for (const double count : lines) {
        AtomicParams params{};
        params.words = static_cast<unsigned>(words);
        params.lines = static_cast<unsigned>(count);
        std::vector<double> samples;
        for (int r = 0; r < repeats; ++r)
          samples.push_back(bench.rate(kernel, params, seconds));
        table.samples.push_back(std::move(samples));
      }
    }
    result.tables.push_back(table);
    AtomicParams scattered{};
    scattered.words = scattered.lines = 1;
    scattered.scattered = 1;
    ProbeValue value{
        fmt::format("{}_scattered_per_cycle", kind.name), "each thread has a line of its own: " + method, {}};
    for (int r = 0; r < repeats; ++r)
      value.samples.push_back(bench.rate(kernel, scattered, seconds));
    result.values.push_back(value);
  }
  return result;
}

}  // namespace tilecast
