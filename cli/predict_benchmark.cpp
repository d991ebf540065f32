// Configs a second on one core, describe() included: every feasible config of every family over the layers of
// the paper. Not a test. Usage: predict_benchmark [DEVICE]

#include <cstdio>
#include <ctime>

#include "kernels/family.hpp"
#include "model/analytic/analytic.hpp"
#include "model/device/load.hpp"
#include "model/workload/suites.hpp"

using namespace tilecast;

namespace {

// Processor time: other programs on the machine do not count.
double seconds_since(std::clock_t begin) {
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int count, char** values) {
  const auto device = load_device(count > 1 ? values[1] : "h100");
  for (const auto& family : kernel_families()) {
    std::vector<std::pair<ConvShape, Config>> work;
    for (const char* suite : {"chang-single", "chang-multi"}) {
      for (const auto& layer : load_suite(suite).layers) {
        if (family.supports(layer.shape)) continue;
        for (const auto& config : family.configs(layer.shape, device)) {
          if (!family.feasible(layer.shape, config, device)) work.emplace_back(layer.shape, config);
        }
      }
    }
    // The first description loads the records of all codes.
    if (!work.empty()) describe_kernel(family, work.front().first, work.front().second, device);
    // Descriptions are not kept: the memory of 200,000 would be most of what is measured.
    auto begin = std::clock();
    double blocks = 0;
    for (const auto& [shape, config] : work)
      blocks += static_cast<double>(describe_kernel(family, shape, config, device).launch.blocks);
    const double describing = seconds_since(begin);
    begin = std::clock();
    double total = 0;
    for (const auto& [shape, config] : work) {
      const auto kernel = describe_kernel(family, shape, config, device);
      if (!analytic::misfit(kernel, device)) total += analytic::predict(kernel, device).time.value();
    }
    const double both = seconds_since(begin);
    const auto n = static_cast<double>(work.size());
    std::printf(
        "%.*s: %.0f configs of %.4g blocks, describe %.2f us, with predict %.2f us each: %.0f configs/s (sum "
        "%.4g s)\n",
        static_cast<int>(family.name.size()), family.name.data(), n, blocks, 1e6 * describing / n,
        1e6 * both / n, n / both, total);
  }
}
