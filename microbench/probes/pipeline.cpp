// The memory pipeline between a scheduler and the SM's shared memory: what it holds, how fast it reads
// registers, and what results that come back take from the FMAs.
#include <fmt/format.h>

#include <array>

#include "microbench/loop_bench.hpp"
#include "microbench/operand_patch.hpp"
#include "microbench/operand_reads.hpp"
#include "microbench/pipeline_reduction.hpp"
#include "microbench/probes/lane_offsets.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

constexpr int schedulers = 4;

class PipelineBench {
 public:
  PipelineBench(const ProbeContext& context, int repeats_)
      : repeats(repeats_), bench(context), offsets_(sizeof(LaneOffsets)) {
    bench.input(offsets_.address());
  }
  void lanes(const LaneOffsets& offsets) { offsets_.upload(offsets.data(), sizeof offsets); }

  const int repeats;
  LoopBench bench;

 private:
  DeviceBuffer offsets_;
};

// Cycles around `loads` shared loads in a row, one value a repeat.
std::vector<double> burst_cycles(const ProbeContext& context, PipelineBench& pipeline, int loads,
                                 int working) {
  constexpr unsigned fewer = 8, more = 40;
  const Specialisation code{
      "probes/issue_burst.cu", "issue_burst", {{"LOADS", loads}, {"SCHEDULERS", working}}};
  CompiledCode compiled = compile_probe(context, code);
  const auto words = machine_words(compiled.cubin);
  compiled.cubin = replace_code(compiled.cubin, words, without_load_stalls(words));
  const ProbeKernel kernel = load_compiled(context, code, compiled);
  return pipeline.bench.cycles_a_round(kernel, {schedulers, working}, fewer, more, pipeline.repeats);
}

// How long warps take to issue so many loads in a row, and how many are under way when they have to wait.
void measure_queue(const ProbeContext& context, PipelineBench& pipeline, ProbeResult& result) {
  const std::string how =
      "one warp a scheduler issues shared loads in a row, one a cycle (stall counts set in the machine "
      "code), into an "
      "empty pipeline, the clock read around them; slope of 8 and 40 bursts, median over SMs";
  const std::vector<double> loads = {1, 2, 4, 8, 10, 12, 16, 20, 24, 28, 32, 36, 40};
  const std::size_t fewer = loads.size() - 2, more = loads.size() - 1;  // where every load waits
  std::vector<std::vector<double>> held;  // with one scheduler at work, with four
  for (const unsigned ways : {1U, 32U}) {
    for (const int working : {1, schedulers}) {
      pipeline.lanes(strided(4, ways));
      ProbeCurve curve{
          fmt::format("issue_cycles_{}_wavefronts_{}_schedulers_over_loads", ways, working),
          fmt::format(
              "loads of {} wavefronts, {} of four schedulers at it; cycles around so many in a row: {}", ways,
              working, how),
          loads,
          {}};
      for (const double count : loads)
        curve.samples.push_back(burst_cycles(context, pipeline, static_cast<int>(count), working));
      if (ways > 1) {
        held.emplace_back();
        for (std::size_t r = 0; r < curve.samples.front().size(); ++r) {
          const double last = curve.samples[more][r];
          const double a_load = slope(loads[fewer], curve.samples[fewer][r], loads[more], last);
          held.back().push_back(loads_held(loads[more], last - curve.samples[0][r], a_load, working));
        }
      }
      result.curves.push_back(std::move(curve));
    }
  }
  ProbeValue own{
      "memory_queue_entries",
      "32 wavefronts each: loads on their way when all four schedulers have to wait, less their quarter of "
      "what a lone one has more: " +
          how,
      {}};
  ProbeValue shared{
      "memory_shared_queue_entries", "four thirds of what a lone scheduler has more: " + own.method, {}};
  for (std::size_t r = 0; r < held[0].size(); ++r) {
    const Queues queues = queues_of(held[0][r], held[1][r]);
    own.samples.push_back(queues.of_scheduler);
    shared.samples.push_back(queues.shared);
  }
  for (ProbeValue* value : {&own, &shared}) {
    if (const auto whole = agreed_whole(value->samples)) {
      result.values.push_back({value->key + "_unrounded", value->method, value->samples});
      value->samples.assign(value->samples.size(), *whole);
      result.values.push_back(std::move(*value));
    } else {
      add_reason(result,
                 fmt::format("{}: {} is not near a whole number", value->key, median(value->samples)));
    }
  }
}

// Stores of one scheduler by width: the address and one to four registers of data each.
void measure_registers(const ProbeContext& context, PipelineBench& pipeline, ProbeResult& result) {
  constexpr int warps = 16, accesses_a_round = 32;
  constexpr unsigned fewer = 8, more = 40;
  ProbeCurve stores{
      "one_scheduler_store_cycles_over_registers",
      "one scheduler of each SM, four warps, shared stores without conflicts of 4, 8 and 16 bytes a "
      "lane: an address and one, two and four registers of data; cycles a store, slope of 8 and 40 "
      "rounds of 32 by clock64, median over SMs",
      {2, 3, 5},
      {}};
  ProbeCurve loads{"one_scheduler_load_cycles_over_width",
                   "likewise shared loads of 4, 8 and 16 bytes a lane: one address each",
                   {4, 8, 16},
                   {}};
  for (const int width : {4, 8, 16}) {
    pipeline.lanes(strided(static_cast<unsigned>(width), 1));
    for (auto* curve : {&stores, &loads}) {
      const ProbeKernel kernel = load_probe(context, {"probes/shared_access.cu",
                                                      curve == &stores ? "shared_store" : "shared_load",
                                                      {{"WIDTH", width}, {"BODY", 1}, {"SCHEDULERS", 1}}});
      curve->samples.push_back(cycles_each(
          pipeline.bench.rates(kernel, {warps, warps / schedulers}, fewer, more, pipeline.repeats),
          accesses_a_round));
    }
  }
  result.values.push_back(
      {"memory_register_cycles", "slope from two registers to five: " + stores.method,
       slopes(stores.x.front(), stores.samples.front(), stores.x.back(), stores.samples.back())});
  result.curves.push_back(std::move(stores));
  result.curves.push_back(std::move(loads));
}

