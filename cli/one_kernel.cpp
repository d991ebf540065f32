#include "cli/one_kernel.hpp"

#include <fmt/format.h>

#include "cli/config_option.hpp"

namespace tilecast {

namespace po = boost::program_options;

namespace {

const KernelFamily& chosen_family(const OptionValues& values, const ConvShape& shape) {
  const auto names = family_option(values);
  if (names.size() > 1) throw UsageError("expected one --family");
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

}  // namespace

void add_one_kernel_options(OptionsDescription& options) {
  add_layer_options(options);
  add_family_option(options);
  options.add_options()("config", po::value<std::string>()->value_name("NAME=VALUE,..."),
                        "axes of the config; the first feasible one that has them");
}

OneKernel one_kernel_option(const OptionValues& values, const DeviceProfile& device,
                            std::string_view command) {
  const auto suites = layers_option(values);
  if (suites.size() != 1 || suites.front().layers.size() != 1)
    throw UsageError(fmt::format("{}: expected one layer", command), "give it by --conv or --gemm");
  OneKernel kernel;
  kernel.shape = suites.front().layers.front().shape;
  kernel.family = &chosen_family(values, kernel.shape);
  kernel.config = chosen_config(values, *kernel.family, kernel.shape, device);
  return kernel;
}

}  // namespace tilecast
