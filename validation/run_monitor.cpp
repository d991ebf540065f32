#include "validation/run_monitor.hpp"

#include <fmt/format.h>

#include <ostream>

namespace tilecast {

RunMonitor::RunMonitor(std::ostream& err, std::optional<double> limit_s, bool quiet)
    : err_(err), limit_s_(limit_s), quiet_(quiet), start_(std::chrono::steady_clock::now()) {}

void RunMonitor::begin(std::optional<std::size_t> total) {
  total_ = total;
  done_ = 0;
  begin_s_ = last_print_s_ = seconds();
}

double RunMonitor::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool RunMonitor::out_of_time() const {
  return limit_s_ && seconds() >= *limit_s_;
}

void RunMonitor::row_done(std::string_view what) {
  constexpr double interval_s = 5;
  ++done_;
  const double now = seconds();
  if (quiet_ || (now - last_print_s_ < interval_s && done_ != total_)) return;
  last_print_s_ = now;
  const double rate = static_cast<double>(done_) / (now - begin_s_);
  err_ << fmt::format("validate: {} rows", done_);
  if (total_) {
    err_ << fmt::format(" of {}, {:.1f} min left", *total_, static_cast<double>(*total_ - done_) / rate / 60);
  }
  err_ << fmt::format(", {:.1f} rows/s: {}\n", rate, what) << std::flush;
}

}  // namespace tilecast
