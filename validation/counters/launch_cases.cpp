// Launches each counter case once, in order, for a profiler to watch (validation/counters/record.sh).

#include <fmt/format.h>

#include <cstdio>

#include "kernels/runtime/gpu.hpp"
#include "model/device/load.hpp"
#include "validation/counters/cases.hpp"

using namespace tilecast;

namespace {

void launch_all(const std::vector<CounterCase>& cases, const DeviceProfile& device) {
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
    const auto input = buffer(c.shape.input_elements()), filters = buffer(c.shape.filter_elements()),
               output = buffer(c.shape.output_elements());
    const std::uint64_t tensors[] = {input.address(), filters.address(), output.address()};
    gpu.launch(kernel, plan, tensors);
    gpu.synchronize();
    fmt::print("{},{},{},{}\n", c.family->name, describe_shape(c.shape), describe_config(c.config),
               code.record.code_hash);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    const auto device = load_device(count > 1 ? words[1] : "h200");
    launch_all(read_counter_cases(counter_cases_csv(), "cases.csv", device), device);
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "error: {} {}\n", error.what(), error.hint());
    return static_cast<int>(error.code());
  }
}
