#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "validation/measurement_columns.hpp"
#include "validation/measurement_store.hpp"

namespace tilecast {
namespace {

[[noreturn]] void failed(const std::string& path, std::string_view what) {
  throw Error(ExitCode::failure, fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

void write_all(int file, const std::string& path, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) failed(path, "cannot be written");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fdatasync(file) != 0) failed(path, "cannot be synced");
}

void make_parent_folder(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ExitCode::failure, fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
}

// What a killed run left of its last row is cut off, so that the next row starts on a line of its own.
void cut_incomplete_line(int file, const std::string& path) {
  const auto text = read_file(path);
  const auto end = text.rfind('\n');
  const auto complete = end == std::string::npos ? 0 : end + 1;
  if (complete != text.size() && ::ftruncate(file, static_cast<off_t>(complete)) != 0)
    failed(path, "its incomplete last line cannot be cut off");
}

std::string join_fields(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i)
    line += (i == 0 ? "" : ",") + csv_field(fields[i]);
  return line + '\n';
}

std::vector<std::string> header_fields(const std::vector<std::string>& columns) {
  std::vector<std::string> fields(std::begin(measurement_leading_columns),
                                  std::end(measurement_leading_columns));
  fields.insert(fields.end(), columns.begin(), columns.end());
  fields.insert(fields.end(), std::begin(measurement_trailing_columns),
                std::end(measurement_trailing_columns));
  return fields;
}

template <class T>
std::string text_or_empty(const std::optional<T>& quantity) {
  return quantity ? fmt::format("{}", quantity->value()) : "";
}

// What stands in the row's column of that name; empty: nothing.
std::string column_text(const MeasuredRow& row, std::string_view column) {
  if (column == measurement_dilation_column)
    return row.problem.dilation == 1 ? "" : std::to_string(row.problem.dilation);
  const auto found = std::ranges::find(row.config, column, [](const auto& value) { return value.first; });
  return found == row.config.end() ? "" : found->second;
}

std::vector<std::string> row_fields(const MeasuredRow& row, const std::vector<std::string>& columns) {
  const auto& p = row.problem;
  std::vector<std::string> fields{row.family, row.layer, row.suite};
  for (const auto size : {p.N, p.C, p.H, p.W, p.M, p.K, p.stride, p.pad})
    fields.push_back(std::to_string(size));
  for (const auto& column : columns)
    fields.push_back(column_text(row, column));
  fields.insert(fields.end(), {row.status, text_or_empty(row.time), text_or_empty(row.time_p10),
                               text_or_empty(row.time_p90), row.samples ? std::to_string(*row.samples) : "",
                               row.max_rel_error ? fmt::format("{:.4g}", *row.max_rel_error) : "",
                               text_or_empty(row.sm_clock), row.code_hash, row.tool_version});
  return fields;
}

// The key that the row has once it is read back: axes in the file's order, empty ones left out.
std::string key_as_read(const MeasuredRow& row, const std::vector<std::string>& columns) {
  MeasuredRow stored;
  stored.family = row.family;
  stored.problem = row.problem;
  for (const auto& column : columns) {
    auto text = column_text(row, column);
    if (column != measurement_dilation_column && !text.empty())
      stored.config.emplace_back(column, std::move(text));
  }
  return row_key(stored);
}

void check_columns(const MeasuredRow& row, const std::vector<std::string>& columns, const std::string& path) {
  const auto check = [&](std::string_view name) {
    if (std::ranges::find(columns, name) == columns.end())
      throw Error(ExitCode::failure, fmt::format("{}: no column for '{}' of {}", path, name, row_key(row)));
  };
  for (const auto& [name, value] : row.config)
    check(name);
  if (row.problem.dilation != 1) check(measurement_dilation_column);
}

}  // namespace

MeasurementWriter::MeasurementWriter(const std::string& path, std::vector<std::string> columns,
                                     const std::vector<std::string>& comments)
    : path_(path), columns_(std::move(columns)) {
  for (const auto& name : columns_) {
    if (is_fixed_measurement_column(name))
      throw Error(ExitCode::failure, fmt::format("{}: '{}' cannot name an axis of a config", path, name));
  }
  make_parent_folder(path);
  // Opened without O_TRUNC: what is there is never lost.
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) failed(path, "cannot be opened for appending");
  try {
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) failed(path, "another process is writing it");
    cut_incomplete_line(file, path);
    const auto text = read_file(path);
    const auto there = measurement_axes(path);
    if (!has_measurement_header(text)) {
      std::string head;
      if (text.empty()) {
        for (const auto& comment : comments)
          head += "# " + comment + '\n';
      }
      write_all(file, path, head + join_fields(header_fields(columns_)));
    } else if (there != columns_) {
      throw InputError(fmt::format("{}: its config columns are {}, expected {}", path, fmt::join(there, ","),
                                   fmt::join(columns_, ",")),
                       "record into another folder (--out)");
    } else {
      for (const auto& row : parse_measurements(text, path))
        keys_.insert(row_key(row));
    }
  } catch (...) {
    ::close(file);
    throw;
  }
  file_ = file;
}

MeasurementWriter::~MeasurementWriter() {
  if (file_ >= 0) ::close(file_);
}

bool MeasurementWriter::has(const MeasuredRow& row) const {
  return keys_.contains(key_as_read(row, columns_));
}

void MeasurementWriter::append(const MeasuredRow& row) {
  check_columns(row, columns_, path_);
  auto key = key_as_read(row, columns_);
  if (keys_.contains(key)) throw Error(ExitCode::failure, fmt::format("{}: {} is there already", path_, key));
  write_all(file_, path_, join_fields(row_fields(row, columns_)));
  keys_.insert(std::move(key));
}

}  // namespace tilecast
