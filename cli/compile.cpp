// compile: the code that layers need, compiled ahead of time for one architecture; needs NVRTC, no GPU. Its
// records (registers, shared memory, spills, hash) are committed as kernels/code_records/sm_XY.csv.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <thread>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "kernels/specialisations.hpp"
#include "model/device/load.hpp"
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
  options.add_options()("jobs,j", po::value<int>()->value_name("N"), "compilers at a time (default: cores)")(
      "dry-run", "list what would be compiled, and stop")(
      "out,o", po::value<std::string>()->value_name("FILE"), "write the records to a file instead of stdout")(
      "quiet,q", "no progress on stderr");
  return options;
}

std::vector<KernelFamily> chosen_families(const OptionValues& values) {
  std::vector<KernelFamily> families;
  for (const auto& name : family_option(values))
    families.push_back(family_by_name(name));
  if (families.empty()) families.assign(kernel_families().begin(), kernel_families().end());
  return families;
}

std::vector<ConvShape> chosen_layers(const OptionValues& values) {
  std::vector<Suite> suites;
  if (values.count("layers") || values.count("conv") || values.count("gemm")) {
    suites = layers_option(values);
  } else {
    for (const auto& name : suite_names())
      suites.push_back(load_suite(name));
  }
  std::vector<ConvShape> shapes;
  for (const auto& suite : suites) {
    for (const auto& layer : suite.layers)
      shapes.push_back(layer.shape);
  }
  return shapes;
}

#ifdef TILECAST_WITH_CUDA

// Records of what compiled; what did not is told on `err`.
ExitCode compile_and_write(const OptionValues& values, const std::vector<Specialisation>& codes,
                           Architecture target, int jobs, CommandStreams streams) {
  const bool quiet = quiet_option(values);
  const auto progress = [&](std::size_t done) {
    const std::size_t step = std::max<std::size_t>(codes.size() / 100, 1);
    if (!quiet && (done % step == 0 || done == codes.size()))
      streams.err << fmt::format("compiled {} of {} for {}\n", done, codes.size(), target.name());
  };
  const auto outcomes = compile_all(codes, kernel_sources(), target, jobs, progress);
  CodeRecords records;
  records.compiler = compiler_version();
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
  if (failed == 0) return ExitCode::success;
  streams.err << fmt::format("error: {} of {} did not compile\n", failed, codes.size());
  return ExitCode::incomplete;
}

#else

struct Architecture {
  int major, minor;
};

ExitCode compile_and_write(const OptionValues&, const std::vector<Specialisation>&, Architecture, int,
                           CommandStreams) {
  throw UnavailableError("compile: this tilecast was built without the CUDA toolkit's headers",
                         "install the CUDA toolkit 12 or later and build again");
}

#endif

ExitCode run_compile(const OptionValues& values, CommandStreams streams) {
  const auto device = device_option(values);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int jobs = values.count("jobs") ? values["jobs"].as<int>() : std::max(cores, 1);
  if (jobs < 1) throw UsageError(fmt::format("--jobs {}: expected a positive integer", jobs));
  const auto codes = needed_specialisations(chosen_families(values), chosen_layers(values), device);
  if (values.count("dry-run")) {
    for (const auto& code : codes)
      streams.out << code.key() << '\n';
    return ExitCode::success;
  }
  return compile_and_write(values, codes, {device.compute_capability_major, device.compute_capability_minor},
                           jobs, streams);
}

}  // namespace

Command compile_command() {
  return {.name = "compile",
          .summary = "compile the kernels that layers need for a device, without having it",
          .usage = "compile -d DEVICE [-l SUITE...] [-f FAMILY...] [-o FILE]",
          .examples =
              "tilecast compile -d h100 -l chang-multi --dry-run\n"
              "tilecast compile -d h100 -f chang_single -l chang-single -o records.csv\n",
          .options = compile_options,
          .run = run_compile};
}

}  // namespace tilecast
