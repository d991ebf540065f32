// The list of kernel families. Adding one: its folder in kernels/, its line here, its files in
// CMakeLists.txt.

#include <fmt/format.h>

#include <algorithm>

#include "kernels/chang_multi/chang_multi.hpp"
#include "kernels/chang_single/chang_single.hpp"
#include "kernels/family.hpp"
#include "kernels/implicit_gemm/implicit_gemm.hpp"
#include "kernels/sgemm/sgemm.hpp"
#include "model/support/nearest.hpp"

namespace tilecast {

std::span<const KernelFamily> kernel_families() {
  static constexpr KernelFamily list[] = {
      {"chang_single", "one channel: filters and map rows divided over SMs, strips or pieces prefetched",
       chang_single::supports, chang_single::configs, chang_single::feasible, chang_single::plan,
       chang_single::describe},
      {"chang_multi", "several channels: stride-fixed blocks of S bytes, M' filters and W'x pixels",
       chang_multi::supports, chang_multi::configs, chang_multi::feasible, chang_multi::plan,
       chang_multi::describe},
      {"sgemm", "matrix product (1 x 1 layers): block, thread and reduction tiles, stages, split reduction",
       sgemm::supports, sgemm::configs, sgemm::feasible, sgemm::plan, sgemm::describe},
      {"implicit_gemm",
       "any stride, padding and dilation as a matrix product over gathered windows; tiles as sgemm",
       implicit_gemm::supports, implicit_gemm::configs, implicit_gemm::feasible, implicit_gemm::plan,
       implicit_gemm::describe},
  };
  return list;
}

const KernelFamily& family_by_name(std::string_view name) {
  const auto families = kernel_families();
  const auto found = std::ranges::find(families, name, &KernelFamily::name);
  if (found != families.end()) return *found;
  std::vector<std::string> known;
  for (const auto& family : families)
    known.emplace_back(family.name);
  throw InputError(fmt::format("no kernel family '{}'", name), nearest_hint(name, known));
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
