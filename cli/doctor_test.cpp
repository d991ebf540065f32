#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "cli/cli_test_support.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// Of the environment, as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("doctor: names every part, and a remedy for each that does not work", "[cli]") {
  std::ostringstream out, err;
  REQUIRE(run_program({"doctor", "--format", "csv"}, commands(), {out, err}) == 0);
  std::istringstream lines(out.str());
  std::string header;
  std::getline(lines, header);
  CHECK(header == "part,works,needed_by,detail,remedy");
  int parts = 0;
  for (std::string line; std::getline(lines, line); ++parts) {
    CAPTURE(line);
    // The remedy is the last field: empty exactly where the part works.
    const bool works = line.find(",yes,") != std::string::npos;
    CHECK(line.ends_with(',') == works);
  }
  CHECK(parts >= 6);
}

TEST_CASE("doctor: finds nvdisasm where the commands that run it do", "[cli]") {
  const Folder folder("doctor");
  write_file(folder / "nvdisasm", "#!/bin/sh\n");
  std::filesystem::permissions(folder.path / "nvdisasm", std::filesystem::perms::owner_all);
  const auto found = [&] {
    const Variable path("PATH", "/nowhere"), cuda("CUDA_HOME", ""),
        libraries("TILECAST_LIBRARY_PATH", folder.path.string());
    return run_tilecast({"doctor", "--format", "csv"});
  }();
  CHECK(found.code == 0);
  CHECK(found.out.find("nvdisasm,yes,") != std::string::npos);
  CHECK(found.out.find("," + (folder / "nvdisasm") + ",") != std::string::npos);
  CHECK(found.out.find("gnuplot,no,") != std::string::npos);
}
