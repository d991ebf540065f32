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
    auto begin = std::clock();
    std::vector<KernelDescription> kernels;
    kernels.reserve(work.size());
    for (const auto& [shape, config] : work)
      kernels.push_back(describe_kernel(family, shape, config, device));
    const double describing = seconds_since(begin);
    begin = std::clock();
    double total = 0;
    for (const auto& kernel : kernels) {
      if (!analytic::misfit(kernel, device)) total += analytic::predict(kernel, device).time.value();
    }
    const double predicting = seconds_since(begin);
    const auto n = static_cast<double>(work.size());
    std::printf("%.*s: %.0f configs, describe %.2f us, predict %.2f us each: %.0f configs/s (sum %.4g s)\n",
                static_cast<int>(family.name.size()), family.name.data(), n, 1e6 * describing / n,
                1e6 * predicting / n, n / (describing + predicting), total);
  }
}
