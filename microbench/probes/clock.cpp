// SM clock under load, by the in-kernel clocks: cycles over nanoseconds of launches of 20 ms and more.
#include "microbench/probes/probes.hpp"
#include "microbench/stream_bench.hpp"

namespace tilecast {

namespace {

// The first third is the way to the steady state.
std::vector<double> steady(std::vector<double> clocks) {
  clocks.erase(clocks.begin(), clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 3));
  return clocks;
}

}  // namespace

ProbeResult probe_clock(const ProbeContext& context) {
  ProbeResult result;
  const double seconds = context.quick ? 0.2 : 1.0;
  result.values.push_back(
      {"sm_clock_hz",
       "clock64 over globaltimer in 20 ms slices of FMAs on all SMs, random data, the last "
       "two thirds of the load",
       steady(burn(context, seconds))});
  StreamBench bench(context, std::size_t{1} << 30, 0);
  std::vector<double> clocks;
  for (int i = 0; i < (context.quick ? 6 : 15); ++i) {
    clocks.push_back(bench.run({StreamMode::read, 4, 32, 1}, seconds / 20).sm_clock_hz);
  }
  result.values.push_back({"sm_clock_memory_hz",
                           "clock64 over globaltimer while all SMs read 1 GiB of random data from DRAM, the "
                           "last two thirds of the load",
                           steady(clocks)});
  return result;
}

}  // namespace tilecast
