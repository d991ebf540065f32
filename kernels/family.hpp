#pragma once
// A kernel family: what it can do, every way it can divide a problem, what it costs, and how to launch it.
// No CUDA header here or in any family's .hpp. Adding a family is one folder and one line in families.cpp.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/code_record.hpp"
#include "kernels/launch_plan.hpp"
#include "kernels/similar_code.hpp"
#include "model/device/device_profile.hpp"
#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast {

// Why something cannot be done; printed as "skipped: reason".
struct Unsupported {
  std::string reason;
};

struct KernelFamily {
  std::string_view name;
  std::string_view summary;

  // nullopt when the family does this problem at all.
  std::optional<Unsupported> (*supports)(const ConvShape&);

  // Every config of the family for this problem on this device, feasible or not, in a fixed order, all with
  // the same axes.
  std::vector<Config> (*configs)(const ConvShape&, const DeviceProfile&);

  // nullopt when the kernel can run this config on this device (shared memory, threads, registers).
  std::optional<Unsupported> (*feasible)(const ConvShape&, const Config&, const DeviceProfile&);

  // Requires feasible(). Pure.
  LaunchPlan (*plan)(const ConvShape&, const Config&, const DeviceProfile&);

  // Requires feasible(). `code` is the record of plan().code on this device's architecture, or nullptr: then
  // the family's own estimates of registers and counts serve, and the description says so.
  KernelDescription (*describe)(const ConvShape&, const Config&, const DeviceProfile&,
                                const CodeRecord* code);

  // Which other code tells what plan().code issues.
  CodeSimilarity similarity;
};

std::span<const KernelFamily> kernel_families();

// Throws InputError with the nearest known name.
const KernelFamily& family_by_name(std::string_view name);

// describe() with the code record of the device's architecture that tells most of the code: the committed one
// of its own, else of the most similar one; none better than `best` is used.
KernelDescription describe_kernel(const KernelFamily&, const ConvShape&, const Config&, const DeviceProfile&,
                                  CodeSource best = CodeSource::own);

}  // namespace tilecast
