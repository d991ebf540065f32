#include "kernels/sass/disassemble.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "kernels/sass/cubin.hpp"
#include "kernels/sass/merge_cubins.hpp"
#include "model/support/csv.hpp"
#include "model/support/errors.hpp"

extern char** environ;

namespace tilecast::sass {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> folders;
  while (!path.empty()) {
    const auto end = path.find(':');
    if (end != 0) folders.emplace_back(path.substr(0, end));
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return folders;
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// A temporary file, removed by the destructor.
struct TemporaryFile {
  std::string path = (fs::temp_directory_path() / "tilecast-XXXXXX").string();
  int descriptor = mkstemp(path.data());
  TemporaryFile() {
    if (descriptor < 0) throw Error(ExitCode::failure, fmt::format("{}: cannot make a temporary file", path));
  }
  ~TemporaryFile() {
    close(descriptor);
    unlink(path.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write_all(std::span<const char> bytes) const {
    while (!bytes.empty()) {
      const auto written = ::write(descriptor, bytes.data(), bytes.size());
      if (written <= 0) throw Error(ExitCode::failure, fmt::format("{}: cannot write", path));
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }
};

// Runs a program with its output and errors in the two files; returns its exit status.
int run_program(std::vector<std::string> words, const TemporaryFile& out, const TemporaryFile& err) {
  std::vector<char*> arguments;
  for (auto& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw Error(ExitCode::failure, fmt::format("{}: cannot be run", words[0]));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw Error(ExitCode::failure, fmt::format("{}: lost", words[0]));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Runs nvdisasm without data-flow analysis: that takes a quarter of its time and only names the targets of
// branches through registers, none of which is followed here.
std::string list_code(std::span<const char> cubin) {
  const auto program = find_disassembler();
  const TemporaryFile input, output, errors;
  input.write_all(cubin);
  const int status = run_program({program, "-c", "-hex", "-ndf", input.path}, output, errors);
  if (status != 0)
    throw Error(ExitCode::failure,
                fmt::format("{} ends with status {}: {}", program, status, read_file(errors.path)));
  return read_file(output.path);
}

std::string without(std::string_view text, std::string_view word) {
  std::string rest;
  rest.reserve(text.size());
  while (!text.empty()) {
    const auto at = std::min(text.find(word), text.size());
    rest += text.substr(0, at);
    text.remove_prefix(std::min(at + word.size(), text.size()));
  }
  return rest;
}

// Splits the listing of merged cubins into `count` listings; empty where a cubin has none.
std::vector<std::string> split_listing(std::string_view listing, std::size_t count) {
  constexpr std::string_view line = "//-------", section = " .text.";
  const auto first = std::min(listing.find(line), listing.size());
  std::vector<std::string> parts(count, std::string(listing.substr(0, first)));
  std::vector<bool> found(count);
  for (auto at = first; at < listing.size();) {
    const auto end = std::min(listing.find(line, at + 1), listing.size());
    const auto text = listing.substr(at, end - at);
    at = end;
    const auto name_at = text.find(section);
    if (name_at == std::string_view::npos) continue;
    const auto name = text.substr(name_at + section.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto prefix = merged_prefix(i);
      if (!name.starts_with(prefix)) continue;
      parts[i] += without(text, prefix);
      found[i] = true;
    }
  }
  if (std::ranges::find(found, false) != found.end()) return {};
  return parts;
}

}  // namespace

std::vector<std::string> disassembler_candidates(std::string_view path, std::string_view cuda_home,
                                                 std::string_view library_path) {
  std::vector<std::string> candidates;
  const auto add = [&](const fs::path& folder) {
    candidates.push_back((folder / "nvdisasm").lexically_normal().string());
  };
  for (const auto& folder : split_path(path))
    add(folder);
  if (!cuda_home.empty()) add(fs::path(cuda_home) / "bin");
  for (const auto& folder : split_path(library_path)) {
    add(folder);
    add(fs::path(folder) / "bin");
    add(fs::path(folder) / ".." / "bin");
    std::vector<fs::path> packages;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(fs::path(folder) / "nvidia", error))
      packages.push_back(entry.path() / "bin");
    std::ranges::sort(packages);  // the order must not depend on the file system
    for (const auto& package : packages)
      add(package);
  }
  add("/usr/local/cuda/bin");
  return candidates;
}

std::string find_disassembler() {
  for (const auto& candidate : disassembler_candidates(environment("PATH"), environment("CUDA_HOME"),
                                                       environment("TILECAST_LIBRARY_PATH"))) {
    std::error_code error;
    if (fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  throw UnavailableError("no nvdisasm on PATH, in CUDA_HOME, TILECAST_LIBRARY_PATH or /usr/local/cuda",
                         "install the CUDA toolkit's nvdisasm (package cuda-nvdisasm-13-0) or, with pip, "
                         "nvidia-cuda-nvdisasm, and put its folder on PATH");
}

std::string disassemble(std::span<const char> cubin) {
  return list_code(cubin);
}

std::vector<std::string> disassemble_all(std::span<const std::span<const char>> cubins) {
  if (cubins.size() > 1) {
    try {
      if (const auto merged = merge_cubins(cubins)) {
        auto listings = split_listing(list_code(*merged), cubins.size());
        if (!listings.empty()) return listings;
      }
    } catch (const UnavailableError&) {
      throw;
    } catch (const Error&) {
      // One of them is damaged; listed alone, it will report that.
    }
  }
  std::vector<std::string> listings;
  for (const auto& cubin : cubins)
    listings.push_back(disassemble(cubin));
  return listings;
}

Program read_machine_code(std::span<const char> cubin, std::string_view entry) {
  return read_machine_code(disassemble(cubin), cubin, entry);
}

Program read_machine_code(std::string_view listing, std::span<const char> cubin, std::string_view entry) {
  auto program = read_listing(listing, entry, entry);
  // .nv.constant0.KERNEL is the launch's; the others are .nv.constant2.KERNEL, .nv.constant3, ...
  constexpr std::string_view prefix = ".nv.constant";
  for (const auto& section : cubin_sections(cubin)) {
    if (!section.name.starts_with(prefix)) continue;
    auto rest = section.name.substr(prefix.size());
    int bank = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), bank);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const bool of_kernel = rest.empty() || rest == fmt::format(".{}", entry);
    if (error != std::errc{} || bank == 0 || !of_kernel) continue;
    const auto* bytes = reinterpret_cast<const std::byte*>(section.bytes.data());
    program.constants[bank].assign(bytes, bytes + section.bytes.size());
  }
  return program;
}

}  // namespace tilecast::sass
