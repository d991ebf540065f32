#include "reports/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "model/support/nearest.hpp"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_of(FigureFormat format) {
  switch (format) {
    case FigureFormat::svg:
      return "svg";
    case FigureFormat::pdf:
      return "pdf";
    case FigureFormat::tex:
      return "tex";
  }
  return "";
}

// The caller's environment with plain number formatting and no terminal preset.
std::vector<std::string> gnuplot_environment() {
  std::vector<std::string> kept;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string_view entry{*e};
    if (entry.starts_with("LC_") || entry.starts_with("LANG") || entry.starts_with("GNUTERM")) continue;
    kept.emplace_back(entry);
  }
  kept.emplace_back("LC_ALL=C");
  return kept;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "tilecast-figure-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw Error(ExitCode::failure,
                  fmt::format("{}: cannot make a temporary folder: {}", pattern, std::strerror(errno)));
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Runs a program in `folder`; returns its exit status and what it wrote to both of its outputs.
std::pair<int, std::string> run_program(const fs::path& program, const std::vector<std::string>& arguments,
                                        const fs::path& folder) {
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0)
    throw Error(ExitCode::failure, fmt::format("cannot make a pipe: {}", std::strerror(errno)));

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 2);

  std::vector<char*> argv, envp;
  std::vector<std::string> owned = arguments;
  owned.insert(owned.begin(), program.string());
  for (auto& a : owned)
    argv.push_back(a.data());
  argv.push_back(nullptr);
  auto environment = gnuplot_environment();
  for (auto& e : environment)
    envp.push_back(e.data());
  envp.push_back(nullptr);

  pid_t child = 0;
  const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);
  if (failed != 0) {
    ::close(pipe_ends[0]);
    throw Error(ExitCode::failure,
                fmt::format("{}: cannot start: {}", program.string(), std::strerror(failed)));
  }
  std::string output;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(pipe_ends[0], buffer, sizeof buffer);
    if (n > 0) output.append(buffer, static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) break;
  }
  ::close(pipe_ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, output};
}

}  // namespace

std::vector<FigureFormat> parse_figure_formats(std::string_view list) {
  std::vector<FigureFormat> formats;
  std::size_t from = 0;
  while (from <= list.size()) {
    const std::size_t to = std::min(list.find(',', from), list.size());
    const std::string_view word = list.substr(from, to - from);
    from = to + 1;
    bool known = false;
    for (const auto f : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::tex}) {
      if (word != name_of(f)) continue;
      known = true;
      if (std::ranges::find(formats, f) == formats.end()) formats.push_back(f);
    }
    if (!known) {
      const std::vector<std::string> names = {"svg", "pdf", "tex"};
      throw UsageError(fmt::format("--format: '{}' is no figure format", word), nearest_hint(word, names));
    }
  }
  return formats;
}

std::optional<fs::path> find_gnuplot() {
  const char* path = std::getenv("PATH");
  const std::string_view all = path == nullptr ? "" : path;
  std::size_t from = 0;
  while (from < all.size()) {
    const std::size_t to = std::min(all.find(':', from), all.size());
    const fs::path candidate = fs::path(all.substr(from, to - from)) / "gnuplot";
    if (::access(candidate.c_str(), X_OK) == 0) return fs::absolute(candidate);
    from = to + 1;
  }
  return std::nullopt;
}

void write_figure(const Figure& figure, const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw Error(ExitCode::failure,
                fmt::format("{}: cannot create the folder: {}", folder.string(), failed.message()));
  write_file((folder / (figure.name + ".gp")).string(), figure.gp);
  write_file((folder / (figure.name + ".dat")).string(), figure.dat);
}

void draw_figure(const Figure& figure, const fs::path& folder, std::span<const FigureFormat> formats) {
  write_figure(figure, folder);
  if (formats.empty()) return;
  const auto gnuplot = find_gnuplot();
  if (!gnuplot)
    throw UnavailableError("gnuplot is not installed; the scripts and data of the figures are written",
                           "apt install gnuplot-nox, or run 'gnuplot NAME.gp' in that folder elsewhere");
  // One process draws all formats: the script starts with `reset` and reads `format`.
  std::vector<std::string> arguments = {"-d"};
  for (const auto format : formats) {
    arguments.insert(arguments.end(),
                     {"-e", fmt::format("format='{}'", name_of(format)), figure.name + ".gp"});
  }
  const auto [status, output] = run_program(*gnuplot, arguments, folder);
  if (status != 0)
    throw Error(ExitCode::failure,
                fmt::format("{}: gnuplot failed:\n{}", (folder / (figure.name + ".gp")).string(), output));
}

std::string figure_svg(const Figure& figure) {
  const TemporaryFolder folder;
  const std::vector<FigureFormat> svg = {FigureFormat::svg};
  draw_figure(figure, folder.path(), svg);
  return read_file((folder.path() / (figure.name + ".svg")).string());
}

}  // namespace tilecast
