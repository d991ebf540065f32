// The rules of the source tree that a reviewer should not have to check by hand: who may include whom, that
// nothing without a GPU needs CUDA, and that files stay readable in one sitting.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.hpp"

namespace fs = std::filesystem;

namespace {

struct SourceFile {
  std::string path;    // from the root of the tree
  std::string folder;  // the component it belongs to: "model/device", "kernels", "kernels/runtime", ...
  std::vector<std::string> includes;
  long lines = 0;
  bool one_catch_only = false;  // names a matcher that Catch2 2 and 3 spell differently
};

std::string component(const std::string& path) {
  for (const char* nested :
       {"kernels/runtime", "kernels/sass", "kernels/simulation", "model/units", "model/support",
        "model/device", "model/workload", "model/paper", "model/analytic", "model/sim", "model/rivals"}) {
    if (path.rfind(std::string(nested) + "/", 0) == 0) return nested;
  }
  return path.substr(0, path.find('/'));
}

std::vector<SourceFile> source_files() {
  static const std::regex include(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  // Catch2 2 alone has it, with and without its namespace; tests/catch.hpp has contains_text for both.
  static const std::regex one_catch(R"(Catch::(Matchers::)?Contains\()");
  const std::set<std::string> extensions{".cpp", ".hpp", ".cu", ".cuh", ".h"};
  std::vector<SourceFile> files;
  const fs::path root = TILECAST_SOURCE_DIR;
  for (const char* top : {"model", "kernels", "microbench", "validation", "reports", "cli", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (!entry.is_regular_file() || extensions.count(entry.path().extension().string()) == 0) continue;
      SourceFile file;
      file.path = fs::relative(entry.path(), root).string();
      file.folder = component(file.path);
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line); ++file.lines) {
        std::smatch match;
        if (std::regex_search(line, match, include)) file.includes.push_back(match[1]);
        if (std::regex_search(line, one_catch)) file.one_catch_only = true;
      }
      files.push_back(std::move(file));
    }
  }
  return files;
}

// Design section 1: "A <- B: B may include A; nothing else". Every folder may include itself, units and
// support. The simulator takes launch, waves and traffic from the analytic model.
const std::map<std::string, std::set<std::string>> allowed{
    {"model/units", {}},
    {"model/support", {}},
    {"model/workload", {}},
    {"model/device", {"model/workload"}},
    {"model/paper", {"model/device", "model/workload"}},
    {"model/analytic", {"model/device", "model/workload"}},
    {"model/sim", {"model/device", "model/workload", "model/analytic"}},
    {"model/rivals", {"model/device", "model/workload"}},
    {"kernels", {"model/device", "model/workload"}},
    {"kernels/runtime", {"kernels", "kernels/sass", "model/device", "model/workload"}},
    // A mix says what a warp waits for by the simulator's rules, which are written there once.
    {"kernels/sass", {"kernels", "model/workload", "model/sim"}},
    {"kernels/simulation",
     {"kernels", "kernels/sass", "kernels/runtime", "model/device", "model/workload", "model/analytic",
      "model/sim"}},
    {"microbench", {"model/device", "model/workload", "kernels", "kernels/runtime"}},
    {"validation",
     {"model/device", "model/workload", "model/paper", "model/analytic", "model/sim", "kernels",
      "kernels/sass", "kernels/runtime", "kernels/simulation"}},
    {"reports", {"model/device", "model/workload", "validation"}},
};

bool is_test(const SourceFile& file) {
  return file.path.find("_test.cpp") != std::string::npos;
}

}  // namespace

TEST_CASE("source tree: includes follow the layers", "[rules]") {
  const auto files = source_files();
  REQUIRE(files.size() > 20);  // the walk itself works
  std::vector<std::string> violations;
  for (const auto& file : files) {
    const auto rule = allowed.find(file.folder);
    if (rule == allowed.end()) continue;  // cli and tests may include everything
    for (const auto& include : file.includes) {
      if (include.find('/') == std::string::npos || !fs::exists(fs::path(TILECAST_SOURCE_DIR) / include))
        continue;
      const auto target = component(include);
      const bool common = target == file.folder || target == "model/units" || target == "model/support";
      if (common || rule->second.count(target) || (is_test(file) && target == "tests")) continue;
      violations.push_back(fmt::format("{} includes {}", file.path, include));
    }
  }
  CHECK(violations == std::vector<std::string>{});
}

