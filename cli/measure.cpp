// measure: microbenchmarks -> device profile, one for each GPU asked for.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/measure_session.hpp"
#include "cli/options.hpp"
#include "cli/table.hpp"
#include "microbench/self_test.hpp"
#include "model/device/compare.hpp"
#include "model/support/errors.hpp"

#ifdef TILECAST_HAS_PROBES
#  include "kernels/runtime/gpu.hpp"
#  include "microbench/measure.hpp"
#  include "microbench/probe.hpp"
#endif

namespace tilecast {

namespace {

namespace options = boost::program_options;

options::options_description measure_options() {
  options::options_description description("measure");
  description.add_options()  //
      ("gpu", options::value<std::string>()->default_value("0")->value_name("INDEX|all"),
       "which GPU of this machine; all: one profile each, and their spread")  //
      ("only", options::value<std::string>()->default_value("", "all")->value_name("PROBE,..."),
       "these probes; with -o FILE, an existing profile of the same GPU is completed")  //
      ("quick", options::bool_switch(), "fewer points and repeats, under 20 s")         //
      ("memory", options::value<std::int64_t>()->value_name("MIB"),
       "use no more device memory than that: what needs more is not measured, and the profile says so")  //
      ("self-test", options::bool_switch(),
       "inject published mistakes and see that each is caught: into made-up samples and, on a GPU, with "
       "probes "
       "that are wrong on purpose")  //
      ("name", options::value<std::string>()->default_value("", "from the GPU")->value_name("NAME"),
       "how the command line will call the device")  //
      ("out,o", options::value<std::string>()->default_value("-", "standard output")->value_name("FILE"),
       "the profile, as JSON; with --gpu all, -gpu0, -gpu1, ... go before the ending")  //
      ("raw",
       options::value<std::string>()->default_value("", "microbench/results/GPU")->value_name("FOLDER"),
       "where the raw samples go, one CSV file a probe");
  return description;
}

const char* const works_without =
    "predict, compare, report and devices work without a GPU, from shipped profiles and recorded "
    "measurements";

ExitCode report_self_test(const std::vector<SelfTestResult>& results, CommandStreams streams) {
  ResultTable table({{"mistake"}, {"published"}, {"expected"}, {"caught_by", "caught by"}, {"passed"}});
  std::size_t missed = 0;
  for (const SelfTestResult& result : results) {
    table.add({result.mistake, result.published, result.expected, result.caught_by, result.passed});
    if (!result.passed) ++missed;
  }
  streams.out << table.text();
  if (missed == 0) return ExitCode::success;
  streams.err << fmt::format("error: {} of {} mistakes not caught\n", missed, results.size());
  return ExitCode::gate_failed;
}

#ifdef TILECAST_HAS_PROBES

// The indices asked for; throws UsageError for one that is not there.
std::vector<int> gpu_indices(const std::string& text) {
  const int count = gpu_count();
  std::vector<int> indices;
  if (text == "all") {
    for (int i = 0; i < count; ++i)
      indices.push_back(i);
    return indices;
  }
  const bool digits = !text.empty() && text.size() < 4 &&
                      std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  const int index = digits ? std::stoi(text) : -1;
  if (index < 0 || index >= count)
    throw UsageError(fmt::format("--gpu: '{}', expected 0 to {} or all", text, count - 1));
  return {index};
}

// "h200.json" -> "h200-gpu1.json"
std::string numbered(const std::string& path, int index) {
  const std::filesystem::path given(path);
  std::filesystem::path named = given.parent_path() / fmt::format("{}-gpu{}", given.stem().string(), index);
  named += given.extension();
  return named.string();
}

void print_spread(const std::vector<DeviceProfile>& profiles, std::ostream& out) {
  ResultTable table(
      {{"key"}, {"gpus", "GPUs"}, {"low"}, {"median"}, {"high"}, {"spread", "spread [%]", 3, 1e-2}});
  for (const ValueSpread& spread : spread_of(profiles))
    table.add({spread.key, static_cast<std::int64_t>(spread.count), for_people(spread.low, spread.unit),
               for_people(spread.median, spread.unit), for_people(spread.high, spread.unit),
               spread.relative});
  out << table.text();
}

ExitCode worse(ExitCode a, ExitCode b) {
  if (a == ExitCode::interrupted || b == ExitCode::interrupted) return ExitCode::interrupted;
  if (a == ExitCode::gate_failed || b == ExitCode::gate_failed) return ExitCode::gate_failed;
  return a == ExitCode::success ? b : a;
}

// --memory in bytes.
std::size_t memory_option(const options::variables_map& given) {
  constexpr std::int64_t most = std::int64_t{1} << 40;  // its bytes still fit into 64 bits
  const auto mebibytes = given["memory"].as<std::int64_t>();
  if (mebibytes < 1 || mebibytes > most)
    throw UsageError(fmt::format("--memory {}: expected a positive number of MiB", mebibytes));
  return static_cast<std::size_t>(mebibytes) << 20;
}

ExitCode run_measure(const options::variables_map& given, CommandStreams streams) {
  MeasureRequest request;
  request.only = given["only"].as<std::string>();
  request.quick = given["quick"].as<bool>();
  request.name = given["name"].as<std::string>();
  request.out = given["out"].as<std::string>();
  request.raw = given["raw"].as<std::string>();
  if (request.out != "-") expect_writable(request.out);
  if (given.count("memory")) request.memory_limit = memory_option(given);
  select_probes(request.only, probes());  // a wrong name is told without a GPU too
  const std::string problem = gpu_problem();
  if (given["self-test"].as<bool>()) {
    auto results = self_test();
    if (problem.empty()) {
      const int index = gpu_indices(given["gpu"].as<std::string>()).front();
      for (auto& result : self_test_on_gpu(index, streams.err))
        results.push_back(std::move(result));
    } else {
      streams.err << fmt::format("without the wrong probes: {}\n", problem);
    }
    return report_self_test(results, streams);
  }
  if (!problem.empty()) throw UnavailableError("measure: " + problem, works_without);
  const std::vector<int> indices = gpu_indices(given["gpu"].as<std::string>());
  const bool several = given["gpu"].as<std::string>() == "all";
  if (several && request.out == "-")
    throw UsageError("measure --gpu all writes one profile a GPU", "name them with --out FILE");
  std::vector<DeviceProfile> profiles;
  ExitCode code = ExitCode::success;
  for (const int index : indices) {
    MeasureRequest each = request;
    each.index = index;
    if (several) {
      each.out = numbered(request.out, index);
      each.suffix = fmt::format("-gpu{}", index);
    }
    auto [profile, result] = measure_gpu(each, streams);
    profiles.push_back(std::move(profile));
    code = worse(code, result);
    if (code == ExitCode::interrupted) break;
  }
  if (profiles.size() > 1) print_spread(profiles, streams.out);
  return code;
}

#else

ExitCode run_measure(const options::variables_map& given, CommandStreams streams) {
  if (given["self-test"].as<bool>()) return report_self_test(self_test(), streams);
  throw UnavailableError("measure: this tilecast was built without the CUDA toolkit's headers",
                         std::string("install the CUDA toolkit and build again; ") + works_without);
}

#endif

}  // namespace

Command measure_command() {
  return {.name = "measure",
          .summary = "measure a GPU and write its device profile",
          .usage = "measure [options]",
          .examples =
              "tilecast measure -o h200.json\n"
              "tilecast measure --quick --only latency,fma\n"
              "tilecast measure --only dram_bandwidth -o h200.json\n"
              "tilecast measure --gpu all -o node7.json\n"
              "tilecast measure --self-test",
          .needs_gpu = true,
          .options = measure_options,
          .positional = {},
          .run = run_measure};
}

}  // namespace tilecast
