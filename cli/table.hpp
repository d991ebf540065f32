#pragma once
// Rows under named columns, written as an aligned table, CSV, JSON or JSON lines. Values are in base units;
// headers carry the unit of the table ("time [us]" with scale 1e-6), keys that of the value ("time_s").

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/options.hpp"

namespace tilecast {

// monostate: absent. Printed as "-", as an empty CSV field, as null.
using Cell = std::variant<std::monostate, std::string, double, std::int64_t, bool>;

struct Column {
  std::string key;     // of CSV and JSON, ends in its unit: "time_s"
  std::string header;  // of the table, with its unit in brackets; empty: the key
  int digits = 6;      // significant digits of a double in the table; CSV and JSON keep every bit
  double scale = 1;    // the table shows value / scale: 1e-6 for seconds under "time [us]"
};

class ResultTable {
 public:
  explicit ResultTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // As many cells as columns; throws std::invalid_argument otherwise.
  void add(std::vector<Cell> cells);
  std::size_t size() const { return rows_.size(); }
  // Numbers to the right, text to the left; no spaces at line ends.
  std::string text() const;
  std::string csv() const;
  std::string json() const;   // one array of objects
  std::string jsonl() const;  // an object a line
  std::string format(Format format) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// A value for people: "484 GB/s", "1480 MHz", "96 KiB", "1.26 us", "258 cycles". `unit` as in
// model/device/parameters.cpp; decimal prefixes for rates and times, binary ones for whole KiB and up.
std::string for_people(double value, std::string_view unit);

}  // namespace tilecast
