// Predictions a second on one core, descriptions of three phases and three streams built anew each time.

#include <cstdio>
#include <ctime>

#include "model/analytic/analytic.hpp"
#include "model/analytic/analytic_test_device.hpp"

using namespace tilecast;

int main() {
  const auto device = round_device();
  constexpr int count = 1'000'000;
  double total = 0;
  const auto begin = std::clock();
  for (int i = 0; i < count; ++i) {
    auto k = round_kernel(1 + i % 500, 1 + i % 64);
    k.phases.resize(3, round_phase());
    k.phases[1].fetched = Bytes{4096};
    k.phases[1].fetch_distance = 1;
    k.streams = {{"input", false, Bytes{1e6}, Bytes{4e6}},
                 {"filters", false, Bytes{1e5}, Bytes{2e6}},
                 {"output", true, Bytes{1e6}, Bytes{1e6}}};
    total += analytic::predict(k, device).time.value();
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%.0f predictions/s (sum of times %.6g s)\n", count / seconds, total);
}
