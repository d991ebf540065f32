// What a launch costs, over what the process has done before: each argument is something to do, and the
// launch is measured before the first and after each. CSV to standard output, one process a call:
//   launch_history probe:fma modules:50 alloc:1024
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kernels/runtime/driver.hpp"
#include "kernels/runtime/timing.hpp"
#include "microbench/probe_kernel.hpp"
#include "microbench/profile_assembly.hpp"
#include "microbench/reduction.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {
namespace {

// Kernels that ask for what the probes' own do not have.
constexpr EmbeddedFile own_source{
    "history.cu",
    "extern \"C\" __global__ void local_memory(const float*, const float*, float* c, int n) {\n"
    "  volatile float kept[WORDS];\n"
    "  for (int i = 0; i < WORDS; ++i) kept[i] = i * n;\n"
    "  if (kept[n % WORDS] == 1e30f) c[0] = 1;\n"
    "}\n"
    "extern \"C\" __global__ void numbered(const float*, const float*, float* c, int n) {\n"
    "  if (n == NUMBER + 1000000) c[0] = n;\n"
    "}\n"};

class History {
 public:
  explicit History(Gpu& gpu)
      : gpu_(gpu),
        context_{gpu_, true, known_},
        nothing_(load_probe(context_, {"probes/launch.cu", "nothing", {}})),
        reads_(load_probe(context_, {"probes/launch.cu", "reads_parameters", {}})) {}

  void measure(const std::string& after) {
    const auto sms = gpu_.info().sm_count;
    const LaunchPlan one = probe_plan(nothing_, {1, 32}, LoopParams{});
    const LaunchPlan grid = probe_plan(reads_, {sms, 256}, LoopParams{0, 0x7fffffffU});
    print(after, "launch_graph_s", gpu_.time(nothing_.kernel, one, addresses, {}).samples_s);
    print(after, "launch_grid_s", gpu_.time(reads_.kernel, grid, addresses, {}).samples_s);
    print(after, "sm_clock_hz", {gpu_.sm_clock_hz(), gpu_.sm_clock_hz(), gpu_.sm_clock_hz()});
  }

