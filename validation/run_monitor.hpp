#pragma once
// How far a run is, how fast it goes, and whether its time is up.

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string_view>

namespace tilecast {

struct RunTotals {
  std::size_t rows = 0;     // appended
  std::size_t wrong = 0;    // results that do not match the reference, and launches that failed
  std::size_t refused = 0;  // algorithms that a library says it cannot do here
  bool stopped = false;     // by the time limit; the rest is for the next run
};

class RunMonitor {
 public:
  // The clock of `limit_s` starts now. Progress goes to `err`, unless `quiet`.
  RunMonitor(std::ostream& err, std::optional<double> limit_s, bool quiet);
  // A stretch of work of `total` rows, or of an unknown number.
  void begin(std::optional<std::size_t> total);
  bool out_of_time() const;
  // Prints at most one line every few seconds.
  void row_done(std::string_view what);
  double seconds() const;

 private:
  std::ostream& err_;
  std::optional<double> limit_s_;
  bool quiet_;
  std::chrono::steady_clock::time_point start_;
  std::optional<std::size_t> total_;
  std::size_t done_ = 0;
  double begin_s_ = 0, last_print_s_ = 0;
};

}  // namespace tilecast
