#include "kernels/code_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <span>

#include "model/support/csv.hpp"
#include "model/support/embedded.hpp"
#include "model/support/errors.hpp"

namespace tilecast {

std::span<const EmbeddedFile> code_record_files();  // code_records/*.csv, embedded
std::span<const EmbeddedFile> code_mix_files();     // code_mixes/*.csv, embedded

namespace {

constexpr std::string_view compiler_comment = "compiler: ";

std::int64_t count_field(const CsvReader& rows, std::size_t column) {
  const auto value = csv_integer(rows, column);
  if (value < 0)
    throw InputError(fmt::format("{}:{}: column '{}': '{}', expected a count of at least 0", rows.name(),
                                 rows.line(), rows.header()[column], value));
  return value;
}

}  // namespace

const CodeRecord* CodeRecords::find(const std::string& key) const {
  const auto found = records_.find(key);
  return found == records_.end() ? nullptr : &found->second;
}

void CodeRecords::set(const std::string& key, CodeRecord record) {
  records_[key] = std::move(record);
}

CodeRecords parse_code_records(std::string_view csv, std::string_view name) {
  CsvReader rows(csv, name);
  const auto column = [&](std::string_view header) {
    return rows.column(header, "key,registers,static_shared_bytes,spill_bytes,code_hash");
  };
  const auto key = column("key"), registers = column("registers"), shared = column("static_shared_bytes"),
             spill = column("spill_bytes"), hash = column("code_hash");
  CodeRecords records;
  while (rows.next()) {
    const std::string own(rows.fields()[key]);
    if (records.find(own))
      throw InputError(fmt::format("{}:{}: key '{}' appears twice, expected one record a specialisation",
                                   name, rows.line(), own));
    records.set(own, {.registers = count_field(rows, registers),
                      .static_shared_bytes = count_field(rows, shared),
                      .spill_bytes = count_field(rows, spill),
                      .code_hash = std::string(rows.fields()[hash])});
  }
  for (const std::string_view comment : rows.comments()) {
    if (comment.starts_with(compiler_comment)) records.compiler = comment.substr(compiler_comment.size());
  }
  return records;
}

std::string format_code_records(const CodeRecords& records) {
  // Sorted: the file does not depend on the order of compilation.
  const std::map<std::string, CodeRecord> sorted(records.all().begin(), records.all().end());
  std::string text =
      records.compiler.empty() ? "" : fmt::format("# {}{}\n", compiler_comment, records.compiler);
  text += "key,registers,static_shared_bytes,spill_bytes,code_hash\n";
  for (const auto& [key, record] : sorted)
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", csv_field(key), record.registers,
                   record.static_shared_bytes, record.spill_bytes, csv_field(record.code_hash));
  return text;
}

void CodeRecords::add_mixes(const CodeMixes& mixes) {
  for (auto& [_, record] : records_)
    record.mixes = mixes.find(record.code_hash);
}

const CodeRecords& committed_code_records(int major, int minor) {
  struct Architecture {
    CodeMixes mixes;
    CodeRecords records;
  };
  static const auto by_number = [] {
    std::map<int, Architecture> parsed;
    const auto number = [](std::string_view path) {  // 90 of "code_mixes/sm_90.csv"
      int value = 0;
      path.remove_prefix(std::min(path.size(), path.find("sm_") + 3));
      std::from_chars(path.data(), path.data() + path.size(), value);
      return value;
    };
    for (const auto& file : code_mix_files())
      parsed[number(file.path)].mixes = parse_code_mixes(file.text, file.path);
    for (const auto& file : code_record_files())
      parsed[number(file.path)].records = parse_code_records(file.text, file.path);
    for (auto& [_, architecture] : parsed)
      architecture.records.add_mixes(architecture.mixes);
    return parsed;
  }();
  static const CodeRecords none;
  const auto found = by_number.find(10 * major + minor);
  return found == by_number.end() ? none : found->second.records;
}

}  // namespace tilecast
