// The list of kernel families. Adding one: its folder in kernels/, its line here, its files in
// CMakeLists.txt.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/chang_multi/chang_multi.hpp"
#include "kernels/chang_single/chang_single.hpp"
#include "kernels/family.hpp"
#include "kernels/implicit_gemm/implicit_gemm.hpp"
#include "kernels/sgemm/sgemm.hpp"
#include "model/device/occupancy.hpp"
#include "model/support/nearest.hpp"

namespace tilecast {
namespace {

// What a similar code may differ in, beside what it sums over a cluster: the size of a tile (not of a
// thread's), how wide it copies and stores, the window that its tables are made for, the registers that its
// launch bounds leave (with too few it spills); of chang_single the sizes that it was specialised for, once
// its loops are those that they make (code_traits). And the launch that it was read at, as trips that no
// launch has made are counted as others (A14).
constexpr std::string_view tile_code[] = {"SPLIT",  "VEC_A",  "VEC_B",  "TILE_K",
                                          "VEC_C",  "TILE_M", "TILE_N", launch_that_was_read,
                                          "K_SIZE", "STAGES", "DILATED"};
constexpr std::string_view chang_multi_code[] = {
    launch_that_was_read, "SLICES", "LANES_M",   "LANES_P",   "REGISTERS", "M_TILE", "WX_TILE",
    "LINE_VEC",           "STAGES", "PASS_ROWS", "MIN_BLOCKS"};
constexpr std::string_view chang_single_code[] = {"ALIGN",           "LOAD_BYTES",
                                                  "LOADS_IN_FLIGHT", "GROUP",
                                                  "FOURS",           "ALIGNED",
                                                  "ONE_UNIT",        "IDLE",
                                                  "MAP_ROUNDS",      "FILTER_ROUNDS",
                                                  "LINES",           "PERIOD",
                                                  "THREADS",         launch_that_was_read,
                                                  "WIDTH",           "MAP_HEIGHT",
                                                  "FILTERS",         "BLOCK_FILTERS",
                                                  "BLOCK_ROWS",      "UNIT_WARPS_LOG2"};
constexpr std::size_t columns_of_tile = 6, copies_of_chang_single = 13;  // places in these lists

}  // namespace

std::span<const KernelFamily> kernel_families() {
  static constexpr KernelFamily list[] = {
      {"chang_single",
       "one channel: filters and map rows divided over SMs, strips or pieces prefetched",
       chang_single::supports,
       chang_single::configs,
       chang_single::feasible,
       chang_single::plan,
       chang_single::describe,
       {chang_single_code, copies_of_chang_single, chang_single::code_traits}},
      {"chang_multi",
       "several channels: stride-fixed blocks of S bytes, M' filters and W'x pixels",
       chang_multi::supports,
       chang_multi::configs,
       chang_multi::feasible,
       chang_multi::plan,
       chang_multi::describe,
       {chang_multi_code, 0, chang_multi::code_traits}},
      {"sgemm",
       "matrix product (1 x 1 layers): block, thread and reduction tiles, stages, split reduction",
       sgemm::supports,
       sgemm::configs,
       sgemm::feasible,
       sgemm::plan,
       sgemm::describe,
       {tile_code, columns_of_tile}},
      {"implicit_gemm",
       "any stride, padding and dilation as a matrix product over gathered windows; tiles as sgemm",
       implicit_gemm::supports,
       implicit_gemm::configs,
       implicit_gemm::feasible,
       implicit_gemm::plan,
       implicit_gemm::describe,
       {tile_code, columns_of_tile}},
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

namespace {

const SimilarCodes& similar_codes(const CodeRecords& records, const KernelFamily& family) {
  static std::mutex mutex;
  static std::map<std::pair<const CodeRecords*, std::string_view>, SimilarCodes> known;
  const std::lock_guard lock(mutex);
  const std::pair key{&records, family.name};
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  const auto kernel = fmt::format("{}/", family.name);
  return known.emplace(key, SimilarCodes(records, kernel, family.similarity)).first->second;
}

}  // namespace

KernelDescription describe_kernel(const KernelFamily& family, const ConvShape& shape, const Config& config,
                                  const DeviceProfile& device, CodeSource best) {
  const auto& records =
      committed_code_records(device.compute_capability_major, device.compute_capability_minor);
  // Making the plan only to look its key up would cost more than the rest where there are no records.
  if (records.all().empty() || best == CodeSource::estimated)
    return family.describe(shape, config, device, nullptr);
  const auto plan = family.plan(shape, config, device);
  const auto* own = best == CodeSource::own ? records.find(plan.code.key()) : nullptr;
  auto plain = family.describe(shape, config, device, own);
  if (own && own->mixes) return plain;
  const double threads = static_cast<double>(plain.launch.blocks * plain.launch.threads);
  const auto similar = similar_codes(records, family).find(plan.code, plain.fma_executed / threads);
  if (similar.empty()) return plain;
  auto record = own ? *own : *similar.front();
  // The other tile's code may have more than the bounds of this launch leave.
  if (!own)
    record.registers = std::min<std::int64_t>(
        record.registers, most_registers(plan.min_blocks, plan.threads, *device.registers_per_sm));
  record.of_similar = true;
  std::vector<KernelDescription> kernels;
  for (const auto* one : similar) {
    record.mixes = one->mixes;
    kernels.push_back(family.describe(shape, config, device, &record));
  }
  auto kernel = mean_of_codes(kernels);
  kernel.code = CodeSource::similar;
  kernel.core_paces = {};  // another tile's blocks are others
  kernel.core_waits = {};
  return kernel;
}

}  // namespace tilecast
