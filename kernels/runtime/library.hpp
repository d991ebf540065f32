#pragma once
// Shared libraries opened at run time: the driver, NVRTC, cuDNN, cuBLAS, NVML. Nothing of CUDA is linked, so
// the same binary starts on a machine that has none of them.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/support/errors.hpp"

namespace tilecast {

// Stays open until the process ends: CUDA's libraries have threads and exit handlers of their own, which
// closing would pull the code from under.
class DynamicLibrary {
 public:
  DynamicLibrary() = default;
  DynamicLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }  // as it was found, for `doctor`

  // symbol<decltype(&::cuInit)>("cuInit"). Throws UnavailableError naming library and function.
  template <class Function>
  Function symbol(const char* name) const {
    return reinterpret_cast<Function>(require(name));
  }
  // nullptr where this version of the library has no such function.
  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(lookup(name));
  }

 private:
  void* lookup(const char* name) const;
  void* require(const char* name) const;
  void* handle_ = nullptr;
  std::string path_;
};

// Where open_library() looks for `name`, in order: each folder of `library_path` (colon-separated;
// TILECAST_LIBRARY_PATH) and the folders nvidia/*/lib below it, where Python's CUDA packages keep theirs; the
// system's loader (the bare name); /usr/local/cuda/lib64.
std::vector<std::string> library_candidates(std::string_view name, std::string_view library_path);

// The first of `names` that opens; all places are tried for one name before the next name. Throws
// UnavailableError with every name tried and the loader's last message.
DynamicLibrary open_library(std::span<const std::string_view> names);
inline DynamicLibrary open_library(std::initializer_list<std::string_view> names) {
  return open_library(std::span<const std::string_view>(names.begin(), names.size()));
}

}  // namespace tilecast
