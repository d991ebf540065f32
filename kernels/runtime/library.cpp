#include "kernels/runtime/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace tilecast {
namespace {

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> folders;
  while (!path.empty()) {
    const auto end = path.find(':');
    if (end != 0) folders.emplace_back(path.substr(0, end));
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return folders;
}

// <folder>/nvidia/*/lib, sorted so that the search order does not depend on the file system.
std::vector<std::string> python_package_folders(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/nvidia", error)) {
    if (std::filesystem::is_directory(entry.path() / "lib", error))
      found.push_back((entry.path() / "lib").string());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

void* DynamicLibrary::lookup(const char* name) const {
  return handle_ ? dlsym(handle_, name) : nullptr;
}

void* DynamicLibrary::require(const char* name) const {
  if (void* address = lookup(name)) return address;
  throw UnavailableError(fmt::format("{}: no function {}", path_, name), "install a newer version of it");
}

std::vector<std::string> library_candidates(std::string_view name, std::string_view library_path) {
  std::vector<std::string> candidates;
  const auto add = [&](const std::string& folder) {
    candidates.push_back(fmt::format("{}/{}", folder, name));
  };
  for (const auto& folder : split_path(library_path)) {
    add(folder);
    for (const auto& package : python_package_folders(folder))
      add(package);
  }
  candidates.emplace_back(name);
  add("/usr/local/cuda/lib64");
  return candidates;
}

DynamicLibrary open_library(std::span<const std::string_view> names) {
  const char* library_path = std::getenv("TILECAST_LIBRARY_PATH");
  std::string reason;
  for (const auto name : names) {
    for (const auto& candidate : library_candidates(name, library_path ? library_path : "")) {
      // A path that exists but does not load is the interesting failure: keep its message, not "no such
      // file".
      const bool worth_telling =
          candidate.find('/') != std::string::npos && std::filesystem::exists(candidate);
      if (void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return {handle, candidate};
      const char* message = dlerror();
      if (message && (reason.empty() || worth_telling)) reason = message;
    }
  }
  throw UnavailableError(
      fmt::format("none of these libraries could be opened: {} ({})", fmt::join(names, ", "), reason),
      "install one, or name its folder in TILECAST_LIBRARY_PATH");
}

}  // namespace tilecast
