#include "validation/measurement_store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <span>

#include "model/device/gpu_name.hpp"
#include "model/support/csv.hpp"
#include "model/support/embedded.hpp"
#include "model/support/errors.hpp"
#include "validation/measurement_columns.hpp"

namespace tilecast {

std::span<const EmbeddedFile> recorded_files();  // made by tilecast_embed in CMakeLists.txt

namespace {

std::size_t required(const CsvTable& table, std::string_view column) {
  if (const auto found = table.column(column)) return *found;
  throw InputError(fmt::format("{}: no column '{}', expected the columns {} CONFIG... {}", table.name, column,
                               fmt::join(measurement_leading_columns, ","),
                               fmt::join(measurement_trailing_columns, ",")));
}

std::optional<double> optional_number(const CsvTable& table, const CsvRow& row, std::size_t column) {
  if (row.fields[column].empty()) return std::nullopt;
  const double value = csv_number(table, row, column);
  if (!(value >= 0)) {  // also refuses NaN
    throw InputError(fmt::format("{}:{}: column '{}': '{}', expected a number of 0 or more", table.name,
                                 row.line, table.header[column], row.fields[column]));
  }
  return value;
}

template <class T>
std::optional<T> as(std::optional<double> value) {
  if (!value) return std::nullopt;
  return T(*value);
}

// Where each fixed column is, and which columns are the config's axes.
struct Columns {
  std::size_t family, layer, suite;
  std::array<std::size_t, 8> shape;
  std::size_t status, time, time_p10, time_p90, samples, error, clock, code_hash, version;
  std::optional<std::size_t> dilation;
  std::vector<std::size_t> config;
};

Columns find_columns(const CsvTable& table) {
  Columns c{.family = required(table, "family"),
            .layer = required(table, "layer"),
            .suite = required(table, "suite"),
            .shape = {},
            .status = required(table, "status"),
            .time = required(table, "time_s"),
            .time_p10 = required(table, "time_p10_s"),
            .time_p90 = required(table, "time_p90_s"),
            .samples = required(table, "samples"),
            .error = required(table, "max_rel_error"),
            .clock = required(table, "sm_clock_hz"),
            .code_hash = required(table, "code_hash"),
            .version = required(table, "tool_version"),
            .dilation = table.column(measurement_dilation_column),
            .config = {}};
  constexpr const char* sizes[] = {"N", "C", "H", "W", "M", "K", "stride", "pad"};
  for (std::size_t i = 0; i < c.shape.size(); ++i)
    c.shape[i] = required(table, sizes[i]);
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    if (!is_fixed_measurement_column(table.header[i]) && i != c.dilation) c.config.push_back(i);
  }
  return c;
}

MeasuredRow read_row(const CsvTable& table, const CsvRow& row, const Columns& c) {
  MeasuredRow out;
  out.family = row.fields[c.family];
  out.layer = row.fields[c.layer];
  out.suite = row.fields[c.suite];
  std::array<std::int64_t, 8> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = csv_integer(table, row, c.shape[i]);
  out.problem = {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6], sizes[7]};
  if (c.dilation && !row.fields[*c.dilation].empty())
    out.problem.dilation = csv_integer(table, row, *c.dilation);
  if (const auto problem = shape_problem(out.problem); !problem.empty())
    throw InputError(fmt::format("{}:{}: column {}", table.name, row.line, problem));
  for (const auto i : c.config) {
    if (!row.fields[i].empty()) out.config.emplace_back(table.header[i], row.fields[i]);
  }
  out.status = row.fields[c.status];
  out.time = as<Seconds>(optional_number(table, row, c.time));
  out.time_p10 = as<Seconds>(optional_number(table, row, c.time_p10));
  out.time_p90 = as<Seconds>(optional_number(table, row, c.time_p90));
  if (!row.fields[c.samples].empty()) out.samples = csv_integer(table, row, c.samples);
  // An error is recorded as "nan" or "inf" when the output was: that is what the row is there to say.
  if (!row.fields[c.error].empty()) out.max_rel_error = csv_number(table, row, c.error);
  out.sm_clock = as<Frequency>(optional_number(table, row, c.clock));
  out.code_hash = row.fields[c.code_hash];
  out.tool_version = row.fields[c.version];
  if (out.family.empty() || out.status.empty()) {
    throw InputError(fmt::format("{}:{}: column '{}': '', expected text", table.name, row.line,
                                 out.family.empty() ? "family" : "status"));
  }
  if (out.status == "ok" && (!out.time || out.time->value() <= 0)) {
    throw InputError(fmt::format("{}:{}: column 'time_s': '{}', expected a time above 0 as the status is ok",
                                 table.name, row.line, row.fields[c.time]));
  }
  return out;
}

}  // namespace

bool is_fixed_measurement_column(std::string_view name) {
  return std::ranges::find(measurement_leading_columns, name) != std::end(measurement_leading_columns) ||
         std::ranges::find(measurement_trailing_columns, name) != std::end(measurement_trailing_columns);
}

bool has_measurement_header(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return false;
    const auto line = text.substr(0, end);
    if (!line.empty() && line != "\r" && line.front() != '#') return true;
    text.remove_prefix(end + 1);
  }
  return false;
}

std::string row_key(const MeasuredRow& row) {
  std::string key = row.family + '|' + describe_shape(row.problem) + '|';
  for (std::size_t i = 0; i < row.config.size(); ++i)
    key += fmt::format("{}{}={}", i == 0 ? "" : " ", row.config[i].first, row.config[i].second);
  return key;
}

std::vector<MeasuredRow> parse_measurements(std::string_view csv, std::string_view name, bool* truncated) {
  const auto table = parse_csv(csv, name, LastLine::dropped_without_newline);
  if (truncated) *truncated = table.truncated;
  const auto columns = find_columns(table);
  std::vector<MeasuredRow> rows;
  rows.reserve(table.rows.size());
  for (const auto& row : table.rows)
    rows.push_back(read_row(table, row, columns));
  return rows;
}

std::vector<MeasuredRow> load_measurements(const std::string& path) {
  return parse_measurements(read_file(path), path);
}

std::vector<std::string> measurement_axes(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  auto text = read_file(path);
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  if (!has_measurement_header(text)) return {};
  auto table = parse_csv(text, path);
  find_columns(table);  // throws where one is missing that every file has
  std::erase_if(table.header, is_fixed_measurement_column);
  return table.header;
}

std::vector<MeasuredRow> recorded_measurements(std::string_view device) {
  const auto folder = folder_name(device) + '/';
  std::vector<MeasuredRow> rows;
  for (const auto& file : recorded_files()) {
    const auto path = file.path.substr(std::string_view("recorded/").size());
    if (!path.starts_with(folder)) continue;
    auto more = parse_measurements(file.text, fmt::format("validation/{}", file.path));
    std::ranges::move(more, std::back_inserter(rows));
  }
  return rows;
}

std::vector<std::string> recorded_devices() {
  std::vector<std::string> devices;
  for (const auto& file : recorded_files()) {
    const auto path = file.path.substr(std::string_view("recorded/").size());
    std::string device(path.substr(0, path.find('/')));
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace tilecast
