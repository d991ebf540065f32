#include "cli/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/support/csv.hpp"

namespace tilecast {

namespace {

bool is_number(const Cell& cell) {
  return std::holds_alternative<double>(cell) || std::holds_alternative<std::int64_t>(cell);
}

std::string shown(const Cell& cell, int digits = 17, double scale = 1) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{:.{}g}", *number / scale, digits);
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "yes" : "no";
  return "-";
}

std::string csv_cell(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return "";
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  return csv_field(shown(cell));
}

nlohmann::ordered_json json_row(const std::vector<Column>& columns, const std::vector<Cell>& row) {
  auto object = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto& member = object[columns[i].key];
    std::visit(
        [&](const auto& value) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) member = value;
        },
        row[i]);
  }
  return object;
}

// Characters, not bytes: a source may hold an umlaut. Continuation bytes of UTF-8 are 10xxxxxx.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

void ResultTable::add(std::vector<Cell> cells) {
  if (cells.size() != columns_.size())
    throw std::invalid_argument(fmt::format("{} cells for {} columns", cells.size(), columns_.size()));
  rows_.push_back(std::move(cells));
}

std::string ResultTable::text() const {
  const std::size_t n = columns_.size();
  std::vector<std::vector<std::string>> lines(1);
  std::vector<bool> right(n, true);
  for (const auto& column : columns_)
    lines[0].push_back(column.header.empty() ? column.key : column.header);
  for (const auto& row : rows_) {
    auto& line = lines.emplace_back();
    for (std::size_t i = 0; i < n; ++i) {
      line.push_back(shown(row[i], columns_[i].digits, columns_[i].scale));
      if (!is_number(row[i]) && !std::holds_alternative<std::monostate>(row[i])) right[i] = false;
    }
  }
  std::vector<std::size_t> widths(n, 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < n; ++i)
      widths[i] = std::max(widths[i], width_of(line[i]));
  }
  std::string out;
  for (const auto& line : lines) {
    std::string printed;
    for (std::size_t i = 0; i < n; ++i) {
      const std::string padding(widths[i] - width_of(line[i]), ' ');
      printed += i == 0 ? "" : "  ";
      printed += right[i] ? padding + line[i] : line[i] + padding;
    }
    printed.erase(printed.find_last_not_of(' ') + 1);
    out += printed + "\n";
  }
  return out;
}

std::string ResultTable::csv() const {
  std::string out;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ",", csv_field(columns_[i].key));
  out += "\n";
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out += fmt::format("{}{}", i == 0 ? "" : ",", csv_cell(row[i]));
    out += "\n";
  }
  return out;
}

std::string ResultTable::json() const {
  std::string out = "[";
  for (std::size_t i = 0; i < rows_.size(); ++i)
    out += fmt::format("{}\n  {}", i == 0 ? "" : ",", json_row(columns_, rows_[i]).dump());
  return out + (rows_.empty() ? "]\n" : "\n]\n");
}

std::string ResultTable::jsonl() const {
  std::string out;
  for (const auto& row : rows_)
    out += json_row(columns_, row).dump() + "\n";
  return out;
}

std::string ResultTable::format(Format format) const {
  switch (format) {
    case Format::csv:
      return csv();
    case Format::json:
      return json();
    case Format::jsonl:
      return jsonl();
    case Format::table:
      break;
  }
  return text();
}

std::string for_people(double value, std::string_view unit) {
  struct Prefix {
    double factor;
    std::string_view name;
  };
  const auto scaled = [&](std::initializer_list<Prefix> prefixes) {  // largest first
    for (const auto& prefix : prefixes) {
      if (std::abs(value) >= prefix.factor)
        return fmt::format("{:.6g} {}", value / prefix.factor, prefix.name);
    }
    return fmt::format("{:.6g} {}", value, unit);
  };
  if (unit == "count") return fmt::format("{:.15g}", value);
  if (unit == "bytes/s") return scaled({{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}});
  if (unit == "Hz") return scaled({{1e6, "MHz"}, {1e3, "kHz"}});
  if (unit == "s") return value == 0 ? "0 s" : scaled({{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}});
  if (unit == "bytes") {
    constexpr double kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
    for (const auto& [factor, name] : std::array<Prefix, 3>{{{gib, "GiB"}, {mib, "MiB"}, {kib, "KiB"}}}) {
      // Only where nothing is lost: 49152 is 48 KiB, 84373 stays bytes.
      if (value >= factor && value < 1e4 * factor && std::fmod(value * 4, factor) == 0)
        return fmt::format("{:.6g} {}", value / factor, name);
    }
    if (value >= gib) return fmt::format("{:.6g} GiB", value / gib);
    return fmt::format("{:.15g} bytes", value);
  }
  return fmt::format("{:.6g} {}", value, unit);
}

}  // namespace tilecast