TEST_CASE("source tree: model, reports and every kernel family's header are free of CUDA", "[rules]") {
  static const std::regex cuda(R"(^(cuda|cu[a-z]*\.h|cublas|cudnn|nvrtc|nvml|cupti|nvtx))");
  std::vector<std::string> violations;
  for (const auto& file : source_files()) {
    const bool free_of_cuda = file.path.rfind("model/", 0) == 0 || file.path.rfind("reports/", 0) == 0 ||
                              (file.folder == "kernels" && file.path.find(".cu") == std::string::npos);
    if (!free_of_cuda) continue;
    for (const auto& include : file.includes) {
      if (std::regex_search(include, cuda))
        violations.push_back(fmt::format("{} includes {}", file.path, include));
    }
  }
  CHECK(violations == std::vector<std::string>{});
}

TEST_CASE("source tree: the parameters that models read are those listed as read", "[rules]") {
  const fs::path root = TILECAST_SOURCE_DIR;
  const auto text_of = [](const fs::path& path) {
    std::ifstream stream(path);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  std::string code = text_of(root / "model/device/occupancy.cpp") + text_of(root / "model/device/rates.cpp");
  for (const auto& file : source_files()) {
    const bool model = file.folder == "model/analytic" || file.folder == "model/sim" ||
                       file.folder == "model/paper" || file.folder == "model/rivals" ||
                       file.folder == "kernels" || file.folder == "kernels/simulation";
    if (model && !is_test(file)) code += text_of(root / file.path);
  }
  // As profiles are called there.
  std::set<std::string> members;
  static const std::regex access(R"(\b(d|device|profile)(\.|->)(\w+))");
  for (std::sregex_iterator at(code.begin(), code.end(), access), end; at != end; ++at)
    members.insert((*at)[3]);

  const auto list = text_of(root / "model/device/read_by_models.cpp");
  std::vector<std::string> violations;
  std::ifstream parameters(root / "model/device/parameters.cpp");
  int rows = 0;
  for (std::string line; std::getline(parameters, line);) {
    static const std::regex scalar(R"re(row<&D::(\w+)>\("(\w+)")re");
    static const std::regex grid(R"re((?:Curve|Table)Row\{"(\w+)",.*&D::(\w+)\})re");
    std::smatch match;
    std::string key, member;
    if (std::regex_search(line, match, scalar)) {
      member = match[1], key = match[2];
    } else if (std::regex_search(line, match, grid)) {
      key = match[1], member = match[2];
    } else {
      continue;
    }
    ++rows;
    const bool read = members.count(member) > 0, listed = list.find('"' + key + '"') != std::string::npos;
    if (read != listed) violations.push_back(key + (read ? " is read, not listed" : " is listed, not read"));
  }
  CHECK(rows > 100);
  CHECK(violations == std::vector<std::string>{});
}

TEST_CASE("source tree: tests use contains_text(), which both versions of Catch2 have", "[rules]") {
  std::vector<std::string> violations;
  for (const auto& file : source_files()) {
    if (file.one_catch_only && file.path != "tests/catch.hpp") violations.push_back(file.path);
  }
  CHECK(violations == std::vector<std::string>{});
}

TEST_CASE("source tree: no file is longer than 500 lines, no folder README longer than 40", "[rules]") {
  std::vector<std::string> violations;
  for (const auto& file : source_files()) {
    if (file.lines > 500) violations.push_back(fmt::format("{}: {} lines", file.path, file.lines));
  }
  for (const char* top : {"model", "kernels", "microbench", "validation", "reports", "cli"}) {
    const auto readme = fs::path(TILECAST_SOURCE_DIR) / top / "README.md";
    std::ifstream stream(readme);
    if (!stream) {
      violations.push_back(fmt::format("{}/README.md is missing", top));
      continue;
    }
    long lines = 0;
    for (std::string line; std::getline(stream, line);)
      ++lines;
    if (lines > 40) violations.push_back(fmt::format("{}/README.md: {} lines", top, lines));
  }
  CHECK(violations == std::vector<std::string>{});
}
