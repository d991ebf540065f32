// The list of kernel families. Adding one: its folder in kernels/, its line here, its files in
// CMakeLists.txt.

#include <fmt/format.h>

#include <algorithm>

#include "kernels/family.hpp"
#include "model/support/nearest.hpp"

namespace tilecast {

std::span<const KernelFamily> kernel_families() {
  return {};
}

const KernelFamily& family_by_name(std::string_view name) {
  const auto families = kernel_families();
  const auto found = std::ranges::find(families, name, &KernelFamily::name);
  if (found != families.end()) return *found;
  std::vector<std::string> known;
  for (const auto& family : families)
    known.emplace_back(family.name);
  throw UsageError(fmt::format("no kernel family '{}'", name), nearest_hint(name, known));
}

KernelDescription describe_kernel(const KernelFamily& family, const ConvShape& shape, const Config& config,
                                  const DeviceProfile& device) {
  const auto& records =
      committed_code_records(device.compute_capability_major, device.compute_capability_minor);
  // Making the plan only to look its key up would cost more than the rest where there are no records.
  const CodeRecord* code =
      records.all().empty() ? nullptr : records.find(family.plan(shape, config, device).code.key());
  return family.describe(shape, config, device, code);
}

}  // namespace tilecast
