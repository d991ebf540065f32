// Launches each case of a file in order, for a profiler to watch (validation/counters/record.sh).
// Usage: launch_cases CASES.csv [LAUNCHES [PLACES [BEFORE]]]: each case LAUNCHES times at each of PLACES
// places in memory; with BEFORE, behind as many others and as one range of the profiler.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "kernels/runtime/gpu.hpp"
#include "kernels/runtime/library.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "validation/counters/cases.hpp"

using namespace tilecast;

namespace {

struct Times {
  int launches, places, before;
};

// Around what a profiler shall take as one (cuProfilerStart and cuProfilerStop).
class ProfiledRange {
 public:
  explicit ProfiledRange(bool wanted) {
    if (!wanted) return;
    const auto driver = open_library({"libcuda.so.1"});
    stop_ = driver.symbol<int (*)()>("cuProfilerStop");
    driver.symbol<int (*)()>("cuProfilerStart")();
  }
  ProfiledRange(const ProfiledRange&) = delete;
  ProfiledRange& operator=(const ProfiledRange&) = delete;
  ~ProfiledRange() {
    if (stop_) stop_();
  }

 private:
  int (*stop_)() = nullptr;
};

void launch_all(const std::vector<CounterCase>& cases, const DeviceProfile& device, Times times) {
  Gpu gpu;
  constexpr std::uint32_t one = 0x3f800000u;  // values do not matter to counts
  constexpr std::size_t beyond = 1 << 20;     // copies may reach beyond a tensor's end where nothing is used
  for (const auto& c : cases) {
    const auto plan = c.family->plan(c.shape, c.config, device);
    const auto code = compile(plan.code, kernel_sources(), gpu.info().architecture);
    const Kernel kernel(code, plan.code.entry);
    const auto buffer = [&](std::int64_t elements) {
      DeviceBuffer tensor(4 * static_cast<std::size_t>(elements) + beyond);
      tensor.fill32(one);
      return tensor;
    };
    std::vector<DeviceBuffer> before;  // what is held moves the tensors on: L2 hashes their addresses
    for (int place = 0; place < times.places; ++place) {
      if (place) before.emplace_back(std::size_t{14} << 20);
      const auto input = buffer(c.shape.input_elements()), filters = buffer(c.shape.filter_elements()),
                 output = buffer(c.shape.output_elements());
      const std::uint64_t tensors[] = {input.address(), filters.address(), output.address()};
      const auto launch = [&](int so_often) {
        for (int i = 0; i < so_often; ++i)
          gpu.launch(kernel, plan, tensors);
        gpu.synchronize();
      };
      launch(times.before);
      const ProfiledRange range(times.before > 0);
      launch(times.launches);
    }
    fmt::print("{},{},{},{}\n", c.family->name, describe_shape(c.shape), describe_config(c.config),
               code.record.code_hash);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: launch_cases CASES.csv [LAUNCHES [PLACES [BEFORE]]]\n");
    return static_cast<int>(ExitCode::usage);
  }
  try {
    const auto device = load_device("h200");
    const std::string path = words[1];
    const auto number = [&](int word, int otherwise) {
      return count > word ? std::max(1, std::atoi(words[word])) : otherwise;
    };
    launch_all(read_counter_cases(read_file(path), path, device), device,
               {.launches = number(2, 1), .places = number(3, 1), .before = number(4, 0)});
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "error: {} {}\n", error.what(), error.hint());
    return static_cast<int>(error.code());
  }
}
