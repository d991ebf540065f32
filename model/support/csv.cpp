#include "model/support/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "model/support/errors.hpp"

namespace tilecast {
namespace {

std::vector<std::string> split_fields(std::string_view line, std::string_view name, long number) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += '"';
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"' && fields.back().empty()) {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) throw InputError(fmt::format("{}:{}: a quote is not closed", name, number));
  return fields;
}

void check_header(const CsvTable& table, long line) {
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    if (std::find(table.header.begin(), table.header.begin() + static_cast<long>(i), table.header[i]) !=
        table.header.begin() + static_cast<long>(i)) {
      throw InputError(fmt::format("{}:{}: column '{}' appears twice", table.name, line, table.header[i]));
    }
  }
}

[[noreturn]] void bad_field(const CsvTable& table, const CsvRow& row, std::size_t column,
                            std::string_view expected) {
  throw InputError(fmt::format("{}:{}: column '{}': '{}', expected {}", table.name, row.line,
                               table.header[column], row.fields[column], expected));
}

}  // namespace

std::optional<std::size_t> CsvTable::column(std::string_view header_name) const {
  const auto found = std::find(header.begin(), header.end(), header_name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

CsvTable parse_csv(std::string_view text, std::string_view name, LastLine last) {
  CsvTable table;
  table.name = name;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the byte-order mark that spreadsheets write
  long number = 0;
  while (!text.empty()) {
    ++number;
    const auto end = text.find('\n');
    if (end == std::string_view::npos && last == LastLine::dropped_without_newline) {
      table.truncated = true;
      break;
    }
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (line.front() == '#') {
      table.comments.emplace_back(line.substr(line.starts_with("# ") ? 2 : 1));
      continue;
    }
    auto fields = split_fields(line, name, number);
    if (table.header.empty()) {
      table.header = std::move(fields);
      check_header(table, number);
    } else if (fields.size() != table.header.size()) {
      throw InputError(fmt::format("{}:{}: {} fields, expected {} as in the header", name, number,
                                   fields.size(), table.header.size()));
    } else {
      table.rows.push_back({number, std::move(fields)});
    }
  }
  if (table.header.empty()) throw InputError(fmt::format("{}: no header line, expected column names", name));
  return table;
}

std::string csv_field(std::string_view value) {
  if (value.find_first_of(",\"\n") == std::string_view::npos && !value.starts_with('#'))
    return std::string(value);
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"') quoted += '"';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}

std::int64_t csv_integer(const CsvTable& table, const CsvRow& row, std::size_t column) {
  const auto& field = row.fields[column];
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc::result_out_of_range) bad_field(table, row, column, "an integer below 2^63");
  if (error != std::errc{} || end != field.data() + field.size()) bad_field(table, row, column, "an integer");
  return value;
}

double csv_number(const CsvTable& table, const CsvRow& row, std::size_t column) {
  const auto& field = row.fields[column];
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size()) bad_field(table, row, column, "a number");
  return value;
}

std::string read_file(const std::string& path) {
  // A library's exception: what cannot be read although it is open (standard input closed, a folder's file).
  const auto all = [&](std::istream& stream) -> std::string {
    try {
      return {std::istreambuf_iterator<char>(stream), {}};
    } catch (const std::ios_base::failure&) {
      throw InputError(fmt::format("{}: cannot be read", path == "-" ? "stdin" : path));
    }
  };
  if (path == "-") return all(std::cin);
  if (std::filesystem::is_directory(path))
    throw InputError(fmt::format("{}: a folder, expected a file", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return all(file);
}

void write_file(const std::string& path, std::string_view text) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto fail = [&](const std::string& reason) {
    throw Error(ExitCode::failure, fmt::format("{}: cannot be written: {}", path, reason));
  };
  const auto kind = fs::status(path, error).type();
  if (kind == fs::file_type::directory) fail("a folder, expected a file");
  // A device or a pipe is written to: a file renamed over it would take its place.
  const bool special = kind != fs::file_type::regular && kind != fs::file_type::not_found;
  std::string target = path;
  if (!special && fs::is_symlink(path, error)) {
    if (const auto real = fs::canonical(path, error); !error) target = real.string();
  }
  const std::string written = special ? path : target + ".tmp";
  std::ofstream file(written, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  error.clear();
  if (file && !special) fs::rename(written, target, error);
  if (file && !error) return;
  const std::string reason = error ? error.message() : std::strerror(errno);
  if (!special) fs::remove(written, error);
  fail(reason);
}

}  // namespace tilecast
