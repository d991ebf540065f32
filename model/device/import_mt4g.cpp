#include "model/device/import_mt4g.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/device/gpu_name.hpp"
#include "model/device/parameters.hpp"
#include "model/device/read_json.hpp"
#include "model/support/errors.hpp"

namespace tilecast {

namespace {

using nlohmann::json;

struct Reader {
  const json& root;
  std::string_view file;
  std::string source;  // "MT4G, 2025-08-10, NVIDIA ..."
  ImportedDevice& out;

  const json* find(std::string_view pointer) const {
    const json::json_pointer at{std::string(pointer)};
    return root.contains(at) ? &root.at(at) : nullptr;
  }
  [[noreturn]] void refuse(std::string_view pointer, std::string_view expected) const {
    const json* found = find(pointer);
    throw InputError(fmt::format("{}: {}: {}, expected {}", file, pointer,
                                 found ? found->dump().substr(0, 40) : "missing", expected));
  }
  double number(std::string_view pointer) const {
    const json* found = find(pointer);
    if (!found || !found->is_number() || !(found->get<double>() >= 0))
      refuse(pointer, "a number that is not negative");
    return found->get<double>();
  }
  void set(std::string_view key, double value, std::string method, SourceKind kind = SourceKind::published,
           std::optional<long> samples = {}) const {
    const ParameterRow* row = find_parameter(key);
    if (value == 0 && row->minimum > 0) {
      out.left_out.push_back(fmt::format("{}: {} is zero", key, method));
      return;
    }
    ParameterInfo info;
    info.samples = samples;
    info.provenance = {kind, fmt::format("{}: {}", source, method), "", ""};
    row->set(out.profile, row->integer ? std::floor(value) : value, info);
  }

  // A plain number.
  void plain(std::string_view pointer, std::string_view key) const {
    if (find(pointer)) set(key, number(pointer), fmt::format("{}", pointer));
  }

  // {"value": .., "unit": ".."}
  std::optional<double> quantity(std::string_view pointer) const {
    if (!find(pointer)) return std::nullopt;
    const std::string at(pointer);
    const json* unit = find(at + "/unit");
    if (!unit || !unit->is_string()) {
      out.left_out.push_back(fmt::format("{}: it has no unit", pointer));
      return std::nullopt;
    }
    constexpr std::array<std::pair<std::string_view, double>, 14> units{{{"bytes", 1},
                                                                         {"B", 1},
                                                                         {"KiB", 1024.0},
                                                                         {"MiB", 1048576.0},
                                                                         {"GiB", 1073741824.0},
                                                                         {"bit", 1},
                                                                         {"kHz", 1e3},
                                                                         {"MHz", 1e6},
                                                                         {"Hz", 1},
                                                                         {"cycles", 1},
                                                                         {"B/s", 1},
                                                                         {"MiB/s", 1048576.0},
                                                                         {"GiB/s", 1073741824.0},
                                                                         {"GB/s", 1e9}}};
    for (const auto& [name, scale] : units) {
      if (name == unit->get<std::string>()) return number(at + "/value") * scale;
    }
    out.left_out.push_back(fmt::format("{}: unit '{}' is not known", pointer, unit->get<std::string>()));
    return std::nullopt;
  }
  void quantity(std::string_view pointer, std::string_view key) const {
    if (const auto value = quantity(pointer)) set(key, *value, fmt::format("{}", pointer));
  }

