// Not a test: simulates a sample of recorded rows and prints each one's error and where its time goes, then
// the error of each family and what a simulation costs on one core.
// Usage: simulation_errors DEVICE FILE.csv COUNT SEED [THREADS [CONFIG-SUBSTRING]]

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>

#include "kernels/simulation/kernel_simulator.hpp"
#include "model/analytic/analytic.hpp"
#include "model/device/load.hpp"
#include "model/support/errors.hpp"
#include "validation/measurement_store.hpp"
#include "validation/work_list.hpp"

using namespace tilecast;

namespace {

struct Row {
  MeasuredRow measured;
  SimulationJob job;
  std::string text;
  std::optional<double> error;
  double analytic_error = 0;
  double milliseconds = 0;
};

// Processor time of this thread.
double milliseconds_now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

std::string config_text(const MeasuredRow& row) {
  std::string text;
  for (const auto& [name, value] : row.config)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

void simulate_row(Row& row, const KernelSimulator& simulator, const DeviceProfile& device) {
  const auto& m = row.measured;
  const auto name = fmt::format("{} {} {}", m.layer, describe_shape(m.problem), config_text(m));
  try {
    simulator.description(row.job);  // compiled and disassembled from here on
    const double begin = milliseconds_now();
    const auto kernel = simulator.description(row.job);
    const auto stream = simulator.stream(row.job);
    const double read = milliseconds_now();
    const auto s = sim::simulate(kernel, stream, device);
    row.milliseconds = milliseconds_now() - begin;
    const double measured = m.time->value(), predicted = s.prediction.time.value();
    row.error = predicted / measured - 1;
    row.analytic_error = analytic::predict(kernel, device).time.value() / measured - 1;
    row.text = fmt::format(
        "{:+.1f}%,{},{:.3f},{:.9g},ana {:+.1f}%,{},res {} of {:.0f},{:.1f}+{:.1f} ms,{:.0f}k stepped of "
        "{:.0f}k spread {:.2f}",
        100 * *row.error, name, 1e6 * measured, 1e6 * predicted, 100 * row.analytic_error,
        s.prediction.limiter, s.resident, s.blocks, read - begin, row.milliseconds - (read - begin),
        1e-3 * s.sm.simulated, 1e-3 * s.sm.issued, s.sm.steady_spread);
    for (const auto& bound : s.prediction.bounds)
      row.text += fmt::format(",{}={:.2f}", bound.name, 1e6 * bound.time.value());
  } catch (const std::exception& error) {
    row.text = fmt::format("failed,{},{}", name, error.what());
  }
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

}  // namespace

int main(int count, char** values) {
  if (count < 5) {
    fmt::print(stderr, "usage: simulation_errors DEVICE FILE.csv COUNT SEED [THREADS [CONFIG-SUBSTRING]]\n");
    return 2;
  }
  const auto device = load_device(values[1]);
  auto measured = load_measurements(values[2]);
  std::erase_if(measured, [](const MeasuredRow& row) { return !row.time || row.status != "ok"; });
  if (count > 6) {
    std::erase_if(measured, [&](const MeasuredRow& row) {
      return (row.layer + " " + describe_shape(row.problem) + " " + config_text(row)).find(values[6]) ==
             std::string::npos;
    });
  }
  std::mt19937 random(static_cast<unsigned>(std::atoi(values[4])));
  // Not std::shuffle: its result differs between standard libraries.
  for (std::size_t i = measured.size(); i > 1; --i)
    std::swap(measured[i - 1], measured[random() % i]);
  measured.resize(std::min<std::size_t>(measured.size(), static_cast<std::size_t>(std::atoi(values[3]))));

  std::vector<Row> rows;
  for (const auto& m : measured) {
    const auto& family = family_by_name(m.family);
    rows.push_back({m, {&family, m.problem, config_of(m)}, {}, {}, 0, 0});
  }
  const KernelSimulator simulator(device);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < rows.size(); i = next++)
      simulate_row(rows[i], simulator, device);
  };
  {
    std::vector<std::jthread> pool;
    for (int i = 1; i < (count > 5 ? std::atoi(values[5]) : 1); ++i)
      pool.emplace_back(work);
    work();
  }
  std::ranges::stable_sort(rows, {}, [](const Row& row) { return row.error.value_or(-2); });
  std::vector<double> errors, analytic_errors, costs;
  double sum = 0, bias = 0;
  for (const auto& row : rows) {
    fmt::print("{}\n", row.text);
    if (!row.error) continue;
    errors.push_back(std::abs(*row.error));
    analytic_errors.push_back(std::abs(row.analytic_error));
    costs.push_back(row.milliseconds);
    sum += std::abs(*row.error);
    bias += *row.error;
  }
  const auto n = static_cast<double>(std::max<std::size_t>(1, errors.size()));
  fmt::print(
      "# {}: {} of {} rows, error median {:.1f} mean {:.1f} p90 {:.1f} max {:.1f} %, bias {:+.1f} %; "
      "analytic median "
      "{:.1f} p90 {:.1f} %; ms p50 {:.1f} p90 {:.1f} max {:.1f}\n",
      values[2], errors.size(), rows.size(), 100 * quantile(errors, 0.5), 100 * sum / n,
      100 * quantile(errors, 0.9), 100 * quantile(errors, 1), 100 * bias / n,
      100 * quantile(analytic_errors, 0.5), 100 * quantile(analytic_errors, 0.9), quantile(costs, 0.5),
      quantile(costs, 0.9), quantile(costs, 1));
}
