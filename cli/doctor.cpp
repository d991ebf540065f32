// doctor: what works on this machine, and for what does not, why and what to do.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/table.hpp"
#include "kernels/runtime/library.hpp"
#include "kernels/sass/disassemble.hpp"
#include "reports/gnuplot.hpp"
#ifdef TILECAST_WITH_CUDA
#  include "kernels/runtime/gpu.hpp"
#endif

namespace tilecast {

namespace {

struct Finding {
  std::string part;
  bool works = false;
  std::string detail;  // where it was found, or why not
  std::string needed_by;
  std::string remedy;  // empty when it works
};

Finding gpu_support() {
  Finding finding{"GPU", false, "", "measure, validate", ""};
#ifdef TILECAST_WITH_CUDA
  std::string problem = gpu_problem();
  try {
    for (int i = 0; problem.empty() && i < gpu_count(); ++i) {
      const Gpu gpu(i);
      finding.detail += fmt::format("{}{}, {}, driver {}", i == 0 ? "" : "; ", gpu.info().name,
                                    gpu.info().architecture.name(), gpu.info().driver_version);
    }
  } catch (const Error& error) {  // a GPU that is there but cannot be used is a finding, not an end
    problem = error.what();
  }
  finding.works = problem.empty();
  if (!finding.works) {
    finding.detail = problem;
    finding.remedy =
        "install NVIDIA's driver, or work from recorded data: everything else runs without a GPU";
  }
#else
  finding.detail = "this program was built without GPU support";
  finding.remedy = "build it where the headers of CUDA toolkit 12 or later are found";
#endif
  return finding;
}

Finding library(std::string part, std::initializer_list<std::string_view> names, std::string needed_by,
                std::string remedy) {
  Finding finding{std::move(part), false, "", std::move(needed_by), ""};
  try {
    finding.detail = open_library(names).path();
    finding.works = true;
  } catch (const UnavailableError& error) {
    finding.detail = error.what();
    finding.remedy = std::move(remedy);
  }
  return finding;
}

// Looked for as the commands look for them.
Finding disassembler() {
  Finding finding{"nvdisasm", false, "", "simulate, code, compile --mixes", ""};
  try {
    finding.detail = sass::find_disassembler();
    finding.works = true;
  } catch (const UnavailableError& error) {
    finding.detail = error.what();
    finding.remedy = error.hint();
  }
  return finding;
}

Finding gnuplot() {
  const auto found = find_gnuplot();
  return {"gnuplot", found.has_value(), found ? found->string() : "not on PATH", "plot, report: figures",
          found ? "" : "apt-get install gnuplot-nox"};
}

OptionsDescription doctor_options() {
  OptionsDescription options;
  add_output_options(options);
  return options;
}

ExitCode run_doctor(const OptionValues& values, CommandStreams streams) {
  const std::array findings{
      Finding{"models", true, "always there", "predict, compare, devices", ""},
      gpu_support(),
      library("NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12"}, "validate, simulate, code, compile",
              "install the CUDA toolkit 12 or later, or name the library's folder in TILECAST_LIBRARY_PATH"),
      library("cuBLAS", {"libcublas.so.13", "libcublas.so.12"}, "validate: the SGEMM baseline",
              "install the CUDA toolkit 12 or later, or name the library's folder in TILECAST_LIBRARY_PATH"),
      library("cuDNN", {"libcudnn.so.9"}, "validate: the cuDNN baselines",
              "install cuDNN 9, or name the library's folder in TILECAST_LIBRARY_PATH"),
      disassembler(),
      gnuplot(),
  };
  ResultTable table({{"part"}, {"works"}, {"needed_by", "needed by"}, {"detail"}, {"remedy"}});
  for (const auto& finding : findings)
    table.add({finding.part, finding.works, finding.needed_by, finding.detail,
               finding.remedy.empty() ? Cell{} : Cell{finding.remedy}});
  write_output(values, table.format(format_option(values)), streams.out);
  return ExitCode::success;
}

}  // namespace

Command doctor_command() {
  return {.name = "doctor",
          .summary = "what works on this machine, and what to do about the rest",
          .usage = "doctor [options]",
          .examples = "tilecast doctor\n",
          .options = doctor_options,
          .run = run_doctor};
}

}  // namespace tilecast
