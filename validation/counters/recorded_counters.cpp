#include "validation/counters/recorded_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
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

// Of one trip of one warp, as the family's geometry has it.
struct FromGeometry {
  std::string_view quantity;
  double (*count)(const WarpCounts&);
};

// Passes over the banks that write what copies bring, which the description has with the stores: no phase has
// both. Reading L1 takes a pass for four sectors (A3).
double copy_wavefronts(const WarpCounts& w) {
  const double copies = w.async_copy.instructions();
  if (copies <= 0) return 0;
  const double written = w.shared_store.instructions() > 0 ? 0 : w.shared_store.wavefronts;
  return written + std::max(copies, w.async_copy.sectors / sectors_per_wavefront);
}

double store_wavefronts(const WarpCounts& w) {
  return w.shared_store.instructions() > 0 ? w.shared_store.wavefronts : 0;
}

constexpr std::array<FromGeometry, 11> from_geometry{{
    {"multiply-adds of threads", [](const WarpCounts& w) { return threads_per_warp * w.ffma; }},
    {"shared loads", [](const WarpCounts& w) { return w.shared_load.instructions(); }},
    {"shared stores", [](const WarpCounts& w) { return w.shared_store.instructions(); }},
    {"global loads", [](const WarpCounts& w) { return w.global_load.instructions(); }},
    {"global stores issued", [](const WarpCounts& w) { return w.global_store.instructions(); }},
    {"asynchronous copies issued", [](const WarpCounts& w) { return w.async_copy.instructions(); }},
    {"wavefronts of shared loads", [](const WarpCounts& w) { return w.shared_load.wavefronts; }},
    {"wavefronts of shared stores", store_wavefronts},
    {"wavefronts of asynchronous copies", copy_wavefronts},
    {"sectors of loads and copies",
     [](const WarpCounts& w) { return w.global_load.sectors + w.async_copy.sectors; }},
    {"sectors of stores", [](const WarpCounts& w) { return w.global_store.sectors; }},
}};

// Likewise, as the machine code has it.
struct FromCode {
  std::string_view quantity;
  double (*count)(const CodeCounts&);
};

constexpr std::array<FromCode, 5> from_code{{
    {"instructions", [](const CodeCounts& c) { return c.issued; }},
    {"instructions of the multiply-add pipes", [](const CodeCounts& c) { return c.ffma + c.integer_mad; }},
    {"instructions of the integer pipe", [](const CodeCounts& c) { return c.integer; }},
    {"instructions of the uniform pipe", [](const CodeCounts& c) { return c.uniform; }},
    // Barriers wait in the memory queue (S4), but the profiler does not count them there.
    {"instructions of the memory pipe", [](const CodeCounts& c) { return c.memory - c.barriers; }},
}};

template <class Count>
double of_block(const KernelDescription& kernel, const Count& count) {
  double sum = 0;
  for (const auto& phase : kernel.phases)
    sum += phase.trips * count(phase);
  return sum;
}

std::size_t required(const CsvTable& table, std::string_view column) {
  if (const auto found = table.column(column)) return *found;
  throw InputError(fmt::format("{}: no column '{}', expected family,shape,config and what is counted",
                               table.name, column));
}

}  // namespace

std::vector<CountedQuantity> parse_counters(std::string_view csv, std::string_view name,
                                            std::string_view family, const ConvShape& problem,
                                            const Config& config) {
  const auto table = parse_csv(csv, name);
  const auto family_column = required(table, "family"), shape = required(table, "shape"),
             config_column = required(table, "config"), quantity = required(table, "quantity"),
             measured = required(table, "measured"), read = required(table, "read"),
             block = required(table, "busiest_block");
  const auto shape_text = describe_shape(problem), config_text = describe_config(config);
  std::vector<CountedQuantity> counted;
  for (const auto& row : table.rows) {
    if (row.fields[family_column] != family || row.fields[shape] != shape_text ||
        row.fields[config_column] != config_text)
      continue;
    counted.push_back({row.fields[quantity], csv_number(table, row, measured), csv_number(table, row, read),
                       csv_number(table, row, block)});
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
  if (const auto g = std::ranges::find(from_geometry, quantity, &FromGeometry::quantity);
      g != from_geometry.end())
    return of_block(kernel, [&](const Phase& p) { return p.active_warps * g->count(p.warp); });
  const bool read = std::ranges::all_of(kernel.phases, [](const Phase& p) { return p.code.has_value(); });
  const auto c = std::ranges::find(from_code, quantity, &FromCode::quantity);
  if (c != from_code.end() && read) {
    const double warps = static_cast<double>(kernel.launch.threads) / threads_per_warp;
    return of_block(kernel, [&](const Phase& p) {
      return warps * c->count(p.code->around) + p.active_warps * c->count(p.code->compute);
    });
  }
  if (quantity != "instructions") return std::nullopt;
  return of_block(kernel, [](const Phase& p) { return p.active_warps * p.warp.instructions(); });
}

namespace {

// A kernel's row in one of the files with a row a kernel.
struct CountedRow {
  CsvTable table;
  std::size_t index = 0;

  double operator()(std::string_view column) const {
    return csv_number(table, table.rows[index], required(table, column));
  }
};

enum class Places { one, several };

std::optional<CountedRow> counted_row(std::string_view gpu_name, Places places, std::string_view family,
                                      const ConvShape& problem, const Config& config) {
  const auto folder = "recorded/" + folder_name(gpu_name) + "/";
  const auto shape_text = describe_shape(problem), config_text = describe_config(config);
  for (const auto& file : counter_files()) {
    const bool several = file.path.ends_with("_places.csv");
    if (!file.path.starts_with(folder) || file.path == folder + "counters.csv" ||
        several != (places == Places::several))
      continue;
    const auto table = parse_csv(file.text, file.path);
    const auto family_column = required(table, "family"), shape = required(table, "shape"),
               config_column = required(table, "config");
    const auto found = std::ranges::find_if(table.rows, [&](const CsvRow& row) {
      return row.fields[family_column] == family && row.fields[shape] == shape_text &&
             row.fields[config_column] == config_text;
    });
    if (found != table.rows.end())
      return CountedRow{table, static_cast<std::size_t>(found - table.rows.begin())};
  }
  return std::nullopt;
}

CountedTraffic traffic_of(const CountedRow& row) {
  return {.dram_read_bytes = row("dram_read_bytes"),
          .dram_written_bytes = row("dram_written_bytes"),
          .least_dram_bytes = row("least_dram_bytes"),
          .most_dram_bytes = row("most_dram_bytes"),
          .sectors_read = row("sectors_read"),
          .sectors_written = row("sectors_written")};
}

}  // namespace

std::optional<CountedLaunch> recorded_launch(std::string_view gpu_name, std::string_view family,
                                             const ConvShape& problem, const Config& config) {
  const auto row = counted_row(gpu_name, Places::one, family, problem, config);
  if (!row) return std::nullopt;
  return CountedLaunch{.traffic = traffic_of(*row),
                       .l1_missed = (*row)("l1_sectors") - (*row)("l1_hit"),
                       .duration_ns = (*row)("duration_ns"),
                       .cycles = (*row)("cycles"),
                       .active_cycles = (*row)("active_cycles"),
                       .issue_cycles = (*row)("issue_cycles")};
}

std::optional<CountedTraffic> recorded_places(std::string_view gpu_name, std::string_view family,
                                              const ConvShape& problem, const Config& config) {
  const auto row = counted_row(gpu_name, Places::several, family, problem, config);
  return row ? std::optional(traffic_of(*row)) : std::nullopt;
}

}  // namespace tilecast
