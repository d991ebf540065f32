// N_FMA by experiment: how many FMAs an SM has to do between a load and its use until the load's time no
// longer shows. On one SM of an idle GPU, and on all SMs with so many bytes asked for that they queue.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <optional>

#include "microbench/footprints.hpp"
#include "microbench/knee.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/warp_records.hpp"

namespace tilecast {

namespace {

// Two warps a scheduler: enough for the FMA pipe at its full rate, few enough that loop and load are short
// against the FMAs of a round.
constexpr int warps = 8, threads = warps * 32;
constexpr unsigned shorter_rounds = 32, longer_rounds = 160;

class HideBench {
 public:
  explicit HideBench(const ProbeContext& context)
      : context_(context), memory_(footprint(context)), numbers_(fma_multipliers()) {
    fill_random(context, memory_, 77);
    records_ =
        DeviceBuffer(static_cast<std::size_t>(context.gpu.info().sm_count) * warps * sizeof(WarpRecord));
  }

  // A power of two, so that the generator's high bits choose among all of it.
  static std::size_t footprint(const ProbeContext& context) {
    return std::bit_ceil(16 * context.gpu.info().l2_bytes);
  }

  ProbeKernel kernel(int fmas, int loads) const {
    return load_probe(context_, {"probes/n_fma.cu", "n_fma", {{"FMAS", fmas}, {"LOADS", loads}}});
  }

  // Cycles a round: slope of two numbers of rounds, median over the SMs that work: only `sm`, or all.
  double cycles(const ProbeKernel& kernel, int loads, std::optional<int> sm) {
    const auto shorter = run(kernel, loads, sm, shorter_rounds);
    return warps / batches_per_cycle(shorter, run(kernel, loads, sm, longer_rounds));
  }

 private:
  std::vector<WarpRecord> run(const ProbeKernel& kernel, int loads, std::optional<int> sm, unsigned rounds) {
    const auto nodes = static_cast<double>(memory_.bytes() / (static_cast<std::size_t>(loads) * 512));
    HideParams params{};
    params.iterations = rounds;
    params.never = 0x7fffffffU;
    params.once = 1;
    params.sm = sm.value_or(-1);
    params.shift = 32 - static_cast<unsigned>(std::log2(nodes));
    params.seed = seed_++;  // other places than the last time, whose data are in L2
    const GpuInfo& gpu = context_.gpu.info();
    run_probe(context_, kernel, spread(gpu, warps, 1, kernel.static_shared_bytes), params, memory_.address(),
              numbers_.address(), records_.address());
    auto records = fetch<WarpRecord>(records_, static_cast<std::size_t>(gpu.sm_count) * warps);
    if (const std::string problem = spread_problem(records, sm ? 1 : gpu.sm_count, warps); !problem.empty()) {
      throw Error(ExitCode::failure, "warps did not spread evenly: " + problem);
    }
    return records;
  }

  const ProbeContext& context_;
  DeviceBuffer memory_, numbers_, records_;
  unsigned seed_ = 1;
};

struct Case {
  std::string_view curve, in_fmas, in_flops, where;
  int loads;
  bool all_sms;
};

void measure(const ProbeContext& context, HideBench& bench, const Case& one, ProbeResult& result) {
  const int repeats = context.quick ? 3 : 9;
  // Each repeat on another SM: those nearer to the memory wait less.
  const auto sm = [&](int repeat) -> std::optional<int> {
    if (one.all_sms) return std::nullopt;
    return repeat * context.gpu.info().sm_count / repeats;
  };
  ProbeCurve curve{
      std::string(one.curve),
      std::string(one.where) +
          ", 8 warps a SM, each with that many FMAs a thread (8 chains) between asking for a random "
          "place in DRAM and using it; cycles a round, slope of 32 and 160 rounds by clock64, "
          "over the FMAs of the whole SM",
      {},
      {}};
  for (const int fmas : {64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 768, 896, 1024}) {
    if (context.quick && fmas % 128 != 0) continue;
    const ProbeKernel kernel = bench.kernel(fmas, one.loads);
    bench.cycles(kernel, one.loads, sm(0));  // instruction caches
    curve.x.push_back(fmas * threads);
    curve.samples.emplace_back();
    for (int r = 0; r < repeats; ++r)
      curve.samples.back().push_back(bench.cycles(kernel, one.loads, sm(r)));
  }
  std::vector<double> knees = knees_by_repeat(curve.x, curve.samples);
  if (knees.empty()) {
    add_reason(result, fmt::format("{} does not bend between {} and {} FMAs", one.curve, curve.x.front(),
                                   curve.x.back()));
  } else {
    const std::string method = "knee of two-segment fits, one a repeat: " + curve.method;
    result.values.push_back({std::string(one.in_fmas), method, knees});
    for (double& knee : knees)
      knee *= 2;
    result.values.push_back({std::string(one.in_flops), "two flops a FMA; " + method, knees});
  }
  result.curves.push_back(std::move(curve));
}

}  // namespace

ProbeResult probe_n_fma(const ProbeContext& context) {
  if (auto problem =
          memory_problem(HideBench::footprint(context), usable_memory(context), "16 x L2, a power of two");
      !problem.empty())
    return {{}, {}, {}, std::move(problem)};
  HideBench bench(context);
  ProbeResult result;
  const Case cases[] = {
      {"round_over_fmas_idle", "n_fma_idle_fmas", "n_fma_idle_flops",
       "one SM, the others idle, another one in each repeat, 4 KiB in flight", 1, false},
      {"round_over_fmas_loaded", "n_fma_loaded_fmas", "n_fma_loaded_flops",
       "all SMs, 16 KiB in flight on each", 4, true},
      // For the raw samples: all SMs, but no more bytes in flight on each than in the idle case.
      {"round_over_fmas_all_4k", "n_fma_all_4k_fmas", "n_fma_all_4k_flops",
       "all SMs, 4 KiB in flight on each", 1, true},
  };
  for (const Case& one : cases)
    measure(context, bench, one, result);
  return result;
}

}  // namespace tilecast
