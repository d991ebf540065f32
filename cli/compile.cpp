// compile: the code that layers need, compiled ahead of time for one architecture; needs NVRTC, no GPU. Its
// records (registers, shared memory, spills, hash) are committed as kernels/code_records/sm_XY.csv.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <ostream>
#include <thread>

#include "cli/code_mixes.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "kernels/family.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "validation/blind/picks.hpp"
#include "validation/measurement_store.hpp"
#include "validation/work_list.hpp"
#ifdef TILECAST_WITH_CUDA
#  include "kernels/runtime/compile.hpp"
#endif

namespace tilecast {

namespace {

namespace po = boost::program_options;

OptionsDescription compile_options() {
  OptionsDescription options;
  add_device_option(options);
  add_layer_options(options);
  add_family_option(options);
  add_configs_options(options);
  options.add_options()("jobs,j", po::value<int>()->value_name("N"), "compilers at a time (default: cores)")(
      "recorded", "the kernels of every recorded row of this device, instead of layers")(
      "dry-run", "list what would be compiled, and stop")(
      "add",
      "keep what else the files of --out and --mixes have; launches that these have are not read again")(
      "missing", "as --add, and compile only what these files have not (of these sources)")(
      "out,o", po::value<std::string>()->value_name("FILE"), "write the records to a file instead of stdout")(
      "mixes", po::value<std::string>()->value_name("FILE"),
      "also write what the code's warps issue, part by part (needs nvdisasm)")("quiet,q",
                                                                               "no progress on stderr");
  return options;
}

std::vector<SuiteLayer> chosen_layers(const OptionValues& values) {
  std::vector<Suite> suites;
  if (values.count("layers") || values.count("conv") || values.count("gemm")) {
    suites = layers_option(values);
  } else {
    for (const auto& name : suite_names())
      suites.push_back(load_suite(name));
  }
  return distinct_layers(suites);
}

// A code of the configs that `validate` would run with the same options, and its launches.
struct ChosenCode {
  Specialisation code;
  std::vector<CodeLaunch> launches;
};

// Of what `validate` would run with the same options.
std::vector<CodeLaunch> chosen_launches(const OptionValues& values, const DeviceProfile& device) {
  WorkOptions options;
  options.sample = configs_option(values);
  options.seed = seed_option(values);
  const auto layers = chosen_layers(values);
  const auto work =
      plan_work(layers, families_option(values), device, options, [](const MeasuredRow&) { return false; });
  std::vector<CodeLaunch> launches;
  for (const auto& group : work.groups) {
    for (const auto& config : group.configs)
      launches.push_back(code_launch(*group.family, layers[group.layer].layer.shape, config, device));
  }
  return launches;
}

// Of every recorded row.
std::vector<CodeLaunch> recorded_launches(const OptionValues& values, const DeviceProfile& device) {
  for (const auto* option : {"layers", "conv", "gemm", "batch", "configs", "seed"}) {
    if (values.count(option) && !values[option].defaulted())
      throw UsageError(fmt::format("--{} beside --recorded: the rows name their layers and configs", option));
  }
  BlindOptions everything;
  everything.sample = std::numeric_limits<std::size_t>::max();
  std::vector<CodeLaunch> launches;
  for (const auto& row :
       development_picks(recorded_measurements(device.gpu_name), families_option(values), device, everything))
    launches.push_back(code_launch(*row.family, row.problem, row.config, device));
  return launches;
}

// Sorted by key.
std::vector<ChosenCode> chosen_codes(const OptionValues& values, const DeviceProfile& device) {
  std::map<std::string, ChosenCode> by_key;
  for (auto& launch :
       values.count("recorded") ? recorded_launches(values, device) : chosen_launches(values, device)) {
    auto& chosen = by_key.try_emplace(launch.plan.code.key(), ChosenCode{launch.plan.code, {}}).first->second;
    chosen.launches.push_back(std::move(launch));
  }
  std::vector<ChosenCode> codes;
  for (auto& [_, chosen] : by_key)
    codes.push_back(std::move(chosen));
  return codes;
}

// What is kept of the files of --out and --mixes.
struct EarlierCodes {
  CodeRecords records;
  CodeMixes mixes;
};

EarlierCodes earlier_codes(const OptionValues& values) {
  EarlierCodes earlier;
  const char* option = values.count("add") ? "add" : "missing";
  if (values.count(option) == 0) return earlier;
  if (values.count("out") == 0)
    throw UsageError(fmt::format("--{}: expected the file to add to", option), "add -o FILE");
  const auto out = values["out"].as<std::string>();
  earlier.records = parse_code_records(read_file(out), out);
  if (values.count("mixes")) {
    const auto path = values["mixes"].as<std::string>();
    if (std::filesystem::exists(path)) earlier.mixes = parse_code_mixes(read_file(path), path);
  }
  return earlier;
}

// The launches of a code that `mixes` have not.
std::vector<const CodeLaunch*> new_launches(const ChosenCode& chosen, const LaunchMixes* known) {
  std::vector<const CodeLaunch*> launches;
  for (const auto& launch : chosen.launches)
    launches.push_back(&launch);
  return new_launches(std::move(launches), known);
}

// Without the codes that the files have, with all of their launches.
std::vector<ChosenCode> missing_of(std::vector<ChosenCode> chosen, const EarlierCodes& earlier,
                                   bool with_mixes) {
  std::erase_if(chosen, [&](const ChosenCode& one) {
    const auto* record = earlier.records.find(one.code.key());
    return record && (!with_mixes || new_launches(one, earlier.mixes.find(record->code_hash)).empty());
  });
  return chosen;
}

#ifdef TILECAST_WITH_CUDA

// Every `step`-th time, and at the end.
std::function<void(std::size_t)> progress_to(std::ostream& err, std::string what, std::size_t of,
                                             bool quiet) {
  return [&err, what = std::move(what), of, quiet](std::size_t done) {
    const std::size_t step = std::max<std::size_t>(of / 100, 1);
    if (!quiet && (done % step == 0 || done == of)) err << fmt::format("{} {} of {}\n", what, done, of);
  };
}

// Mixes of what compiled, with `mixes` to the file of --mixes; true when all could be read.
bool write_mixes(const OptionValues& values, const std::vector<ChosenCode>& chosen,
                 const DeviceProfile& device, const std::vector<CompileOutcome>& outcomes, CodeMixes mixes,
                 int jobs, CommandStreams streams) {
  const auto path = values["mixes"].as<std::string>();
  std::vector<MixTask> tasks;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto& code = outcomes[i].code;
    if (!code) continue;
    for (const auto* launch : new_launches(chosen[i], mixes.find(code->record.code_hash)))
      tasks.push_back(mix_task(*launch, code->cubin, code->record, device));
  }
  const auto problems =
      add_mixes(mixes, tasks, jobs, progress_to(streams.err, "read", tasks.size(), quiet_option(values)));
  for (const auto& problem : problems)
    streams.err << "error: " << problem << '\n';
  write_file(path, format_code_mixes(mixes));
  return problems.empty();
}

template <class Codes>
void expect_compiler(const Codes& codes, const std::string& path) {
  if (!codes.compiler.empty() && codes.compiler != compiler_version())
    throw InputError(
        fmt::format("{}: compiled by '{}', here is '{}'", path, codes.compiler, compiler_version()),
        "compile all of it again, without --add or --missing");
}

// Records of what compiled; what did not is told on `err`.
// `earlier`: records of another compiler do not go together with today's.
ExitCode compile_and_write(const OptionValues& values, const std::vector<ChosenCode>& chosen,
                           EarlierCodes earlier, const DeviceProfile& device, int jobs,
                           CommandStreams streams) {
  const Architecture target{device.compute_capability_major, device.compute_capability_minor};
  auto& [records, mixes] = earlier;
  if (values.count("out")) expect_compiler(records, values["out"].as<std::string>());
  if (values.count("mixes")) expect_compiler(mixes, values["mixes"].as<std::string>());
  records.compiler = mixes.compiler = compiler_version();
  std::vector<Specialisation> codes;
  for (const auto& one : chosen)
    codes.push_back(one.code);
  const auto progress =
      progress_to(streams.err, "compiled for " + target.name(), codes.size(), quiet_option(values));
  const auto outcomes = compile_all(codes, kernel_sources(), target, jobs, progress);
  std::size_t failed = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (outcomes[i].code) {
      records.set(codes[i].key(), outcomes[i].code->record);
    } else {
      streams.err << "error: " << outcomes[i].problem << '\n';
      ++failed;
    }
  }
  write_output(values, format_code_records(records), streams.out);
  if (failed > 0) streams.err << fmt::format("error: {} of {} did not compile\n", failed, codes.size());
  const bool all_read = values.count("mixes") == 0 ||
                        write_mixes(values, chosen, device, outcomes, std::move(mixes), jobs, streams);
  return failed == 0 && all_read ? ExitCode::success : ExitCode::incomplete;
}

