#include "model/workload/suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "model/support/nearest.hpp"
#include "model/workload/random_layers.hpp"

namespace tilecast {
namespace {

struct SizeColumn {
  std::string_view name;
  std::int64_t ConvShape::*size;
  bool required;
};

constexpr std::array<SizeColumn, 9> size_columns{{{"N", &ConvShape::N, true},
                                                  {"C", &ConvShape::C, true},
                                                  {"H", &ConvShape::H, true},
                                                  {"W", &ConvShape::W, true},
                                                  {"M", &ConvShape::M, true},
                                                  {"K", &ConvShape::K, true},
                                                  {"stride", &ConvShape::stride, false},
                                                  {"pad", &ConvShape::pad, false},
                                                  {"dilation", &ConvShape::dilation, false}}};

std::vector<std::string> known_columns() {
  std::vector<std::string> names{"id", "source"};
  for (const auto& column : size_columns)
    names.emplace_back(column.name);
  return names;
}

// A misspelt optional column must not quietly become stride 1, so unknown columns are refused.
void check_columns(const CsvTable& table) {
  const auto known = known_columns();
  for (const auto& name : table.header) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError(fmt::format("{}: unknown column '{}', expected N,C,H,W,M,K and optionally "
                                   "id,source,stride,pad,dilation",
                                   table.name, name),
                       nearest_hint(name, known));
    }
  }
  for (const auto& column : size_columns) {
    if (column.required && !table.column(column.name)) {
      throw InputError(
          fmt::format("{}: column '{}' is missing, expected N,C,H,W,M,K and optionally "
                      "id,source,stride,pad,dilation",
                      table.name, column.name));
    }
  }
}

// shape_problem()'s "W: -3, expected ..." as "name:line: column 'W': '-3', expected ...".
[[noreturn]] void bad_shape(const CsvTable& table, const CsvRow& row, const std::string& problem) {
  const auto colon = problem.find(": ");
  const auto field = problem.substr(0, colon);
  const auto comma = problem.find(", expected", colon);
  if (table.column(field)) {
    throw InputError(fmt::format("{}:{}: column '{}': '{}'{}", table.name, row.line, field,
                                 problem.substr(colon + 2, comma - colon - 2), problem.substr(comma)));
  }
  throw InputError(fmt::format("{}:{}: {}", table.name, row.line, problem));
}

std::string suite_name(const EmbeddedFile& file) {
  return std::filesystem::path(file.path).stem().string();
}

}  // namespace

std::vector<std::string> suite_names() {
  std::vector<std::string> names;
  for (const auto& file : suite_files())
    names.push_back(suite_name(file));
  return names;
}

std::vector<Layer> parse_layers(std::string_view csv, std::string_view name) {
  const auto table = parse_csv(csv, name);
  check_columns(table);
  const auto id = table.column("id");
  const auto source = table.column("source");
  std::vector<Layer> layers;
  for (const auto& row : table.rows) {
    Layer layer;
    for (const auto& [column, size, required] : size_columns) {
      if (const auto index = table.column(column)) layer.shape.*size = csv_integer(table, row, *index);
    }
    if (const auto problem = shape_problem(layer.shape); !problem.empty()) bad_shape(table, row, problem);
    layer.id = id ? row.fields[*id] : fmt::format("layer-{}", layers.size() + 1);
    if (source) layer.source = row.fields[*source];
    if (layer.id.empty()) {
      throw InputError(
          fmt::format("{}:{}: column 'id': '', expected a name for the layer", table.name, row.line));
    }
    for (const auto& earlier : layers) {
      if (earlier.id == layer.id) {
        throw InputError(fmt::format("{}:{}: column 'id': '{}', expected a name that no earlier line has",
                                     table.name, row.line, layer.id));
      }
    }
    layers.push_back(std::move(layer));
  }
  if (layers.empty()) throw InputError(fmt::format("{}: no layers, expected at least one line", name));
  return layers;
}

Suite load_suite(const std::string& name_or_path) {
  if (is_random_suite(name_or_path)) return parse_random_suite(name_or_path);
  for (const auto& file : suite_files()) {
    if (suite_name(file) == name_or_path) return {name_or_path, parse_layers(file.text, file.path)};
  }
  if (name_or_path == "-") return {"stdin", parse_layers(read_file("-"), "stdin")};
  if (!std::filesystem::exists(name_or_path)) {
    throw InputError(fmt::format("'{}': neither a shipped suite nor a file", name_or_path),
                     nearest_hint(name_or_path, suite_names()));
  }
  return {std::filesystem::path(name_or_path).stem().string(),
          parse_layers(read_file(name_or_path), name_or_path)};
}

}  // namespace tilecast