// A kind of load among FMAs.
struct Mix {
  std::string_view name, what;
  int width;
  unsigned different;  // vectors among the lanes
  bool results;        // the FMAs write theirs
};

constexpr int fmas = 256, mix_warps = 8;

// Cycles of a round of one scheduler, one value a repeat.
std::vector<double> round_cycles(const ProbeContext& context, PipelineBench& pipeline, const Mix& mix,
                                 int spacing) {
  constexpr unsigned fewer = 20, more = 120;
  const Specialisation code{
      "probes/load_mix.cu", "load_mix", {{"WIDTH", mix.width}, {"SPACING", spacing}, {"FMAS", fmas}}};
  CompiledCode compiled = compile_probe(context, code);
  const auto words = machine_words(compiled.cubin);
  const auto loop = ffma_loop(words, context.gpu.info().architecture.major);
  std::vector<MachineWord> changed(loop.begin(), loop.end());
  if (spacing > 0) changed = with_spread_loads(changed);
  if (!mix.results) changed = without_results(changed);
  compiled.cubin = replace_code(compiled.cubin, loop, changed);
  const ProbeKernel kernel = load_compiled(context, code, compiled);
  pipeline.lanes(shared_by(static_cast<unsigned>(mix.width), mix.different, true));
  return scaled(cycles_each(pipeline.bench.rates(kernel, mix_warps, fewer, more, pipeline.repeats), 1),
                schedulers);
}

// What a shared load takes from FMAs that leave no issue slot free.
void measure_returns(const ProbeContext& context, PipelineBench& pipeline, ProbeResult& result) {
  const std::array<Mix, 7> mixes = {
      {{"narrow", "4 bytes side by side", 4, 32, true},
       {"pair", "8 bytes, the same for all lanes", 8, 1, true},
       {"wide_same", "16 bytes, the same for all lanes", 16, 1, true},
       {"wide_few", "16 bytes, eight different vectors", 16, 8, true},
       {"wide_apart", "16 bytes side by side", 16, 32, true},
       {"wide_same_without_results", "16 bytes, the same for all lanes, FMAs that write no register", 16, 1,
        false},
       {"narrow_without_results", "4 bytes side by side, FMAs that write no register", 4, 32, false}}};
  const std::string how =
      "8 warps a SM, loops of 256 FFMA in 16 chains, a shared load behind every so-manieth in the machine "
      "code; "
      "issue slots that a load costs besides its own, slope of 20 and 120 rounds by clock64, median over "
      "SMs; ";
  const std::vector<double> spacings = {8, 16, 32, 64};
  std::vector<double> narrow, wide;  // of all spacings
  for (const Mix& mix : mixes) {
    const auto without = round_cycles(context, pipeline, mix, 0);
    ProbeCurve lost{
        fmt::format("slots_lost_{}_over_spacing", mix.name), how + std::string(mix.what), spacings, {}};
    for (const double spacing : spacings) {
      const auto with = round_cycles(context, pipeline, mix, static_cast<int>(spacing));
      lost.samples.emplace_back();
      for (std::size_t r = 0; r < with.size(); ++r)
        lost.samples.back().push_back(slots_lost(fmas / spacing, with[r], without[r]));
    }
    for (const auto& samples : lost.samples) {
      if (mix.name == "narrow") narrow.insert(narrow.end(), samples.begin(), samples.end());
      if (mix.name == "wide_same") wide.insert(wide.end(), samples.begin(), samples.end());
    }
    result.curves.push_back(std::move(lost));
  }
  // The narrow load's share is its address, which takes a register port. How a result meets the FMAs' own
  // depends on the spacing, so that the interval spans what different loops lose.
  result.values.push_back(
      {"wide_return_hold_cycles",
       "16 bytes that are the same for all lanes against 4 bytes side by side, every 8, 16, 32 "
       "and 64 FFMAs: " +
           how,
       slopes(0, narrow, 1, wide)});
}

}  // namespace

ProbeResult probe_pipeline(const ProbeContext& context) {
  PipelineBench pipeline(context, context.quick ? 3 : 9);
  ProbeResult result;
  measure_registers(context, pipeline, result);
  const Architecture target = context.gpu.info().architecture;
  if (!encoding_known(target.major)) {
    add_reason(
        result,
        fmt::format("memory_queue_entries, wide_return_hold_cycles: {}: machine code is changed for sm_80 "
                    "to sm_90 only",
                    target.name()));
    return result;
  }
  measure_queue(context, pipeline, result);
  measure_returns(context, pipeline, result);
  return result;
}

}  // namespace tilecast