#else

ExitCode compile_and_write(const OptionValues&, const std::vector<ChosenCode>&, EarlierCodes,
                           const DeviceProfile&, int, CommandStreams) {
  throw UnavailableError("compile: this tilecast was built without the CUDA toolkit's headers",
                         "install the CUDA toolkit 12 or later and build again");
}

#endif

ExitCode run_compile(const OptionValues& values, CommandStreams streams) {
  const auto device = device_option(values);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int jobs = values.count("jobs") ? values["jobs"].as<int>() : std::max(cores, 1);
  if (jobs < 1) throw UsageError(fmt::format("--jobs {}: expected a positive integer", jobs));
  expect_output(values);
  if (values.count("mixes")) expect_writable(values["mixes"].as<std::string>());
  auto earlier = earlier_codes(values);
  auto chosen = chosen_codes(values, device);
  if (values.count("missing")) chosen = missing_of(std::move(chosen), earlier, values.count("mixes") > 0);
  if (values.count("dry-run")) {
    for (const auto& one : chosen)
      streams.out << one.code.key() << '\n';
    return ExitCode::success;
  }
  return compile_and_write(values, chosen, std::move(earlier), device, jobs, streams);
}

}  // namespace

Command compile_command() {
  return {.name = "compile",
          .summary = "compile the kernels that layers need for a device, without having it",
          .usage = "compile -d DEVICE [-l SUITE...] [-f FAMILY...] [-o FILE]",
          .examples =
              "tilecast compile -d h100 -l chang-multi --dry-run\n"
              "tilecast compile -d h100 -f chang_single -l chang-single -o records.csv --mixes mixes.csv\n"
              "tilecast compile -d h200 -f sgemm --recorded --dry-run\n"
              "tilecast compile -d h100 -f sgemm --configs sample:20 -o records.csv --add\n"
              "tilecast compile -d h200 --recorded -o records.csv --mixes mixes.csv --missing\n",
          .options = compile_options,
          .run = run_compile};
}

}  // namespace tilecast
