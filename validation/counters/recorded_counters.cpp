#include "validation/counters/recorded_counters.hpp"

#include <fmt/format.h>

#include <array>

#include "model/device/gpu_name.hpp"
#include "model/support/csv.hpp"
#include "model/support/embedded.hpp"
#include "model/support/errors.hpp"
#include "model/units/hardware_sizes.hpp"
#include "validation/measurement_store.hpp"

namespace tilecast {

std::span<const EmbeddedFile> counter_files();  // made by tilecast_embed in CMakeLists.txt

namespace {

// Of one trip of one warp.
struct Described {
  std::string_view quantity;
  double (*count)(const WarpCounts&);
};

constexpr std::array<Described, 11> described{{
    {"instructions", [](const WarpCounts& w) { return w.instructions(); }},
    {"multiply-adds of threads", [](const WarpCounts& w) { return threads_per_warp * w.ffma; }},
    {"shared loads", [](const WarpCounts& w) { return w.shared_load.instructions(); }},
    {"shared stores", [](const WarpCounts& w) { return w.shared_store.instructions(); }},
    {"global loads", [](const WarpCounts& w) { return w.global_load.instructions(); }},
    {"global stores", [](const WarpCounts& w) { return w.global_store.instructions(); }},
    {"asynchronous copies", [](const WarpCounts& w) { return w.async_copy.instructions(); }},
    {"wavefronts of shared loads", [](const WarpCounts& w) { return w.shared_load.wavefronts; }},
    {"wavefronts of shared stores", [](const WarpCounts& w) { return w.shared_store.wavefronts; }},
    {"sectors of loads and copies",
     [](const WarpCounts& w) { return w.global_load.sectors + w.async_copy.sectors; }},
    {"sectors of stores", [](const WarpCounts& w) { return w.global_store.sectors; }},
}};

std::size_t required(const CsvTable& table, std::string_view column) {
  if (const auto found = table.column(column)) return *found;
  throw InputError(fmt::format("{}: no column '{}', expected family,shape,config,quantity,measured,read",
                               table.name, column));
}

}  // namespace

std::vector<CountedQuantity> parse_counters(std::string_view csv, std::string_view name,
                                            std::string_view family, const ConvShape& problem,
                                            const Config& config) {
  const auto table = parse_csv(csv, name);
  const auto family_column = required(table, "family"), shape = required(table, "shape"),
             config_column = required(table, "config"), quantity = required(table, "quantity"),
             measured = required(table, "measured"), read = required(table, "read");
  const auto shape_text = describe_shape(problem), config_text = describe_config(config);
  std::vector<CountedQuantity> counted;
  for (const auto& row : table.rows) {
    if (row.fields[family_column] != family || row.fields[shape] != shape_text ||
        row.fields[config_column] != config_text)
      continue;
    counted.push_back({row.fields[quantity], csv_number(table, row, measured), csv_number(table, row, read)});
  }
  return counted;
}

std::vector<CountedQuantity> recorded_counters(std::string_view gpu_name, std::string_view family,
                                               const ConvShape& problem, const Config& config) {
  const auto path = "recorded/" + folder_name(gpu_name) + "/counters.csv";
  for (const auto& file : counter_files()) {
    if (file.path == path) return parse_counters(file.text, "validation/" + path, family, problem, config);
  }
  return {};
}

std::optional<double> described_quantity(std::string_view quantity, const KernelDescription& kernel) {
  for (const auto& d : described) {
    if (d.quantity != quantity) continue;
    double sum = 0;
    for (const auto& phase : kernel.phases)
      sum += phase.trips * phase.active_warps * d.count(phase.warp);
    return static_cast<double>(kernel.launch.blocks) * sum;
  }
  return std::nullopt;
}

}  // namespace tilecast
