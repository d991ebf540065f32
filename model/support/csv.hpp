#pragma once
// CSV with a header line. '#' at the start of a line is a comment, kept apart; fields may be double-quoted.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

struct CsvRow {
  long line = 0;  // 1-based, in the text
  std::vector<std::string> fields;
};

struct CsvTable {
  std::string name;  // the file, for messages
  std::vector<std::string> comments;
  std::vector<std::string> header;
  std::vector<CsvRow> rows;
  bool truncated = false;  // the text does not end with a newline: its last, incomplete line was dropped

  std::optional<std::size_t> column(std::string_view header_name) const;
};

enum class LastLine { complete_without_newline, dropped_without_newline };

// Throws InputError "name:line: ..." when there is no header, a column repeats, a quote is not closed or a
// row has not as many fields as the header.
CsvTable parse_csv(std::string_view text, std::string_view name,
                   LastLine last = LastLine::complete_without_newline);

// The same row by row, for texts of a million fields: they are read where they stand.
class CsvReader {
 public:
  // `text` must outlive it. Reads up to the header.
  CsvReader(std::string_view text, std::string_view name, LastLine last = LastLine::complete_without_newline);

  // The next row; false behind the last one. Throws as parse_csv.
  bool next();
  const std::vector<std::string_view>& fields() const { return fields_; }  // until the next row
  long line() const { return line_; }

  const std::string& name() const { return name_; }
  const std::vector<std::string>& header() const { return header_; }
  // Throws InputError for a column that is not there, with all that are `expected`.
  std::size_t column(std::string_view header_name, std::string_view expected) const;
  const std::vector<std::string>& comments() const { return comments_; }  // so far
  bool truncated() const { return truncated_; }

 private:
  bool next_line();
  void split(std::string_view line);

  std::string name_;
  std::string_view text_;
  LastLine last_;
  long line_ = 0;
  std::vector<std::string> header_, comments_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  // fields of this row that do not stand in the text as they are
  bool truncated_ = false;
};

// One field, quoted where it needs it.
std::string csv_field(std::string_view value);

// Fields as numbers; throw InputError "name:line: column 'W': 'x', expected ..." for anything else.
std::int64_t csv_integer(const CsvTable& table, const CsvRow& row, std::size_t column);
double csv_number(const CsvTable& table, const CsvRow& row, std::size_t column);
std::int64_t csv_integer(const CsvReader& reader, std::size_t column);
double csv_number(const CsvReader& reader, std::size_t column);

// The whole file; throws InputError naming it when it cannot be read. "-" is standard input.
std::string read_file(const std::string& path);
// Written beside the target and renamed over it: never half-written; a symbolic link stays, and what is no
// regular file (a device, a pipe) is written to as it is. Throws Error (failure) with the reason.
void write_file(const std::string& path, std::string_view text);

}  // namespace tilecast
