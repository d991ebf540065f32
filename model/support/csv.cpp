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

void check_header(const std::vector<std::string>& header, std::string_view name, long line) {
  for (auto field = header.begin(); field != header.end(); ++field) {
    if (std::find(header.begin(), field, *field) != field)
      throw InputError(fmt::format("{}:{}: column '{}' appears twice", name, line, *field));
  }
}

// Where a field stands, for messages.
struct Place {
  std::string_view name, column;
  long line = 0;
};

[[noreturn]] void bad_field(const Place& place, std::string_view field, std::string_view expected) {
  throw InputError(fmt::format("{}:{}: column '{}': '{}', expected {}", place.name, place.line, place.column,
                               field, expected));
}

std::int64_t integer(std::string_view field, const auto& place) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc::result_out_of_range) bad_field(place(), field, "an integer below 2^63");
  if (error != std::errc{} || end != field.data() + field.size()) bad_field(place(), field, "an integer");
  return value;
}

double number(std::string_view field, const auto& place) {
  if (field == "0") return 0;  // half of all in large tables
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size()) bad_field(place(), field, "a number");
  return value;
}

}  // namespace

std::optional<std::size_t> CsvTable::column(std::string_view header_name) const {
  const auto found = std::find(header.begin(), header.end(), header_name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

CsvReader::CsvReader(std::string_view text, std::string_view name, LastLine last)
    : name_(name), text_(text), last_(last) {
  if (text_.starts_with("\xEF\xBB\xBF"))
    text_.remove_prefix(3);  // the byte-order mark that spreadsheets write
  if (!next_line()) throw InputError(fmt::format("{}: no header line, expected column names", name_));
  header_.assign(fields_.begin(), fields_.end());
  check_header(header_, name_, line_);
}

std::size_t CsvReader::column(std::string_view header_name, std::string_view expected) const {
  const auto found = std::find(header_.begin(), header_.end(), header_name);
  if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
  throw InputError(fmt::format("{}: no column '{}', expected {}", name_, header_name, expected));
}

bool CsvReader::next() {
  if (!next_line()) return false;
  if (fields_.size() == header_.size()) return true;
  throw InputError(fmt::format("{}:{}: {} fields, expected {} as in the header", name_, line_, fields_.size(),
                               header_.size()));
}

bool CsvReader::next_line() {
  while (!text_.empty()) {
    ++line_;
    const auto end = text_.find('\n');
    if (end == std::string_view::npos && last_ == LastLine::dropped_without_newline) {
      truncated_ = true;
      text_ = {};
      return false;
    }
    auto line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (line.front() == '#') {
      comments_.emplace_back(line.substr(line.starts_with("# ") ? 2 : 1));
      continue;
    }
    split(line);
    return true;
  }
  return false;
}

void CsvReader::split(std::string_view line) {
  fields_.clear();
  unquoted_.clear();
  for (;;) {
    if (!line.starts_with('"')) {
      const auto end = line.find(',');
      fields_.push_back(line.substr(0, end));
      if (end == std::string_view::npos) return;
      line.remove_prefix(end + 1);
      continue;
    }
    auto& field = unquoted_.emplace_back();
    bool quoted = true;
    std::size_t i = 1;
    for (; i < line.size() && (quoted || line[i] != ','); ++i) {
      if (!quoted || line[i] != '"') {
        field += line[i];
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        field += line[i++];
      } else {
        quoted = false;
      }
    }
    if (quoted) throw InputError(fmt::format("{}:{}: a quote is not closed", name_, line_));
    fields_.push_back(field);
    if (i == line.size()) return;
    line.remove_prefix(i + 1);
  }
}

CsvTable parse_csv(std::string_view text, std::string_view name, LastLine last) {
  CsvReader reader(text, name, last);
  CsvTable table;
  table.name = name;
  table.header = reader.header();
  while (reader.next())
    table.rows.push_back({reader.line(), {reader.fields().begin(), reader.fields().end()}});
  table.comments = reader.comments();
  table.truncated = reader.truncated();
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
  return integer(row.fields[column], [&] { return Place{table.name, table.header[column], row.line}; });
}

double csv_number(const CsvTable& table, const CsvRow& row, std::size_t column) {
  return number(row.fields[column], [&] { return Place{table.name, table.header[column], row.line}; });
}

std::int64_t csv_integer(const CsvReader& reader, std::size_t column) {
  return integer(reader.fields()[column], [&] {
    return Place{reader.name(), reader.header()[column], reader.line()};
  });
}

double csv_number(const CsvReader& reader, std::size_t column) {
  return number(reader.fields()[column], [&] {
    return Place{reader.name(), reader.header()[column], reader.line()};
  });
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
