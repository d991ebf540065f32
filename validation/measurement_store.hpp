#pragma once
// Recorded measurements as CSV: one file a family, '#' comments first, rows appended and synced one by one,
// so that a killed run loses nothing and a resumed one skips what is there.

#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "model/workload/measured_row.hpp"

namespace tilecast {

// "chang_single|N1 C1 28x28 M512 K3 s1 p0|method=1 P=4 ...": a row's identity.
std::string row_key(const MeasuredRow& row);

// Reads CSV text. Columns: family,layer,suite,N,C,H,W,M,K,stride,pad, dilation (may be missing, and a field
// empty: 1), the config's axes,
// status,time_s,time_p10_s,time_p90_s,samples,max_rel_error,sm_clock_hz,code_hash, tool_version. A last line
// without its end is dropped and reported in `truncated`; anything else malformed throws InputError with
// name:line and column.
std::vector<MeasuredRow> parse_measurements(std::string_view csv, std::string_view name,
                                            bool* truncated = nullptr);
std::vector<MeasuredRow> load_measurements(const std::string& path);

// The columns of an existing file that not every file has, in its order: the config's axes, and "dilation"
// where it has that; empty when there is no file or it has no header yet.
std::vector<std::string> measurement_axes(const std::string& path);

// Every row of validation/recorded/<device>/, embedded in the binary; empty when there are none. `device` is
// the folder (folder_name()) or the GPU's name.
std::vector<MeasuredRow> recorded_measurements(std::string_view device);
// The folders that have rows.
std::vector<std::string> recorded_devices();

// Appends rows to a file, creating it with comments and a header; an incomplete last line is cut off first.
class MeasurementWriter {
 public:
  // `columns`: the family's axes, in order, and "dilation" where a row may have another one than 1. Throws
  // InputError when the file exists with other columns, Error (failure) when it cannot be written or another
  // process is writing it.
  MeasurementWriter(const std::string& path, std::vector<std::string> columns,
                    const std::vector<std::string>& comments);
  ~MeasurementWriter();
  MeasurementWriter(const MeasurementWriter&) = delete;
  MeasurementWriter& operator=(const MeasurementWriter&) = delete;
  bool has(const MeasuredRow& row) const;
  // Flushed and synced before it returns. A row may leave axes out (the field stays empty); an axis or a
  // dilation that the file has no column for, or a row that is there already, throws Error (failure).
  void append(const MeasuredRow& row);

 private:
  std::string path_;
  int file_ = -1;
  std::vector<std::string> columns_;
  std::unordered_set<std::string> keys_;
};

}  // namespace tilecast
