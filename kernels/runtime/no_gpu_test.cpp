#include "kernels/runtime/gpu.hpp"
#include "kernels/runtime/library.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

bool driver_installed() {
  try {
    open_library({"libcuda.so.1"});
    return true;
  } catch (const UnavailableError&) {
    return false;
  }
}

}  // namespace

TEST_CASE("gpu: a machine without a driver is told so, and exits as unavailable") {
  if (driver_installed()) {
    WARN("this machine has a driver: nothing to check");
    return;
  }
  CHECK(gpu_problem() == "no CUDA driver (libcuda.so.1) on this machine");
  CHECK(gpu_count() == 0);
  CHECK_THROWS_AS(Gpu(), UnavailableError);
  CHECK_THROWS_AS(DeviceBuffer(16), UnavailableError);
}

TEST_CASE("gpu: the reason for having none and the count agree") {
  CHECK(gpu_problem().empty() == (gpu_count() > 0));
}

TEST_CASE("gpu: empty handles need no driver") {
  DeviceBuffer buffer;
  Kernel kernel;
  DeviceBuffer moved = std::move(buffer);
  CHECK(moved.address() == 0);
  CHECK(kernel.function() == nullptr);
}
