// EQUATIONS.md and equations/ against the tree: every id is in the code and in the tests that it names, and
// every bound that predictions cite is listed.

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "model/analytic/bounds.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

const std::filesystem::path model = std::filesystem::path(TILECAST_SOURCE_DIR) / "model";

// EQUATIONS.md is the index, too.
constexpr std::array<const char*, 3> files{"EQUATIONS.md", "equations/analytic.md", "equations/simulator.md"};

// Text of each "### ID: ..." section by id; a repeated id gets its text twice and is caught below.
void add_sections(const std::string& text, std::map<std::string, std::vector<std::string>>& found) {
  static const std::regex heading("### ([PAOSBRI][0-9]+): ");
  for (std::sregex_iterator it(text.begin(), text.end(), heading), end; it != end; ++it) {
    const auto begin = static_cast<std::size_t>(it->position());
    const auto next = text.find("\n#", begin);
    found[(*it)[1]].push_back(text.substr(begin, next - begin));
  }
}

std::map<std::string, std::vector<std::string>> sections() {
  std::map<std::string, std::vector<std::string>> found;
  for (const auto* file : files)
    add_sections(read_file((model / file).string()), found);
  return found;
}

// The anchor that GitHub gives a heading.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') {
      anchor += '-';
    } else if (std::isalnum(byte) != 0 || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

// "Code: model/paper/a.cpp, b.cpp." -> both paths; a bare name is in the folder of the one before it.
std::vector<std::filesystem::path> files_after(const std::string& section, const std::string& label) {
  std::vector<std::filesystem::path> paths;
  const auto begin = section.find(label + ": ");
  if (begin == std::string::npos) return paths;
  const auto line = section.substr(begin, section.find(label == "Code" ? "Test: " : "\n", begin) - begin);
  static const std::regex file(R"([a-z0-9_/]+\.cpp)");
  for (std::sregex_iterator it(line.begin(), line.end(), file), end; it != end; ++it) {
    std::filesystem::path path = it->str();
    if (!path.has_parent_path() && !paths.empty()) path = paths.back().parent_path() / path;
    paths.push_back(path);
  }
  return paths;
}

bool cites(const std::filesystem::path& path, const std::string& id) {
  const auto text = read_file((model.parent_path() / path).string());
  return std::regex_search(text, std::regex("\\b" + id + "[a-z]?\\b"));
}

// The file itself or its header, where public functions cite their equation.
bool code_cites(std::filesystem::path path, const std::string& id) {
  if (cites(path, id)) return true;
  path.replace_extension(".hpp");
  return std::filesystem::exists(model.parent_path() / path) && cites(path, id);
}

}  // namespace

TEST_CASE("EQUATIONS.md: each id is listed once, with formula, source, code and test", "[equations]") {
  const auto all = sections();
  REQUIRE(all.size() >= 28);
  for (const auto& [id, texts] : all) {
    INFO(id);
    REQUIRE(texts.size() == 1);
    CHECK((texts[0].find("Formula: ") != std::string::npos || texts[0].find("Rule: ") != std::string::npos));
    CHECK(texts[0].find("Source: ") != std::string::npos);
    CHECK_FALSE(files_after(texts[0], "Code").empty());
    CHECK_FALSE(files_after(texts[0], "Test").empty());
  }
}

TEST_CASE("EQUATIONS.md: the index links each section of the other files", "[equations]") {
  const auto index = read_file((model / files.front()).string());
  for (const std::string file : {files[1], files[2]}) {
    std::map<std::string, std::vector<std::string>> here;
    add_sections(read_file((model / file).string()), here);
    CHECK(here.size() >= 18);
    for (const auto& [id, texts] : here) {
      const auto heading = texts.front().substr(4, texts.front().find('\n') - 4);
      const auto link = "[" + id + "](" + file + "#" + anchor_of(heading) + ")";
      INFO(link);
      CHECK(index.find(link) != std::string::npos);
    }
  }
}

TEST_CASE("EQUATIONS.md: each id is cited in all the code and in one of the tests that it names",
          "[equations]") {
  for (const auto& [id, texts] : sections()) {
    for (const auto& path : files_after(texts.front(), "Code")) {
      INFO(id << " in " << path.string());
      CHECK(code_cites(path, id));
    }
    const auto tests = files_after(texts.front(), "Test");
    INFO(id);
    CHECK(std::ranges::any_of(tests, [&](const auto& path) { return cites(path, id); }));
  }
}

TEST_CASE("EQUATIONS.md: every bound of a prediction is listed under its name", "[equations]") {
  const auto all = sections();
  for (const auto& bound : analytic::bound_table()) {
    const auto found = all.find(std::string(bound.equation));
    REQUIRE(found != all.end());
    CHECK(found->second.front().find("(`" + std::string(bound.name) + "`)") != std::string::npos);
  }
}