  // {"mean", "p50", "p95", "stdev", "measurements", "method", "unit": "cycles"}
  void latency(std::string_view pointer, std::string_view key) const {
    if (!find(pointer)) return;
    const std::string at(pointer);
    const json* unit = find(at + "/unit");
    if (!unit || *unit != "cycles") refuse(at + "/unit", "'cycles'");
    const double mean = number(at + "/mean"), p95 = number(at + "/p95");
    const json* count = find(at + "/measurements");
    set(key, number(at + "/p50"),
        fmt::format("{}: p50 of single loads (mean {:.4g}, p95 {:.4g})", pointer, mean, p95),
        SourceKind::published,
        count && count->is_number_integer() && count->get<long>() > 0 ? std::optional(count->get<long>())
                                                                      : std::nullopt);
  }
};

std::string text_or(const Reader& in, std::string_view pointer) {
  const json* found = in.find(pointer);
  return found && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

ImportedDevice import_mt4g(std::string_view text, std::string_view file) {
  const json root = read_json(text, file);
  ImportedDevice out;
  Reader in{root, file, "", out};
  if (!root.is_object() || !in.find("/general/name") || !in.find("/memory"))
    throw InputError(fmt::format("{}: no /general/name and /memory, expected a result file of MT4G", file));
  if (const auto vendor = text_or(in, "/general/vendor"); vendor != "NVIDIA")
    in.refuse("/general/vendor", "'NVIDIA'");

  DeviceProfile& device = out.profile;
  device.gpu_name = text_or(in, "/general/name");
  if (device.gpu_name.empty()) in.refuse("/general/name", "the GPU's name");
  device.name = profile_name(device.gpu_name);
  device.compute_capability_major = static_cast<int>(in.number("/general/computeCapability/major"));
  device.compute_capability_minor = static_cast<int>(in.number("/general/computeCapability/minor"));
  if (in.find("/meta/driver")) {  // 12080: CUDA 12.8
    const auto driver = static_cast<int>(in.number("/meta/driver"));
    device.driver = fmt::format("CUDA {}.{}", driver / 1000, driver % 1000 / 10);
  }
  device.toolkit = text_or(in, "/meta/gpuCompiler");
  device.measured_on = text_or(in, "/meta/timestamp").substr(0, 10);
  in.source = fmt::format("MT4G{}{}", device.measured_on.empty() ? "" : ", ", device.measured_on);

  in.plain("/compute/multiProcessorCount", "sm_count");
  in.plain("/compute/numberOfCoresPerMultiProcessor", "fp32_lanes_per_sm");
  in.plain("/compute/maxThreadsPerMultiProcessor", "max_threads_per_sm");
  in.plain("/compute/maxThreadsPerBlock", "max_threads_per_block");
  in.plain("/compute/maxBlocksPerMultiProcessor", "max_blocks_per_sm");
  in.plain("/compute/regsPerMultiProcessor", "registers_per_sm");
  in.quantity("/general/clockRate", "boost_clock_hz");
  in.quantity("/memory/shared/sharedMemPerMultiProcessor", "shared_per_sm_bytes");
  in.quantity("/memory/shared/reservedSharedMemPerBlock", "shared_reserved_per_block_bytes");
  in.quantity("/memory/l2/size", "l2_size_bytes");
  in.quantity("/memory/main/totalGlobalMem", "dram_size_bytes");
  in.latency("/memory/shared/latency", "shared_latency_cycles");
  in.latency("/memory/l1/latency", "l1_latency_cycles");
  in.latency("/memory/l2/latency", "l2_latency_cycles");
  in.latency("/memory/main/latency", "dram_latency_cycles");
  in.quantity("/memory/main/readBandwidth", "dram_read_bytes_per_s");
  in.quantity("/memory/main/writeBandwidth", "dram_write_bytes_per_s");
  in.quantity("/memory/l2/readBandwidth", "l2_read_bytes_per_s");
  in.quantity("/memory/l2/writeBandwidth", "l2_write_bytes_per_s");
  const auto clock = in.quantity("/memory/main/memoryClockRate"),
             bits = in.quantity("/memory/main/memoryBusWidth");
  if (clock && bits)  // two transfers a clock on each line
    in.set("dram_peak_bytes_per_s", *clock * 2 * *bits / 8, "memoryClockRate x 2 transfers x memoryBusWidth",
           SourceKind::derived);
  if (in.find("/memory/shared/sharedMemPerBlock"))
    out.left_out.push_back(
        "/memory/shared/sharedMemPerBlock: the default limit of a block, not the one it can opt in to");
  for (const char* pointer : {"/memory/shared/readBandwidthPerCU", "/memory/shared/writeBandwidthPerCU"}) {
    if (in.find(pointer)) out.left_out.push_back(fmt::format("{}: it states no unit", pointer));
  }
  return out;
}

}  // namespace tilecast
