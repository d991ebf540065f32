// code: the machine code of one kernel for any architecture, and what a launch of it executes; needs NVRTC
// and nvdisasm, no GPU.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ostream>

#include "cli/code_report.hpp"
#include "cli/commands.hpp"
#include "cli/config_option.hpp"
#include "cli/options.hpp"
#include "kernels/family.hpp"
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
  add_layer_options(options);
  add_family_option(options);
  options.add_options()("config", po::value<std::string>()->value_name("NAME=VALUE,..."),
                        "axes of the config; the first feasible one that has them")(
      "target", po::value<std::string>()->value_name("sm_XY"),
      "compile for another architecture than the device's")("listing",
                                                            "every instruction with its scheduling");
  add_output_options(options);
  return options;
}

const KernelFamily& chosen_family(const OptionValues& values, const ConvShape& shape) {
  const auto names = family_option(values);
  if (names.size() > 1) throw UsageError("code: expected one --family");
  if (!names.empty()) return family_by_name(names.front());
  for (const auto& family : kernel_families()) {
    if (!family.supports(shape)) return family;
  }
  throw InputError(fmt::format("{}: no family supports it", describe_shape(shape)));
}

Config chosen_config(const OptionValues& values, const KernelFamily& family, const ConvShape& shape,
                     const DeviceProfile& device) {
  if (const auto refusal = family.supports(shape))
    throw InputError(fmt::format("{}: {}", family.name, refusal->reason));
  const auto configs = family.configs(shape, device);
  if (configs.empty())
    throw InputError(fmt::format("{}: no configs for {}", family.name, describe_shape(shape)));
  Config wanted;
  if (values.count("config")) wanted = parse_config(values["config"].as<std::string>(), configs.front());
  std::string reason = "no such config";
  for (const auto& config : configs) {
    if (!matches(config, wanted)) continue;
    const auto refusal = family.feasible(shape, config, device);
    if (!refusal) return config;
    reason = refusal->reason;
  }
  throw InputError(fmt::format("{}: {}", family.name, reason), "'tilecast predict --all' lists every config");
}

#ifdef TILECAST_WITH_CUDA

Architecture target_option(const OptionValues& values, const DeviceProfile& device) {
  if (!values.count("target")) return {device.compute_capability_major, device.compute_capability_minor};
  const auto& text = values["target"].as<std::string>();
  int number = 0;
  const auto* end = text.data() + text.size();
  if (!text.starts_with("sm_") || std::from_chars(text.data() + 3, end, number).ptr != end || number < 75)
    throw UsageError(fmt::format("--target '{}', expected sm_75 or later", text));
  return {number / 10, number % 10};
}

std::string code_of(const OptionValues& values, const LaunchPlan& plan, const DeviceProfile& device,
                    Format format) {
  const auto compiled = compile(plan.code, kernel_sources(), target_option(values, device));
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
  const auto suites = layers_option(values);
  if (suites.size() != 1 || suites.front().layers.size() != 1)
    throw UsageError("code: expected one layer", "give it by --conv or --gemm");
  const auto& shape = suites.front().layers.front().shape;
  const auto& family = chosen_family(values, shape);
  const auto config = chosen_config(values, family, shape, device);
  const auto plan = family.plan(shape, config, device);
  write_output(values, code_of(values, plan, device, format), streams.out);
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
