// Clocks, power and what holds them back, by load: idle, FMAs, DRAM, L2. The SM clock by the in-kernel clocks
// of launches of 20 ms and more, everything else by NVML.
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "microbench/footprints.hpp"
#include "microbench/nvml.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"
#include "microbench/stream_bench.hpp"

namespace tilecast {

namespace {

class LoadWatch {
 public:
  LoadWatch(const ProbeContext& context, ProbeResult& result) : result_(result) {
    std::string why;
    if (auto nvml = open_nvml(context.gpu.info().uuid, why)) {
      nvml_.emplace(std::move(*nvml));
    } else {
      add_reason(result_, fmt::format("power, memory clock and throttle reasons: {}", why));
    }
  }

  // What `load` returns; what NVML says meanwhile goes into the result under "..._MIX_...".
  std::vector<double> during(std::string_view mix, const std::function<std::vector<double>()>& load) {
    if (!nvml_) return load();
    NvmlWatch watch(*nvml_);
    auto found = load();
    const NvmlSummary summary = summarise_nvml(watch.stop());
    const std::string method = "NVML every 20 ms, the last two thirds of the load";
    const auto add = [&](std::string_view format, const std::vector<double>& samples) {
      if (!samples.empty())
        result_.values.push_back({fmt::format(fmt::runtime(format), mix), method, steady_part(samples)});
    };
    add("power_{}_w", summary.power_w);
    add("memory_clock_{}_hz", summary.memory_clock_hz);
    add("sm_clock_nvml_{}_hz", summary.sm_clock_hz);
    add("temperature_{}_c", summary.temperature_c);
    if (summary.event_reasons) {
      result_.values.push_back(
          {fmt::format("clock_event_reasons_{}", mix),
           "bits of NVML's clock event reasons seen in any sample of the load, idleness left out",
           {static_cast<double>(*summary.event_reasons)}});
    }
    return found;
  }

 private:
  ProbeResult& result_;
  std::optional<Nvml> nvml_;
};

std::vector<double> rest(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  return {};
}

std::vector<double> stream(StreamBench& bench, const StreamShape& shape, double seconds, int slices) {
  std::vector<double> clocks;
  for (int i = 0; i < slices; ++i)
    clocks.push_back(bench.run(shape, seconds / slices).sm_clock_hz);
  return clocks;
}

}  // namespace

ProbeResult probe_clock(const ProbeContext& context) {
  ProbeResult result;
  LoadWatch watch(context, result);
  const double seconds = context.quick ? 0.2 : 1.0;
  const int slices = context.quick ? 6 : 15;
  watch.during("idle", [&] { return rest(seconds / 2); });
  result.values.push_back(
      {"sm_clock_hz",
       "clock64 over globaltimer in 20 ms slices of FMAs on all SMs, random data, the last "
       "two thirds of the load",
       steady_part(watch.during("fma", [&] { return burn(context, seconds); }))});
  constexpr std::size_t footprint = std::size_t{1} << 30;
  if (auto problem = memory_problem(footprint, usable_memory(context), "load on DRAM"); !problem.empty()) {
    add_reason(result, problem);
  } else {
    StreamBench bench(context, footprint, 0);
    result.values.push_back(
        {"sm_clock_memory_hz",
         "clock64 over globaltimer while all SMs read 1 GiB of random data from DRAM, the "
         "last two thirds of the load",
         steady_part(watch.during("dram", [&] {
           return stream(bench, {StreamMode::read, 4, 32, 1}, seconds, slices);
         }))});
  }
  StreamBench bench(context, context.gpu.info().l2_bytes / 4, 0);
  StreamShape shape{StreamMode::read, 4, 32, 1};
  shape.walk = StreamWalk::private_part;
  result.values.push_back(
      {"sm_clock_l2_hz",
       "clock64 over globaltimer while each SM reads its part of a quarter of L2's size of random data past "
       "L1, "
       "the last two thirds of the load",
       steady_part(watch.during("l2", [&] { return stream(bench, shape, seconds, slices); }))});
  watch.during("after", [&] { return rest(seconds / 4); });
  return result;
}

}  // namespace tilecast
