#include "kernels/sass/disassemble.hpp"

#include <algorithm>

#include "tests/catch.hpp"

using namespace tilecast::sass;

TEST_CASE("disassembler: PATH first, then CUDA_HOME, the library path and the toolkit's own place") {
  const auto all = disassembler_candidates("/a:/b", "/cuda", "/wheel/nvidia/cu13/lib");
  REQUIRE(all.size() == 7);
  CHECK(all[0] == "/a/nvdisasm");
  CHECK(all[1] == "/b/nvdisasm");
  CHECK(all[2] == "/cuda/bin/nvdisasm");
  CHECK(std::ranges::find(all, "/wheel/nvidia/cu13/bin/nvdisasm") != all.end());
  CHECK(all.back() == "/usr/local/cuda/bin/nvdisasm");
}
