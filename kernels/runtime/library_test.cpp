#include "kernels/runtime/library.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "kernels/runtime/cuda_error.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

std::filesystem::path scratch_folder() {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tilecast-library-" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  return folder;
}

}  // namespace

TEST_CASE("library: searched in the given folders, Python packages below them, the loader, the toolkit") {
  const auto folder = scratch_folder();
  std::filesystem::create_directories(folder / "nvidia/cublas/lib");
  std::filesystem::create_directories(folder / "nvidia/cuda_nvrtc/lib");
  std::filesystem::create_directories(folder / "nvidia/no_lib_here");
  const auto f = folder.string();
  CHECK(library_candidates("libx.so.1", f + "::/other") ==
        std::vector<std::string>{f + "/libx.so.1", f + "/nvidia/cublas/lib/libx.so.1",
                                 f + "/nvidia/cuda_nvrtc/lib/libx.so.1", "/other/libx.so.1", "libx.so.1",
                                 "/usr/local/cuda/lib64/libx.so.1"});
  CHECK(library_candidates("libx.so.1", "") ==
        std::vector<std::string>{"libx.so.1", "/usr/local/cuda/lib64/libx.so.1"});
  std::filesystem::remove_all(folder);
}

TEST_CASE("library: one that is not there is reported with every name tried, as unavailable") {
  try {
    open_library({"libtilecast-absent.so.13", "libtilecast-absent.so.12"});
    FAIL("opened a library that does not exist");
  } catch (const UnavailableError& error) {
    CHECK(error.code() == ExitCode::unavailable);
    CHECK_THAT(error.what(), contains_text("libtilecast-absent.so.13, libtilecast-absent.so.12"));
    CHECK_THAT(error.hint(), contains_text("TILECAST_LIBRARY_PATH"));
  }
}

TEST_CASE("library: functions are found by name, a missing one is nullptr or an error") {
  const auto library = open_library({"libtilecast-absent.so", "libc.so.6"});
  CHECK(library.path() == "libc.so.6");
  REQUIRE(library.find<int (*)()>("getpid") != nullptr);
  CHECK(library.symbol<int (*)()>("getpid")() == getpid());
  CHECK(library.find<int (*)()>("tilecast_no_such_function") == nullptr);
  CHECK_THROWS_AS(library.symbol<int (*)()>("tilecast_no_such_function"), UnavailableError);
}

TEST_CASE("CUDA errors: the message says place, call, name and text") {
  CHECK(cuda_error_text("cuMemAlloc(&address, bytes)", "/a/b/device_buffer.cpp", 27,
                        "CUDA_ERROR_OUT_OF_MEMORY", "out of memory") ==
        "device_buffer.cpp:27: cuMemAlloc(&address, bytes): CUDA_ERROR_OUT_OF_MEMORY: out of memory");
  CHECK(cuda_error_text("nvrtcVersion", "nvrtc.cpp", 3, "NVRTC_ERROR", "") ==
        "nvrtc.cpp:3: nvrtcVersion: NVRTC_ERROR");
}
