#include "microbench/launch_reduction.hpp"

#include <algorithm>

#include "microbench/reduction.hpp"
#include "microbench/warp_records.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

std::vector<double> average_resident(double stay_s, double fewer, std::span<const double> fewer_s,
                                     double more, std::span<const double> more_s, int sms) {
  std::vector<double> resident = slopes(fewer, fewer_s, more, more_s);
  for (double& value : resident)  // so far seconds a block, of the whole GPU
    value = stay_s / value / sms;
  return resident;
}

std::vector<double> first_beyond_later(std::span<const double> none_s, std::span<const double> one_s,
                                       std::span<const double> all_s, int loads, double clock_hz) {
  std::vector<double> first = slopes(0, none_s, 1, one_s);
  const std::vector<double> later = slopes(1, one_s, loads, all_s);
  first.resize(std::min(first.size(), later.size()));
  for (std::size_t r = 0; r < first.size(); ++r)
    first[r] = (first[r] - later[r]) * clock_hz;
  return first;
}

std::vector<double> cycles_beyond(std::span<const double> shorter_s, std::span<const double> longer_s,
                                  double clock_hz) {
  std::vector<double> beyond = slopes(0, shorter_s, 1, longer_s);
  for (double& value : beyond)
    value *= clock_hz;
  return beyond;
}

namespace {

struct Typical {
  double cycles = 0, batches = 0;
};

Typical typical_of(std::span<const WarpRecord> records) {
  std::vector<double> cycles, batches;
  for (const auto& [sm, work] : work_by_sm(records)) {
    cycles.push_back(work.cycles);
    batches.push_back(work.batches);
  }
  return {median(cycles), median(batches)};
}

}  // namespace

double batches_between(std::span<const WarpRecord> shorter, std::span<const WarpRecord> longer) {
  const Typical from = typical_of(shorter), to = typical_of(longer);
  return slope(from.cycles, from.batches, to.cycles, to.batches);
}

}  // namespace tilecast
