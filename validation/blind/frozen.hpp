#pragma once
// Predictions written down before the kernels run, so that nothing can be corrected afterwards (the blind
// protocol): one CSV file with the hash of the device profile, of every kernel's machine code and of itself.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/support/csv.hpp"
#include "model/units/quantity.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast {

struct FrozenTime {
  Seconds time{};
  std::optional<Seconds> low, high;  // 90 % interval

  bool operator==(const FrozenTime&) const = default;
};

struct FrozenRow {
  // Development: its measurement is recorded and the models may have been improved after it was seen.
  // Evaluation: nobody has measured it yet.
  bool development = false;
  std::string family, layer, suite;
  ConvShape problem;
  std::string config;         // "P=4 Q=1"
  bool drawn = true;          // by the sample; false: here only because the paper's rules choose it
  bool paper_choice = false;  // the paper's rules choose it
  std::string code_hash;      // of the machine code that the predictions are of
  std::vector<std::optional<FrozenTime>> times;  // by model
  std::string unpredicted;                       // "sim: why; ..." for the models without a time
};

struct FrozenPredictions {
  std::string tool_version;
  std::string device, gpu_name;
  std::string device_sha256;  // of the profile's JSON text, as format_device() writes it
  std::string compiler;       // "NVRTC 13.0"
  std::string calibration;    // where the intervals' calibration comes from, with its hash; "none"
  std::uint64_t seed = 1;
  std::size_t sample = 0;  // configs of each layer and family
  std::vector<std::string> models;
  std::vector<FrozenRow> rows;
  std::string sha256;  // of the file without the line that says it; set by parse_frozen()
};

// The file's text. Times keep every bit.
std::string format_frozen(const FrozenPredictions& frozen);

// Throws InputError when the text is not as format_frozen() wrote it: changed, cut short or added to.
FrozenPredictions parse_frozen(std::string_view text, std::string_view name);

// Its parts, for a file that is not complete yet (partial.hpp): what the rows are of, as comments; the line
// of column names and that of a row, with a column for the dilation if `dilated`; the rows of such a table.
std::string frozen_comments(const FrozenPredictions& frozen);
std::string frozen_header(const std::vector<std::string>& models, bool dilated);
std::string frozen_line(const FrozenRow& row, bool dilated);
std::vector<FrozenRow> frozen_rows(const CsvTable& table, std::size_t models, bool dilated);

inline constexpr std::string_view frozen_file_name = "predictions.csv";

}  // namespace tilecast
