// code: the machine code of one kernel for any architecture, and what a launch of it executes; needs NVRTC
// and nvdisasm, no GPU.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ostream>
#include <sstream>

#include "cli/code_report.hpp"
#include "cli/commands.hpp"
#include "cli/one_kernel.hpp"
#include "cli/options.hpp"
#include "kernels/family.hpp"
#include "kernels/needs_capability.hpp"
#ifdef TILECAST_WITH_CUDA
#  include "kernels/runtime/compile.hpp"
#  include "kernels/sass/disassemble.hpp"
#endif

namespace tilecast {
namespace {

namespace po = boost::program_options;

OptionsDescription code_options() {
  OptionsDescription options;
  add_device_option(options);
  add_one_kernel_options(options);
  options.add_options()("target", po::value<std::string>()->value_name("sm_XY"),
                        "compile for another architecture than the device's, a config that it can run")(
      "listing", "every instruction with its scheduling");
  add_output_options(options);
  return options;
}

// The device as it would be with the architecture of --target: what its code may use, and nothing else.
DeviceProfile target_option(const OptionValues& values, DeviceProfile device) {
  if (!values.count("target")) return device;
  const auto& text = values["target"].as<std::string>();
  int number = 0;
  const auto* end = text.data() + text.size();
  if (!text.starts_with("sm_") || std::from_chars(text.data() + 3, end, number).ptr != end || number < 75)
    throw UsageError(fmt::format("--target '{}', expected sm_75 or later", text));
  device.compute_capability_major = number / 10;
  device.compute_capability_minor = number % 10;
  return device;
}

// As which the configs are ranked: a device older than the target would refuse some that the target can run.
DeviceProfile ranked_as(DeviceProfile device, const DeviceProfile& target) {
  if (device.compute_capability_major < std::min(target.compute_capability_major, cluster_capability)) {
    device.compute_capability_major = std::min(target.compute_capability_major, cluster_capability);
    device.compute_capability_minor = 0;
  }
  return device;
}

#ifdef TILECAST_WITH_CUDA

std::string code_of(const OptionValues& values, const LaunchPlan& plan, const DeviceProfile& target,
                    Format format) {
  const auto compiled = compile(plan.code, kernel_sources(),
                                {target.compute_capability_major, target.compute_capability_minor});
  const auto program = sass::read_machine_code(compiled.cubin, plan.code.entry);
  const auto report = code_report(program, plan);
  const bool listing = values.count("listing") > 0;
  return format == Format::table ? code_text(report, listing) : code_json(report, listing);
}

#else

std::string code_of(const OptionValues&, const LaunchPlan&, const DeviceProfile&, Format) {
  throw UnavailableError("code: this tilecast was built without the CUDA toolkit's headers",
                         "install the CUDA toolkit 12 or later and build again");
}

#endif

ExitCode run_code(const OptionValues& values, CommandStreams streams) {
  const auto device = device_option(values);
  const auto format = format_option(values);
  if (format != Format::table && format != Format::json)
    throw UsageError("code writes a table or json", "use --format table or --format json");
  expect_output(values);
#ifdef TILECAST_WITH_CUDA
  target_option(values, device);  // a mistake in it is told before the configs are ranked
#endif
  std::ostringstream nowhere;
  const auto target = target_option(values, device);
  const auto kernel = one_kernel_option(values, ranked_as(device, target), "code",
                                        quiet_option(values) ? nowhere : streams.err, &target);
  const auto plan = kernel.family->plan(kernel.shape, kernel.config, device);
  write_output(values, code_of(values, plan, target, format), streams.out);
  return ExitCode::success;
}

}  // namespace

Command code_command() {
  return {.name = "code",
          .summary = "a kernel's machine code: instruction mix, loops, what a launch of it executes",
          .usage = "code -d DEVICE --conv N,C,H,W,M,K [-f FAMILY] [--config NAME=VALUE,...] [options]",
          .examples =
              "tilecast code -d h200 --conv 1,256,14,14,256,3 -f chang_multi "
              "--config S_bytes=32,M_tile=64,Wx_tile=32\n"
              "tilecast code -d h200 --conv 1,1,224,224,64,5 -f chang_single --target sm_120 --listing\n",
          .options = code_options,
          .positional = {},
          .run = run_code};
}

}  // namespace tilecast
