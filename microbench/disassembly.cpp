#include "microbench/disassembly.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "model/support/errors.hpp"

namespace tilecast {

namespace {

std::vector<std::string> folders_of(std::string_view path) {
  std::vector<std::string> folders;
  while (!path.empty()) {
    const auto end = std::min(path.find(':'), path.size());
    if (end > 0) folders.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return folders;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// A folder of its own in the temporary one, removed with the object.
struct TemporaryFolder {
  std::string path = (std::filesystem::temp_directory_path() / "tilecast-XXXXXX").string();
  TemporaryFolder() {
    if (!mkdtemp(path.data())) throw Error(ExitCode::failure, "no temporary folder: " + path);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<std::string> nvdisasm_candidates(std::string_view path, std::string_view cuda_home,
                                             std::string_view library_path) {
  std::vector<std::string> candidates;
  const auto add = [&](const std::string& folder) { candidates.push_back(folder + "/nvdisasm"); };
  for (const auto& folder : folders_of(path))
    add(folder);
  if (!cuda_home.empty()) add(std::string(cuda_home) + "/bin");
  for (const auto& folder : folders_of(library_path)) {
    add(folder);
    add(folder + "/../bin");
    std::vector<std::string> packages;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/nvidia", error))
      packages.push_back(entry.path().string() + "/bin");
    std::ranges::sort(packages);
    for (const auto& package : packages)
      add(package);
  }
  add("/usr/local/cuda/bin");
  return candidates;
}

std::optional<std::string> find_nvdisasm() {
  for (const auto& candidate : nvdisasm_candidates(environment("PATH"), environment("CUDA_HOME"),
                                                   environment("TILECAST_LIBRARY_PATH"))) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return std::nullopt;
}

std::string disassemble(const std::string& nvdisasm, std::span<const char> cubin) {
  const TemporaryFolder folder;
  const std::string code = folder.path + "/code.cubin", out = folder.path + "/out",
                    err = folder.path + "/err";
  std::ofstream(code, std::ios::binary).write(cubin.data(), static_cast<std::streamsize>(cubin.size()));

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  std::string program = nvdisasm, option = "-c", file = code;
  char* arguments[] = {program.data(), option.data(), file.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, nvdisasm.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error(ExitCode::failure, fmt::format("{} failed: {}", nvdisasm, text_of(err).substr(0, 400)));
  return text_of(out);
}

}  // namespace tilecast
