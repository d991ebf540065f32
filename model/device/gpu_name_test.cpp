#include "model/device/gpu_name.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("gpu name: folders and profiles", "[device]") {
  CHECK(folder_name("NVIDIA H200") == "nvidia-h200");
  CHECK(folder_name("nvidia-h200") == "nvidia-h200");
  CHECK(folder_name("GeForce GTX 1080 Ti (rev. A)") == "geforce-gtx-1080-ti-rev-a");
  CHECK(folder_name(" A100-SXM4 (80GB) ") == "a100-sxm4-80gb");
  CHECK(profile_name("NVIDIA H200") == "h200");
  CHECK(profile_name("NVIDIA GeForce GTX 1080 Ti") == "gtx-1080-ti");
  CHECK(profile_name("Tesla V100-SXM2-16GB") == "v100-sxm2-16gb");
  CHECK(profile_name("Quadro P6000") == "p6000");
  CHECK(profile_name("NVIDIA") == "nvidia");
}
