// That the interval of a prediction holds every value of the profile that has an interval and moves the
// prediction (EQUATIONS.md A12).

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/family.hpp"
#include "model/analytic/analytic.hpp"
#include "model/device/load.hpp"
#include "model/device/parameters.hpp"
#include "tests/catch.hpp"
#include "validation/measurement_store.hpp"
#include "validation/recorded_predictions.hpp"
#include "validation/work_list.hpp"

using namespace tilecast;

namespace {

// A few of every family, drawn from the recorded rows.
std::vector<KernelDescription> some_kernels(const DeviceProfile& device) {
  std::vector<const KernelFamily*> families;
  for (const auto& family : kernel_families())
    families.push_back(&family);
  const auto rows = sampled_rows(recorded_measurements(device.gpu_name), families, 1, 5);
  std::vector<KernelDescription> kernels;
  for (std::size_t i = 0; i < rows.size(); i += 7) {
    const auto& family = family_by_name(rows[i].family);
    for (const auto code : {CodeSource::own, CodeSource::estimated})
      kernels.push_back(describe_kernel(family, rows[i].problem, config_of(rows[i]), device, code));
  }
  return kernels;
}

// No interval but of what `set` gives one.
DeviceProfile without_intervals(DeviceProfile device) {
  for (const auto& row : parameter_rows()) {
    if (const auto value = row.get(device)) row.set(device, *value, {});
  }
  for (const auto& row : curve_rows())
    (device.*row.member).spread = {};
  for (const auto& row : table_rows())
    (device.*row.member).spread = {};
  return device;
}

// Of a tenth of the value: a hundredth of that is what other terms make of it.
constexpr double hardly = 1e-3;

// How many kernels' times move with the value, and how many of these have an interval by it.
struct Moved {
  int moved = 0, held = 0;
};

Moved moved_by(const std::vector<KernelDescription>& kernels, const DeviceProfile& plain,
               const std::vector<DeviceProfile>& other_values, const DeviceProfile& with_interval) {
  Moved found;
  for (const auto& kernel : kernels) {
    const auto time = analytic::predict(kernel, plain).time;
    if (std::ranges::none_of(other_values, [&](const auto& device) {
          return std::abs(analytic::predict(kernel, device).time / time - 1) > hardly;
        }))
      continue;
    ++found.moved;
    const auto bare = analytic::predict(kernel, plain), wide = analytic::predict(kernel, with_interval);
    found.held += wide.low < bare.low || wide.high > bare.high;
  }
  return found;
}

template <class Points>
Moved moved_by_points(const std::vector<KernelDescription>& kernels, const DeviceProfile& plain,
                      Points DeviceProfile::*member) {
  auto lower = plain, higher = plain, wide = plain;
  for (auto& y : (lower.*member).y)
    y *= 0.9;
  for (auto& y : (higher.*member).y)
    y *= 1.1;
  (wide.*member).spread = {0.9, 1.1};
  return moved_by(kernels, plain, {lower, higher}, wide);
}

void check(std::string_view key, const Moved& found) {
  INFO(key << ": moves " << found.moved << " kernels, is in the interval of " << found.held);
  CHECK(found.held >= found.moved * 9 / 10);
  CHECK((found.moved == 0 || found.held > 0));
}

}  // namespace

TEST_CASE("predict (A12): what has an interval and moves a prediction is in the prediction's interval",
          "[analytic]") {
  const auto device = load_device("h200");
  const auto kernels = some_kernels(device);
  REQUIRE(kernels.size() > 50);
  const auto plain = without_intervals(device);
  int moving = 0;
  for (const auto& row : parameter_rows()) {
    const auto value = row.get(device);
    const auto& info = row.info(device);
    // Whole numbers and sizes are counted, not measured.
    if (!value || !info.low || !info.high || row.integer || row.unit == "bytes") continue;
    auto lower = plain, higher = plain, wide = plain;
    row.set(lower, 0.9 * *value, {});
    row.set(higher, 1.1 * *value, {});
    ParameterInfo ends;
    ends.low = 0.9 * *value;
    ends.high = 1.1 * *value;
    row.set(wide, *value, ends);
    const auto found = moved_by(kernels, plain, {lower, higher}, wide);
    check(row.key, found);
    moving += found.moved > 0;
  }
  for (const auto& row : curve_rows()) {
    if ((device.*row.member).y_low.empty()) continue;
    const auto found = moved_by_points(kernels, plain, row.member);
    check(row.key, found);
    moving += found.moved > 0;
  }
  for (const auto& row : table_rows()) {
    if ((device.*row.member).y_low.empty()) continue;
    const auto found = moved_by_points(kernels, plain, row.member);
    check(row.key, found);
    moving += found.moved > 0;
  }
  CHECK(moving > 20);
}
