// The self-test's part that needs a GPU: a few values measured right, which nothing may object to, and the
// same measured with a published mistake in the probe itself.
#include <fmt/format.h>

#include <ostream>

#include "microbench/disassembly.hpp"
#include "microbench/expected_code.hpp"
#include "microbench/measure.hpp"
#include "microbench/plain_chase.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/self_test.hpp"
#include "microbench/stream_bench.hpp"
#include "microbench/warp_records.hpp"
#include "model/device/check.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

namespace {

std::vector<std::string> names_of(const std::vector<Violation>& violations) {
  std::vector<std::string> names;
  for (const Violation& violation : violations) {
    if (names.empty() || names.back() != violation.check) names.emplace_back(violation.check);
  }
  return names;
}

struct LoopRun {
  std::vector<WarpRecord> records;
  double rounds_per_cycle_and_sm = 0;  // one window, launch and all, over `sms`
};

// A loop kernel as a careless benchmark runs it: one launch, one window, all SMs in the denominator.
LoopRun careless(const ProbeContext& context, const ProbeKernel& kernel, std::int64_t blocks,
                 std::int64_t threads, unsigned rounds) {
  const DeviceBuffer numbers = fma_multipliers();
  const auto count = static_cast<std::size_t>(blocks * threads / 32);
  DeviceBuffer records(count * sizeof(WarpRecord));
  run_probe(context, kernel, {blocks, threads}, LoopParams{rounds, 0x7fffffffU}, 0, numbers.address(),
            records.address());
  LoopRun run{fetch<WarpRecord>(records, count), 0};
  std::vector<double> cycles;
  for (const WarpRecord& record : run.records)
    cycles.push_back(static_cast<double>(record.end_cycle - record.start_cycle));
  run.rounds_per_cycle_and_sm =
      static_cast<double>(rounds) * static_cast<double>(count) / median(cycles) / context.gpu.info().sm_count;
  return run;
}

// What the checks say when one value of the sound profile is replaced.
template <class T>
std::vector<std::string> with(DeviceProfile profile, Parameter<T> DeviceProfile::*member, double wrong) {
  (profile.*member).set(T{wrong});
  return names_of(check_device(profile));
}

}  // namespace

std::vector<SelfTestResult> self_test_on_gpu(int index, std::ostream& progress) {
  Gpu gpu(index);
  const GpuInfo& info = gpu.info();
  DeviceProfile sound;
  apply_identity(info, "", "", "", sound);
  ProbeSession session;
  session.quick = true;
  session.run = [&](const Probe& probe, const DeviceProfile& known, CodeLog& code) {
    return probe.run({gpu, true, known, &code});
  };
  const auto selected = select_probes("limits,clock,latency,fma,dram_bandwidth,second_methods", probes());
  const Measurement measured = run_probes(selected, sound, session, progress);
  sound = measured.profile;
  const ProbeContext context{gpu, true, sound};

  std::vector<SelfTestResult> results;
  const auto add = [&](std::string_view mistake, std::string_view published, std::string_view expected,
                       const std::vector<std::string>& caught) {
    results.push_back(judged(fmt::format("on the GPU: {}", mistake), published, expected, caught));
  };
  add("none", "", "", names_of(check_device(sound)));

  constexpr int chains = 4, body = 512;
  {
    CodeLog log;
    const ProbeContext logged{gpu, true, sound, &log};
    const ProbeKernel empty =
        load_probe(logged, {"probes/wrong.cu", "fma_without_result", {{"ILP", chains}, {"BODY", body}}});
    const LoopRun run = careless(context, empty, info.sm_count, 512, 1000);
    add(fmt::format("work removed by the compiler ({:.0f} FMA a cycle and SM)",
                    run.rounds_per_cycle_and_sm * body * 32),
        "vetter/shoc#81, TapiocaFox/GPU-Project", "fma-lanes",
        with(sound, &DeviceProfile::fma_rate, run.rounds_per_cycle_and_sm * body * 32));
    if (const auto nvdisasm = find_nvdisasm()) {
      // Judged by what fma_chains declares: the same loop, with a result.
      Specialisation declared = empty.code;
      const std::string problem = code_problem(declared, *find_expected_code("probes/fma.cu", "fma_chains"),
                                               disassemble(*nvdisasm, log.front().cubin));
      add("work removed by the compiler, its machine code", "vetter/shoc#81, TapiocaFox/GPU-Project",
          "machine-code",
          problem.empty() ? std::vector<std::string>{} : std::vector<std::string>{"machine-code"});
    } else {
      progress << "machine code not checked: nvdisasm was not found\n";
    }
  }
  {
    const ProbeKernel kernel =
        load_probe(context, {"probes/wrong.cu", "fma_not_unrolled", {{"ILP", 1}, {"BODY", 1}}});
    const LoopRun run = careless(context, kernel, 1, 32, 10'000);
    const double cycles = 1 / (run.rounds_per_cycle_and_sm * info.sm_count);
    add(fmt::format("loop overhead in the window (FMA latency {:.1f} cycles)", cycles),
        "a public H100 SXM5 study", "fma-latency", with(sound, &DeviceProfile::fma_latency, cycles));
  }
  {
    const ProbeKernel kernel =
        load_probe(context, {"probes/fma.cu", "fma_chains", {{"ILP", chains}, {"BODY", body}}});
    const int blocks = info.sm_count / 8;
    const LoopRun run = careless(context, kernel, blocks, 512, 1000);
    const double rate = run.rounds_per_cycle_and_sm * body * 32;
    add(fmt::format("{} blocks, divided by all SMs ({:.1f} FMA a cycle and SM)", blocks, rate), "AMORA",
        "fma-reached", with(sound, &DeviceProfile::fma_rate, rate));
    const auto spread = spread_problem(run.records, info.sm_count, 16);
    add("the same, by the count of warps on each SM", "AMORA", "spread",
        spread.empty() ? std::vector<std::string>{} : std::vector<std::string>{"spread"});
  }
  {
    const std::size_t inside = info.l2_bytes / 8;
    PlainChase chase(context, inside, 3);
    chase.seconds_per_load(
        16, 4 * static_cast<unsigned>(inside / 128) / 16 * 16);  // twice round and more: all in L2
    const double cycles = chase.seconds_per_load(20'000, 100'000) * gpu.sm_clock_hz();
    // Where no far partition was seen, the order has only the near one's latency to go by.
    add(fmt::format("DRAM chase inside L2 ({:.0f} cycles)", cycles), "hipfire#490",
        sound.dram_latency_wall.present() ? "dram-latency-methods" : "latency-order",
        with(sound, &DeviceProfile::dram_latency, cycles));
  }
  {
    StreamBench bench(context, info.l2_bytes / 4, 0);
    const StreamShape shape{StreamMode::read, 4, 32, 1};
    bench.run(shape, 1e-3);
    const double rate = bench.run(shape, 1e-3).bytes_per_s;
    add(fmt::format("DRAM bandwidth of a buffer inside L2 ({:.2f} TB/s)", rate * 1e-12), "gpu-benches#6",
        "dram-peak", with(sound, &DeviceProfile::dram_read, rate));
  }
  {
    StreamBench bench(context, std::size_t{1} << 30, 0);
    const double rate = bench.run({StreamMode::read, 1, 4, 1}, 1e-3).bytes_per_s;
    add(fmt::format("too little in flight ({:.2f} TB/s called the plateau)", rate * 1e-12),
        "a public H100 SXM5 study", "plateau", with(sound, &DeviceProfile::dram_read, rate));
  }
  return results;
}

}  // namespace tilecast