  void act(const std::string& action) {
    const auto colon = action.find(':');
    const std::string what = action.substr(0, colon);
    const std::string how = colon == std::string::npos ? "" : action.substr(colon + 1);
    const auto count = [&] { return std::stoll(how); };
    if (what == "probe" || what == "full") {
      run_probe_named(how, what == "probe");
    } else if (what == "raw") {
      const ProbeResult found = run_probe_named(how, false);
      const ProbeOutcome outcome{how, found, 0, {}};
      std::ofstream("raw_" + how + ".csv") << format_raw_samples(outcome, gpu_.info().name, "");
    } else if (what == "alloc") {
      buffers_.emplace_back(static_cast<std::size_t>(count()) << 20);
    } else if (what == "allocfill") {
      buffers_.emplace_back(static_cast<std::size_t>(count()) << 20);
      buffers_.back().fill32(1234567);
    } else if (what == "memset") {  // so many bytes, on the default stream
      memset_.resize(1);
      if (memset_[0].bytes() < static_cast<std::size_t>(count()))
        memset_[0] = DeviceBuffer(static_cast<std::size_t>(count()));
      TILECAST_DRIVER(cuMemsetD32(memset_[0].address(), 7, static_cast<std::size_t>(count()) / 4));
    } else if (what == "copy") {  // so many bytes, host to device
      memset_.resize(1);
      if (memset_[0].bytes() < static_cast<std::size_t>(count()))
        memset_[0] = DeviceBuffer(static_cast<std::size_t>(count()));
      const std::vector<char> zeros(static_cast<std::size_t>(count()));
      memset_[0].upload(zeros.data(), zeros.size());
    } else if (what == "free") {
      buffers_.clear();
    } else if (what == "modules") {
      for (long long i = 0; i < count(); ++i)
        kernels_.push_back(own("numbered", {{"NUMBER", i}, {"WORDS", 1}}));
    } else if (what == "unload") {
      kernels_.clear();
    } else if (what == "local") {
      kernels_.push_back(own("local_memory", {{"WORDS", count()}, {"NUMBER", 0}}));
    } else if (what == "runlocal") {
      kernels_.push_back(own("local_memory", {{"WORDS", count()}, {"NUMBER", 0}}));
      run(kernels_.back(), gpu_.info().sm_count, 256, 0, 1);
    } else if (what == "shared") {
      run(nothing_, gpu_.info().sm_count, 256, count() * 1024, 1);
    } else if (what == "cluster") {
      run(nothing_, 64, 128, 0, count());
    } else if (what == "warps") {  // a grid of so many threads a block, two blocks a SM
      run(nothing_, gpu_.info().sm_count * 2, count(), 0, 1);
    } else if (what == "burn") {
      burn(context_, static_cast<double>(count()) * 1e-3);
    } else if (what == "wait") {
      std::this_thread::sleep_for(std::chrono::milliseconds(count()));
    } else if (what == "fill") {
      DeviceBuffer buffer(static_cast<std::size_t>(count()) << 20);
      fill_random(context_, buffer, 5);
    } else if (what == "code") {  // a kernel of so many FFMAs in a row, run
      const ProbeKernel kernel =
          load_probe(context_, {"probes/fma.cu", "fma_chains", {{"ILP", 16}, {"BODY", count()}}});
      DeviceBuffer records(sizeof(WarpRecord) * 64 * static_cast<std::size_t>(gpu_.info().sm_count)), b(8);
      tilecast::run_probe(context_, kernel, {gpu_.info().sm_count, 256}, LoopParams{1, 0x7fffffffU}, 0,
                          b.address(), records.address());
    } else if (what == "atomload") {  // the atomics' kernels, loaded only
      for (const bool returning : {false, true})
        kernels_.push_back(load_probe(
            context_, {"probes/atomics.cu", "atomic_rate", {{"RETURNING", returning}, {"FLOAT", count()}}}));
      kernels_.push_back(load_probe(context_, {"probes/atomics.cu", "atomic_chain", {{"FLOAT", count()}}}));
    } else if (what == "chain") {
      atomic_chain(count() != 0);
    } else if (what == "atomics") {  // as the probe does it, measured after each step
      for (const char* kind : {"red_f32", "red_u32", "atom_f32", "atom_u32"}) {
        for (const unsigned words : {1U, 32U}) {
          for (const unsigned lines : {1U, 64U, 4096U})
            act_and_measure(fmt::format("{}:{},{},0,32,300", kind, lines, words));
        }
        act_and_measure(fmt::format("{}:1,1,1,32,300", kind));
      }
    } else if (what.starts_with("red") ||
               what.starts_with("atom")) {  // red_u32:lines,words,scattered,warps,us
      atomic_rate(what, how);
    } else if (what == "events") {
      for (long long i = 0; i < count(); ++i) {
        CUevent event = nullptr;
        TILECAST_DRIVER(cuEventCreate(&event, CU_EVENT_DEFAULT));
      }
    } else if (what == "streams") {
      for (long long i = 0; i < count(); ++i) {
        CUstream stream = nullptr;
        TILECAST_DRIVER(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
      }
    } else {
      throw InputError("launch_history: unknown action " + action);
    }
  }

 private:
  static constexpr std::uint64_t addresses[] = {0, 0, 0};

  ProbeKernel own(std::string_view entry, std::vector<Define> defines) {
    Specialisation code{"history.cu", entry, std::move(defines)};
    const CompiledCode compiled = compile(code, std::span(&own_source, 1), gpu_.info().architecture);
    Kernel kernel(compiled, entry);
    return {std::move(code), std::move(kernel)};
  }

  void run(const ProbeKernel& kernel, std::int64_t blocks, std::int64_t threads, std::int64_t shared,
           std::int64_t cluster) {
    LaunchPlan plan = kernel.code.source == own_source.path
                          ? probe_plan(kernel, {blocks, threads, shared}, 7)
                          : probe_plan(kernel, {blocks, threads, shared}, LoopParams{0, 0x7fffffffU});
    plan.cluster_x = cluster;
    gpu_.launch(kernel.kernel, plan, addresses);
    gpu_.synchronize();
  }

  void act_and_measure(const std::string& action) {
    act(action);
    measure(action);
  }

  void atomic_chain(bool is_float) {
    DeviceBuffer words(16 << 20), record(sizeof(ChaseRecord));
    words.fill32(0);
    const ProbeKernel kernel =
        load_probe(context_, {"probes/atomics.cu", "atomic_chain", {{"FLOAT", is_float}}});
    const AtomicChainParams params{256, 1280, 1024 + 32, 0, 1};
    tilecast::run_probe(context_, kernel, {gpu_.info().sm_count * 4L, 1}, params, 0, words.address(),
                        record.address());
  }

  void atomic_rate(const std::string& kind, const std::string& numbers) {
    AtomicParams params{};
    unsigned warps = 32, microseconds = 300;
    std::sscanf(numbers.c_str(), "%u,%u,%u,%u,%u", &params.lines, &params.words, &params.scattered, &warps,
                &microseconds);
    params.never = 0x7fffffffU;
    params.cycles = static_cast<unsigned long long>(microseconds * 1e-6 * gpu_.sm_clock_hz());
    const auto sms = static_cast<std::size_t>(gpu_.info().sm_count);
    DeviceBuffer words(sms * 32 * 32 * 128), records(sms * 32 * sizeof(WarpRecord));
    words.fill32(0);
    const ProbeKernel kernel =
        load_probe(context_, {"probes/atomics.cu",
                              "atomic_rate",
                              {{"RETURNING", kind.starts_with("atom")}, {"FLOAT", kind.ends_with("f32")}}});
    tilecast::run_probe(context_, kernel, spread(gpu_.info(), static_cast<int>(warps), 1), params, 0,
                        words.address(), records.address());
  }

  ProbeResult run_probe_named(const std::string& name, bool quick) {
    for (const Probe& probe : probes()) {
      if (probe.name != name) continue;
      const ProbeContext context{gpu_, quick, known_};
      return probe.run(context);
    }
    throw InputError("launch_history: unknown probe " + name);
  }

  void print(const std::string& after, const char* what, const std::vector<double>& samples) {
    const auto interval = median_interval(samples);
    fmt::print("{},{},{},{},{},{},{}\n", step_++, after, what, samples.size(), median(samples), interval->low,
               interval->high);
    std::fflush(stdout);
  }

  Gpu& gpu_;
  DeviceProfile known_;
  ProbeContext context_;
  ProbeKernel nothing_, reads_;
  std::vector<DeviceBuffer> buffers_, memset_;
  std::vector<ProbeKernel> kernels_;
  int step_ = 0;
};

}  // namespace
}  // namespace tilecast

int main(int count, char** arguments) {
  using namespace tilecast;
  try {
    Gpu gpu;
    History history(gpu);
    fmt::print("step,after,what,samples,median,low,high\n");
    history.measure("start");
    for (int i = 1; i < count; ++i) {
      history.act(arguments[i]);
      history.measure(arguments[i]);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
