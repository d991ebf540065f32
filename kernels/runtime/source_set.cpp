#include "kernels/runtime/source_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/support/errors.hpp"

namespace tilecast {
namespace {

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.find_last_of('/') + 1);  // npos + 1 is 0: no folder
}

// The names in the text's #include "..." lines. Conditional ones count too: one file too many costs nothing.
std::vector<std::string_view> quoted_includes(std::string_view text) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto skip_blanks = [&] {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    };
    const auto skip = [&](std::string_view token) {
      skip_blanks();
      if (!line.starts_with(token)) return false;
      line.remove_prefix(token.size());
      return true;
    };
    if (skip("#") && skip("include") && skip("\"")) names.push_back(line.substr(0, line.find('"')));
  }
  return names;
}

}  // namespace

std::vector<std::string> include_names(std::string_view path, std::string_view source) {
  std::vector<std::string> names = {std::string(path), fmt::format("kernels/{}", path)};
  const auto folder = folder_of(path);
  if (!folder.empty() && folder == folder_of(source)) names.emplace_back(path.substr(folder.size()));
  return names;
}

std::vector<EmbeddedFile> reachable_sources(std::string_view source, std::span<const EmbeddedFile> sources) {
  const auto start = std::ranges::find(sources, source, &EmbeddedFile::path);
  if (start == sources.end())
    throw Error(ExitCode::failure, fmt::format("kernels/{}: not among the embedded sources", source),
                "list it in kernels/CMakeLists.txt");
  std::vector<EmbeddedFile> found = {*start};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const auto name : quoted_includes(found[i].text)) {
      const auto matches = [&](const EmbeddedFile& file) {
        const auto names = include_names(file.path, source);
        return std::ranges::find(names, name) != names.end();
      };
      const auto file = std::ranges::find_if(sources, matches);
      if (file != sources.end() && std::ranges::find(found, file->path, &EmbeddedFile::path) == found.end())
        found.push_back(*file);
    }
  }
  return found;
}

}  // namespace tilecast
